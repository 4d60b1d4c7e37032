use serde::{Deserialize, Serialize};
use velo_model::PartyRole;

/// Which CPUs each party has; read back from the kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Placement(Vec<PartyCpus>);

/// The CPUs of a party.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PartyCpus {
    /// What it does in the measurement.
    pub role: PartyRole,
    /// Its CPUs; the generator has one thread on each.
    pub cpus: Vec<u32>,
}

impl Placement {
    /// Of parties that have CPUs of their own.
    pub fn new(parties: impl IntoIterator<Item = (PartyRole, Vec<u32>)>) -> Self {
        Self(parties.into_iter().map(|(role, cpus)| PartyCpus { role, cpus }).collect())
    }

    /// The parties that have CPUs of their own.
    pub fn parties(&self) -> &[PartyCpus] {
        &self.0
    }

    /// The CPUs that a role has of its own.
    pub fn own(&self, role: PartyRole) -> Option<&[u32]> {
        self.0.iter().find(|party| party.role == role).map(|party| party.cpus.as_slice())
    }

    /// The CPUs of a role: those of its own, else the generator's.
    pub fn cpus(&self, role: PartyRole) -> &[u32] {
        self.own(role).or_else(|| self.own(PartyRole::Generator)).unwrap_or_default()
    }
}
