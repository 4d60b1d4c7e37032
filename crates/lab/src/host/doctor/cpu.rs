use super::files;

/// The CPU's model as `/proc/cpuinfo` of x86 and of other machines names it.
pub(super) fn model(cpuinfo: &str) -> Option<String> {
    ["model name", "Model", "cpu model", "Hardware", "uarch", "cpu"]
        .iter()
        .find_map(|key| files::value(cpuinfo, key))
        .filter(|model| !model.is_empty())
        .map(str::to_owned)
}

/// How many CPUs a list such as `0-3,8` names; `None` when it is not a list.
pub(super) fn count(list: &str) -> Option<u32> {
    let mut count = 0_u32;
    for part in list.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        count = count.checked_add(last.checked_sub(first)?.checked_add(1)?)?;
    }
    Some(count)
}

/// What is known of a hypervisor.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Signs<'a> {
    /// `/proc/cpuinfo`.
    pub(super) cpuinfo: &'a str,
    /// Vendor and product as the firmware names them.
    pub(super) firmware: &'a str,
    /// `/sys/hypervisor/type`.
    pub(super) hypervisor_type: Option<&'a str>,
    /// The clock sources that the kernel offers.
    pub(super) clock_sources: &'a str,
    /// `/proc/device-tree/hypervisor/compatible`.
    pub(super) device_tree: Option<&'a str>,
    /// The kernel's release.
    pub(super) kernel: &'a str,
}

/// The hypervisor's name, or `of an unknown kind` when only its presence shows; `None`: none seen.
pub(super) fn virtualisation(signs: Signs<'_>) -> Option<String> {
    let has = |text: &str, part: &str| text.to_ascii_lowercase().contains(part);
    let flags = files::value(signs.cpuinfo, "flags").unwrap_or_default();
    let present = flags.split_ascii_whitespace().any(|flag| flag == "hypervisor");
    let name = if has(signs.kernel, "microsoft") {
        "wsl"
    } else if let Some(kind) = signs.hypervisor_type {
        return Some(kind.to_owned());
    } else if has(signs.clock_sources, "kvm-clock") || signs.device_tree.is_some_and(|text| has(text, "kvm"))
    {
        "kvm"
    } else if has(signs.clock_sources, "hyperv") || has(signs.firmware, "microsoft corporation virtual") {
        "hyper-v"
    } else if has(signs.firmware, "vmware") {
        "vmware"
    } else if has(signs.firmware, "virtualbox") || has(signs.firmware, "innotek") {
        "virtualbox"
    } else if has(signs.firmware, "xen") {
        "xen"
    } else if present && ["qemu", "kvm", "amazon ec2", "google"].iter().any(|name| has(signs.firmware, name))
    {
        "kvm"
    } else if present || signs.device_tree.is_some() {
        "of an unknown kind"
    } else {
        return None;
    };
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_model_is_found_on_several_architectures() {
        assert_eq!(model("processor\t: 0\nmodel\t\t: 207\nmodel name\t: Xeon\n").as_deref(), Some("Xeon"));
        assert_eq!(model("processor\t: 0\nModel\t\t: Raspberry Pi 5\n").as_deref(), Some("Raspberry Pi 5"));
        assert_eq!(model("processor\t: 0\nBogoMIPS\t: 50.00\n"), None);
        assert_eq!(model("model name\t:\n"), None);
    }

    #[test]
    fn a_list_of_cpus_is_counted() {
        for (list, expected) in [("0", Some(1)), ("0-1\n", Some(2)), ("0-3,8,10-11", Some(7)), ("", None)] {
            assert_eq!(count(list), expected, "{list}");
        }
        for odd in ["3-1", "a", "0-", ",", "0-4294967295", "-1"] {
            assert_eq!(count(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_hypervisor_is_named_from_what_shows_of_it() {
        let guest = Signs { cpuinfo: "flags\t\t: fpu hypervisor lm\n", ..Signs::default() };
        let name = |signs| virtualisation(signs);
        assert_eq!(
            name(Signs { cpuinfo: "flags\t: fpu lm\n", firmware: "Dell Inc.", ..Signs::default() }),
            None
        );
        assert_eq!(name(guest).as_deref(), Some("of an unknown kind"));
        assert_eq!(name(Signs { clock_sources: "kvm-clock tsc", ..guest }).as_deref(), Some("kvm"));
        assert_eq!(name(Signs { firmware: "Amazon EC2 c5a.xlarge", ..guest }).as_deref(), Some("kvm"));
        assert_eq!(
            name(Signs { firmware: "Microsoft Corporation Virtual Machine", ..guest }).as_deref(),
            Some("hyper-v")
        );
        assert_eq!(name(Signs { hypervisor_type: Some("xen"), ..guest }).as_deref(), Some("xen"));
        assert_eq!(
            name(Signs { device_tree: Some("linux,kvm"), ..Signs::default() }).as_deref(),
            Some("kvm")
        );
        assert_eq!(name(Signs { kernel: "5.15.0-microsoft-standard-WSL2", ..guest }).as_deref(), Some("wsl"));
    }

    proptest! {
        #[test]
        fn odd_content_gives_an_answer(text in ".{0,200}") {
            model(&text);
            count(&text);
            virtualisation(Signs { cpuinfo: &text, firmware: &text, kernel: &text, ..Signs::default() });
        }
    }
}
