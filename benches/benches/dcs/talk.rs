//! A made-up conversation between a user and an assistant; the same seed gives the same one.
//!
//! Words follow Zipf's law, and work moves between lines of work in bursts, with a new one now and
//! then.

use fastrand::Rng;

/// Distinct words of the whole conversation.
const WORDS: f64 = 60_000.0;
/// Words that one line of work likes to use.
const TOPIC_WORDS: u64 = 40;
/// Two neighbouring lines of work share words: each begins so many after the one before.
const TOPIC_STEP: u64 = 7;
/// Lines of work that may be taken up again.
const REMEMBERED: u64 = 12;

/// What is said next.
pub(crate) struct Said {
    pub(crate) speaker: &'static str,
    pub(crate) text: String,
    /// Which line of work it belongs to.
    pub(crate) topic: u64,
}

/// A conversation that goes on for as long as it is asked to.
pub(crate) struct Talk {
    random: Rng,
    topics: u64,
    topic: u64,
}

impl Talk {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            random: Rng::with_seed(seed),
            topics: 1,
            topic: 0,
        }
    }

    /// A question of 6 to 13 words; it may take up another line of work.
    pub(crate) fn question(&mut self) -> Said {
        match self.random.u64(..16) {
            0 => {
                self.topic = self.topics;
                self.topics += 1;
            }
            1..=3 => {
                let back = self.random.u64(..self.topics.min(REMEMBERED));
                self.topic = self.topics - 1 - back;
            }
            _ => {}
        }
        self.say("user", 6..=13, "?")
    }

    /// An answer of 6 to 25 words to the question before.
    pub(crate) fn answer(&mut self) -> Said {
        self.say("assistant", 6..=25, ".")
    }

    fn say(
        &mut self,
        speaker: &'static str,
        words: std::ops::RangeInclusive<usize>,
        end: &str,
    ) -> Said {
        let count = self.random.usize(words);
        let words: Vec<String> = (0..count).map(|_| self.word()).collect();
        Said {
            speaker,
            text: words.join(" ") + end,
            topic: self.topic,
        }
    }

    fn word(&mut self) -> String {
        if self.random.u64(..3) == 0 {
            let word = self.topic * TOPIC_STEP + self.random.u64(..TOPIC_WORDS);
            return format!("topic{word}");
        }
        format!("word{}", WORDS.powf(self.random.f64()) as u64)
    }
}
