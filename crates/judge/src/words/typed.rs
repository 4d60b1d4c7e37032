//! What people type.

/// A percentage as a share above 0 and below 1: digits with a point at most, and a percent sign.
pub(crate) fn percentage(text: &str) -> Option<f64> {
    let number = text.strip_suffix('%')?.trim_end();
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let percent = number.parse::<f64>().ok().filter(|_| is_plain)?;
    (percent > 0.0 && percent < 100.0).then_some(percent / 100.0)
}
