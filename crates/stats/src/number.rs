//! How numbers are written, for every crate above.

/// A whole number with separators between thousands: `12,481,007`.
pub fn thousands(n: u64) -> String {
    grouped(&n.to_string())
}

/// Decimal digits, after a sign or none, with separators between thousands: `-1,234`.
pub fn grouped(digits: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    let mut text = String::with_capacity(sign.len() + digits.len() + digits.len() / 3);
    text.push_str(sign);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        for (n, text) in [(0, "0"), (999, "999"), (28_232, "28,232"), (12_481_007, "12,481,007")] {
            assert_eq!(thousands(n), text);
        }
        assert_eq!(grouped("-1234"), "-1,234");
        assert_eq!(grouped("-123"), "-123");
    }
}
