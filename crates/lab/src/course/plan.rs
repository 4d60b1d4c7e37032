//! What a kind of measurement brings to a run.

use crate::LabError;
use crate::course::rig::Rig;

/// A kind of measurement. Each has random numbers of its own, so that it takes the same turns with others and without.
pub(crate) trait Kind {
    /// Whether there is nobody to be measured.
    fn is_empty(&self) -> bool;

    /// Tells how long it may take, before anything is started.
    fn tell(&self, rig: &mut Rig<'_>);

    /// Measures until it is done, nobody is left, or the run is asked to end.
    fn measure(&mut self, rig: &mut Rig<'_>) -> Result<(), LabError>;
}
