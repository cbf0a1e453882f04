//! Successive halving over growing samples.

/// How many times more questions a rung has than the one below it, and how many times fewer
/// settings.
const FACTOR: usize = 3;

/// Settings on the lowest rung of a bracket.
const ENTRANTS: usize = 9;

/// Rungs from few questions to all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ladder {
    rungs: usize,
}

/// Where a step stands on the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A new setting on the lowest rung.
    Enter,
    /// The setting that was `rank`-th (from 0) on the rung below, whose steps of this bracket are
    /// `first..first + count`.
    Climb {
        rung: usize,
        rank: usize,
        first: usize,
        count: usize,
    },
}

impl Ladder {
    /// One rung: every setting is measured on all questions.
    pub const FLAT: Self = Self { rungs: 1 };

    /// A third, then all; or a ninth, a third and all, where a ninth is still `least` questions.
    pub fn over(questions: usize, least: usize) -> Self {
        let mut rungs = 1;
        while rungs < 3 && questions / FACTOR.pow(rungs as u32) >= least.max(1) {
            rungs += 1;
        }
        Self { rungs }
    }

    /// The highest rung, on which all questions count.
    pub fn top(self) -> usize {
        self.rungs - 1
    }

    /// How many of `questions` count on a rung.
    pub fn sample(self, rung: usize, questions: usize) -> usize {
        let below = self.top().saturating_sub(rung);
        (questions / FACTOR.pow(below as u32)).max(1).min(questions)
    }

    /// What the step with this number, from 0, does.
    pub(super) fn step(self, number: usize) -> Step {
        let sizes: Vec<usize> = (0..self.rungs)
            .map(|rung| (ENTRANTS / FACTOR.pow(rung as u32)).max(1))
            .collect();
        let bracket: usize = sizes.iter().sum();
        let start = number - number % bracket;
        let (mut first, mut within, mut below) = (start, number % bracket, 0);
        for (rung, size) in sizes.iter().enumerate() {
            if within < *size {
                return match rung {
                    0 => Step::Enter,
                    _ => Step::Climb {
                        rung,
                        rank: within,
                        first: first - below,
                        count: below,
                    },
                };
            }
            within -= size;
            first += size;
            below = *size;
        }
        Step::Enter
    }
}

#[cfg(test)]
mod tests {
    use super::{Ladder, Step};

    #[test]
    fn a_bracket_is_nine_then_three_then_one() {
        let ladder = Ladder::over(405, 20);
        assert_eq!(ladder.top(), 2);
        assert_eq!(
            [0, 1, 2].map(|rung| ladder.sample(rung, 405)),
            [45, 135, 405]
        );
        assert_eq!(ladder.step(8), Step::Enter);
        assert_eq!(
            ladder.step(9),
            Step::Climb {
                rung: 1,
                rank: 0,
                first: 0,
                count: 9
            }
        );
        assert_eq!(
            ladder.step(12),
            Step::Climb {
                rung: 2,
                rank: 0,
                first: 9,
                count: 3
            }
        );
        assert_eq!(ladder.step(13), Step::Enter);
        assert_eq!(
            ladder.step(22),
            Step::Climb {
                rung: 1,
                rank: 0,
                first: 13,
                count: 9
            }
        );
    }

    #[test]
    fn few_questions_make_one_rung() {
        let ladder = Ladder::over(30, 20);
        assert_eq!((ladder, ladder.sample(0, 30)), (Ladder::FLAT, 30));
    }
}
