//! The load model: how much, and when.

use std::time::Duration;

use velo_load::{Arrivals, Schedule, Shape, Spacing, Think, WhenFull};
use velo_record::LoadSchedule;

use super::flags::{self, ModelFlags};
use super::shape::{self, nanoseconds};
use crate::exit::usage;

/// As wrk's.
const USUAL_CONNECTIONS: u32 = 10;
/// In an open loop connections are room: too few make requests wait, and those that are not needed are not opened.
const USUAL_ROOM: u32 = 100;
/// As wrk's.
const USUAL_DURATION: Duration = Duration::from_secs(10);
/// A load that only a count ends; longer than anybody waits.
const NO_END: Duration = Duration::from_secs(7 * 24 * 3600);
/// Behind the last offset of a file, so that it lies within the load.
const BEHIND_LAST_NS: u64 = 1_000_000;

/// What was asked, ready for the engine.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    /// When requests are due.
    pub(crate) schedule: Schedule,
    /// The same for the record.
    pub(crate) recorded: LoadSchedule,
    /// What happens to a request that is due while no connection is free.
    pub(crate) when_full: WhenFull,
    /// Connections at most, over all threads.
    pub(crate) connections: u32,
    /// How long; `None` when only a count ends it.
    pub(crate) duration: Option<Duration>,
    /// The most requests.
    pub(crate) count: Option<u64>,
    /// Load before the counted stretch.
    pub(crate) warm_up: Duration,
}

impl Model {
    /// The window that the engine is given.
    pub(crate) fn duration_ns(&self) -> u64 {
        nanoseconds(self.duration.unwrap_or(NO_END))
    }

    /// When requests are due, where that is not for the answers to say.
    pub(crate) fn arrivals(&self) -> Option<&Arrivals> {
        match &self.schedule {
            Schedule::Open(arrivals) => Some(arrivals),
            Schedule::Closed { .. } => None,
        }
    }

    /// Whether response times count from an intended start.
    pub(crate) fn is_open(&self) -> bool {
        self.arrivals().is_some()
    }
}

/// Puts the flags together.
///
/// # Errors
/// When a flag does nothing beside the others, or the shape would not be seen whole.
pub(crate) fn read(flags: &ModelFlags, seed: u64) -> anyhow::Result<Model> {
    let shape = shape(flags)?;
    let own = shape.as_ref().and_then(own_duration);
    let duration = match (flags.duration, flags.count) {
        (Some(duration), _) => Some(duration),
        (None, _) if own.is_some() => own,
        (None, Some(_)) => None,
        (None, None) => Some(USUAL_DURATION),
    };
    let warm_up = flags.warm_up.unwrap_or_default();
    let usual = if shape.is_some() { USUAL_ROOM } else { USUAL_CONNECTIONS };
    let connections = flags.connections.unwrap_or_else(|| {
        // More than there are requests would stay idle.
        u32::try_from(flags.count.unwrap_or(u64::MAX)).unwrap_or(usual).min(usual)
    });
    let Some(shape) = shape else {
        if flags.when_full.is_some() {
            return Err(needs_rate("--when-full"));
        }
        let think = flags.think.unwrap_or_default();
        let think_ns = match think {
            Think::None => 0,
            Think::Constant { ns } | Think::Exponential { mean_ns: ns } => ns,
        };
        return Ok(Model {
            schedule: Schedule::Closed { think },
            recorded: LoadSchedule::Closed { think_ns },
            when_full: WhenFull::Queue,
            connections,
            duration,
            count: flags.count,
            warm_up,
        });
    };
    check_length(&shape, duration)?;
    if !warm_up.is_zero() && !matches!(shape, Shape::Constant { .. } | Shape::Burst { .. }) {
        return Err(usage(
            "--warm-up and a rate that changes do not go together: the change begins with the load\n  \
             expected a first step for warming up, as in --steps '100:10s,500:1m'",
        ));
    }
    let spacing = match flags.arrivals.unwrap_or(flags::Spacing::Poisson) {
        flags::Spacing::Poisson => Spacing::Poisson,
        flags::Spacing::Constant => Spacing::Even,
    };
    let arrivals = Arrivals { shape, spacing, seed };
    arrivals.validate().map_err(|error| usage(error.to_string()))?;
    let recorded = LoadSchedule::Open {
        shape: words(&arrivals.shape),
        spacing: match (&arrivals.shape, spacing) {
            (Shape::Burst { .. }, _) => "burst",
            (Shape::Offsets(_), _) => "file",
            (_, Spacing::Poisson) => "poisson",
            (_, Spacing::Even) => "even",
        }
        .to_owned(),
        expected: expected(&arrivals, duration, flags.count),
    };
    Ok(Model {
        schedule: Schedule::Open(arrivals),
        recorded,
        when_full: match flags.when_full {
            Some(flags::Full::Drop) => WhenFull::Drop,
            Some(flags::Full::Queue) | None => WhenFull::Queue,
        },
        connections,
        duration,
        count: flags.count,
        warm_up,
    })
}

