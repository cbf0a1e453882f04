//! Takes the white space off both ends of an answer as it arrives.

/// Holds white space until something follows it.
#[derive(Default)]
pub(crate) struct TrimFilter {
    space: String,
    started: bool,
}

impl TrimFilter {
    pub(crate) fn push(&mut self, text: &str) -> String {
        let text = if self.started {
            text
        } else {
            text.trim_start()
        };
        let kept = text.trim_end();
        let (kept, space) = text.split_at(kept.len());
        if kept.is_empty() {
            if self.started {
                self.space.push_str(space);
            }
            return String::new();
        }
        self.started = true;
        let mut shown = std::mem::replace(&mut self.space, space.to_owned());
        shown.push_str(kept);
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_are_trimmed_as_the_whole(pieces in proptest::collection::vec("[ \na]{0,4}", 0..8)) {
            let mut filter = TrimFilter::default();
            let shown: String = pieces.iter().map(|piece| filter.push(piece)).collect();
            let whole = pieces.concat();
            prop_assert_eq!(shown, whole.trim());
        }
    }
}
