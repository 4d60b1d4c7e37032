use crate::number::count;

/// `1 launch`, `5,000 launches`.
pub(super) fn plural(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}
