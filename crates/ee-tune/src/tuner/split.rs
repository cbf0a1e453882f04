//! Which cases the search sees, and which only the verdict does.

use std::collections::BTreeMap;

use super::Case;

/// Into how many parts the searched cases are divided for cross-validation, at most.
const FOLDS: usize = 5;

/// The cases of a search by their places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// What the search sees.
    pub searched: Vec<usize>,
    /// The fold of each of them.
    pub folds: Vec<usize>,
    /// What only the verdict sees.
    pub unseen: Vec<usize>,
}

impl Split {
    /// Even-numbered groups, sorted by name, are searched; the odd ones are for the verdict. A
    /// group lies within one fold.
    pub fn of(cases: &[Case]) -> Self {
        let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (place, case) in cases.iter().enumerate() {
            groups.entry(&case.group).or_default().push(place);
        }
        let mut split = Self {
            searched: Vec::new(),
            folds: Vec::new(),
            unseen: Vec::new(),
        };
        for (number, places) in groups.into_values().enumerate() {
            if number.is_multiple_of(2) {
                split
                    .folds
                    .extend(places.iter().map(|_| number / 2 % FOLDS));
                split.searched.extend(places);
            } else {
                split.unseen.extend(places);
            }
        }
        split
    }

    /// How many folds there are.
    pub fn fold_count(&self) -> usize {
        self.folds.iter().max().map_or(0, |last| last + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Split;
    use crate::tuner::Case;

    #[test]
    fn groups_stay_together_and_nothing_is_lost() {
        let case = |at: usize| Case {
            id: at.to_string(),
            group: format!("g{}", at / 3),
        };
        let cases: Vec<Case> = (0..30).map(case).collect();
        let split = Split::of(&cases);
        assert_eq!((split.searched.len(), split.unseen.len()), (15, 15));
        assert_eq!(split.fold_count(), 5);
        let unseen: Vec<&str> = split
            .unseen
            .iter()
            .map(|at| cases[*at].group.as_str())
            .collect();
        assert!(
            split
                .searched
                .iter()
                .all(|at| !unseen.contains(&cases[*at].group.as_str()))
        );
        for (at, fold) in split.searched.iter().zip(&split.folds) {
            let same = split.searched.iter().zip(&split.folds);
            let mut same = same.filter(|(other, _)| cases[**other].group == cases[*at].group);
            assert!(same.all(|(_, other)| other == fold));
        }
    }
}
