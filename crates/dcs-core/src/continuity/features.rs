//! The evidence that ties a message to earlier ones, as numbers.
//!
//! A row stands for one possible link: the message continues the line of work of one earlier
//! message. The last row stands for a new line of work. [`FEATURES`] names the columns.

use std::collections::{BTreeMap, BTreeSet};

use crate::continuity::Cues;
use crate::continuity::Incoming;
use crate::terms::TermHash;
use crate::{DcnId, History, MessageId, MessageRecord};

/// Latest messages of a line of work that a message may link to.
const LINKS_PER_DCN: usize = 16;
/// Latest messages of a term that tell which lines of work know it.
const MESSAGES_PER_TERM: usize = 24;
/// Messages that the smoothed document frequency starts from.
const PRIOR_MESSAGES: f64 = 30.0;

/// Names of the columns: first those of a link, then (from `new`) those of a new line of work.
pub(crate) const FEATURES: [&str; 67] = [
    "link_share",
    "link_rare",
    "link_previous",
    "link_distance",
    "link_same_speaker",
    "link_other_speaker",
    "link_cosine",
    "link_cosine_30",
    "link_cosine_50",
    "link_cosine_70",
    "link_centred",
    "link_centred_20",
    "link_centred_45",
    "link_last",
    "previous",
    "idle",
    "rank",
    "size",
    "exchange",
    "last_same_speaker",
    "previous_other_speaker",
    "coverage",
    "exclusive",
    "previous_coverage",
    "centred_mean",
    "centred_max",
    "cosine_max",
    "cosine_last",
    "previous_centred",
    "previous_cosine",
    "previous_anaphora",
    "previous_short",
    "previous_reply",
    "previous_words",
    "previous_content",
    "previous_asked",
    "rank_anaphora",
    "rank_short",
    "rank_reply",
    "cosine_margin",
    "centred_margin",
    "exclusive_margin",
    "first_stage",
    "new",
    "new_asks",
    "new_question",
    "new_anaphora",
    "new_reply",
    "new_greeting",
    "new_thanks",
    "new_short",
    "new_words",
    "new_content",
    "new_candidates",
    "new_other_speaker",
    "new_novelty",
    "new_position",
    "new_coverage",
    "new_exclusive",
    "new_cosine",
    "new_centred",
    "new_centred_mean",
    "new_cosine_40",
    "new_cosine_excess",
    "new_background",
    "new_previous_cosine",
    "new_first_stage",
];

/// One row of evidence.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// The line of work and the message of the link; `None` for a new line of work.
    pub(crate) link: Option<(DcnId, MessageId)>,
    /// One value per column of [`FEATURES`].
    pub(crate) values: Vec<f64>,
}

/// A line of work with what the message shares with it.
struct Line<'a> {
    dcn: DcnId,
    /// Its latest messages, in order.
    members: Vec<Member<'a>>,
    size: usize,
    /// Messages since its last one, at least 1.
    idle: f64,
    /// Lines of work that were active since.
    rank: f64,
    coverage: f64,
    exclusive: f64,
    cosine_max: f64,
    centred_max: f64,
    centred_mean: f64,
    /// Highest cosine with its last two messages.
    cosine_last: f64,
}

struct Member<'a> {
    record: &'a MessageRecord,
    cosine: f64,
    centred: f64,
}

/// The terms of a message with their weights.
struct Weighed {
    content: Vec<(TermHash, f64)>,
    total: f64,
}

/// The rows for a message; the last one is that of a new line of work.
///
/// `first_stage` gives, on the second look at an exchange, the score of each line of work and of a
/// new one from the first look.
pub(crate) fn rows(
    incoming: &Incoming<'_>,
    candidates: &[DcnId],
    history: &History,
    first_stage: Option<&dyn Fn(Option<DcnId>) -> f64>,
) -> Vec<Row> {
    let cues = incoming.cues;
    let weighed = weigh(incoming, history);
    let lines = lines(incoming, candidates, history, &weighed);
    let stage = |dcn| first_stage.map_or(0.0, |score| score(dcn).max(1e-4).ln());
    let mut rows = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let shared = line_values(line, &margins(&lines, index), cues, &weighed, incoming);
        for member in &line.members {
            let mut values = link_values(line, member, &weighed, incoming, history);
            values.extend(&shared);
            values.push(stage(Some(line.dcn)));
            values.resize(FEATURES.len(), 0.0);
            rows.push(Row {
                link: Some((line.dcn, member.record.id)),
                values,
            });
        }
    }
    let mut values = vec![0.0; FEATURES.len()];
    let new = new_values(&lines, cues, &weighed, incoming, history);
    let start = FEATURES.len() - new.len() - 1;
    for (slot, value) in values
        .iter_mut()
        .skip(start)
        .zip(new.into_iter().chain([stage(None)]))
    {
        *slot = value;
    }
    rows.push(Row { link: None, values });
    rows
}

