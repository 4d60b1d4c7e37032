use super::model::Shape;

const NS_PER_S: f64 = 1e9;
/// A time that is whole but for rounding counts as whole.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// A stretch in which the rate goes in a straight line.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    from_ns: u64,
    for_ns: u64,
    /// Arrivals before it, and within it.
    before: f64,
    arrivals: f64,
    from_per_s: f64,
    /// Twice the slope of the rate, per second squared.
    growth: f64,
}

impl Piece {
    /// How many are due within its first so many nanoseconds: the integral of the rate.
    fn due(&self, ns: u64) -> f64 {
        let ns = ns as f64;
        (self.from_per_s + self.growth / 4.0 * (ns / NS_PER_S)) * ns / NS_PER_S
    }

    /// The inverse of [`Self::due`], from the shape's start. `None` beyond the end of time.
    fn time_ns(&self, arrivals: f64) -> Option<u64> {
        let ns = if self.growth == 0.0 {
            arrivals * NS_PER_S / self.from_per_s
        } else {
            // The root that loses no digits when the slope is small.
            let rate_then = (self.from_per_s * self.from_per_s + self.growth * arrivals).max(0.0).sqrt();
            2.0 * NS_PER_S * arrivals / (self.from_per_s + rate_then)
        };
        if ns >= u64::MAX as f64 {
            return None;
        }
        // Rounded down, so that an arrival is before a whole nanosecond exactly when its true time is. The start of a
        // ramp from 0 is 0 / 0, which counts as 0.
        let ns = (ns + ns * ROUNDING) as u64;
        self.from_ns.checked_add(ns.min(self.for_ns))
    }
}

/// The rate of a shape, in pieces without a gap; the last one has no end.
pub(super) fn pieces(shape: &Shape) -> Vec<Piece> {
    let mut line = Line::default();
    match shape {
        Shape::Constant { per_s } => line.rest(*per_s),
        Shape::Ramp { from_per_s, to_per_s, over_ns } => {
            line.stretch(*from_per_s, *to_per_s, *over_ns);
            line.rest(*to_per_s);
        }
        Shape::Steps(steps) => {
            if let Some((last, before)) = steps.split_last() {
                before.iter().for_each(|step| line.stretch(step.per_s, step.per_s, step.for_ns));
                line.rest(last.per_s);
            }
        }
        Shape::Spike { base_per_s, peak_per_s, from_ns, for_ns } => {
            line.stretch(*base_per_s, *base_per_s, *from_ns);
            line.stretch(*peak_per_s, *peak_per_s, *for_ns);
            line.rest(*base_per_s);
        }
        Shape::Burst { .. } | Shape::Offsets(_) => {}
    }
    line.pieces
}

/// Pieces in the making.
#[derive(Default)]
struct Line {
    pieces: Vec<Piece>,
    ns: u64,
    arrivals: f64,
}

impl Line {
    fn stretch(&mut self, from_per_s: f64, to_per_s: f64, for_ns: u64) {
        let arrivals = (from_per_s + to_per_s) / 2.0 * for_ns as f64 / NS_PER_S;
        // Nothing is due in no time, and its slope would be infinite.
        if for_ns > 0 {
            let growth = 2.0 * (to_per_s - from_per_s) / (for_ns as f64 / NS_PER_S);
            self.push(Piece {
                from_ns: self.ns,
                for_ns,
                before: self.arrivals,
                arrivals,
                from_per_s,
                growth,
            });
        }
    }

    fn rest(&mut self, per_s: f64) {
        let arrivals = if per_s > 0.0 { f64::INFINITY } else { 0.0 };
        let (from_ns, for_ns) = (self.ns, u64::MAX - self.ns);
        self.push(Piece { from_ns, for_ns, before: self.arrivals, arrivals, from_per_s: per_s, growth: 0.0 });
    }

    fn push(&mut self, piece: Piece) {
        self.ns = self.ns.saturating_add(piece.for_ns);
        self.arrivals += piece.arrivals;
        self.pieces.push(piece);
    }
}

/// How many are due before a time.
pub(super) fn expected(pieces: &[Piece], before_ns: u64) -> f64 {
    pieces
        .iter()
        .take_while(|piece| piece.from_ns < before_ns)
        .map(|piece| match before_ns - piece.from_ns {
            within if within < piece.for_ns => piece.due(within),
            _ => piece.arrivals,
        })
        .sum()
}

/// Finds the times of ascending numbers of arrivals.
#[derive(Debug, Clone)]
pub(super) struct Walk {
    pieces: Vec<Piece>,
    at: usize,
}

impl Walk {
    pub(super) fn new(shape: &Shape) -> Self {
        Self { pieces: pieces(shape), at: 0 }
    }

    /// The last time before which so many are due, in nanoseconds from the start; never for a lower number than before.
    /// `None` when the shape does not come to more.
    pub(super) fn time_ns(&mut self, arrivals: f64) -> Option<u64> {
        loop {
            let piece = self.pieces.get(self.at)?;
            let within = arrivals - piece.before;
            if within < piece.arrivals {
                return piece.time_ns(within);
            }
            self.at += 1;
        }
    }
}
