//! Settings with a name, to start a search from.

use serde_json::{Value, json};

use super::{SpaceError, TunableSettings};

/// A named starting point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// What the program ships with.
    Shipped,
    /// The defaults of the seed documents: key weights 0.5, 0.3 and 0.2, eligibility 0.1, fusion by
    /// reciprocal rank with the constant 60, the best five. The seeds know no neighbours, sessions
    /// or speakers, so a turn counts by itself, its two sides in equal shares.
    Seed,
}

impl Preset {
    /// The settings.
    ///
    /// # Errors
    /// [`SpaceError`] when a preset names a setting that is none.
    pub fn settings(self) -> Result<TunableSettings, SpaceError> {
        match self {
            Self::Shipped => Ok(TunableSettings::default()),
            Self::Seed => Ok(serde_json::from_value(seed())?),
        }
    }
}

fn seed() -> Value {
    json!({
        "search": { "fusion": "reciprocal_rank", "rank_constant": 60.0, "dense_weight": 0.5 },
        "turn": {
            "top_k": 5,
            "context": {
                "key": { "intents": 0.5, "dcns": 0.3, "domains": 0.2 },
                "assembly": { "eligibility_threshold": 0.1 },
            },
        },
        "memory": {
            "dense_weight": 0.5,
            "text_weight": 0.5,
            "window_weight": 0.0,
            "neighbour_weight": 0.0,
            "second_neighbour_weight": 0.0,
            "session_weight": 0.0,
            "speaker_weight": 0.0,
        },
    })
}

#[cfg(test)]
mod tests {
    use ee_pipeline::FusionMethod;

    use super::Preset;

    #[test]
    fn presets_are_settings_that_the_program_accepts() {
        for preset in [Preset::Shipped, Preset::Seed] {
            preset.settings().unwrap().validate().unwrap();
        }
        let seed = Preset::Seed.settings().unwrap();
        assert_eq!(seed.search.fusion, FusionMethod::ReciprocalRank);
        assert_eq!(seed.turn.top_k, 5);
    }
}
