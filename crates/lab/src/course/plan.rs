//! What a kind of measurement brings to a run, and how its turns are taken.

use crate::LabError;
use crate::course::rig::Rig;
use crate::progress::Event;

/// A kind of measurement. Each has random numbers of its own, so that it takes the same turns with others and without.
pub(crate) trait Kind {
    /// Whether there is nobody to be measured.
    fn is_empty(&self) -> bool;

    /// Tells how long it may take, before anything is started.
    fn tell(&self, rig: &mut Rig<'_>);

    /// Measures until it is done, nobody is left, or the run is asked to end. When contenders are started and ended, and what
    /// follows from a round of turns for the next, is up to each kind.
    fn measure(&mut self, rig: &mut Rig<'_>) -> Result<(), LabError>;
}

/// What is told of a turn that has begun, and what it is measured with.
pub(crate) type Begun<Ready> = Result<Option<(Event, Ready)>, LabError>;

/// Contenders that are there and take turns.
pub(crate) trait Plan {
    /// Whose turn it is, and for what.
    type Turn;
    /// What a turn is measured with, once it has begun.
    type Ready;

    /// Begins a turn and says what is told of it; `None` when its contender has left, or what it needs is not known.
    fn begin(&mut self, rig: &mut Rig<'_>, turns: &[Self::Turn], number: usize) -> Begun<Self::Ready>;

    /// Measures, and acts on what was seen. A contender that fails leaves the turns; what was measured is written before this returns.
    fn measure(&mut self, rig: &mut Rig<'_>, turn: &Self::Turn, ready: Self::Ready) -> Result<(), LabError>;

    /// Takes one turn after the other, until the last or until the run is asked to end.
    fn take(&mut self, rig: &mut Rig<'_>, turns: &[Self::Turn]) -> Result<(), LabError> {
        for (number, turn) in turns.iter().enumerate() {
            if rig.stopped() {
                break;
            }
            if let Some((event, ready)) = self.begin(rig, turns, number)? {
                rig.tell(&event);
                self.measure(rig, turn, ready)?;
            }
        }
        Ok(())
    }
}
