//! A session without a model: it elects by relevance and answers with the best sentences.

use serde::{Deserialize, Serialize};

use super::segment::{Segment, segments};
use super::terms::{alike, words};
use crate::turn::INSUFFICIENT_DATA;
use crate::{Cancellation, ChatError, ChatReply, ChatRequest, ChatSession, Evidence, EvidenceItem};

/// Settings of the extractive session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ExtractiveConfig {
    /// The least relevance, 0–1, at which a candidate is elected.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..1 probability linear")))]
    pub min_relevance: f32,
    /// How far below the best candidate another may be and still be elected with it, 0–1.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..0.5 probability linear")))]
    pub margin: f32,
    /// The most candidates elected in one turn.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "1..5 units linear")))]
    pub max_elected: usize,
    /// The most sentences or table rows in an answer.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "1..8 sentences linear")))]
    pub max_sentences: usize,
    /// What a further sentence needs, as a share of the best sentence's score, 0–1.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..1 share linear")))]
    pub sentence_share: f32,
}

impl Default for ExtractiveConfig {
    fn default() -> Self {
        Self {
            min_relevance: 0.5,
            margin: 0.1,
            max_elected: 2,
            max_sentences: 3,
            sentence_share: 0.5,
        }
    }
}

impl ExtractiveConfig {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`ChatError::Setting`] for a share outside 0–1 or a count of 0.
    pub fn validate(&self) -> Result<(), ChatError> {
        let shares = [
            ("min_relevance", self.min_relevance),
            ("margin", self.margin),
            ("sentence_share", self.sentence_share),
        ];
        let counts = [
            ("max_elected", self.max_elected),
            ("max_sentences", self.max_sentences),
        ];
        for (setting, value) in shares {
            if !(0.0..=1.0).contains(&value) {
                let (expected, found) = ("between 0 and 1", value.to_string());
                return Err(ChatError::Setting {
                    setting,
                    expected,
                    found,
                });
            }
        }
        for (setting, value) in counts {
            if value == 0 {
                let (expected, found) = ("at least 1", value.to_string());
                return Err(ChatError::Setting {
                    setting,
                    expected,
                    found,
                });
            }
        }
        Ok(())
    }
}

/// Answers with sentences and table rows of the elected units, each with its citation, and
/// declines when no candidate is relevant enough. Needs no model and no network.
#[derive(Debug, Clone, Default)]
pub struct ExtractiveSession {
    config: ExtractiveConfig,
}

impl ExtractiveSession {
    /// A session with these settings.
    ///
    /// # Errors
    /// [`ChatError::Setting`] when one is out of range.
    pub fn new(config: ExtractiveConfig) -> Result<Self, ChatError> {
        config.validate()?;
        Ok(Self { config })
    }

    /// Elects what is relevant enough and close to the best; nothing at all if nothing is.
    fn elect(&self, evidence: &Evidence) -> String {
        let mut items: Vec<&EvidenceItem> = evidence.items.iter().collect();
        items.sort_by(|a, b| {
            b.relevance
                .total_cmp(&a.relevance)
                .then(a.rank.cmp(&b.rank))
        });
        let best = items.first().map_or(0.0, |item| item.relevance);
        let least = self.config.min_relevance.max(best - self.config.margin);
        let ranks: Vec<String> = items
            .iter()
            .filter(|item| item.relevance >= least)
            .take(self.config.max_elected)
            .map(|item| item.rank.to_string())
            .collect();
        if ranks.is_empty() {
            return INSUFFICIENT_DATA.to_owned();
        }
        format!("RETRIEVE {}", ranks.join(", "))
    }

    /// Answers with the segments that share most with the question, in reading order; the most
    /// relevant unit has its say in any case.
    fn answer(&self, evidence: &Evidence) -> String {
        let mut scored = score_segments(evidence);
        scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.order.cmp(&b.order)));
        let best = scored.first().map_or(0.0, |first| first.score);
        let share = self.config.sentence_share;
        let lead = most_relevant(&evidence.items).and_then(|rank| {
            let own = scored
                .iter()
                .position(|segment| segment.item.rank == rank)?;
            Some(scored.remove(own))
        });
        scored.retain(|segment| segment.score >= best * share);
        scored.splice(..0, lead);
        // Without any word in common, the opening of the most relevant unit is all that can be said.
        scored.truncate(if best > 0.0 {
            self.config.max_sentences
        } else {
            1
        });
        scored.sort_by_key(|segment| segment.order);
        if scored.is_empty() {
            return INSUFFICIENT_DATA.to_owned();
        }
        render(&scored)
    }
}

impl ChatSession for ExtractiveSession {
    fn name(&self) -> &'static str {
        "extractive"
    }

    fn supports_tools(&self) -> bool {
        false
    }

    fn complete(
        &self,
        request: &ChatRequest<'_>,
        on_text: &mut dyn FnMut(&str),
        cancellation: &Cancellation,
    ) -> Result<ChatReply, ChatError> {
        if cancellation.is_cancelled() {
            return Err(ChatError::Cancelled);
        }
        let text = match request.evidence {
            Some(evidence) if evidence.injected => self.answer(evidence),
            Some(evidence) => self.elect(evidence),
            None => INSUFFICIENT_DATA.to_owned(),
        };
        on_text(&text);
        Ok(ChatReply::text(text))
    }
}

/// The rank of the most relevant item.
fn most_relevant(items: &[EvidenceItem]) -> Option<usize> {
    let best = items.iter().max_by(|a, b| {
        let better = a.relevance.total_cmp(&b.relevance);
        better.then(b.rank.cmp(&a.rank))
    });
    best.map(|item| item.rank)
}

