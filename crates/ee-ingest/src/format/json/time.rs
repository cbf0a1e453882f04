//! Moments in the forms that exports write them in.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use km_core::Timestamp;
use serde_json::Value;

/// Numbers beyond this are milliseconds.
const MOST_SECONDS: f64 = 1e11;

/// RFC 3339, seconds or milliseconds since 1970, or a date and time without offset, taken as UTC.
pub(super) fn moment(value: &Value) -> Option<Timestamp> {
    if let Some(number) = value.as_f64() {
        let milliseconds = if number.abs() > MOST_SECONDS {
            number
        } else {
            number * 1e3
        };
        return Timestamp::from_millisecond(milliseconds as i64).ok();
    }
    let text = value.as_str()?.trim();
    let civil = || {
        let spoken = || DateTime::strptime("%I:%M %p on %d %B, %Y", text);
        let plain: DateTime = text.parse().or_else(|_| spoken()).ok()?;
        TimeZone::UTC.to_timestamp(plain).ok()
    };
    text.parse().ok().or_else(civil)
}
