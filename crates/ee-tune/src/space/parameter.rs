//! One parameter of the search: where it stands in the settings and what values it takes.

use serde_json::Value;

use super::Scale;

/// A tunable setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its key in the configuration file, for example `search.dense_weight`.
    pub key: String,
    /// What it means, from its documentation.
    pub description: String,
    /// The value that the program ships with.
    pub default: Value,
    /// What values it takes.
    pub domain: Domain,
}

/// The values that a parameter takes.
#[derive(Debug, Clone, PartialEq)]
pub enum Domain {
    /// Numbers from one end to the other, both included.
    Range {
        /// The least value.
        from: f64,
        /// The greatest value.
        to: f64,
        /// What the value counts or measures; `part` for one of several that sum to 1.
        unit: String,
        /// On which scale it is searched.
        scale: Scale,
        /// Whether only whole numbers count.
        whole: bool,
    },
    /// One of a few values.
    Choice(Vec<Value>),
}

/// The unit of a parameter that is one of several parts of a whole.
const PART: &str = "part";

/// Decimals of a number that was searched: finer differences are noise.
const DECIMALS: f64 = 1e4;

impl Parameter {
    /// The value at `place`, 0 to 1. Every place gives a value that the settings accept.
    pub fn value(&self, place: f64) -> Value {
        match &self.domain {
            Domain::Range {
                from,
                to,
                scale,
                whole,
                ..
            } => {
                let value = scale.value(place, *from, *to);
                if *whole {
                    Value::from(value.round() as i64)
                } else {
                    Value::from(((value * DECIMALS).round() / DECIMALS).clamp(*from, *to))
                }
            }
            Domain::Choice(values) => {
                let index = (place.clamp(0.0, 1.0) * values.len() as f64) as usize;
                let index = index.min(values.len().saturating_sub(1));
                values.get(index).cloned().unwrap_or_default()
            }
        }
    }

    /// The place of a value, 0 to 1; `None` for one that is not in the domain's type.
    pub fn place(&self, value: &Value) -> Option<f64> {
        match &self.domain {
            Domain::Range {
                from, to, scale, ..
            } => Some(scale.place(value.as_f64()?, *from, *to)),
            Domain::Choice(values) => {
                let index = values.iter().position(|known| known == value)?;
                Some((index as f64 + 0.5) / values.len() as f64)
            }
        }
    }

    /// How many values a choice has; `None` for a range.
    pub fn choices(&self) -> Option<usize> {
        match &self.domain {
            Domain::Choice(values) => Some(values.len()),
            Domain::Range { .. } => None,
        }
    }

    /// The table whose parts sum to 1 with this one; `None` for a parameter that stands alone.
    pub fn whole_of_parts(&self) -> Option<&str> {
        match &self.domain {
            Domain::Range { unit, .. } if unit == PART => {
                self.key.rsplit_once('.').map(|(table, _)| table)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Domain, Parameter};
    use crate::space::Scale;

    fn parameter(domain: Domain) -> Parameter {
        Parameter {
            key: "a.b".to_owned(),
            description: String::new(),
            default: Value::Null,
            domain,
        }
    }

    #[test]
    fn whole_numbers_stay_whole_and_within_the_range() {
        let count = parameter(Domain::Range {
            from: 1.0,
            to: 20.0,
            unit: "units".to_owned(),
            scale: Scale::Logarithmic,
            whole: true,
        });
        let values: Vec<Value> = [0.0, 0.5, 1.0].map(|place| count.value(place)).into();
        assert_eq!(values, [json!(1), json!(4), json!(20)]);
        assert_eq!(count.place(&json!(500)), Some(1.0));
    }

    #[test]
    fn every_choice_has_its_share_of_the_places() {
        let choice = parameter(Domain::Choice(vec![json!("a"), json!("b")]));
        assert_eq!(choice.value(0.49), json!("a"));
        assert_eq!(choice.value(1.0), json!("b"));
        let back = choice.place(&json!("b")).map(|place| choice.value(place));
        assert_eq!(back, Some(json!("b")));
        assert_eq!(choice.place(&json!("c")), None);
    }
}
