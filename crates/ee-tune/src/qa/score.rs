//! Verdicts as one number.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What counts as a good answer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QaScore {
    /// Correct is 1, everything else 0.
    Correct,
    /// Correct and possibly correct are 1, everything else 0.
    CorrectOrPossible,
    /// Correct is 1, possibly correct one half, wrong costs a penalty, indeterminate is 0.
    Composite {
        /// What a wrong answer costs, at least 0.
        wrong_penalty: f64,
    },
}

impl QaScore {
    /// The name, as a report shows it.
    pub fn name(&self) -> String {
        match self {
            Self::Correct => "correct".to_owned(),
            Self::CorrectOrPossible => "correct or possible".to_owned(),
            Self::Composite { wrong_penalty } => {
                format!("composite, {wrong_penalty} off for wrong")
            }
        }
    }

    /// The score of a question with these metrics; absent when it was not judged.
    pub fn of(&self, metrics: &BTreeMap<String, f64>) -> Option<f64> {
        let value = |name: &str| metrics.get(name).copied();
        let correct = value("correct")?;
        let (possible, wrong) = (value("possibly_correct")?, value("wrong")?);
        Some(match self {
            Self::Correct => correct,
            Self::CorrectOrPossible => correct + possible,
            Self::Composite { wrong_penalty } => correct + 0.5 * possible - wrong_penalty * wrong,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::QaScore;

    #[test]
    fn a_worked_example() {
        let verdict = |place: usize| {
            let names = ["correct", "possibly_correct", "wrong"]
                .into_iter()
                .enumerate();
            let one =
                |(at, name): (usize, &str)| (name.to_owned(), f64::from(u8::from(at == place)));
            names.map(one).collect::<BTreeMap<String, f64>>()
        };
        let composite = QaScore::Composite {
            wrong_penalty: 0.25,
        };
        let all: Vec<Option<f64>> = (0..4).map(|place| composite.of(&verdict(place))).collect();
        assert_eq!(all, [Some(1.0), Some(0.5), Some(-0.25), Some(0.0)]);
        assert_eq!(QaScore::CorrectOrPossible.of(&verdict(1)), Some(1.0));
        assert_eq!(QaScore::Correct.of(&verdict(1)), Some(0.0));
        assert_eq!(QaScore::Correct.of(&BTreeMap::new()), None);
    }
}
