use velo_record::{EncodedHistogram, PacedWindow, RatePurpose, Window, WindowKind};
use velo_spec::ContenderName;
use velo_stats::Histogram;

use super::SETTLING_NS;

/// An open loop at one rate, of which everything is known. All requests are sent and answered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimulatedOpenLoop {
    /// Why this rate.
    pub purpose: RatePurpose,
    /// Requests per second that the windows tell of.
    pub rate_per_s: f64,
    /// Requests in a window.
    pub requests: u64,
    /// The shortest response time; they are spread evenly from there.
    pub shortest_ns: u64,
    /// All response times are shorter.
    pub longest_ns: u64,
    /// The send lag of each request.
    pub send_lag_ns: u64,
}

impl SimulatedOpenLoop {
    /// Response times of 150 to 250 us and a send lag of 20 us, 400 requests a window.
    pub fn new(purpose: RatePurpose, rate_per_s: f64) -> Self {
        Self {
            purpose,
            rate_per_s,
            requests: 400,
            shortest_ns: 150_000,
            longest_ns: 250_000,
            send_lag_ns: 20_000,
        }
    }

    /// A window like one of a closed loop. A request costs the contender what it costs it there.
    pub fn window(&self, like: &Window) -> Window {
        let (mut response, mut send_lag) = (Histogram::new(), Histogram::new());
        let spread_ns = self.longest_ns.saturating_sub(self.shortest_ns);
        for request in 0..self.requests {
            response.record(self.shortest_ns + spread_ns * request / self.requests);
        }
        send_lag.record_many(self.send_lag_ns, self.requests);
        let cpu_ns = like.cpu_per_request_ns().unwrap_or(0.0) * self.requests as f64;
        let mut window = like.clone();
        window.kind = WindowKind::Paced;
        (window.outcomes.correct, window.correct_outside) = (self.requests, self.requests / 5);
        window.server.cpu_ns = Some(cpu_ns as u64);
        window.server.cpu_total_ns = Some((cpu_ns * 1.2) as u64);
        // The requests take as long as their rate says, whatever the closed loop's window took.
        window.server.cpu_elapsed_ns =
            Some((self.requests as f64 / self.rate_per_s * 1e9) as u64 + SETTLING_NS);
        // The same tosses again and again would be no fair coin's.
        window.coin = None;
        window.service_time = EncodedHistogram::new(&response);
        window.paced = Some(PacedWindow {
            rate_per_s: self.rate_per_s,
            purpose: self.purpose,
            offered: self.requests,
            sent: self.requests,
            response_time: EncodedHistogram::new(&response),
            send_lag: EncodedHistogram::new(&send_lag),
        });
        window
    }

    /// One window more for each counted window of a contender.
    pub fn add_to(&self, windows: &mut Vec<Window>, contender: &ContenderName) {
        let counted = |window: &&Window| window.kind == WindowKind::Block && window.contender == *contender;
        let more: Vec<Window> = windows.iter().filter(counted).map(|like| self.window(like)).collect();
        windows.extend(more);
    }
}
