//! Proposed settings as a configuration file.

use toml_edit::{DocumentMut, Item, Table, TomlError, Value};

use crate::{ParameterValue, SettingChange, TuningReport};

/// A configuration file that holds only what a proposal changes, each line with its evidence.
pub fn tuned_text(report: &TuningReport, before: &str) -> Result<String, TomlError> {
    let mut document: DocumentMut = before.parse()?;
    if before.trim().is_empty() {
        document
            .decor_mut()
            .set_prefix("# Written by `eerag tune`: settings chosen on evidence.\n");
    }
    let head = format!("{} {}", report.title, report.verdict.reason);
    for change in &report.verdict.changes {
        put(&mut document, change, Some(&head));
    }
    Ok(document.to_string())
}

/// A person's configuration file with the proposed values put in; everything else, comments
/// included, stays as it is.
///
/// # Errors
/// When the file is not TOML.
pub fn merge_changes(file: &str, changes: &[SettingChange]) -> Result<String, TomlError> {
    let mut document: DocumentMut = file.parse()?;
    for change in changes {
        put(&mut document, change, None);
    }
    Ok(document.to_string())
}

/// Sets one value under its dotted key; tables that are not there are made.
fn put(document: &mut DocumentMut, change: &SettingChange, head: Option<&str>) {
    let mut parts: Vec<&str> = change.key.split('.').collect();
    let Some(name) = parts.pop() else {
        return;
    };
    let mut item: &mut Item = document.as_item_mut();
    for part in parts {
        let Some(table) = item.as_table_like_mut() else {
            return;
        };
        item = table.entry(part).or_insert_with(|| {
            let mut made = Table::new();
            made.set_implicit(true);
            Item::Table(made)
        });
    }
    let Some(table) = item.as_table_like_mut() else {
        return;
    };
    let value = value(&change.to);
    match table.get_mut(name).and_then(Item::as_value_mut) {
        Some(old) => {
            let decor = old.decor().clone();
            *old = value;
            *old.decor_mut() = decor;
        }
        None => {
            table.insert(name, Item::Value(value));
        }
    }
    if let (Some(head), Some(mut key)) = (head, table.key_mut(name)) {
        let comment = format!("# was {}; {}. {head}\n", change.from, change.evidence);
        key.leaf_decor_mut().set_prefix(comment);
    }
}

fn value(value: &ParameterValue) -> Value {
    match value {
        ParameterValue::Flag(flag) => Value::from(*flag),
        ParameterValue::Integer(whole) => Value::from(*whole),
        ParameterValue::Number(number) => Value::from(*number),
        ParameterValue::Text(text) => Value::from(text.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::merge_changes;
    use crate::{ParameterValue, SettingChange};

    fn change(key: &str, to: ParameterValue) -> SettingChange {
        SettingChange {
            key: key.to_owned(),
            from: ParameterValue::Number(0.7),
            to,
            evidence: "a test".to_owned(),
        }
    }

    #[test]
    fn a_persons_file_keeps_its_comments_and_order() {
        let file = "# mine\n[search]\ndense_weight = 0.7 # chosen by hand\ncandidates = 50\n\n[turn]\ntop_k = 3\n";
        let changes = [
            change("search.dense_weight", ParameterValue::Number(0.55)),
            change("turn.context.key.dcns", ParameterValue::Number(0.25)),
            change("memory.dense_weight", ParameterValue::Number(0.5)),
            change("search.fusion", ParameterValue::Text("min_max".to_owned())),
        ];
        let merged = merge_changes(file, &changes).unwrap();
        assert!(
            merged.starts_with("# mine\n[search]\ndense_weight = 0.55 # chosen by hand\n"),
            "{merged}"
        );
        let read: toml_edit::DocumentMut = merged.parse().unwrap();
        assert_eq!(
            read["turn"]["context"]["key"]["dcns"].as_float(),
            Some(0.25)
        );
        assert_eq!(read["turn"]["top_k"].as_integer(), Some(3));
        assert_eq!(read["memory"]["dense_weight"].as_float(), Some(0.5));
        assert_eq!(read["search"]["fusion"].as_str(), Some("min_max"));
        assert!(merge_changes("not = = toml", &changes).is_err());
    }
}