/// The requests that are due in the load, on average.
fn expected(arrivals: &Arrivals, duration: Option<Duration>, count: Option<u64>) -> f64 {
    let due = duration.map_or(f64::INFINITY, |duration| arrivals.expected(nanoseconds(duration)));
    due.min(count.map_or(f64::MAX, |count| count as f64))
}

fn shape(flags: &ModelFlags) -> anyhow::Result<Option<Shape>> {
    if let Some(path) = &flags.offsets {
        if flags.arrivals.is_some() {
            return Err(needs_rate("--arrivals"));
        }
        let offsets = shape::offsets(path);
        return offsets
            .map(Some)
            .map_err(|problem| crate::exit::at(&problem, &format!("--offsets {}", path.display())));
    }
    // The group of these flags lets one of them through.
    let rates = [&flags.rate, &flags.ramp, &flags.steps, &flags.spike];
    let shape = rates.into_iter().flatten().next().cloned();
    if shape.is_none() && flags.arrivals.is_some() {
        return Err(needs_rate("--arrivals"));
    }
    Ok(shape.or_else(|| flags.burst.clone()))
}

fn needs_rate(flag: &str) -> anyhow::Error {
    let shapes = match flag {
        "--arrivals" => "-R, --ramp, --steps or --spike",
        _ => "-R, --ramp, --steps, --spike, --burst or --offsets",
    };
    usage(format!("{flag} does nothing here\n  it is for {shapes}"))
}

/// How long a shape takes by itself.
fn own_duration(shape: &Shape) -> Option<Duration> {
    let ns = match shape {
        Shape::Ramp { over_ns, .. } => *over_ns,
        Shape::Steps(steps) => steps.iter().map(|step| step.for_ns).fold(0, u64::saturating_add),
        Shape::Offsets(offsets) => offsets.last()?.saturating_add(BEHIND_LAST_NS),
        // Nothing is due behind it.
        Shape::Spike { base_per_s, from_ns, for_ns, .. } if *base_per_s == 0.0 => {
            from_ns.saturating_add(*for_ns)
        }
        Shape::Constant { .. } | Shape::Spike { .. } | Shape::Burst { .. } => return None,
    };
    Some(Duration::from_nanos(ns))
}

/// A step or spike behind the load's end would never be seen.
fn check_length(shape: &Shape, duration: Option<Duration>) -> anyhow::Result<()> {
    let Some(duration) = duration.map(nanoseconds) else { return Ok(()) };
    let last = match shape {
        Shape::Steps(steps) => {
            let before = steps.split_last().map_or(&[][..], |(_, before)| before);
            before.iter().map(|step| step.for_ns).fold(0, u64::saturating_add)
        }
        Shape::Spike { from_ns, .. } => *from_ns,
        Shape::Constant { .. } | Shape::Ramp { .. } | Shape::Burst { .. } | Shape::Offsets(_) => {
            return Ok(());
        }
    };
    if last < duration {
        return Ok(());
    }
    let what = if matches!(shape, Shape::Spike { .. }) { "the spike" } else { "the last step" };
    Err(usage(format!(
        "{what} begins at {}, but the load ends at {}\n  expected a longer -d",
        time_in_words(last),
        time_in_words(duration)
    )))
}

/// The shape as people say it: `5,000/s`, `ramp from 100/s to 5,000/s over 10 s`.
fn words(shape: &Shape) -> String {
    let (rate, time) = (rate_in_words, time_in_words);
    match shape {
        Shape::Constant { per_s } => rate(*per_s),
        Shape::Ramp { from_per_s, to_per_s, over_ns } => {
            format!("ramp from {} to {} over {}", rate(*from_per_s), rate(*to_per_s), time(*over_ns))
        }
        Shape::Steps(steps) => {
            const MOST_SHOWN: usize = 4;
            let step = |step: &velo_load::Step| format!("{} for {}", rate(step.per_s), time(step.for_ns));
            let shown: Vec<String> = steps.iter().take(MOST_SHOWN).map(step).collect();
            let more = if steps.len() > MOST_SHOWN {
                format!(", {} steps in all", steps.len())
            } else {
                String::new()
            };
            format!("steps of {}{more}", shown.join(", "))
        }
        Shape::Spike { base_per_s, peak_per_s, from_ns, for_ns } => format!(
            "{} with a spike of {} at {} for {}",
            rate(*base_per_s),
            rate(*peak_per_s),
            time(*from_ns),
            time(*for_ns)
        ),
        Shape::Burst { requests, every_ns } => {
            format!("{} at once every {}", grouped(u64::from(*requests)), time(*every_ns))
        }
        Shape::Offsets(offsets) => format!("{} offsets from a file", grouped(offsets.len() as u64)),
    }
}

fn rate_in_words(per_s: f64) -> String {
    if per_s.fract() == 0.0 {
        format!("{}/s", grouped(per_s as u64))
    } else {
        format!("{}/s", (per_s * 1e4).round() / 1e4)
    }
}

