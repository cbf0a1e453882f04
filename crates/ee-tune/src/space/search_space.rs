//! The parameters of a search, and settings made from a point among them.

use std::collections::BTreeMap;

use serde_json::Value;

use super::schema;
use super::{Parameter, SpaceError, TunableSettings};

/// Places of the parameters, each 0 to 1, in the order of the space.
pub type Point = Vec<f64>;

/// The parameters that a search varies.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchSpace {
    parameters: Vec<Parameter>,
}

impl SearchSpace {
    /// Every declared parameter, by key.
    ///
    /// # Errors
    /// [`SpaceError::Declaration`] for a field whose declaration cannot be read.
    pub fn declared() -> Result<Self, SpaceError> {
        let parameters = schema::declared()?.into_values().collect();
        Ok(Self { parameters })
    }

    /// These parameters alone, in the order of the keys given; parts of a whole come together.
    ///
    /// # Errors
    /// [`SpaceError::Unknown`] for a key that is not among the parameters.
    pub fn select<S: AsRef<str>>(&self, keys: &[S]) -> Result<Self, SpaceError> {
        let mut parameters: Vec<Parameter> = Vec::new();
        for key in keys {
            let chosen = self.find(key.as_ref())?;
            for parameter in self.with_its_parts(chosen) {
                if !parameters.contains(parameter) {
                    parameters.push(parameter.clone());
                }
            }
        }
        Ok(Self { parameters })
    }

    fn find(&self, key: &str) -> Result<&Parameter, SpaceError> {
        let found = self
            .parameters
            .iter()
            .find(|parameter| parameter.key == key);
        found.ok_or_else(|| SpaceError::Unknown {
            key: key.to_owned(),
        })
    }

    fn with_its_parts<'a>(&'a self, chosen: &'a Parameter) -> Vec<&'a Parameter> {
        let whole = chosen.whole_of_parts();
        let parts = self.parameters.iter();
        let parts = parts.filter(|one| whole.is_some() && one.whole_of_parts() == whole);
        let parts: Vec<&Parameter> = parts.collect();
        if parts.is_empty() {
            vec![chosen]
        } else {
            parts
        }
    }

    /// The parameters in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// How many parameters there are.
    pub fn len(&self) -> usize {
        self.parameters.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.parameters.is_empty()
    }

    /// Where settings stand in the space; a value outside its range stands at the nearer end.
    ///
    /// # Errors
    /// [`SpaceError::Settings`] when the settings cannot be written as JSON.
    pub fn point_of(&self, settings: &TunableSettings) -> Result<Point, SpaceError> {
        let values = self.values_of(settings)?;
        let placed = self.parameters.iter().map(|parameter| {
            let value = values.get(&parameter.key).unwrap_or(&parameter.default);
            parameter.place(value).unwrap_or(0.5)
        });
        Ok(placed.collect())
    }

    /// The values of the parameters in settings, by key.
    ///
    /// # Errors
    /// [`SpaceError::Settings`] when the settings cannot be written as JSON.
    pub fn values_of(
        &self,
        settings: &TunableSettings,
    ) -> Result<BTreeMap<String, Value>, SpaceError> {
        let tree = serde_json::to_value(settings)?;
        let value = |parameter: &Parameter| {
            let found = tree.pointer(&pointer(&parameter.key)).cloned();
            (parameter.key.clone(), found.unwrap_or_default())
        };
        Ok(self.parameters.iter().map(value).collect())
    }

    /// The values at a point, by key; parts of a whole sum to 1.
    pub fn values_at(&self, point: &[f64]) -> BTreeMap<String, Value> {
        let mut values: BTreeMap<String, Value> = BTreeMap::new();
        for (parameter, place) in self.parameters.iter().zip(point) {
            values.insert(parameter.key.clone(), parameter.value(*place));
        }
        self.bring_parts_to_one(&mut values);
        values
    }

    fn bring_parts_to_one(&self, values: &mut BTreeMap<String, Value>) {
        let mut wholes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for parameter in &self.parameters {
            if let Some(whole) = parameter.whole_of_parts() {
                wholes.entry(whole).or_default().push(&parameter.key);
            }
        }
        for keys in wholes.into_values() {
            let part = |key: &&str| values.get(*key).and_then(Value::as_f64).unwrap_or_default();
            let parts: Vec<f64> = keys.iter().map(part).collect();
            let sum: f64 = parts.iter().sum();
            let equal = 1.0 / keys.len().max(1) as f64;
            for (key, part) in keys.iter().zip(parts) {
                let share = if sum > 0.0 { part / sum } else { equal };
                values.insert((*key).to_owned(), Value::from(share));
            }
        }
    }

