//! What an ideal open-loop client must see: a simulation of a queue before one server thread.
//!
//! The client sends each request at its intended start over a free connection, or, when none is free, as soon as one
//! is, first come first served. Requests and answers travel for a constant time. The server takes requests in the order
//! of their arrival.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use velo_load::Rng;
use velo_stats::Histogram;

/// A client's connections and the server behind them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Model {
    /// Connections, one request at a time on each; at least 1.
    pub connections: usize,
    /// How long a request occupies the server's thread when it finds it idle.
    pub service_ns: u64,
    /// How long when it had to wait for it; on real machines less, since nobody has to be woken.
    pub queued_service_ns: u64,
    /// How long a request, and an answer, is on its way.
    pub path_ns: u64,
    /// Answers that wait without occupying the thread.
    pub delay: Option<Delay>,
    /// When the server stands still.
    pub freeze: Option<Freeze>,
}

/// Answers that wait before they leave the server.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delay {
    /// The share of requests, from 0 to 1, chosen at random.
    pub share: f64,
    /// How long.
    pub for_ns: u64,
    /// Of the choice.
    pub seed: u64,
}

/// Times in which the server begins nothing and no answer leaves it. What it has begun before, it finishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Freeze {
    /// When the first one begins.
    pub first_ns: u64,
    /// From one beginning to the next; above 0.
    pub every_ns: u64,
    /// How long each one lasts; less than `every_ns`.
    pub for_ns: u64,
}

impl Freeze {
    /// The time itself, or the end of the freeze that it lies in.
    pub fn thawed_ns(&self, ns: u64) -> u64 {
        match ns.checked_sub(self.first_ns).map(|since| since % self.every_ns) {
            Some(within) if within < self.for_ns => ns - within + self.for_ns,
            _ => ns,
        }
    }
}

/// The response time of each request, from its intended start to the end of its answer, in the order of the starts.
///
/// # Panics
/// When there is no connection.
pub fn response_times_ns(intended: impl Iterator<Item = u64>, model: Model) -> impl Iterator<Item = u64> {
    assert!(model.connections > 0, "a client needs a connection");
    let thawed = move |ns| model.freeze.map_or(ns, |freeze| freeze.thawed_ns(ns));
    let mut choice = Rng::new(model.delay.map_or(0, |delay| delay.seed));
    let mut free: BinaryHeap<Reverse<u64>> = vec![Reverse(0); model.connections].into();
    let mut idle_from_ns = 0;
    intended.map(move |intended_ns| {
        // The earliest free connection never gets earlier, so requests reach the server in the order of this loop.
        let free_ns = free.pop().map_or(0, |Reverse(ns)| ns);
        let arrived_ns = intended_ns.max(free_ns) + model.path_ns;
        let begun_ns = thawed(arrived_ns.max(idle_from_ns));
        let waited = begun_ns > arrived_ns;
        idle_from_ns = begun_ns + if waited { model.queued_service_ns } else { model.service_ns };
        let left_ns = match model.delay {
            Some(delay) if choice.unit() < delay.share => thawed(idle_from_ns + delay.for_ns),
            _ => idle_from_ns,
        };
        let done_ns = left_ns + model.path_ns;
        free.push(Reverse(done_ns));
        done_ns - intended_ns
    })
}

/// The response times as a histogram.
///
/// # Panics
/// When there is no connection.
pub fn response_time(intended: impl Iterator<Item = u64>, model: Model) -> Histogram {
    let mut histogram = Histogram::new();
    response_times_ns(intended, model).for_each(|ns| histogram.record(ns));
    histogram
}

#[cfg(test)]
mod tests {
    use velo_load::{Arrivals, Shape, Spacing};

    use super::*;

    const S: u64 = 1_000_000_000;
    const MS: u64 = 1_000_000;
    const US: u64 = 1_000;
    /// More than are ever busy.
    const MANY: usize = 10_000;

    fn at(per_s: f64, spacing: Spacing, seconds: u64) -> impl Iterator<Item = u64> {
        let arrivals = Arrivals { shape: Shape::Constant { per_s }, spacing, seed: 1 };
        arrivals.intended().take_while(move |ns| *ns < seconds * S)
    }

    fn server(connections: usize, service_ns: u64, path_ns: u64) -> Model {
        Model { connections, service_ns, queued_service_ns: service_ns, path_ns, delay: None, freeze: None }
    }

    /// Whether a quantile is this one, to the histogram's 0.1 %.
    fn kept(histogram: &Histogram, q: f64, ns: u64) -> bool {
        histogram.quantile_ns(q).is_some_and(|found| found.abs_diff(ns) <= ns / 1000)
    }

    #[test]
    fn without_a_queue_each_request_takes_path_and_service() {
        let times = response_times_ns(at(1000.0, Spacing::Even, 2), server(1, 900 * US, 50 * US));
        assert_eq!(times.collect::<Vec<_>>(), vec![MS; 2000]);
    }

    #[test]
    fn at_more_than_it_can_serve_each_request_waits_longer_by_the_same() {
        for connections in [1, 7, MANY] {
            let times = response_times_ns(at(1000.0, Spacing::Even, 1), server(connections, 3 * MS, 0));
            assert!(times.eq((0..1000).map(|number| 3 * MS + number * 2 * MS)), "{connections}");
        }
    }

