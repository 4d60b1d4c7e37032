//! What loads: the generator in this process, or in tests what stands for it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use velo_load::{
    DriverChoice, EdgeHook, Generator, GeneratorError, Target, TargetId, WindowReport, WindowSettings,
};
use velo_record::LinkWindow;

use crate::host::network::Network;

/// Names a target of a [`LoadSide`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TargetNumber(pub(crate) usize);

/// Sends requests to targets and counts what comes back.
pub(crate) trait LoadSide {
    /// Makes a target known; connections are opened by its first window.
    ///
    /// # Errors
    /// When it can load no more.
    fn add(&mut self, target: &Target) -> Result<TargetNumber, GeneratorError>;

    /// Closes a target's connections, and returns when they are closed.
    fn remove(&mut self, target: TargetNumber);

    /// Loads a target for one window, and returns when its last answer has come, or soon after `stop` becomes true.
    ///
    /// # Errors
    /// When it can load no more, or the target is unknown.
    fn window(
        &mut self,
        target: TargetNumber,
        settings: &WindowSettings,
        hook: Option<&EdgeHook>,
        stop: &Arc<AtomicBool>,
    ) -> Result<WindowReport, GeneratorError>;

    /// What has passed the link so far, where it loads over one.
    fn passed(&self) -> Option<LinkWindow> {
        None
    }

    /// CPU time so far of the thread that forwards, which is in nobody else's.
    fn link_cpu_ns(&self) -> Option<u64> {
        None
    }
}

/// The generator in this process.
pub(crate) struct LocalLoad {
    generator: Generator,
    /// By their numbers; those that were removed too.
    targets: Vec<TargetId>,
    network: Network,
}

impl LocalLoad {
    /// Starts a thread on each CPU, at the load's end of a network.
    ///
    /// # Errors
    /// When a thread cannot be started or pinned.
    pub(crate) fn new(cpus: &[u32], driver: DriverChoice, network: Network) -> Result<Self, GeneratorError> {
        let started = network.at_load(|| Generator::new(cpus, driver));
        let generator = started.map_err(GeneratorError::Driver)??;
        Ok(Self { generator, targets: Vec::new(), network })
    }
}

impl LoadSide for LocalLoad {
    fn add(&mut self, target: &Target) -> Result<TargetNumber, GeneratorError> {
        self.targets.push(self.generator.add(target)?);
        Ok(TargetNumber(self.targets.len() - 1))
    }

    fn remove(&mut self, target: TargetNumber) {
        if let Some(&id) = self.targets.get(target.0) {
            self.generator.remove(id);
        }
    }

    fn window(
        &mut self,
        target: TargetNumber,
        settings: &WindowSettings,
        hook: Option<&EdgeHook>,
        stop: &Arc<AtomicBool>,
    ) -> Result<WindowReport, GeneratorError> {
        let id = *self.targets.get(target.0).ok_or(GeneratorError::Gone)?;
        self.generator.window(id, settings, hook, stop)
    }

    fn passed(&self) -> Option<LinkWindow> {
        self.network.passed()
    }

    fn link_cpu_ns(&self) -> Option<u64> {
        Some(self.network.link()?.cpu_ns())
    }
}
