//! What everything is measured with: the two sides, the host and the clock, and where it is written down.

use std::rc::Rc;
use std::time::Duration;

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use velo_record::{Canary, RunFile, RunWriter, Window};

use crate::LabError;
use crate::host::machine::Host;
use crate::host::sampling::HostSampler;
use crate::options::RunOptions;
use crate::prepare::context::Context;
use crate::progress::Event;
use crate::sides::load_side::LoadSide;

/// What tasks and launches of servers are measured with, one after the other.
pub(crate) struct Rig<'a> {
    pub(crate) options: &'a RunOptions,
    pub(crate) context: Context<'a>,
    pub(crate) file: RunFile,
    pub(crate) writer: RunWriter,
    /// All windows so far, in the order in which the writer got them.
    pub(crate) windows: Vec<Window>,
    pub(crate) load_side: Box<dyn LoadSide>,
    pub(crate) host: Rc<dyn Host>,
    pub(crate) sampler: HostSampler,
    /// The canary of the block that begins, until its first window takes it.
    pub(crate) canary: Vec<Canary>,
    /// When it began.
    pub(crate) epoch: Duration,
}

impl<'a> Rig<'a> {
    pub(crate) fn new(
        options: &'a RunOptions,
        context: Context<'a>,
        file: RunFile,
        writer: RunWriter,
        (load_side, host): (Box<dyn LoadSide>, Rc<dyn Host>),
    ) -> Self {
        let clock = Rc::clone(&context.clock);
        let epoch = clock.now();
        let sampler = HostSampler::new(Rc::clone(&host), clock, file.host.irq_time_apart);
        Self {
            options,
            context,
            file,
            writer,
            windows: Vec::new(),
            load_side,
            host,
            sampler,
            canary: Vec::new(),
            epoch,
        }
    }

    pub(crate) fn now(&self) -> Duration {
        self.context.clock.now()
    }

    /// Random numbers of a kind of measurement, so that it takes the same turns with others and without.
    pub(crate) fn random(&self, stream: u64) -> ChaCha8Rng {
        let mut random = ChaCha8Rng::seed_from_u64(self.options.seed);
        random.set_stream(stream);
        random
    }

    pub(crate) fn stopped(&self) -> bool {
        self.context.stop.asked()
    }

    pub(crate) fn tell(&mut self, event: &Event) {
        self.context.progress.event(event);
    }

    /// A block begins: what the one before measured survives a power cut.
    pub(crate) fn begin_block(&mut self) -> Result<(), LabError> {
        self.writer.sync()?;
        self.canary = self.host.canary();
        Ok(())
    }

    /// Writes `run.json` as things stand.
    pub(crate) fn save(&mut self) -> Result<(), LabError> {
        self.context.note_logs();
        self.file.contenders.clone_from(&self.context.records);
        self.writer.update(&self.file)?;
        Ok(())
    }
}
