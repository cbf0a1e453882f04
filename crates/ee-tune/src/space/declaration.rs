//! The short form in which a field of a configuration type declares how it is tuned.

use super::Scale;

/// How a field is tuned, as its schema declares it.
#[derive(Debug, Clone, PartialEq)]
pub enum Declaration {
    /// `FROM..TO UNIT SCALE`, both ends included, for example `1..336 hours logarithmic`.
    Range {
        /// The least value.
        from: f64,
        /// The greatest value.
        to: f64,
        /// What the value counts or measures.
        unit: String,
        /// On which scale it is searched.
        scale: Scale,
    },
    /// `choice` for the names that the schema lists, or `choice A|B` for these.
    Choice {
        /// The names; empty for those of the schema.
        names: Vec<String>,
    },
}

/// A declaration that is not in the short form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected `FROM..TO UNIT linear|logarithmic` or `choice A|B`, got `{0}`")]
pub struct DeclarationError(pub String);

impl std::str::FromStr for Declaration {
    type Err = DeclarationError;

    fn from_str(text: &str) -> Result<Self, DeclarationError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let read = match words.as_slice() {
            ["choice"] => Some(Self::Choice { names: Vec::new() }),
            ["choice", names] => Some(Self::Choice {
                names: names.split('|').map(str::to_owned).collect(),
            }),
            [range, unit, scale] => read_range(range, unit, scale),
            _ => None,
        };
        read.ok_or_else(|| DeclarationError(text.to_owned()))
    }
}

fn read_range(range: &str, unit: &str, scale: &str) -> Option<Declaration> {
    let (from, to) = range.split_once("..")?;
    let (from, to): (f64, f64) = (from.parse().ok()?, to.parse().ok()?);
    let scale = match scale {
        "linear" => Scale::Linear,
        "logarithmic" if from > 0.0 => Scale::Logarithmic,
        _ => return None,
    };
    (from < to).then(|| Declaration::Range {
        from,
        to,
        unit: unit.to_owned(),
        scale,
    })
}

#[cfg(test)]
mod tests {
    use super::{Declaration, Scale};

    #[test]
    fn both_forms_are_read() {
        let range: Declaration = "-20..0 log-odds linear".parse().unwrap();
        let expected = Declaration::Range {
            from: -20.0,
            to: 0.0,
            unit: "log-odds".to_owned(),
            scale: Scale::Linear,
        };
        assert_eq!(range, expected);
        let choice: Declaration = "choice a|b-c".parse().unwrap();
        assert_eq!(
            choice,
            Declaration::Choice {
                names: vec!["a".into(), "b-c".into()]
            }
        );
    }

    #[test]
    fn anything_else_is_refused_and_named() {
        for text in [
            "",
            "0..1",
            "1..0 x linear",
            "0..1 x logarithmic",
            "a..b x linear",
            "0..1 x cubic",
        ] {
            let error = text.parse::<Declaration>().unwrap_err();
            assert!(error.to_string().contains(&format!("`{text}`")), "{error}");
        }
    }
}
