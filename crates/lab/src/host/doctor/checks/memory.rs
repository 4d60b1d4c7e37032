use velo_record::HostFacts;

use crate::host::doctor::check::{Check, CheckState};
use crate::host::doctor::facts::More;
use crate::host::doctor::words::size;

pub(super) fn memory(facts: &HostFacts, more: &More) -> Check {
    let Some(bytes) = facts.memory_bytes else {
        return Check::new("memory", "not visible", CheckState::Unknown);
    };
    let mut parts = vec![size(bytes)];
    parts.extend(facts.swap_used_bytes.map(|swap| match swap {
        0 => "no swap in use".to_owned(),
        _ => format!("{} of swap in use", size(swap)),
    }));
    let moved = more.swapped_pages.filter(|&pages| pages > 0);
    parts.extend(moved.map(|pages| format!("{pages} pages to or from swap in a second")));
    parts.extend(facts.transparent_huge_pages.as_ref().map(|choice| format!("huge pages: {choice}")));
    let found = parts.join(", ");
    if moved.is_some() {
        Check::new("memory", found, CheckState::Warning)
            .advise("memory is short: end what holds it, or a window waits for the disk")
    } else if facts.swap_used_bytes.is_some_and(|swap| swap > 0) {
        Check::new("memory", found, CheckState::Note)
            .advise("what comes back from swap in a window is measured with it: swapoff -a && swapon -a")
    } else if facts.transparent_huge_pages.as_deref() == Some("always") {
        Check::new("memory", found, CheckState::Note).advise(
            "with huge pages everywhere, memory figures are higher than elsewhere: \
             echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
        )
    } else {
        Check::new("memory", found, CheckState::Ok)
    }
}
