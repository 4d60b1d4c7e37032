//! Warm-up: learnt in the first launch, replayed in the others.

use std::time::{Duration, Instant};

use rand::Rng as _;
use velo_record::{RatePurpose, WarmUpRecord, WindowKind};

use crate::LabError;
use crate::heed::answers;
use crate::lane::{Learnt, Lengths};
use crate::measure::Measuring;
use crate::steady::{LEAST_WINDOWS, is_steady};
use crate::window::{Paced, WindowSpec};

const LONGEST_WARM_UP: Duration = Duration::from_secs(15);
const QUICK_WARM_UP: Duration = Duration::from_secs(1);

impl Measuring<'_> {
    pub(crate) fn warm_up(&mut self, index: usize, track: usize) -> Result<(), LabError> {
        let began = Instant::now();
        let cap = self.warm_up_cap();
        let launch = self.course.launch;
        let learnt = self.lanes[index].tracks[track].learnt;
        let (mut rates, mut requests) = (Vec::new(), 0);
        let steady = loop {
            if self.stopped() {
                return Ok(());
            }
            let Some(life) = &self.lanes[index].life else { return Ok(()) };
            let kind = if life.is_cold { WindowKind::Cold } else { WindowKind::WarmUp };
            let lengths = self.lanes[index].tracks[track].lengths;
            let stated = self.lanes[index].tracks[track].stated_per_s;
            let spec = WindowSpec {
                kind,
                launch,
                block: 0,
                position: 0,
                settling_ns: 0,
                duration_ns: lengths.warm_up_ns.min(cap.as_nanos() as u64),
                drains_fully: false,
                ends_block: true,
                slowed_ns: None,
                paced: stated.map(|rate_per_s| Paced {
                    rate_per_s,
                    purpose: RatePurpose::EqualWork,
                    seed: self.random.next_u64(),
                }),
            };
            let Some(window) = self.window(index, track, &spec)? else { return Ok(()) };
            let answers = answers(&window);
            requests += answers;
            rates.push(
                answers as f64 * 1e9 / (window.settling_ns + window.duration_ns + window.drain_ns) as f64,
            );
            if launch == 1 {
                let lately = &rates[rates.len().saturating_sub(5)..];
                let rate = lately.iter().sum::<f64>() / lately.len() as f64;
                let own = &mut self.lanes[index].tracks[track];
                if own.stated_per_s.is_none() {
                    own.lengths = Lengths::of(rate, own.connections);
                }
                own.rate_per_s = Some(rate);
            }
            let enough = match learnt {
                Some(learnt) => requests >= learnt.requests && began.elapsed() >= learnt.duration,
                None => rates.len() >= LEAST_WINDOWS && is_steady(&rates),
            };
            if enough {
                break true;
            }
            if began.elapsed() >= cap {
                break false;
            }
        };
        let lane = &mut self.lanes[index];
        let (record, workload) = (lane.record, lane.tracks[track].workload);
        lane.tracks[track].learnt.get_or_insert(Learnt { requests, duration: began.elapsed() });
        if let Some(launch) = self.stable.records[record].launches.last_mut() {
            launch.warm_up.push(WarmUpRecord {
                workload: self.file.workloads[workload].name.clone(),
                windows: rates.len() as u32,
                requests,
                duration_ns: began.elapsed().as_nanos() as u64,
                steady,
            });
        }
        Ok(())
    }

    /// `min(15 s, budget / (10 x contenders x workloads))`.
    fn warm_up_cap(&self) -> Duration {
        if self.options.quick {
            return QUICK_WARM_UP;
        }
        if self.options.as_published {
            return LONGEST_WARM_UP;
        }
        let shares = 10 * self.lanes.len().max(1) * self.file.workloads.len().max(1);
        LONGEST_WARM_UP.min(self.options.budget / shares as u32)
    }
}
