//! Questions drafted from what a store holds, for a person to edit.
//!
//! A definition is asked for its term, a table for one cell of one row, a section for its heading.
//! Such questions repeat the words of their source, which makes them easier than those that people
//! ask: they are marked `synthetic`, and figures over them are an upper bound.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, Write};

use ee_ingest::defined_term;
use km_core::{Unit, UnitKind};

use super::language::Language;
use crate::QaQuestion;
use crate::qa::{OneOrMany, QaRow};

/// The longest answer that is drafted, in characters.
const LONGEST_ANSWER: usize = 240;

/// The longest term, heading or cell that a question is made of, in characters.
const LONGEST_NAME: usize = 60;

/// Drafts at most `most` questions, from as many sources as there are, in the order of the units.
pub fn draft_questions(units: &[Unit], most: usize) -> Vec<QaQuestion> {
    let mut by_source: BTreeMap<&str, VecDeque<QaQuestion>> = BTreeMap::new();
    let (mut worded, mut headed) = (BTreeSet::new(), BTreeSet::new());
    for unit in units {
        let is_first = headed.insert((unit.source.as_str(), &unit.metadata.section_path));
        let Some((text, answer)) = draft(unit, is_first) else {
            continue;
        };
        if worded.insert(text.clone()) {
            let drafted = by_source.entry(unit.source.as_str()).or_default();
            drafted.push_back(question(unit, text, answer));
        }
    }
    let mut questions = Vec::new();
    while questions.len() < most && !by_source.is_empty() {
        by_source.retain(|_, drafted| {
            questions.extend(drafted.pop_front());
            !drafted.is_empty()
        });
    }
    questions.truncate(most);
    for (place, question) in questions.iter_mut().enumerate() {
        question.id = format!("draft-{:03}", place + 1);
        question.row = place + 1;
    }
    questions
}

fn question(unit: &Unit, text: String, answer: String) -> QaQuestion {
    QaQuestion {
        text,
        accepted: vec![answer],
        sources: [unit.source.as_str().to_owned()].into(),
        synthetic: true,
        ..QaQuestion::default()
    }
}

/// A question that a unit answers, and the answer.
fn draft(unit: &Unit, is_first_of_section: bool) -> Option<(String, String)> {
    let language = Language::of(&unit.content);
    match unit.kind {
        UnitKind::Definition => about_term(unit, language),
        UnitKind::Table => about_cell(unit, language),
        UnitKind::Section | UnitKind::Rule | UnitKind::Step if is_first_of_section => {
            about_heading(unit, language)
        }
        _ => None,
    }
}

fn about_term(unit: &Unit, language: Language) -> Option<(String, String)> {
    let heading = unit.metadata.section_path.last();
    let term = defined_term(&unit.content, heading.map_or("", String::as_str))?;
    let meaning = unit.content.split_once([':', '：', '–', '—']);
    let meaning = meaning.map_or(unit.content.as_str(), |(_, meaning)| meaning);
    Some((language.about_term(named(&term)?), answer(meaning)?))
}

/// The last filled cell of the middle row.
fn about_cell(unit: &Unit, language: Language) -> Option<(String, String)> {
    let rows: Vec<Vec<&str>> = unit.content.lines().filter_map(cells).collect();
    let (header, rows) = rows.split_first()?;
    let row = rows.get(rows.len() / 2)?;
    let key = format!("{} {}", header.first()?, named(row.first()?)?);
    let columns = header.iter().zip(row).skip(1).rev();
    let (column, cell) = columns.into_iter().find(|(_, cell)| !cell.is_empty())?;
    Some((
        language.about_cell(named(column)?, key.trim()),
        answer(cell)?,
    ))
}

/// The cells of a table row; `None` for the line under the header and for other text.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?;
    let cells: Vec<&str> = inner
        .trim_end_matches('|')
        .split('|')
        .map(str::trim)
        .collect();
    let is_rule = |cell: &&str| cell.chars().all(|sign| matches!(sign, '-' | ':'));
    (!cells.iter().all(is_rule)).then_some(cells)
}

fn about_heading(unit: &Unit, language: Language) -> Option<(String, String)> {
    let heading = named(unit.metadata.section_path.last()?)?;
    Some((language.about_heading(heading), answer(&unit.content)?))
}

/// A name that a question can be made of.
fn named(text: &str) -> Option<&str> {
    let text = text.trim();
    let fits = !text.is_empty() && text.chars().count() <= LONGEST_NAME;
    (fits && text.chars().any(char::is_alphanumeric)).then_some(text)
}

