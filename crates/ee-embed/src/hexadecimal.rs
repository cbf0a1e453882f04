//! Checksums as text.

use std::fmt::Write;

/// Bytes as lower-case hexadecimal, two digits each.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_byte_has_two_digits() {
        assert_eq!(super::hexadecimal(&[0, 10, 255]), "000aff");
    }
}
