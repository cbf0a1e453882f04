//! Chooses the classifier's settings by cross-validation on the training utterances alone.

use super::discriminant::{Discriminant, Moments};
use super::model::{Example, IntentSettings, best};
use super::words::WordModel;

/// Folds of the cross-validation.
const FOLDS: usize = 5;

const SHRINKAGES: [f64; 4] = [0.02, 0.05, 0.1, 0.2];
const SMOOTHINGS: [f64; 4] = [0.001, 0.003, 0.01, 0.03];
const WORD_WEIGHTS: [f64; 8] = [0.0, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0];

/// The settings with the most right answers over all folds; the first of equals, in the order of
/// shrinkage, smoothing and weight.
pub(super) fn choose(examples: &[Example<'_>], classes: usize) -> IntentSettings {
    let folds = folds(examples, classes);
    let mut right = vec![0.0; grid().count()];
    for fold in 0..FOLDS {
        let marked = || examples.iter().zip(&folds);
        let held_out: Vec<Example<'_>> = marked()
            .filter_map(|(example, number)| (*number == fold).then_some(*example))
            .collect();
        let rest: Vec<Example<'_>> = marked()
            .filter_map(|(example, number)| (*number != fold).then_some(*example))
            .collect();
        for (total, more) in right
            .iter_mut()
            .zip(right_answers(&rest, &held_out, classes))
        {
            *total += more;
        }
    }
    grid().nth(best(&right)).unwrap_or_default()
}

fn grid() -> impl Iterator<Item = IntentSettings> {
    SHRINKAGES.into_iter().flat_map(|shrinkage| {
        SMOOTHINGS.into_iter().flat_map(move |smoothing| {
            WORD_WEIGHTS
                .into_iter()
                .map(move |word_weight| IntentSettings {
                    shrinkage,
                    smoothing,
                    word_weight,
                })
        })
    })
}

/// The fold of each example: those of one class go round the folds.
fn folds(examples: &[Example<'_>], classes: usize) -> Vec<usize> {
    let mut next = vec![0; classes];
    let fold_of = |example: &Example<'_>| match next.get_mut(example.class) {
        Some(number) => {
            *number += 1;
            *number % FOLDS
        }
        None => 0,
    };
    examples.iter().map(fold_of).collect()
}

/// Right answers on the held-out examples for each settings of the grid.
fn right_answers(rest: &[Example<'_>], held_out: &[Example<'_>], classes: usize) -> Vec<f64> {
    let vectors: Vec<_> = rest
        .iter()
        .map(|example| (example.vector, example.class))
        .collect();
    let words: Vec<_> = rest
        .iter()
        .map(|example| (example.words, example.class))
        .collect();
    let moments = Moments::of(&vectors, classes);
    let by_meaning = SHRINKAGES.map(|shrinkage| {
        let model = Discriminant::fit(&moments, shrinkage);
        let scores = held_out.iter().map(|example| model.scores(example.vector));
        scores.collect::<Vec<_>>()
    });
    let by_words = SMOOTHINGS.map(|smoothing| {
        let model = WordModel::fit(&words, classes, smoothing);
        let scores = held_out.iter().map(|example| model.scores(example.words));
        scores.collect::<Vec<_>>()
    });
    let mut right = Vec::new();
    for meaning in &by_meaning {
        for words in &by_words {
            for weight in WORD_WEIGHTS {
                right.push(count_right(held_out, meaning, words, weight));
            }
        }
    }
    right
}

fn count_right(
    held_out: &[Example<'_>],
    meaning: &[Vec<f64>],
    words: &[Vec<f64>],
    weight: f64,
) -> f64 {
    let scores = meaning.iter().zip(words);
    let right = held_out
        .iter()
        .zip(scores)
        .filter(|(example, (meaning, words))| {
            best(&combined(meaning, words, weight)) == example.class
        });
    right.count() as f64
}

/// The two judgements as one.
pub(super) fn combined(meaning: &[f64], words: &[f64], weight: f64) -> Vec<f64> {
    let scores = meaning.iter().zip(words);
    scores
        .map(|(meaning, words)| meaning + weight * words)
        .collect()
}