fn time_in_words(ns: u64) -> String {
    match ns {
        0..1_000_000 => format!("{} µs", ns as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{} ms", ns as f64 / 1e6),
        _ => format!("{} s", ns as f64 / 1e9),
    }
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        flags: ModelFlags,
    }

    fn model(line: &str) -> Result<Model, String> {
        let words = line.split(' ').filter(|word| !word.is_empty());
        let line =
            Line::try_parse_from(std::iter::once("load").chain(words)).map_err(|error| error.to_string())?;
        read(&line.flags, 7).map_err(|error| error.to_string())
    }

    fn with(flag: &str, value: &str, more: &str) -> Result<Model, String> {
        let words = more.split(' ').filter(|word| !word.is_empty());
        let line = Line::try_parse_from(["load", flag, value].into_iter().chain(words));
        let line = line.map_err(|error| error.to_string())?;
        read(&line.flags, 7).map_err(|error| error.to_string())
    }

    fn seconds(model: &Model) -> Option<f64> {
        model.duration.map(|duration| duration.as_secs_f64())
    }

    #[test]
    fn without_flags_the_load_is_wrks() {
        let model = model("").expect("a model");
        assert_eq!((model.connections, seconds(&model), model.is_open()), (10, Some(10.0), false));
        assert_eq!(model.recorded, LoadSchedule::Closed { think_ns: 0 });
    }

    #[test]
    fn a_count_alone_has_no_end_in_time() {
        let model = model("-n 3").expect("a model");
        assert_eq!((model.connections, model.duration, model.count), (3, None, Some(3)));
        assert!(model.duration_ns() > 1_000_000_000_000);
        let both = self::model("-n 1k -d 5 -c 64").expect("a model");
        assert_eq!((both.connections, seconds(&both), both.count), (64, Some(5.0), Some(1000)));
    }

    #[test]
    fn a_rate_is_an_open_loop_with_room() {
        let model = model("-R 5k").expect("a model");
        assert_eq!((model.connections, model.is_open(), model.when_full), (100, true, WhenFull::Queue));
        let recorded = LoadSchedule::Open {
            shape: "5,000/s".to_owned(),
            spacing: "poisson".to_owned(),
            expected: 50_000.0,
        };
        assert_eq!(model.recorded, recorded);
        let even = self::model("-q 300/m --arrivals constant --when-full drop -d 1m").expect("a model");
        let recorded =
            LoadSchedule::Open { shape: "5/s".to_owned(), spacing: "even".to_owned(), expected: 300.0 };
        assert_eq!((even.recorded, even.when_full), (recorded, WhenFull::Drop));
    }

    #[test]
    fn a_shape_takes_its_own_time() {
        let ramp = with("--ramp", "0..100 over 30s", "").expect("a model");
        assert_eq!(seconds(&ramp), Some(30.0));
        let LoadSchedule::Open { shape, expected, .. } = ramp.recorded else { panic!("open") };
        assert_eq!((shape.as_str(), expected.round()), ("ramp from 0/s to 100/s over 30 s", 1500.0));
        let steps = with("--steps", "100:2s,200:500ms", "").expect("a model");
        assert_eq!(seconds(&steps), Some(2.5));
        let burst = with("--burst", "50 every 1s", "-n 120 -d 10s").expect("a model");
        let LoadSchedule::Open { shape, spacing, expected } = burst.recorded else { panic!("open") };
        assert_eq!((shape.as_str(), spacing.as_str(), expected), ("50 at once every 1 s", "burst", 120.0));
    }

    #[test]
    fn flags_that_do_nothing_are_refused() {
        for (line, wanted) in [
            ("--arrivals constant", "-R"),
            ("--when-full drop", "-R"),
            ("-R 5 --think 1s", "--think"),
            ("-R 5 --burst 5", "--burst"),
        ] {
            let error = model(line).expect_err(line);
            assert!(error.contains(wanted), "{line}: {error}");
        }
        assert!(
            with("--burst", "5 every 1s", "--arrivals poisson").expect_err("no rate").contains("--steps")
        );
        assert!(with("--ramp", "1..2 over 1s", "--warm-up 1s").expect_err("both").contains("--warm-up"));
        assert!(with("--steps", "1:5s,2:5s", "-d 5s").expect_err("unseen").contains("begins at 5 s"));
        assert!(with("--spike", "1,2 at 20s for 1s", "").expect_err("unseen").contains("ends at 10 s"));
        assert!(with("--spike", "1,2 at 20s for 1s", "-d 30s").is_ok());
    }

    #[test]
    fn shapes_are_said_in_words() {
        let shape = Shape::Spike {
            base_per_s: 0.5,
            peak_per_s: 2000.0,
            from_ns: 10_000_000_000,
            for_ns: 500_000_000,
        };
        assert_eq!(words(&shape), "0.5/s with a spike of 2,000/s at 10 s for 500 ms");
        let steps = vec![velo_load::Step { per_s: 1.0, for_ns: 1_000_000_000 }; 5];
        assert_eq!(
            words(&Shape::Steps(steps)),
            "steps of 1/s for 1 s, 1/s for 1 s, 1/s for 1 s, 1/s for 1 s, 5 steps in all"
        );
    }
}
