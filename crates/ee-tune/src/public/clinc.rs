//! CLINC150: `data_full.json` maps parts to pairs of text and intent, `domains.json` maps domains
//! to intents.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde_json::json;

use super::dataset::Parts;

/// The parts that are taken; those outside every intent are left out.
#[derive(Deserialize)]
struct Utterances {
    train: Vec<(String, String)>,
    val: Vec<(String, String)>,
    test: Vec<(String, String)>,
}

/// The rows of every part with the domain of each intent.
pub(super) fn parts(utterances: &[u8], domains: &[u8]) -> Result<Parts, String> {
    let utterances: Utterances =
        serde_json::from_slice(utterances).map_err(|error| error.to_string())?;
    let domains: BTreeMap<String, Vec<String>> =
        serde_json::from_slice(domains).map_err(|error| error.to_string())?;
    let pairs = domains.iter().flat_map(|(domain, intents)| {
        intents
            .iter()
            .map(move |intent| (intent.as_str(), domain.as_str()))
    });
    let domain_of: HashMap<&str, &str> = pairs.collect();
    Ok(vec![
        ("train.jsonl", rows(&utterances.train, &domain_of)?),
        ("val.jsonl", rows(&utterances.val, &domain_of)?),
        ("test.jsonl", rows(&utterances.test, &domain_of)?),
    ])
}

fn rows(pairs: &[(String, String)], domain_of: &HashMap<&str, &str>) -> Result<Vec<u8>, String> {
    let mut rows = String::new();
    for (text, intent) in pairs {
        let domain = domain_of.get(intent.as_str());
        let domain = domain.ok_or_else(|| format!("the intent {intent} without a domain"))?;
        let row = json!({ "text": text, "intent": intent, "domain": domain });
        rows.push_str(&row.to_string());
        rows.push('\n');
    }
    Ok(rows.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn every_row_gets_the_domain_of_its_intent() {
        let utterances = br#"{"train": [["hi there", "greeting"]], "val": [], "test": [],
            "oos_train": [["quantum", "oos"]]}"#;
        let found = parts(utterances, br#"{"small_talk": ["greeting", "goodbye"]}"#).unwrap();
        let row = "{\"text\":\"hi there\",\"intent\":\"greeting\",\"domain\":\"small_talk\"}\n";
        assert_eq!(found[0], ("train.jsonl", row.as_bytes().to_vec()));
        let without = parts(utterances, br#"{"banking": ["balance"]}"#);
        assert!(without.unwrap_err().contains("greeting"));
    }
}
