//! Proposed settings as a configuration file.

use toml_edit::{DocumentMut, Item, Table, TableLike, TomlError, Value};

use crate::{ParameterValue, SettingChange};

/// What a file begins with that holds nothing else.
const HEAD: &str = "# Written by `eerag tune`: settings chosen on evidence.\n\n";

/// A configuration file that holds only what was proposed, each line after its evidence; `before`
/// is what an earlier search left there.
///
/// # Errors
/// When `before` is not TOML.
pub fn tuned_text(before: &str, changes: &[SettingChange]) -> Result<String, TomlError> {
    let mut document: DocumentMut = before.parse()?;
    for change in changes {
        put(&mut document, &change.key, value(&change.to), Some(change));
    }
    let text = document.to_string();
    Ok(if before.trim().is_empty() {
        format!("{HEAD}{text}")
    } else {
        text
    })
}

/// A person's configuration file with the proposed values put in; everything else, comments
/// included, stays as it is.
///
/// # Errors
/// When the file is not TOML.
pub fn merge_changes(file: &str, changes: &[SettingChange]) -> Result<String, TomlError> {
    let mut document: DocumentMut = file.parse()?;
    for change in changes {
        put(&mut document, &change.key, value(&change.to), None);
    }
    Ok(document.to_string())
}

/// A person's configuration file with the values of a tuned file that it does not set yet.
///
/// # Errors
/// When one of the files is not TOML.
pub fn merge_files(tuned: &str, file: &str) -> Result<String, TomlError> {
    let tuned: DocumentMut = tuned.parse()?;
    let mut document: DocumentMut = file.parse()?;
    for (key, value) in leaves("", tuned.as_table()) {
        if !holds(&document, &key) {
            put(&mut document, &key, value, None);
        }
    }
    Ok(document.to_string())
}

/// A configuration file with whole tables, given as TOML of two levels such as
/// `[precise.minimum]`, in place of its own; each stands after its evidence.
///
/// # Errors
/// When one of the files is not TOML.
pub fn put_sections(before: &str, sections: &str, evidence: &str) -> Result<String, TomlError> {
    let mut document: DocumentMut = before.parse()?;
    let sections: DocumentMut = sections.parse()?;
    for (name, section) in sections.iter() {
        let Some(kept) = implicit(document.as_table_mut(), name) else {
            continue;
        };
        for (inner, item) in section
            .as_table_like()
            .into_iter()
            .flat_map(TableLike::iter)
        {
            kept.insert(inner, item.clone());
            if let Some(table) = kept.get_mut(inner).and_then(Item::as_table_mut) {
                table.decor_mut().set_prefix(format!("\n# {evidence}\n"));
            }
        }
    }
    Ok(document.to_string())
}

/// The table of this name; one that is not there is made, without a line of its own.
fn implicit<'a>(table: &'a mut dyn TableLike, name: &str) -> Option<&'a mut dyn TableLike> {
    let made = || {
        let mut made = Table::new();
        made.set_implicit(true);
        Item::Table(made)
    };
    table.entry(name).or_insert_with(made).as_table_like_mut()
}

/// Every value below a table, under its dotted key.
fn leaves(prefix: &str, table: &dyn TableLike) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for (name, item) in table.iter() {
        let key = format!("{prefix}{name}");
        match (item.as_table_like(), item.as_value()) {
            (Some(inner), _) => found.extend(leaves(&format!("{key}."), inner)),
            (None, Some(value)) => found.push((key, value.clone())),
            (None, None) => {}
        }
    }
    found
}

fn holds(document: &DocumentMut, key: &str) -> bool {
    let mut item = document.as_item();
    for part in key.split('.') {
        match item.get(part) {
            Some(inner) => item = inner,
            None => return false,
        }
    }
    true
}

/// Sets one value under its dotted key; tables that are not there are made.
fn put(document: &mut DocumentMut, key: &str, value: Value, evidence: Option<&SettingChange>) {
    let mut parts: Vec<&str> = key.split('.').collect();
    let Some(name) = parts.pop() else {
        return;
    };
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for part in parts {
        let Some(inner) = implicit(table, part) else {
            return;
        };
        table = inner;
    }
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
    if let (Some(change), Some(mut key)) = (evidence, table.key_mut(name)) {
        let comment = format!("# was {}: {}\n", change.from, change.evidence);
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
    use super::{merge_changes, merge_files, put_sections, tuned_text};
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

    #[test]
    fn a_tuned_file_holds_the_changes_with_their_evidence_and_what_was_there() {
        let first = [change("search.dense_weight", ParameterValue::Number(0.55))];
        let text = tuned_text("", &first).unwrap();
        assert_eq!(
            text,
            "# Written by `eerag tune`: settings chosen on evidence.\n\n\
             [search]\n# was 0.7: a test\ndense_weight = 0.55\n"
        );
        let second = [
            change("memory.text_weight", ParameterValue::Number(0.5)),
            change("search.dense_weight", ParameterValue::Number(0.6)),
        ];
        let text = tuned_text(&text, &second).unwrap();
        let read: toml_edit::DocumentMut = text.parse().unwrap();
        assert_eq!(read["search"]["dense_weight"].as_float(), Some(0.6));
        assert_eq!(read["memory"]["text_weight"].as_float(), Some(0.5));
        assert_eq!(text.matches("# Written by").count(), 1);
        let merged = merge_files(&text, "[search]\ndense_weight = 0.1\n").unwrap();
        let read: toml_edit::DocumentMut = merged.parse().unwrap();
        assert_eq!(read["search"]["dense_weight"].as_float(), Some(0.1));
        assert_eq!(read["memory"]["text_weight"].as_float(), Some(0.5));
    }

    #[test]
    fn sections_take_the_place_of_those_of_their_name() {
        let before = "[precise]\nreranked = 10\n[precise.minimum]\nepsilon = 0.2\n";
        let sections = "[precise.minimum]\nepsilon = 0.1\n[[precise.minimum.calibration]]\nepsilon = 0.1\ntau = 0.3\n";
        let text = put_sections(before, sections, "a test").unwrap();
        let read: toml_edit::DocumentMut = text.parse().unwrap();
        assert_eq!(read["precise"]["reranked"].as_integer(), Some(10));
        assert_eq!(read["precise"]["minimum"]["epsilon"].as_float(), Some(0.1));
        let points = read["precise"]["minimum"]["calibration"].as_array_of_tables();
        assert_eq!(points.map(toml_edit::ArrayOfTables::len), Some(1));
        assert!(text.contains("# a test\n[precise.minimum]"), "{text}");
        assert!(put_sections("", sections, "a test").is_ok());
    }
}
