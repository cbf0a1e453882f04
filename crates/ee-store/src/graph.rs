//! The trait through which retrieval follows links.

use km_core::{AccessScope, Entity, Link, UnitId};

use crate::{StoreError, StoredUnit, VisibleUnits};

/// The graph of units and entities, as one scope sees it.
pub trait GraphStore: Send + Sync {
    /// The entities that visible units name, sorted.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn entities(&self, scope: &AccessScope) -> Result<Vec<Entity>, StoreError>;

    /// The visible units that name one of these entities.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn units_of_entities(
        &self,
        scope: &AccessScope,
        entities: &[Entity],
    ) -> Result<VisibleUnits, StoreError>;

    /// The links out of each of these units, one list per unit in their order, both ends visible;
    /// an empty list for a unit that is not.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn links_of(&self, scope: &AccessScope, units: &[UnitId])
    -> Result<Vec<Vec<Link>>, StoreError>;

    /// Units by id, in the order of `units`; those the scope may not see are left out.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn units_by_id(
        &self,
        scope: &AccessScope,
        units: &[UnitId],
    ) -> Result<Vec<StoredUnit>, StoreError>;
}
