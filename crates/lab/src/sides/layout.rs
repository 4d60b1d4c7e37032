//! Lengths of an environment and of a path that differ from start to start. Both move a program's stack, and
//! so what lies on which line of a cache: a difference that is one program's own for as long as its path is
//! (T. Mytkowicz and others, "Producing Wrong Data Without Doing Anything Obviously Wrong!", ASPLOS 2009).

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// The variable that makes the environment longer. Nobody reads it.
pub(super) const VARIABLE: &str = "VELO_PADDING";
const MOST_OF_VARIABLE: u32 = 4096;
const MOST_OF_PATH: u32 = 64;
/// Apart from those of what is measured.
const STREAM: u64 = u64::MAX;

/// Draws lengths.
#[derive(Debug)]
pub(crate) struct Layout(ChaCha8Rng);

/// Those of a start, as texts without a meaning.
#[derive(Debug, Default)]
pub(super) struct Lengths {
    pub(super) variable: String,
    /// Behind the name of its folder.
    pub(super) path: String,
}

impl Layout {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(STREAM);
        Self(random)
    }

    pub(super) fn draw(&mut self) -> Lengths {
        let mut text = |most: u32| "x".repeat((self.0.next_u32() % (most + 1)) as usize);
        Lengths { variable: text(MOST_OF_VARIABLE), path: text(MOST_OF_PATH) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_differ_within_their_bounds_and_follow_from_the_seed() {
        let drawn = |seed: u64| -> Vec<(usize, usize)> {
            let mut layout = Layout::new(seed);
            (0..200).map(|_| layout.draw()).map(|one| (one.variable.len(), one.path.len())).collect()
        };
        let seven = drawn(7);
        assert!(seven.iter().all(|(variable, path)| *variable <= 4096 && *path <= 64));
        let long = seven.iter().filter(|(variable, _)| *variable > 2048).count();
        assert!((60..=140).contains(&long), "{long} of 200");
        assert_eq!(seven, drawn(7));
        assert_ne!(seven, drawn(8));
    }
}
