//! Which questions of a dataset are used: one half chooses, the other reports.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::TuneError;

/// One half of the questions, by their place after sorting by id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Half {
    /// Places 0, 2, 4 …: for choosing settings.
    Even,
    /// Places 1, 3, 5 …: for reporting.
    Odd,
}

/// A selection of questions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Only this half.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half: Option<Half>,
    /// Only these ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<BTreeSet<String>>,
    /// Only these files or conversations, for data that has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<BTreeSet<String>>,
    /// At most this many, after the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut said = Vec::new();
        match self.half {
            Some(Half::Even) => said.push("the even part".to_owned()),
            Some(Half::Odd) => said.push("the odd part".to_owned()),
            None => {}
        }
        let lists = [
            ("the list of ids", &self.only),
            ("the list of files", &self.files),
        ];
        let given = lists.iter().filter(|(_, list)| list.is_some());
        said.extend(given.map(|(name, _)| (*name).to_owned()));
        said.extend(self.limit.map(|limit| format!("a limit of {limit}")));
        if said.is_empty() {
            return f.write_str("the whole");
        }
        f.write_str(&said.join(" with "))
    }
}

impl Part {
    /// Refuses a list of ids that names what is not among these.
    ///
    /// # Errors
    /// [`TuneError::Unknown`] with the names.
    pub fn check_ids<'a>(
        &self,
        known: impl Iterator<Item = &'a str>,
        data: &str,
    ) -> Result<(), TuneError> {
        all_known(self.only.as_ref(), known, data)
    }

    /// Refuses a list of files or conversations that names what is not among these.
    ///
    /// # Errors
    /// [`TuneError::Unknown`] with the names.
    pub fn check_files<'a>(
        &self,
        known: impl Iterator<Item = &'a str>,
        data: &str,
    ) -> Result<(), TuneError> {
        all_known(self.files.as_ref(), known, data)
    }

    /// Those of these cases that are wanted, sorted by id.
    ///
    /// # Errors
    /// [`TuneError::Unknown`] when a list names a case that is not among them,
    /// [`TuneError::NothingSelected`] when none is left.
    pub(crate) fn choose<'a, T>(
        &self,
        sorted: &'a [T],
        id: impl Fn(&T) -> &str,
        wanted: impl Fn(&T) -> bool,
        data: &str,
    ) -> Result<Vec<&'a T>, TuneError> {
        self.check_ids(sorted.iter().map(&id), data)?;
        let mut chosen = self.select(sorted, &id);
        chosen.retain(|case| wanted(case));
        if chosen.is_empty() {
            let (what, data) = (self.to_string(), data.to_owned());
            return Err(TuneError::NothingSelected { what, data });
        }
        Ok(chosen)
    }

    /// Selects from items that are already sorted by id.
    pub fn select<'a, T>(&self, sorted: &'a [T], id: impl Fn(&T) -> &str) -> Vec<&'a T> {
        let places = sorted.iter().enumerate();
        let chosen =
            places.filter(|(place, item)| self.admits_place(*place) && self.admits_id(id(item)));
        chosen
            .map(|(_, item)| item)
            .take(self.limit.unwrap_or(usize::MAX))
            .collect()
    }

    /// Selects files or conversations that are already sorted by name.
    pub fn select_files<'a, T>(&self, sorted: &'a [T], name: impl Fn(&T) -> &str) -> Vec<&'a T> {
        let named = |name: &str| self.files.as_ref().is_none_or(|files| files.contains(name));
        let places = sorted.iter().enumerate();
        places
            .filter(|(place, file)| self.admits_place(*place) && named(name(file)))
            .map(|(_, file)| file)
            .collect()
    }

    /// Whether the list of ids, where there is one, has this one.
    pub fn admits_id(&self, id: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(id))
    }

    fn admits_place(&self, place: usize) -> bool {
        match self.half {
            None => true,
            Some(Half::Even) => place.is_multiple_of(2),
            Some(Half::Odd) => !place.is_multiple_of(2),
        }
    }
}

/// Refuses a list that names what is not known.
fn all_known<'a>(
    list: Option<&BTreeSet<String>>,
    known: impl Iterator<Item = &'a str>,
    data: &str,
) -> Result<(), TuneError> {
    let Some(list) = list else {
        return Ok(());
    };
    let known: BTreeSet<&str> = known.collect();
    let unknown = list.iter().filter(|id| !known.contains(id.as_str()));
    let ids: Vec<String> = unknown.cloned().collect();
    if ids.is_empty() {
        return Ok(());
    }
    let data = data.to_owned();
    Err(TuneError::Unknown { ids, data })
}

#[cfg(test)]
mod tests {
    use super::{Half, Part};
    use crate::TuneError;

    #[test]
    fn a_list_that_names_what_is_not_there_is_refused() {
        let part = Part {
            only: Some(["q1", "q9"].map(str::to_owned).into()),
            ..Part::default()
        };
        let refused = part.check_ids(["q0", "q1"].into_iter(), "faq");
        let Err(TuneError::Unknown { ids, .. }) = refused else {
            panic!("accepted");
        };
        assert_eq!(ids, ["q9"]);
        assert!(part.check_ids(["q1", "q9"].into_iter(), "faq").is_ok());
        assert!(part.check_files(["a"].into_iter(), "faq").is_ok());
    }

    #[test]
    fn halves_do_not_overlap_and_cover_everything() {
        let items: Vec<String> = (0..7).map(|i| format!("q{i}")).collect();
        let half = |half| Part {
            half: Some(half),
            ..Part::default()
        };
        let even = half(Half::Even).select(&items, String::as_str);
        let odd = half(Half::Odd).select(&items, String::as_str);
        assert_eq!((even.len(), odd.len()), (4, 3));
        assert!(even.iter().all(|item| !odd.contains(item)));
    }

    #[test]
    fn a_part_says_in_words_what_it_is() {
        let part = Part {
            half: Some(Half::Odd),
            limit: Some(0),
            ..Part::default()
        };
        assert_eq!(part.to_string(), "the odd part with a limit of 0");
        assert_eq!(Part::default().to_string(), "the whole");
    }

    #[test]
    fn the_limit_comes_last() {
        let items: Vec<String> = (0..7).map(|i| format!("q{i}")).collect();
        let part = Part {
            half: Some(Half::Odd),
            limit: Some(2),
            ..Part::default()
        };
        assert_eq!(part.select(&items, String::as_str), [&items[1], &items[3]]);
    }
}
