//! Reasoning that some models write before their reply, between `<think>` and `</think>`.

/// The reply behind the reasoning at its beginning. None while the reasoning goes on, or while
/// what has arrived may still turn out to begin one.
pub(crate) fn after_thinking(reply: &str) -> Option<&str> {
    let text = reply.trim_start();
    for (open, close) in [("<think>", "</think>"), ("<thinking>", "</thinking>")] {
        if let Some(rest) = text.strip_prefix(open) {
            let (_, behind) = rest.split_once(close)?;
            return Some(behind);
        }
        if open.starts_with(text) {
            return None;
        }
    }
    Some(reply)
}

/// The reply once it is complete: reasoning that never ended leaves nothing of it.
pub(crate) fn after_all_thinking(reply: &str) -> &str {
    let text = reply.trim_start();
    let thinks = text.starts_with("<think>") || text.starts_with("<thinking>");
    after_thinking(reply).unwrap_or(if thinks { "" } else { reply })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_is_told_from_the_reply() {
        assert_eq!(after_thinking("\n<think>RETRIEVE 1</think>Hi"), Some("Hi"));
        assert_eq!(after_thinking("<thinking>a</thinking>b"), Some("b"));
        assert_eq!(after_thinking("<think>a"), None);
        assert_eq!(after_thinking("<thi"), None);
        assert_eq!(after_thinking(""), None);
        assert_eq!(after_thinking("<b>a"), Some("<b>a"));
    }
}
