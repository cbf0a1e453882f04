//! What can be tuned: every threshold and weight of the settings, declared once.
//!
//! A declaration stands beside its field in the configuration type, as the extension `tune` of the
//! field's schema: `"FROM..TO UNIT SCALE"`, or `"choice"` for one of a few names. The default comes
//! from the type's `Default`. [`SearchSpace::declared`] reads them all; nothing repeats them.

mod declaration;
mod error;
mod parameter;
mod preset;
mod scale;
mod schema;
mod search_space;
mod settings;

pub use declaration::{Declaration, DeclarationError};
pub use error::SpaceError;
pub use parameter::{Domain, Parameter};
pub use preset::Preset;
pub use scale::Scale;
pub use search_space::{Point, SearchSpace};
pub use settings::TunableSettings;
