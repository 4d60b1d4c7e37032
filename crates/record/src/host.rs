use serde::{Deserialize, Serialize};

/// The machine, as read from it; missing is `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostFacts {
    /// The host's name.
    pub hostname: String,
    /// The CPU's model.
    pub cpu_model: Option<String>,
    /// CPUs online.
    pub cpus: u32,
    /// CPUs that the run's process may use.
    pub usable_cpus: Option<u32>,
    /// The CPU time that the control group of the run's process may use, in CPUs; `None`: no limit seen.
    pub cpu_quota: Option<f64>,
    /// Threads of one core, where the kernel says.
    pub threads_per_core: Option<u32>,
    /// `kvm`, `xen`, ... as the CPU's flags and the kernel say; `None`: none seen.
    pub virtualisation: Option<String>,
    /// The kernel's release.
    pub kernel: String,
    /// The distribution's own name for itself.
    pub distribution: Option<String>,
    /// Memory in all.
    pub memory_bytes: Option<u64>,
    /// Swap in use before the run.
    pub swap_used_bytes: Option<u64>,
    /// Transparent huge pages: `always`, `madvise` or `never`.
    pub transparent_huge_pages: Option<String>,
    /// The frequency governor; where CPUs differ all of them, with commas between.
    pub governor: Option<String>,
    /// Whether turbo is on.
    pub turbo: Option<bool>,
    /// The highest frequency that the slowest-set CPU is allowed, in kHz.
    pub frequency_allowed_khz: Option<u64>,
    /// The highest frequency that this CPU could have, in kHz.
    pub frequency_possible_khz: Option<u64>,
    /// How often, in the look before the run, a CPU was slowed down for heat or the control group had used up its
    /// quota.
    pub throttled_before: Option<u64>,
    /// The clock source.
    pub clock_source: Option<String>,
    /// Whether the kernel keeps the time of interrupts apart from that of tasks (IRQ time accounting). Then no task's and no
    /// control group's CPU time holds it, and the softirq work of the network is in no contender's. `None`: not known.
    pub irq_time_apart: Option<bool>,
    /// Open files: the soft limit that the run had.
    pub open_files_limit: Option<u64>,
    /// Open files: the hard limit; `None`: no limit.
    pub open_files_hard_limit: Option<u64>,
    /// Local ports that a connection may use.
    pub local_ports: Option<u32>,
    /// `net.ipv4.tcp_tw_reuse`: 0 never, 1 always, 2 over loopback.
    pub port_reuse: Option<u32>,
    /// `net.core.somaxconn`: connections that may wait to be accepted, whatever a server asks for.
    pub accept_backlog: Option<u32>,
    /// The largest packet of the loopback interface, in bytes.
    pub loopback_mtu_bytes: Option<u32>,
    /// Seconds since boot.
    pub uptime_s: Option<u64>,
    /// The share of all CPUs that was busy in a look before the run.
    pub busy_share_before: Option<f64>,
    /// The busiest processes in that look.
    pub busiest_before: Vec<BusyProcess>,
    /// The share of CPU time stolen by the hypervisor in that look.
    pub steal_share_before: Option<f64>,
    /// Pressure in the ten seconds before that look ended.
    pub pressure_before: Pressure,
    /// Whether instructions and cycles are counted, or why not.
    pub hardware_counters: HardwareCounters,
    /// Toolchains found.
    pub toolchains: Vec<ToolchainFact>,
    /// A fixed spin timed on each CPU before the run.
    pub canary: Vec<Canary>,
}

/// A program that used the CPUs beside contenders and `velo`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BusyProcess {
    /// Its processes' name; `children of NAME` for processes that ended before they could be looked at.
    pub name: String,
    /// The share of one CPU that all processes of that name used together.
    pub cpu_share: f64,
}

/// Pressure stall information: the share of ten seconds in which some task had to wait for each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pressure {
    /// For a CPU.
    pub cpu_share: Option<f64>,
    /// For memory.
    pub memory_share: Option<f64>,
    /// For disks.
    pub io_share: Option<f64>,
}

/// Hardware counters of instructions and cycles.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum HardwareCounters {
    /// Nobody has looked.
    #[default]
    Unknown,
    /// They count.
    Counting,
    /// They are not to be had; windows have null for them.
    Missing {
        /// Why, in words.
        reason: String,
    },
}

/// A toolchain found or missed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolchainFact {
    /// `go`, `node`, ...
    pub name: String,
    /// Its version; `None`: not found.
    pub version: Option<String>,
}

/// A fixed spin, timed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Canary {
    /// On which CPU.
    pub cpu: u32,
    /// How long it took.
    pub duration_ns: u64,
}
