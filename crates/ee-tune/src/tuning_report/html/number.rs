//! Numbers as a reader wants them.

/// A number with as many digits as its size deserves: four decimals below 1, none from 100 on.
pub(super) fn number(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 4,
    };
    minus(format!("{value:.decimals$}"))
}

/// A number with its sign.
pub(super) fn signed(value: f64) -> String {
    let shown = number(value);
    let is_zero = !shown.contains(|digit: char| ('1'..='9').contains(&digit));
    match (is_zero, value > 0.0) {
        (true, _) => shown.replace('−', ""),
        (false, true) => format!("+{shown}"),
        (false, false) => shown,
    }
}

/// A number in its shortest form, for an axis.
pub(super) fn tick(value: f64) -> String {
    let rounded = (value * 1e9).round() / 1e9;
    minus(rounded.to_string())
}

/// A p-value.
pub(super) fn p_value(p: f64) -> String {
    if p < 0.0001 {
        "< 0.0001".to_owned()
    } else {
        format!("{p:.4}")
    }
}

/// A true minus sign for the hyphen.
fn minus(text: String) -> String {
    match text.strip_prefix('-') {
        Some(size) => format!("−{size}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::{number, p_value, signed, tick};

    #[test]
    fn digits_follow_the_size() {
        assert_eq!(
            [0.739_16, 7.3916, 73.916, 739.16].map(number),
            ["0.7392", "7.39", "73.9", "739"]
        );
        assert_eq!(
            [0.012, -0.012, 0.0, -0.000_01].map(signed),
            ["+0.0120", "−0.0120", "0.0000", "0.0000"]
        );
        assert_eq!([0.1 + 0.2, -5.0].map(tick), ["0.3", "−5"]);
        assert_eq!([0.000_01, 0.05].map(p_value), ["< 0.0001", "0.0500"]);
    }
}