/// Weighs terms by rarity: ln((n + 30) / (df + 0.3)), at least 0.
fn weigh(incoming: &Incoming<'_>, history: &History) -> Weighed {
    let weight = |term: TermHash| {
        let seen = history.with_term(term).len() as f64;
        ((history.len() as f64 + PRIOR_MESSAGES) / (seen + 0.3))
            .ln()
            .max(0.0)
    };
    let terms = incoming.terms.iter();
    let content: Vec<(TermHash, f64)> = terms.map(|term| (term, weight(term))).collect();
    let total = content.iter().map(|(_, weight)| weight).sum::<f64>() + 1e-9;
    Weighed { content, total }
}

fn lines<'a>(
    incoming: &Incoming<'_>,
    candidates: &[DcnId],
    history: &'a History,
    weighed: &Weighed,
) -> Vec<Line<'a>> {
    let shared = shared_weights(history, weighed);
    let mean = history.mean_embedding();
    let last_of: BTreeMap<DcnId, MessageId> = candidates
        .iter()
        .filter_map(|dcn| Some((*dcn, *history.members(*dcn).last()?)))
        .collect();
    let mut lines = Vec::new();
    for (dcn, last) in &last_of {
        let (coverage, exclusive) = shared.get(dcn).copied().unwrap_or_default();
        let mut line = Line {
            dcn: *dcn,
            members: members(incoming, *dcn, history, &mean),
            size: history.members(*dcn).len(),
            idle: (history.len() as f64 - last.position() as f64).max(1.0),
            rank: last_of.values().filter(|other| *other > last).count() as f64,
            coverage: coverage / weighed.total,
            exclusive: exclusive / weighed.total,
            cosine_max: 0.0,
            centred_max: 0.0,
            centred_mean: 0.0,
            cosine_last: 0.0,
        };
        if incoming.embedding.is_some() {
            summarise(&mut line);
        }
        lines.push(line);
    }
    lines
}

/// Per line of work, the weight of the message's terms that it knows: in full, and divided among
/// the lines of work that know the term.
fn shared_weights(history: &History, weighed: &Weighed) -> BTreeMap<DcnId, (f64, f64)> {
    let mut shared: BTreeMap<DcnId, (f64, f64)> = BTreeMap::new();
    for (term, weight) in &weighed.content {
        let latest = history
            .with_term(*term)
            .iter()
            .rev()
            .take(MESSAGES_PER_TERM);
        let messages = latest.filter_map(|id| history.message(*id));
        let dcns: BTreeSet<DcnId> = messages.flat_map(|m| m.key.dcns.iter().copied()).collect();
        for dcn in &dcns {
            let entry = shared.entry(*dcn).or_default();
            entry.0 += weight;
            entry.1 += weight / dcns.len() as f64;
        }
    }
    shared
}

fn members<'a>(
    incoming: &Incoming<'_>,
    dcn: DcnId,
    history: &'a History,
    mean: &[f32],
) -> Vec<Member<'a>> {
    let ids = history.members(dcn);
    let latest = ids
        .get(ids.len().saturating_sub(LINKS_PER_DCN)..)
        .unwrap_or_default();
    let records = latest.iter().filter_map(|id| history.message(*id));
    records
        .map(|record| {
            let pair = incoming.embedding.zip(record.embedding.as_ref());
            let (cosine, centred) = pair.map_or((0.0, 0.0), |(a, b)| {
                let cosine = a.cosine(b);
                (
                    cosine,
                    centred_cosine(cosine, a.dot(mean), b.dot(mean), squared(mean)),
                )
            });
            Member {
                record,
                cosine,
                centred,
            }
        })
        .collect()
}

/// Cosine of two unit vectors after the mean was taken from both, from their products.
fn centred_cosine(cosine: f64, a_mean: f64, b_mean: f64, mean_squared: f64) -> f64 {
    let product = cosine - a_mean - b_mean + mean_squared;
    let a_length = 1.0 - 2.0 * a_mean + mean_squared;
    let b_length = 1.0 - 2.0 * b_mean + mean_squared;
    product / (a_length * b_length).max(1e-9).sqrt()
}

fn squared(vector: &[f32]) -> f64 {
    vector.iter().map(|x| f64::from(x * x)).sum()
}

fn summarise(line: &mut Line<'_>) {
    let count = line.members.len().max(1) as f64;
    let max = |values: &mut dyn Iterator<Item = f64>| values.fold(-1.0, f64::max);
    line.cosine_max = max(&mut line.members.iter().map(|m| m.cosine));
    line.centred_max = max(&mut line.members.iter().map(|m| m.centred));
    line.cosine_last = max(&mut line.members.iter().rev().take(2).map(|m| m.cosine));
    line.centred_mean = line.members.iter().map(|m| m.centred).sum::<f64>() / count;
}

/// How far a line of work is ahead of the best other one: cosine, centred cosine, exclusive terms.
fn margins(lines: &[Line<'_>], index: usize) -> [f64; 3] {
    [
        |line: &Line<'_>| line.cosine_max,
        |line: &Line<'_>| line.centred_max,
        |line: &Line<'_>| line.exclusive,
    ]
    .map(|value| {
        let others = lines
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != index);
        let best = others.map(|(_, line)| value(line)).fold(0.0, f64::max);
        lines.get(index).map_or(0.0, |line| value(line) - best)
    })
}

