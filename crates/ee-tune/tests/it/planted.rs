//! Planted optima: a suite whose best settings are known.

use ee_tune::{Ladder, Method, Observation, SearchSpace, Searcher};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Settings that stand alone, to plant optima in.
const KEYS: [&str; 6] = [
    "memory.dense_weight",
    "memory.text_weight",
    "memory.window_weight",
    "memory.neighbour_weight",
    "memory.session_weight",
    "memory.speaker_weight",
];

/// What a search found of an optimum planted by `seed`.
struct Found {
    /// How far the best trial's worst parameter lies from the optimum, as a share of its range.
    distance: f64,
    /// The loss of the best trial; the optimum's is 0.
    regret: f64,
}

fn search(method: Method, parameters: usize, trials: usize, seed: u64) -> Found {
    let space = SearchSpace::declared()
        .unwrap()
        .select(&KEYS[..parameters])
        .unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let optimum: Vec<f64> = (0..parameters)
        .map(|_| random.random_range(0.05..0.95))
        .collect();
    let loss = |place: &[f64]| -> f64 {
        place
            .iter()
            .zip(&optimum)
            .map(|(a, b)| (a - b).powi(2))
            .sum()
    };
    let searcher = Searcher::new(space, method, Ladder::FLAT, vec![0.5; parameters], seed);
    let mut seen: Vec<Observation> = Vec::new();
    while seen.len() < trials {
        let proposal = searcher.next(&seen).unwrap();
        let losses = vec![loss(&proposal.place)];
        seen.push(Observation {
            place: proposal.place,
            losses,
            rung: proposal.rung,
        });
    }
    let best = seen
        .iter()
        .min_by(|a, b| a.losses[0].total_cmp(&b.losses[0]))
        .unwrap();
    let distances = best.place.iter().zip(&optimum).map(|(a, b)| (a - b).abs());
    Found {
        distance: distances.fold(0.0, f64::max),
        regret: best.losses[0],
    }
}

#[test]
fn up_to_three_parameters_are_found_within_a_twentieth_of_their_range() {
    for parameters in 1..=3 {
        let found = (0..20).map(|seed| search(Method::Tpe, parameters, 100, seed));
        let near = found.filter(|found| found.distance <= 0.05).count();
        println!("{parameters} parameter(s): {near} of 20 seeds within 5% of range");
        assert!(near >= 18, "{parameters} parameters: {near} of 20");
    }
}

#[test]
fn with_six_parameters_it_is_nearer_than_chance() {
    let median = |method| {
        let regrets = (0..20).map(|seed| search(method, 6, 100, seed).regret);
        let mut regrets: Vec<f64> = regrets.collect();
        regrets.sort_by(f64::total_cmp);
        regrets[10]
    };
    let (tpe, random) = (median(Method::Tpe), median(Method::Random));
    println!("median regret with six parameters: tpe {tpe:.4}, random {random:.4}");
    assert!(tpe < random, "{tpe} against {random}");
}
