//! The report as one page that needs nothing else: no script, no font, no picture from elsewhere.

mod axis;
mod chart;
mod comparisons;
mod forest;
mod number;
mod objectives;
mod reproducibility;
mod sensitivity;
mod trials;
mod verdict;
mod worst;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::TuningReport;

const STYLE: &str = include_str!("style.css");

/// The page. Every text of the report is escaped.
pub(super) fn page(report: &TuningReport) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (report.title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    header { h1 { (report.title) } }
                    (verdict::section(&report.verdict))
                    (comparisons::section(&report.comparisons))
                    (objectives::section(report))
                    (sensitivity::section(report))
                    (worst::section(&report.worst_questions))
                    (trials::section(report))
                    (reproducibility::section(&report.reproducibility))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use html5gum::{Token, Tokenizer};

    use super::page;
    use crate::tuning_report::sample::{HOSTILE, report};

    /// Elements without an end tag.
    const VOID: [&str; 1] = ["meta"];

    #[test]
    fn the_page_is_well_formed_and_nothing_that_users_wrote_is_markup() {
        let text = page(&report(40)).into_string();
        let mut open: Vec<String> = Vec::new();
        let tokens = Tokenizer::new(&text);
        for token in tokens.map(|token| token.unwrap()) {
            match token {
                Token::StartTag(tag) => {
                    let name = String::from_utf8(tag.name.0.clone()).unwrap();
                    assert!(
                        !["script", "img", "iframe", "link"].contains(&name.as_str()),
                        "{name}"
                    );
                    if !VOID.contains(&name.as_str()) && !tag.self_closing {
                        open.push(name);
                    }
                }
                Token::EndTag(tag) => {
                    let name = String::from_utf8(tag.name.0.clone()).unwrap();
                    assert_eq!(open.pop().as_ref(), Some(&name));
                }
                Token::Error(error) => panic!("{error:?}"),
                _ => {}
            }
        }
        assert_eq!(open, Vec::<String>::new());
        assert!(!text.contains(HOSTILE));
    }

    #[test]
    fn the_page_refers_to_nothing_outside_itself() {
        let text = page(&report(3)).into_string();
        for reference in ["src=", "href=", "url(", "@import", "http:", "https:"] {
            assert!(!text.contains(reference), "{reference}");
        }
    }

    #[test]
    fn the_verdict_comes_first_and_every_part_is_there() {
        let text = page(&report(3)).into_string();
        let headings = [
            "Change the settings",
            "Comparison",
            "Quality against cost",
            "What each parameter does",
            "Questions that went worst",
            "All trials",
            "How to get the same numbers again",
        ];
        let places: Vec<Option<usize>> =
            headings.iter().map(|heading| text.find(heading)).collect();
        assert!(
            places.iter().all(Option::is_some) && places.is_sorted(),
            "{places:?}"
        );
    }

    #[test]
    fn an_empty_report_is_a_page_too() {
        let mut empty = report(0);
        empty.trials.clear();
        empty.comparisons.clear();
        empty.sensitivity.clear();
        empty.worst_questions.clear();
        let text = page(&empty).into_string();
        assert!(text.contains("Change the settings") && !text.contains("Quality against cost"));
        assert!(!text.contains("NaN") && !text.contains("inf"));
    }
}