    #[test]
    fn too_few_connections_are_a_queue_at_the_client() {
        let one = response_times_ns(at(1000.0, Spacing::Even, 1), server(1, 0, MS));
        assert!(one.eq((0..1000).map(|number| 2 * MS + number * MS)));
        let two = response_times_ns(at(1000.0, Spacing::Even, 1), server(2, 0, MS));
        assert!(two.eq(std::iter::repeat_n(2 * MS, 1000)));
    }

    #[test]
    fn random_arrivals_wait_as_pollaczek_and_khinchine_say() {
        for utilisation in [0.3, 0.7, 0.9] {
            let service_ns = 100 * US;
            let per_s = utilisation / 1e-4;
            let seconds = (5e5 / per_s) as u64;
            let times = response_times_ns(at(per_s, Spacing::Poisson, seconds), server(MANY, service_ns, 0));
            let (sum, count) = times.fold((0, 0), |(sum, count), ns| (sum + (ns - service_ns), count + 1));
            let mean_wait_ns = sum as f64 / f64::from(count);
            // M/D/1: utilisation * service / (2 (1 - utilisation)).
            let expected_ns = utilisation * service_ns as f64 / (2.0 * (1.0 - utilisation));
            assert!(
                (mean_wait_ns / expected_ns - 1.0).abs() < 0.04,
                "at {utilisation}: {mean_wait_ns}, not {expected_ns}"
            );
        }
    }

    #[test]
    fn the_server_takes_requests_as_by_lindley_s_recursion() {
        let service_ns = 80 * US;
        let starts: Vec<u64> = at(10_000.0, Spacing::Poisson, 1).collect();
        let times: Vec<u64> =
            response_times_ns(starts.iter().copied(), server(MANY, service_ns, 0)).collect();
        let mut wait_ns = 0_u64;
        for (number, ns) in times.iter().enumerate() {
            assert_eq!(*ns, wait_ns + service_ns);
            let gap_ns = starts.get(number + 1).map_or(0, |next| next - starts[number]);
            wait_ns = (wait_ns + service_ns).saturating_sub(gap_ns);
        }
    }

    #[test]
    fn requests_that_wait_may_take_less_of_the_server() {
        let model = Model { queued_service_ns: 3, ..server(MANY, 10, 0) };
        let starts = [0, 5, 6, 20, 30];
        let times: Vec<u64> = response_times_ns(starts.into_iter(), model).collect();
        assert_eq!(times, [10, 8, 10, 10, 10]);
    }

    #[test]
    fn a_freeze_gives_the_percentiles_of_its_share_of_time() {
        let freeze = Freeze { first_ns: 1250 * MS, every_ns: 2500 * MS, for_ns: 200 * MS };
        let ideal = Model { freeze: Some(freeze), ..server(MANY, 0, 0) };
        let histogram = response_time(at(20_000.0, Spacing::Even, 30), ideal);
        // 8 % of the time is frozen, and what falls into it waits from 0 to 200 ms, evenly.
        for (q, expected_ms) in [(0.5, 0.0), (0.9, 0.0), (0.93, 25.0), (0.99, 175.0), (0.999, 197.5)] {
            let found_ms = histogram.quantile_ns(q).expect("enough samples") as f64 / 1e6;
            assert!((found_ms - expected_ms).abs() <= 0.3, "{q}: {found_ms} ms, not {expected_ms} ms");
        }
        assert_eq!(histogram.max_ns().map(|ns| ns / MS), Some(200));
        // 64 connections and a server that needs time only add the clearing of the backlog: 4,000 requests of 5 us.
        let real = Model { freeze: Some(freeze), ..server(64, 5 * US, 20 * US) };
        let histogram = response_time(at(20_000.0, Spacing::Even, 30), real);
        let p99_ms = histogram.quantile_ns(0.99).expect("enough samples") as f64 / 1e6;
        // The longest 12 % of a freeze's 4,000 wait 176 ms and more, and then for some 480 others.
        assert!((175.0..=180.0).contains(&p99_ms), "{p99_ms}");
        assert!(kept(&histogram, 0.5, 45 * US));
    }

    #[test]
    fn an_answer_that_waits_does_not_hold_up_others() {
        let delay = Delay { share: 0.02, for_ns: 5 * MS, seed: 3 };
        let model = Model { delay: Some(delay), ..server(64, 10 * US, 20 * US) };
        let times: Vec<u64> = response_times_ns(at(1000.0, Spacing::Even, 100), model).collect();
        let delayed = times.iter().filter(|ns| **ns == 5 * MS + 50 * US).count();
        assert_eq!(times.iter().filter(|ns| **ns == 50 * US).count(), times.len() - delayed);
        // 2,000 of 100,000, standard deviation 44.
        assert!(delayed.abs_diff(2000) < 220, "{delayed}");
        let histogram = response_time(at(1000.0, Spacing::Even, 100), model);
        assert!(kept(&histogram, 0.97, 50 * US));
        assert!(kept(&histogram, 0.99, 5 * MS + 50 * US));
    }

    #[test]
    fn an_answer_that_is_due_in_a_freeze_leaves_after_it() {
        let model = Model {
            delay: Some(Delay { share: 1.0, for_ns: 10, seed: 0 }),
            freeze: Some(Freeze { first_ns: 100, every_ns: 1000, for_ns: 50 }),
            ..server(MANY, 1, 0)
        };
        let starts = [0, 85, 95, 120, 149, 150, 1120];
        let done: Vec<u64> =
            response_times_ns(starts.into_iter(), model).zip(starts).map(|(ns, at)| ns + at).collect();
        assert_eq!(done, [11, 96, 150, 161, 162, 163, 1161]);
    }
}
