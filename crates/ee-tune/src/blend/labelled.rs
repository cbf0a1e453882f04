//! Labelled questions as the precision pipeline sees them.

use ee_pipeline::{BlendConfig, BlendEvidence};

/// The candidates of a question, and which of them are relevant.
#[derive(Debug, Clone, Default)]
pub struct Labelled {
    /// What is known of each candidate, in the order of their fusion scores.
    pub evidence: Vec<BlendEvidence>,
    /// Whether each is relevant.
    pub relevant: Vec<bool>,
}

impl Labelled {
    /// Adds a candidate.
    pub fn add(&mut self, evidence: BlendEvidence, relevant: bool) {
        self.evidence.push(evidence);
        self.relevant.push(relevant);
    }

    /// Places of the candidates in descending probability, equal ones in the order given, with
    /// their probabilities.
    pub fn ranked(&self, blend: &BlendConfig) -> Vec<(usize, f32)> {
        let probabilities = blend.probabilities(&self.evidence);
        let mut ranked: Vec<(usize, f32)> = probabilities.into_iter().enumerate().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranked
    }
}

/// Learns from all questions outside each group and applies what was learned to the group; one
/// result per question, in their order.
pub(crate) fn fold_by<G: PartialEq, M, T>(
    questions: &[&Labelled],
    groups: &[G],
    learn: impl Fn(&[&Labelled]) -> M,
    apply: impl Fn(&M, &Labelled) -> T,
) -> Vec<T> {
    let mut learned: Vec<(&G, M)> = Vec::new();
    let mut results = Vec::with_capacity(questions.len());
    for (question, group) in questions.iter().zip(groups) {
        if !learned.iter().any(|(known, _)| *known == group) {
            let all = questions.iter().zip(groups);
            let others = all.filter(|(_, other)| *other != group);
            let others: Vec<&Labelled> = others.map(|(question, _)| *question).collect();
            learned.push((group, learn(&others)));
        }
        let model = learned.iter().find(|(known, _)| *known == group);
        results.extend(model.map(|(_, model)| apply(model, question)));
    }
    results
}
