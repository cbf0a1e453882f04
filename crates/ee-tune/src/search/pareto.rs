//! Points that no other beats in every objective.

/// Places of the losses that none of the others beats: at most as large in all, smaller in one.
pub fn pareto_front(losses: &[Vec<f64>]) -> Vec<usize> {
    let beaten = |loss: &Vec<f64>| losses.iter().any(|other| beats(other, loss));
    let places = losses.iter().enumerate();
    places
        .filter(|(_, loss)| !beaten(loss))
        .map(|(place, _)| place)
        .collect()
}

fn beats(a: &[f64], b: &[f64]) -> bool {
    let pairs = || a.iter().zip(b);
    pairs().all(|(a, b)| a <= b) && pairs().any(|(a, b)| a < b)
}

#[cfg(test)]
mod tests {
    use super::pareto_front;

    #[test]
    fn what_is_worse_in_everything_is_left_out() {
        let losses = [
            vec![1.0, 5.0],
            vec![2.0, 2.0],
            vec![3.0, 3.0],
            vec![5.0, 1.0],
            vec![2.0, 2.0],
        ];
        assert_eq!(pareto_front(&losses), [0, 1, 3, 4]);
        assert!(pareto_front(&[]).is_empty());
    }
}