    /// `base` with these values in place of its own.
    ///
    /// # Errors
    /// [`SpaceError::Settings`] for a key that no setting has or a value that it does not take.
    pub fn assign(
        base: &TunableSettings,
        values: &BTreeMap<String, Value>,
    ) -> Result<TunableSettings, SpaceError> {
        let mut tree = serde_json::to_value(base)?;
        for (key, value) in values {
            set(&mut tree, key, value.clone());
        }
        Ok(serde_json::from_value(tree)?)
    }
}

/// Sets a value under a dotted key. A table that is not there is made, so that the settings refuse
/// a key that they do not know instead of losing it.
fn set(tree: &mut Value, key: &str, value: Value) {
    let mut place = tree;
    for part in key.split('.') {
        if !place.is_object() {
            *place = Value::Object(serde_json::Map::new());
        }
        let Some(table) = place.as_object_mut() else {
            return;
        };
        place = table.entry(part).or_insert(Value::Null);
    }
    *place = value;
}

fn pointer(key: &str) -> String {
    format!("/{}", key.replace('.', "/"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Domain;

    fn space() -> SearchSpace {
        SearchSpace::declared().unwrap()
    }

    #[test]
    fn every_section_of_the_specification_is_declared() {
        let space = space();
        for key in [
            "turn.context.key.intents",
            "turn.context.assembly.eligibility_threshold",
            "turn.context.matching.basic_merge_threshold",
            "turn.context.assembly.max_per_dcn",
            "turn.context.matching.tau_hours",
            "search.fusion",
            "search.rank_constant",
            "turn.top_k",
            "precise.minimum.epsilon",
            "ingest.words_per_piece",
            "ingest.overlap_percent",
            "index.recall",
            "index.hash_probes",
            "ingest.summary_tokens",
            "embed.model",
            "openai.temperature",
            "memory.session_gap_hours",
        ] {
            assert!(space.find(key).is_ok(), "{key}");
        }
    }

    /// A parameter that the settings do not hold, or whose change leaves them as they are, would
    /// be searched in vain.
    #[test]
    fn every_declared_parameter_changes_the_settings_and_keeps_them_valid() {
        let space = space();
        let base = TunableSettings::default();
        for parameter in space.parameters() {
            let one = space.select(&[&parameter.key]).unwrap();
            for place in [0.0, 0.37, 1.0] {
                let values = one.values_at(&vec![place; one.len()]);
                let settings = SearchSpace::assign(&base, &values).unwrap();
                settings
                    .validate()
                    .unwrap_or_else(|e| panic!("{}: {e}", parameter.key));
            }
            let ends = [0.0, 1.0].map(|place| {
                let mut point = one.point_of(&base).unwrap();
                point[0] = place;
                SearchSpace::assign(&base, &one.values_at(&point)).unwrap()
            });
            assert_ne!(ends[0], ends[1], "{}", parameter.key);
        }
    }

    #[test]
    fn every_default_lies_in_its_range() {
        for parameter in space().parameters() {
            let default = &parameter.default;
            if default.is_null() {
                continue;
            }
            let place = parameter.place(default);
            assert!(place.is_some(), "{}: {default}", parameter.key);
            if let (Some(number), Domain::Range { from, to, .. }) =
                (default.as_f64(), &parameter.domain)
            {
                assert!(
                    *from <= number && number <= *to,
                    "{}: {number}",
                    parameter.key
                );
            }
            assert!(!parameter.description.is_empty(), "{}", parameter.key);
        }
    }

    #[test]
    fn parts_come_together_and_sum_to_one() {
        let key = space().select(&["turn.context.key.dcns"]).unwrap();
        assert_eq!(key.len(), 3);
        let values = key.values_at(&[0.0, 0.0, 0.0]);
        let sum: f64 = values.values().filter_map(Value::as_f64).sum();
        assert!((sum - 1.0).abs() < 1e-12);
    }

    #[test]
    fn what_no_setting_knows_is_refused() {
        let base = TunableSettings::default();
        for key in [
            "search.dense_wait",
            "turn.context.key.intent",
            "nowhere.at.all",
        ] {
            let values = BTreeMap::from([(key.to_owned(), json!(0.5))]);
            let error = SearchSpace::assign(&base, &values).unwrap_err();
            let last = key.split('.').find(|part| error.to_string().contains(part));
            assert!(last.is_some(), "{error}");
            assert!(matches!(
                space().select(&[key]),
                Err(SpaceError::Unknown { .. })
            ));
        }
    }
}
