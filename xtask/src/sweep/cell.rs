//! One cell of the matrix.

/// A session with its model and temperature.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cell {
    pub(super) session: String,
    model: Option<String>,
    temperature: Option<f32>,
}

/// Every session with every model and temperature. The extractive session has neither and is one
/// cell.
pub(super) fn cells(sessions: &[String], models: &[String], temperatures: &[f32]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for session in sessions {
        let has_model = session != "extractive";
        for model in or_none(models.iter().cloned(), has_model) {
            for temperature in or_none(temperatures.iter().copied(), has_model) {
                cells.push(Cell {
                    session: session.clone(),
                    model: model.clone(),
                    temperature,
                });
            }
        }
    }
    cells
}

/// The values, or nothing once where there are none or they do not apply.
fn or_none<T>(values: impl Iterator<Item = T>, apply: bool) -> Vec<Option<T>> {
    let values: Vec<Option<T>> = values.filter(|_| apply).map(Some).collect();
    if values.is_empty() {
        vec![None]
    } else {
        values
    }
}

impl Cell {
    /// A name for files: letters, digits, points and hyphens.
    pub(super) fn name(&self) -> String {
        let temperature = self.temperature.map(|value| format!("t{value}"));
        let parts = [Some(self.session.clone()), self.model.clone(), temperature];
        let name = parts.into_iter().flatten().collect::<Vec<_>>().join("-");
        let plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '-');
        name.replace(|letter| !plain(letter), "-")
    }

    /// The settings that make it.
    pub(super) fn assignments(&self) -> Vec<String> {
        let session = &self.session;
        let model = self
            .model
            .as_ref()
            .map(|model| format!("{session}.model={model}"));
        let temperature = self
            .temperature
            .map(|value| format!("{session}.temperature={value:?}"));
        model.into_iter().chain(temperature).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::cells;

    #[test]
    fn every_combination_is_a_cell_and_the_extractive_session_one() {
        let sessions = ["openai".to_owned(), "extractive".to_owned()];
        let models = ["a/b:7b".to_owned(), "c".to_owned()];
        let all = cells(&sessions, &models, &[0.0, 0.7]);
        let names: Vec<String> = all.iter().map(super::Cell::name).collect();
        let expected = [
            "openai-a-b-7b-t0",
            "openai-a-b-7b-t0.7",
            "openai-c-t0",
            "openai-c-t0.7",
            "extractive",
        ];
        assert_eq!(names, expected);
        let assignments = all[1].assignments();
        assert_eq!(
            assignments,
            ["openai.model=a/b:7b", "openai.temperature=0.7"]
        );
        assert!(all[4].assignments().is_empty());
        assert_eq!(cells(&sessions[..1], &[], &[]).len(), 1);
    }
}
