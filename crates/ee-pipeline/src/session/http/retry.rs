//! When and after how long a call is tried again.

use std::time::Duration;

use jiff::Timestamp;

use super::RetryConfig;

/// The pauses of one session.
pub(crate) struct Retry {
    config: RetryConfig,
    random: parking_lot::Mutex<fastrand::Rng>,
}

impl Retry {
    pub(crate) fn new(config: RetryConfig) -> Self {
        let random = config
            .jitter_seed
            .map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed);
        Self {
            config,
            random: parking_lot::Mutex::new(random),
        }
    }

    /// The pause before try number `failed + 1`, after `failed` failures; none when there is to be
    /// no other try. What the server asked for goes first; otherwise the pause doubles, and a
    /// random half of it is taken off.
    pub(crate) fn pause(&self, failed: u32, asked: Option<Duration>) -> Option<Duration> {
        if failed > self.config.max_retries {
            return None;
        }
        let longest = Duration::from_secs_f64(self.config.max_pause_seconds);
        if let Some(asked) = asked {
            return (asked <= longest).then_some(asked);
        }
        let doublings = i32::try_from(failed.saturating_sub(1))
            .unwrap_or(i32::MAX)
            .min(62);
        let seconds = self.config.first_pause_seconds * 2f64.powi(doublings);
        let seconds = seconds.min(self.config.max_pause_seconds);
        let share = 0.5 + 0.5 * self.random.lock().f64();
        Some(Duration::from_secs_f64(seconds * share))
    }
}

/// Whether a status says that the same call may succeed later.
pub(crate) fn may_recover(status: u16) -> bool {
    status == 429 || (500..600).contains(&status)
}

/// Reads `Retry-After`: seconds, or an HTTP date (RFC 9110, section 10.2.3) as seen from `now`.
pub(crate) fn retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = jiff::fmt::rfc2822::DateTimeParser::new()
        .parse_timestamp(value)
        .ok()?;
    let wait = date.duration_since(now);
    Some(Duration::try_from(wait).unwrap_or(Duration::ZERO))
}

/// What a user can do about a status.
pub(crate) fn advice(status: u16) -> &'static str {
    match status {
        400 | 422 => "the server does not accept the request: check the model's name and `extra`",
        401 | 403 => "check the key, and that it may use this model",
        404 => "check `base_url` (it often ends in /v1) and the model's name",
        413 => "the prompt is too large: lower turn.max_injected_tokens or max_history_tokens",
        429 => "too many requests or no quota left: wait, or raise the limit at the provider",
        500..600 => "the server is in trouble: try again later, or look into its log",
        _ => "look the status up in the server's documentation",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retry(seed: u64) -> Retry {
        Retry::new(RetryConfig {
            jitter_seed: Some(seed),
            ..RetryConfig::default()
        })
    }

    #[test]
    fn pauses_double_within_their_jitter_and_end() {
        let retry = retry(1);
        for (failed, full) in [(1, 0.5), (2, 1.0), (3, 2.0)] {
            let pause = retry.pause(failed, None).unwrap().as_secs_f64();
            assert!((full / 2.0..=full).contains(&pause), "{pause}");
        }
        assert_eq!(retry.pause(4, None), None);
        assert_eq!(self::retry(7).pause(2, None), self::retry(7).pause(2, None));
    }

    #[test]
    fn the_server_is_heeded_within_reason() {
        let retry = retry(1);
        let seconds = Duration::from_secs;
        assert_eq!(retry.pause(1, Some(seconds(7))), Some(seconds(7)));
        assert_eq!(retry.pause(1, Some(seconds(700))), None);
    }

    #[test]
    fn retry_after_is_read_in_both_forms() {
        let now: Timestamp = "2015-10-21T07:27:00Z".parse().unwrap();
        let read = |value| retry_after(value, now);
        assert_eq!(read("3"), Some(Duration::from_secs(3)));
        assert_eq!(read(" 0.25 "), Some(Duration::from_millis(250)));
        assert_eq!(
            read("Wed, 21 Oct 2015 07:28:00 GMT"),
            Some(Duration::from_mins(1))
        );
        assert_eq!(read("Wed, 21 Oct 2015 07:00:00 GMT"), Some(Duration::ZERO));
        for wrong in ["soon", "-1", "", "NaN"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