fn link_values(
    line: &Line<'_>,
    member: &Member<'_>,
    weighed: &Weighed,
    incoming: &Incoming<'_>,
    history: &History,
) -> Vec<f64> {
    let record = member.record;
    let shared = weighed
        .content
        .iter()
        .filter(|(term, _)| record.terms.contains(*term));
    let (sum, squares) = shared.fold((0.0, 0.0), |(sum, squares), (_, weight)| {
        (sum + weight, squares + weight * weight)
    });
    let distance = (history.len() as f64 - record.id.position() as f64).max(1.0);
    let named = !incoming.speaker.is_empty();
    let same = named && record.speaker == incoming.speaker;
    let last = line
        .members
        .last()
        .is_some_and(|last| last.record.id == record.id);
    vec![
        sum / weighed.total,
        (squares / 10.0).ln_1p(),
        f64::from(distance < 1.5),
        distance.ln(),
        f64::from(same),
        f64::from(named && !same),
        member.cosine,
        (member.cosine - 0.3).max(0.0),
        (member.cosine - 0.5).max(0.0),
        (member.cosine - 0.7).max(0.0),
        member.centred,
        (member.centred - 0.2).max(0.0),
        (member.centred - 0.45).max(0.0),
        f64::from(last),
    ]
}

fn line_values(
    line: &Line<'_>,
    [cosine_margin, centred_margin, exclusive_margin]: &[f64; 3],
    cues: &Cues,
    weighed: &Weighed,
    incoming: &Incoming<'_>,
) -> Vec<f64> {
    let previous = f64::from(line.idle < 1.5);
    let last = line.members.last().map(|member| member.record);
    let named = !incoming.speaker.is_empty();
    let same = named && last.is_some_and(|last| last.speaker == incoming.speaker);
    let asked = last.is_some_and(|last| last.cues.asks);
    let rank = line.rank.ln_1p();
    vec![
        previous,
        line.idle.ln(),
        rank,
        (line.size as f64).max(1.0).ln(),
        f64::from(line.size <= 2),
        f64::from(same),
        previous * f64::from(named && !same),
        line.coverage,
        line.exclusive,
        previous * line.coverage,
        line.centred_mean,
        line.centred_max,
        line.cosine_max,
        line.cosine_last,
        previous * line.centred_max,
        previous * line.cosine_last,
        previous * f64::from(cues.anaphora),
        previous * f64::from(cues.short),
        previous * f64::from(cues.reply),
        previous * log_words(cues) / 3.0,
        previous * (weighed.content.len() as f64).ln_1p() / 2.0,
        previous * f64::from(asked),
        rank * f64::from(cues.anaphora),
        rank * f64::from(cues.short),
        rank * f64::from(cues.reply),
        *cosine_margin,
        *centred_margin,
        *exclusive_margin,
    ]
}

fn log_words(cues: &Cues) -> f64 {
    f64::from(cues.words).ln_1p()
}

fn new_values(
    lines: &[Line<'_>],
    cues: &Cues,
    weighed: &Weighed,
    incoming: &Incoming<'_>,
    history: &History,
) -> Vec<f64> {
    let best = |value: &dyn Fn(&Line<'_>) -> f64| lines.iter().map(value).fold(0.0, f64::max);
    let cosine = best(&|line| line.cosine_max);
    let background = background(lines);
    let before = history.latest(1).first();
    let named = !incoming.speaker.is_empty();
    let other = named && before.is_some_and(|m| m.speaker != incoming.speaker);
    let previous = lines.iter().find(|line| line.idle < 1.5);
    let unseen = weighed
        .content
        .iter()
        .filter(|(term, _)| history.with_term(*term).is_empty());
    let novelty = unseen.map(|(_, weight)| weight).sum::<f64>() / weighed.total;
    vec![
        1.0,
        f64::from(cues.asks),
        f64::from(cues.question),
        f64::from(cues.anaphora),
        f64::from(cues.reply),
        f64::from(cues.greeting),
        f64::from(cues.thanks),
        f64::from(cues.short),
        log_words(cues) / 3.0,
        (weighed.content.len() as f64).ln_1p() / 2.0,
        (lines.len() as f64).ln_1p(),
        f64::from(other),
        novelty,
        (history.len().min(64) as f64).ln_1p() / 4.0,
        best(&|line| line.coverage),
        best(&|line| line.exclusive),
        cosine,
        best(&|line| line.centred_max),
        best(&|line| line.centred_mean),
        (cosine - 0.4).max(0.0),
        cosine - background,
        background,
        previous.map_or(0.0, |line| line.cosine_max),
    ]
}

/// Mean cosine of the message with all messages it may link to.
fn background(lines: &[Line<'_>]) -> f64 {
    let cosines = || {
        lines
            .iter()
            .flat_map(|line| &line.members)
            .map(|m| m.cosine)
    };
    cosines().sum::<f64>() / (cosines().count().max(1) as f64)
}
