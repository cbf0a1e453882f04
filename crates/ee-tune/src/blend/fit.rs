//! Fitting the blend of fusion score and cross-encoder.

use ee_pipeline::{BlendConfig, BlendEvidence, BlendRow, BlendWeights};

use super::Labelled;
use super::logistic::fit;

/// Fits both models of the blend by logistic regression over all candidates. The model for
/// candidates that were not read learns from the same ones, their logits put aside.
pub(crate) fn fit_blend(questions: &[&Labelled]) -> BlendConfig {
    let (mut rows, mut labels): (Vec<BlendRow>, Vec<bool>) = (Vec::new(), Vec::new());
    let (mut unread, mut all_labels): (Vec<[f64; 3]>, Vec<bool>) = (Vec::new(), Vec::new());
    for question in questions {
        let evidence = BlendConfig::evidence(&question.evidence);
        let candidates = question
            .evidence
            .iter()
            .zip(evidence)
            .zip(&question.relevant);
        for ((one, row), relevant) in candidates {
            let [fused, fused_lead, cosine, ..] = row;
            unread.push([fused, fused_lead, cosine]);
            all_labels.push(*relevant);
            if was_read(one) {
                rows.push(row);
                labels.push(*relevant);
            }
        }
    }
    let (intercept, weights) = fit(&rows, &labels);
    let (unread_intercept, unread_weights) = fit(&unread, &all_labels);
    let [fused, fused_lead, cosine] = unread_weights;
    BlendConfig {
        read: BlendWeights::new(intercept, weights),
        unread: BlendWeights::new(
            unread_intercept,
            [fused, fused_lead, cosine, 0.0, 0.0, 0.0, 0.0],
        ),
    }
}

fn was_read(one: &BlendEvidence) -> bool {
    one.logit.is_some()
}