struct Scored<'a> {
    item: &'a EvidenceItem,
    segment: Segment,
    order: usize,
    score: f32,
}

/// Scores every segment by the question's words in it, each weighted by how rare it is among the
/// segments: ln(1 + segments / segments with the word).
fn score_segments(evidence: &Evidence) -> Vec<Scored<'_>> {
    let segments: Vec<(&EvidenceItem, Segment, Vec<String>)> = evidence
        .items
        .iter()
        .flat_map(|item| {
            segments(&item.text)
                .into_iter()
                .map(move |segment| (item, segment))
        })
        .map(|(item, segment)| {
            let words = words(segment.text());
            (item, segment, words)
        })
        .collect();
    let mut question = words(&evidence.question);
    question.sort();
    question.dedup();
    let mut scores = vec![0.0; segments.len()];
    for asked in &question {
        let has = |words: &[String]| words.iter().any(|word| alike(word, asked));
        let holders: Vec<bool> = segments.iter().map(|(.., words)| has(words)).collect();
        let holding = holders.iter().filter(|holds| **holds).count();
        let weight = (1.0 + segments.len() as f32 / holding.max(1) as f32).ln();
        for (score, _) in scores.iter_mut().zip(&holders).filter(|(_, holds)| **holds) {
            *score += weight;
        }
    }
    let scored = segments.into_iter().zip(scores).enumerate();
    scored
        .map(|(order, ((item, segment, _), score))| Scored {
            item,
            segment,
            order,
            score,
        })
        .collect()
}

/// Writes segments in order; a citation follows the last segment of each unit, and a table's
/// header stands once above its rows.
fn render(segments: &[Scored<'_>]) -> String {
    let mut text = String::new();
    let mut header_shown: Option<&str> = None;
    for (at, scored) in segments.iter().enumerate() {
        match &scored.segment {
            Segment::Sentence(sentence) => {
                separate(&mut text, if header_shown.is_some() { "\n" } else { " " });
                header_shown = None;
                text.push_str(sentence);
            }
            Segment::Code(code) => {
                separate(&mut text, "\n");
                header_shown = Some("");
                text.push_str(code);
            }
            Segment::Row { header, row } => {
                separate(&mut text, "\n");
                if header_shown != Some(header) && !header.is_empty() {
                    text.push_str(header);
                    text.push('\n');
                }
                header_shown = Some(header);
                text.push_str(row);
            }
        }
        let last = segments
            .get(at + 1)
            .is_none_or(|next| next.item.rank != scored.item.rank);
        if last {
            let block = matches!(scored.segment, Segment::Code(_) | Segment::Row { .. });
            text.push_str(if block { "\n[" } else { " [" });
            text.push_str(&scored.item.citation);
            text.push(']');
        }
    }
    text
}

fn separate(text: &mut String, separator: &str) {
    if !text.is_empty() {
        text.push_str(separator);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use km_core::UnitId;

    fn item(rank: usize, text: &str, relevance: f32) -> EvidenceItem {
        EvidenceItem {
            rank,
            unit: UnitId::from_bytes([rank as u8; 16]),
            citation: format!("{rank:08x}"),
            text: text.to_owned(),
            relevance,
        }
    }

    fn ask(question: &str, items: Vec<EvidenceItem>, injected: bool) -> String {
        let evidence = Evidence {
            question: question.to_owned(),
            items,
            injected,
        };
        let request = ChatRequest {
            messages: &[],
            tools: &[],
            evidence: Some(&evidence),
        };
        ExtractiveSession::default()
            .complete(&request, &mut |_| {}, &Cancellation::default())
            .unwrap()
            .text
    }

    #[test]
    fn elects_what_is_relevant_and_close_to_the_best() {
        let items = vec![item(1, "a", 0.9), item(2, "b", 0.85), item(3, "c", 0.6)];
        assert_eq!(ask("?", items, false), "RETRIEVE 1, 2");
        assert_eq!(ask("?", vec![item(1, "a", 0.4)], false), INSUFFICIENT_DATA);
        assert_eq!(ask("?", Vec::new(), false), INSUFFICIENT_DATA);
    }

    #[test]
    fn answers_with_the_sentence_that_fits() {
        let text = "Staff are welcome. Annual leave is 28 days. Lunch is at noon.";
        let answer = ask(
            "How many days of annual leave?",
            vec![item(7, text, 0.9)],
            true,
        );
        assert_eq!(answer, "Annual leave is 28 days. [00000007]");
    }

    #[test]
    fn answers_with_the_row_and_its_header() {
        let table = "| city | rate |\n|---|---|\n| Bonn | 90 |\n| Rome | 95 |";
        let answer = ask("What is the rate in Rome?", vec![item(1, table, 0.9)], true);
        assert_eq!(
            answer,
            "| city | rate |\n|---|---|\n| Rome | 95 |\n[00000001]"
        );
    }

    #[test]
    fn answers_in_chinese() {
        let answer = ask(
            "病假需要什么?",
            vec![item(1, "年假为十天。病假须有证明。", 0.9)],
            true,
        );
        assert_eq!(answer, "病假须有证明。 [00000001]");
    }

    #[test]
    fn settings_out_of_range_are_named() {
        let config = ExtractiveConfig {
            margin: 1.5,
            ..ExtractiveConfig::default()
        };
        let error = ExtractiveSession::new(config).unwrap_err();
        assert!(matches!(
            error,
            ChatError::Setting {
                setting: "margin",
                ..
            }
        ));
    }
}
