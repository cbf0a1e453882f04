//! Archives in the layout of BEIR: `NAME/corpus.jsonl`, `NAME/queries.jsonl`, `NAME/qrels/PART.tsv`.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{Cursor, Read};

use serde_json::Value;
use zip::ZipArchive;

use super::dataset::Parts;

/// The most bytes that a file of an archive may unpack to.
const MOST_BYTES: u64 = 4 << 30;

/// The files of a dataset with the judgements of one part and only the questions that it judges.
pub(super) fn parts(archive: &[u8], part: &str) -> Result<Parts, String> {
    let mut archive = ZipArchive::new(Cursor::new(archive)).map_err(|error| error.to_string())?;
    let corpus = member(&mut archive, "/corpus.jsonl")?;
    let queries = member(&mut archive, "/queries.jsonl")?;
    let judgements = member(&mut archive, &format!("/qrels/{part}.tsv"))?;
    let text = String::from_utf8(judgements).map_err(|error| error.to_string())?;
    let judged: HashSet<&str> = text
        .lines()
        .skip(1)
        .filter_map(|line| line.split('\t').next())
        .collect();
    let queries = judged_only(&queries, &judged)?;
    Ok(vec![
        ("corpus.jsonl", corpus),
        ("queries.jsonl", queries),
        ("qrels.tsv", text.into_bytes()),
    ])
}

fn member(archive: &mut ZipArchive<Cursor<&[u8]>>, end: &str) -> Result<Vec<u8>, String> {
    let names = archive
        .file_names()
        .filter_map(Result::ok)
        .map(Cow::into_owned);
    let name = names.into_iter().find(|name| name.ends_with(end));
    let name = name.ok_or_else(|| format!("an archive without {end}"))?;
    let file = archive.by_name(&name).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    let read = file.take(MOST_BYTES).read_to_end(&mut bytes);
    read.map_err(|error| error.to_string())?;
    Ok(bytes)
}

fn judged_only(queries: &[u8], judged: &HashSet<&str>) -> Result<Vec<u8>, String> {
    let text = std::str::from_utf8(queries).map_err(|error| error.to_string())?;
    let mut kept = String::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let row: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        if row
            .get("_id")
            .and_then(Value::as_str)
            .is_some_and(|id| judged.contains(id))
        {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    Ok(kept.into_bytes())
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use zip::write::SimpleFileOptions;

    use super::parts;

    #[test]
    fn the_part_that_is_asked_for_is_taken() {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in [
            ("faq/corpus.jsonl", "{\"_id\":\"d1\",\"text\":\"a\"}\n"),
            (
                "faq/queries.jsonl",
                "{\"_id\":\"q1\",\"text\":\"x\"}\n{\"_id\":\"q2\",\"text\":\"y\"}\n",
            ),
            ("faq/qrels/train.tsv", "h\nq1\td1\t1\n"),
            ("faq/qrels/test.tsv", "h\nq2\td1\t1\n"),
        ] {
            archive
                .start_file(name, SimpleFileOptions::default())
                .unwrap();
            archive.write_all(text.as_bytes()).unwrap();
        }
        let archive = archive.finish().unwrap().into_inner();
        let found = parts(&archive, "test").unwrap();
        let queries = String::from_utf8(found[1].1.clone()).unwrap();
        assert_eq!(queries, "{\"_id\":\"q2\",\"text\":\"y\"}\n");
        assert!(parts(&archive, "dev").unwrap_err().contains("dev.tsv"));
    }
}
