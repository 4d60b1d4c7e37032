use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The machine, as read from it; missing is `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostFacts {
    /// The host's name.
    pub hostname: String,
    /// The CPU's model.
    pub cpu_model: Option<String>,
    /// CPUs online.
    pub cpus: u32,
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
    /// The frequency governor of the first CPU.
    pub governor: Option<String>,
    /// Whether turbo is on.
    pub turbo: Option<bool>,
    /// The clock source.
    pub clock_source: Option<String>,
    /// Open files: the soft limit that the run had.
    pub open_files_limit: Option<u64>,
    /// Local ports that a connection may use.
    pub local_ports: Option<u32>,
    /// Seconds since boot.
    pub uptime_s: Option<u64>,
    /// The share of all CPUs that was busy in a look before the run.
    pub busy_share_before: Option<f64>,
    /// The share of CPU time stolen by the hypervisor in that look.
    pub steal_share_before: Option<f64>,
    /// Toolchains found.
    pub toolchains: Vec<ToolchainFact>,
    /// A fixed spin timed on each CPU before the run.
    pub canary: Vec<Canary>,
}

/// A toolchain found or missed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolchainFact {
    /// `go`, `node`, ...
    pub name: String,
    /// Its version; `None`: not found.
    pub version: Option<String>,
}

/// A fixed spin, timed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Canary {
    /// On which CPU.
    pub cpu: u32,
    /// How long it took.
    pub duration_ns: u64,
}
