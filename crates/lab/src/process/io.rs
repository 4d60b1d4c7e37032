use std::fs;

/// What processes have read since they were started, files and sockets, by `read` and its like (`rchar` of `/proc/PID/io`),
/// summed; what they mapped does not count. `None` when the kernel tells it of none of them.
pub(crate) fn read_bytes(pids: &[u32]) -> Option<u64> {
    let of = |pid: &u32| rchar(&fs::read_to_string(format!("/proc/{pid}/io")).ok()?);
    pids.iter().filter_map(of).reduce(u64::saturating_add)
}

fn rchar(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("rchar:"))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_counted() {
        assert_eq!(rchar("rchar: 323934931\nwchar: 323929600\n"), Some(323_934_931));
        assert_eq!(rchar("wchar: 1\n"), None);
        let own = std::process::id();
        let before = read_bytes(&[own]).unwrap();
        let file = fs::read("/proc/self/exe").unwrap();
        assert!(read_bytes(&[own]).unwrap() >= before + file.len() as u64);
        assert_eq!(read_bytes(&[u32::MAX]), None);
    }
}