/// The first sentence, unless it is too long for an answer.
fn answer(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let ends = line.char_indices().find(|(at, sign)| match sign {
        '。' | '！' | '？' => true,
        '.' | '!' | '?' => ends_a_sentence(line, *at),
        _ => false,
    });
    let sentence = line.get(..ends.map_or(line.len(), |(at, _)| at))?;
    let sentence = sentence.trim().trim_end_matches('.');
    let fits = sentence.chars().count() <= LONGEST_ANSWER;
    (fits && sentence.chars().any(char::is_alphanumeric)).then(|| sentence.to_owned())
}

/// Whether a stop is followed by a space and ends no short word: `Dr.` and `z.B.` go on.
fn ends_a_sentence(line: &str, at: usize) -> bool {
    let (before, after) = line.split_at_checked(at).unwrap_or((line, ""));
    let word = before.rsplit([' ', '.']).next().unwrap_or_default();
    after.get(1..).is_some_and(|rest| rest.starts_with(' ')) && word.chars().count() > 3
}

/// Writes questions as a `questions.jsonl`.
///
/// # Errors
/// What `out` gives.
pub fn write_questions(questions: &[QaQuestion], out: &mut dyn Write) -> io::Result<()> {
    for question in questions {
        let row = QaRow {
            id: Some(question.id.clone()),
            question: question.text.clone(),
            answer: OneOrMany::Many(question.accepted.clone()),
            def_correct_predictions: Vec::new(),
            poss_correct_predictions: question.possible.clone(),
            def_incorrect_predictions: question.rejected.clone(),
            sources: question.sources.clone(),
            synthetic: question.synthetic,
        };
        serde_json::to_writer(&mut *out, &row)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use ee_ingest::{IngestConfig, Relations, SourceInput, TokenCounter, parse_source};
    use km_core::{Governance, SourceId, Unit};

    use super::{draft_questions, write_questions};
    use crate::QaDataset;

    struct Words;

    impl TokenCounter for Words {
        fn count(&self, text: &str) -> usize {
            text.split_whitespace().count()
        }

        fn max_tokens(&self) -> usize {
            256
        }
    }

    fn units(source: &str, text: &str) -> Vec<Unit> {
        let input = SourceInput {
            source: SourceId::new(source),
            bytes: text.as_bytes().to_vec(),
            governance: Governance::default(),
            relations: Relations::default(),
        };
        let parsed = parse_source(&input, &IngestConfig::default(), &Words).unwrap();
        parsed.unwrap().units
    }

    fn drafted(units: &[Unit]) -> Vec<(String, String)> {
        let questions = draft_questions(units, 10).into_iter();
        questions
            .map(|one| (one.text, one.accepted.concat()))
            .collect()
    }

    #[test]
    fn a_table_is_asked_for_a_cell() {
        let table = "# Codes\n\n| code | meaning |\n|---|---|\n| E11 | cold |\n| E21 | no echo |\n";
        let found = drafted(&units("codes.md", table));
        let expected = (
            "What is the meaning of code E21?".to_owned(),
            "no echo".to_owned(),
        );
        assert!(found.contains(&expected), "{found:?}");
    }

    #[test]
    fn a_heading_is_asked_about_once_and_a_term_is_defined() {
        let text = "# Leave\n\nEverybody has 30 days. More is possible.\n\n# Glossary\n\n\
                    **Scour**: a hollow that flowing water digs.\n";
        let found = drafted(&units("leave.md", text));
        let leave = (
            "What is said about Leave?".to_owned(),
            "Everybody has 30 days".to_owned(),
        );
        assert!(found.contains(&leave), "{found:?}");
        assert!(
            found
                .iter()
                .any(|(text, answer)| text.contains("Scour") && answer.contains("hollow")),
            "{found:?}"
        );
    }

    #[test]
    fn an_abbreviation_does_not_end_an_answer() {
        let text = "# Contact\n\nThe officer is Dr. Ada Mirow. Ask her.\n";
        let found = drafted(&units("contact.md", text));
        assert_eq!(found[0].1, "The officer is Dr. Ada Mirow");
    }

    #[test]
    fn sources_take_turns_and_the_draft_can_be_loaded() {
        let mut all = units("a.md", "# One\n\nFirst.\n\n# Two\n\nSecond.\n");
        all.extend(units(
            "b.md",
            "# Drei\n\nDer Antrag ist mit der Frist verbunden.\n",
        ));
        let questions = draft_questions(&all, 2);
        let sources: Vec<&String> = questions.iter().flat_map(|one| &one.sources).collect();
        assert_eq!(sources, ["a.md", "b.md"]);
        assert_eq!(questions[1].text, "Was gilt für Drei?");
        let folder = tempfile::tempdir().unwrap();
        let mut file = std::fs::File::create(folder.path().join("questions.jsonl")).unwrap();
        write_questions(&questions, &mut file).unwrap();
        assert_eq!(QaDataset::load(folder.path()).unwrap().questions, questions);
    }
}
