//! What every text index must do.

use std::sync::Arc;

use km_core::UnitId;

use crate::{Change, ChangeBatch, Sequence, TextIndex, UnitKey};

/// Checks a text index; `make` gives an empty one.
pub fn text_index<I: TextIndex>(make: impl Fn() -> I) {
    it_follows_by_sequence(&make());
    words_match_in_every_form(&make());
    punctuation_is_no_syntax(&make());
    the_filter_leaves_k(&make());
    scores_descend(&make());
}

fn added(key: UnitKey, text: &str) -> Change {
    Change::Added {
        key,
        id: UnitId::from_bytes(u128::from(key).to_be_bytes()),
        text: text.to_owned(),
        embedding: Arc::new([]),
    }
}

fn batch(since: Sequence, reached: Sequence, changes: Vec<Change>) -> ChangeBatch {
    ChangeBatch {
        since,
        changes,
        reached,
        more: false,
    }
}

fn fill(index: &dyn TextIndex, texts: &[&str]) {
    let changes: Vec<Change> = (1..)
        .zip(texts)
        .map(|(key, text)| added(key, text))
        .collect();
    index.apply(&batch(0, texts.len() as u64, changes)).unwrap();
}

fn found(index: &dyn TextIndex, query: &str) -> Vec<UnitKey> {
    let hits = index.search(query, 10, &|_| true).unwrap();
    hits.iter().map(|hit| hit.key).collect()
}

fn it_follows_by_sequence(index: &dyn TextIndex) {
    assert_eq!(index.sequence().unwrap(), 0);
    assert!(found(index, "apple").is_empty());
    index
        .apply(&batch(0, 2, vec![added(1, "apple"), added(2, "pear")]))
        .unwrap();
    assert_eq!(index.sequence().unwrap(), 2);
    assert_eq!(found(index, "apple"), [1]);
    index
        .apply(&batch(
            2,
            4,
            vec![added(1, "cherry"), Change::Removed { key: 2 }],
        ))
        .unwrap();
    assert!(found(index, "apple pear").is_empty());
    assert_eq!(found(index, "cherry"), [1]);
    index.apply(&batch(0, 2, vec![added(2, "pear")])).unwrap();
    index.apply(&batch(9, 10, vec![added(3, "pear")])).unwrap();
    assert_eq!(
        index.sequence().unwrap(),
        4,
        "neither old nor later batches count"
    );
    assert!(found(index, "pear").is_empty());
    index.clear().unwrap();
    assert_eq!(index.sequence().unwrap(), 0);
    assert!(found(index, "cherry").is_empty());
}

fn words_match_in_every_form(index: &dyn TextIndex) {
    fill(
        index,
        &[
            "Patients were vaccinated",
            "Die Mitarbeiter und die Erstattung von Reisekosten",
            "年度休假政策规定员工每年享有十五天休假",
            "東京オリンピックのチケット",
            "นโยบายการลาพักร้อนประจำปี",
            "Ежегодный отпуск",
            "naïve Café façade ＡＢＣ",
        ],
    );
    for (query, key) in [
        ("patient vaccination", 1),
        ("PATIENT", 1),
        ("Erstattungen", 2),
        ("der Mitarbeiter", 2),
        ("Reisekosten", 2),
        ("休假", 3),
        ("员工有几天休假？", 3),
        ("年", 3),
        ("オリンピック", 4),
        ("ลาพักร้อน", 5),
        ("ОТПУСК", 6),
        ("cafe", 7),
        ("NAÏVE", 7),
        ("abc", 7),
    ] {
        assert_eq!(found(index, query).first(), Some(&key), "{query}");
    }
}

fn punctuation_is_no_syntax(index: &dyn TextIndex) {
    fill(index, &["the red fox", "the blue fox"]);
    for query in [
        "",
        "   ",
        "?!…",
        "\"(*):~^[]{}\\/+-&&||",
        "。，",
        "\u{feff}\u{0}",
    ] {
        assert!(found(index, query).is_empty(), "{query:?}");
    }
    for query in [
        "-red",
        "NOT red",
        "text:red",
        "\"red",
        "red~2 AND (",
        "(red* OR",
    ] {
        assert_eq!(found(index, query).first(), Some(&1), "{query:?}");
    }
    assert_eq!(
        found(index, "the").len(),
        2,
        "a query of function words alone still finds"
    );
}

fn the_filter_leaves_k(index: &dyn TextIndex) {
    let texts: Vec<String> = (0..100).map(|n| format!("apple number{n}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    fill(index, &texts);
    let hits = index.search("apple", 7, &|key| key % 10 == 0).unwrap();
    assert_eq!(hits.len(), 7);
    assert!(hits.iter().all(|hit| hit.key % 10 == 0));
    assert_eq!(
        index.search("apple", 1_000, &|key| key > 95).unwrap().len(),
        5
    );
    assert!(index.search("apple", 0, &|_| true).unwrap().is_empty());
    assert!(index.search("apple", 5, &|_| false).unwrap().is_empty());
}

fn scores_descend(index: &dyn TextIndex) {
    fill(
        index,
        &[
            "fox",
            "fox and a long story about a hare",
            "hare",
            "fox hare",
            "bear",
        ],
    );
    let hits = index.search("fox hare", 10, &|_| true).unwrap();
    assert_eq!(hits.len(), 4);
    assert_eq!(hits.first().unwrap().key, 4);
    assert!(hits.iter().all(|hit| hit.bm25 > 0.0));
    assert!(hits.is_sorted_by(|a, b| a.bm25 >= b.bm25));
}
