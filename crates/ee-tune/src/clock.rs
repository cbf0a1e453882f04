//! Times as datasets write them.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use km_core::Timestamp;

/// Forms of a local time with its date, besides RFC 3339.
const FORMS: &[&str] = &[
    "%I:%M %p on %d %B, %Y",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d",
];

/// A moment: RFC 3339, or a local time with its date, read as UTC.
pub(crate) fn moment(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(at) = text.parse() {
        return Some(at);
    }
    let parsed = FORMS.iter().find_map(|form| civil(form, text))?;
    at_utc(parsed)
}

fn civil(form: &str, text: &str) -> Option<DateTime> {
    let parsed = jiff::fmt::strtime::parse(form, text).ok()?;
    let whole = parsed.to_datetime();
    let day = || Some(parsed.to_date().ok()?.at(0, 0, 0, 0));
    whole.ok().or_else(day)
}

fn at_utc(at: DateTime) -> Option<Timestamp> {
    TimeZone::UTC.to_timestamp(at).ok()
}

/// Reads clock times of a log that names its day only once. A time that lies more than an hour
/// before the last one belongs to the next day.
#[derive(Debug)]
pub(crate) struct DayClock {
    day: Date,
    last_minute: i64,
}

impl DayClock {
    /// A clock that starts on the day that `name` begins with, `YYYY-MM-DD`; 1 January 2000
    /// without one.
    pub(crate) fn on(name: &str) -> Self {
        let day = name.get(..10).and_then(|day| day.parse().ok());
        Self {
            day: day.unwrap_or(jiff::civil::date(2000, 1, 1)),
            last_minute: 0,
        }
    }

    /// The moment of the next line, written `HH:MM` or as [`moment`] reads it.
    pub(crate) fn read(&mut self, text: &str) -> Option<Timestamp> {
        let Some((hour, minute)) = text.trim().split_once(':') else {
            return moment(text);
        };
        let (Ok(hour), Ok(minute)) = (hour.parse::<i8>(), minute.parse::<i8>()) else {
            return moment(text);
        };
        let minute_of_day = i64::from(hour) * 60 + i64::from(minute);
        if minute_of_day < self.last_minute - 60 {
            self.day = self.day.tomorrow().ok()?;
        }
        self.last_minute = minute_of_day;
        let time = jiff::civil::Time::new(hour, minute, 0, 0).ok()?;
        at_utc(self.day.to_datetime(time))
    }
}

#[cfg(test)]
mod tests {
    use super::{DayClock, moment};

    #[test]
    fn times_of_several_forms() {
        let expected = "2023-05-08T13:56:00Z".parse().ok();
        assert_eq!(moment("1:56 pm on 8 May, 2023"), expected);
        assert_eq!(moment("2023-05-08T15:56:00+02:00"), expected);
        assert_eq!(moment("2023-05-08 13:56"), expected);
        assert_eq!(moment("2023-05-08"), "2023-05-08T00:00:00Z".parse().ok());
        assert_eq!(moment("yesterday"), None);
    }

    #[test]
    fn a_log_runs_into_the_next_day() {
        let mut clock = DayClock::on("2004-11-15_03");
        let times = ["23:58", "23:57", "00:01", "00:01"].map(|text| clock.read(text));
        let expected = ["15T23:58", "15T23:57", "16T00:01", "16T00:01"];
        let expected = expected.map(|at| format!("2004-11-{at}:00Z").parse().ok());
        assert_eq!(times, expected);
        assert_eq!(clock.read("25:00"), None);
    }
}
