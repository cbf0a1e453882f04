//! Which metric a suite is judged by, and which way metrics are better.

use crate::Direction;

/// Metrics of which less is better.
const COSTS: [&str; 11] = [
    "wrong",
    "indeterminate",
    "false_election",
    "needless_election",
    "tokens_per_turn",
    "tokens_naive",
    "calls",
    "sent_tokens",
    "received_tokens",
    "context_tokens",
    "milliseconds",
];

/// Which way a metric is better.
pub fn direction_of(metric: &str) -> Direction {
    if COSTS.contains(&metric) {
        Direction::Minimise
    } else {
        Direction::Maximise
    }
}

/// The metric that a suite is judged by; `None` for a suite that is not known.
pub fn main_metric(suite: &str) -> Option<&'static str> {
    Some(match suite {
        "retrieval" => "ndcg@10",
        "election" => "f1",
        "memory" | "threads" => "recall@10",
        "intents" => "accuracy",
        "qa" => "correct",
        _ => return None,
    })
}
