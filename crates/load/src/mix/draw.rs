//! Drawing: the next request of a connection and its values.

use super::drawn::{Drawn, LiveValue, Source};
use super::limits::{MOST_LIVE, MOST_SLOTS};
use super::requests::Mix;
use crate::request::Order;
use crate::rng::Rng;

/// What one worker draws from: its own randomness, and its share of counters and rows.
#[derive(Debug)]
pub(crate) struct Drawer {
    rng: Rng,
    /// The next value of each request's counters and rows.
    next: Vec<[u64; MOST_LIVE]>,
    /// Counters and rows are dealt to so many workers in turn.
    workers: u64,
}

impl LiveValue {
    /// The first value that a worker of several gets.
    fn first(&self, worker: u64) -> u64 {
        match self {
            // Wrapping keeps the numbers apart also when they reach the greatest.
            Self::Counter { first } => first.wrapping_add(worker),
            Self::RowInOrder { rows } => worker % rows,
            Self::Int { .. } | Self::Signed { .. } | Self::RowAtRandom { .. } => 0,
        }
    }

    fn draw(&self, rng: &mut Rng, next: &mut u64, workers: u64) -> u64 {
        match *self {
            Self::Int { min, max } => rng.between(min, max),
            // Wrapping is what two's complement does, and the distance of two numbers fits.
            Self::Signed { min, max } => min.cast_unsigned().wrapping_add(rng.between(0, min.abs_diff(max))),
            Self::Counter { .. } => {
                let value = *next;
                *next = value.wrapping_add(workers);
                value
            }
            Self::RowInOrder { rows } => {
                let row = *next;
                *next = (row + workers) % rows;
                row
            }
            Self::RowAtRandom { rows } => rng.below(rows),
        }
    }
}

impl Mix {
    /// What one of several workers draws from. The sequence follows from the seed; of counters and rows it gets every
    /// `workers`-th, so that all workers together get each once.
    pub(crate) fn drawer(&self, seed: u64, worker: usize, workers: usize) -> Drawer {
        let (worker, workers) = (worker as u64, workers.max(1) as u64);
        let first = |live: &Vec<LiveValue>| {
            let mut values = [0; MOST_LIVE];
            for (value, live) in values.iter_mut().zip(live) {
                *value = live.first(worker);
            }
            values
        };
        Drawer {
            rng: Rng::new(seed.wrapping_add(worker.wrapping_mul(0xA24B_AED4_963E_E407))),
            next: self.requests.iter().map(|request| first(&request.live)).collect(),
            workers,
        }
    }

    /// Draws the next request of a connection that has sent `turn` before.
    #[inline]
    pub(crate) fn draw(&self, drawer: &mut Drawer, turn: u32) -> Drawn {
        let rng = &mut drawer.rng;
        let index = match (self.order, self.weights.as_slice()) {
            (_, [_]) => 0,
            (Order::InOrder, weights) => turn as usize % weights.len(),
            (Order::Weighted, weights) => {
                // OK because a mix has a request, and in this order a weight above 0.
                let at = rng.below(weights[weights.len() - 1]);
                weights.partition_point(|&sum| sum <= at)
            }
        };
        let request = &self.requests[index];
        let variant = match request.variants.len() {
            1 => 0,
            variants => rng.below(variants as u64) as u16,
        };
        let mut values = [0; MOST_LIVE];
        let next = &mut drawer.next[index];
        for ((value, live), next) in values.iter_mut().zip(&request.live).zip(next) {
            *value = live.draw(rng, next, drawer.workers);
        }
        Drawn { request: index as u16, variant, values }
    }

    /// The values of a drawn request's slots: the index of a choice or a row, the number of the others.
    pub(crate) fn values<'a>(&self, drawn: &Drawn, room: &'a mut [u64; MOST_SLOTS]) -> &'a [u64] {
        let request = self.request(drawn);
        let choices = &request.variant(drawn).choices;
        let values = &mut room[..request.sources.len()];
        for ((value, source), &choice) in values.iter_mut().zip(&request.sources).zip(choices) {
            *value = match *source {
                Source::Choice => choice,
                Source::Live(at) => drawn.values[at],
            };
        }
        values
    }
}
