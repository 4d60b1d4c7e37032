use serde::Serialize;
use velo_model::ContenderName;

/// A chart: what is drawn, whoever draws it. Its axes have their ends and ticks, so that all who draw it draw the same.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Chart {
    /// The name of its files, once in a document: letters, digits and hyphens.
    pub(crate) id: String,
    /// What it shows, for those who do not see it too.
    pub(crate) label: String,
    /// How high it is, in pixels.
    pub(crate) height: u32,
    /// From left to right.
    pub(crate) x: Axis,
    /// From bottom to top.
    pub(crate) y: Axis,
    /// What is drawn, the first below the others.
    pub(crate) lines: Vec<Line>,
}

/// An axis.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Axis {
    /// What is along it, with its unit; may be empty.
    pub(crate) title: String,
    /// The name of its column where the data are a file.
    pub(crate) column: &'static str,
    /// Whether it is logarithmic.
    pub(crate) is_log: bool,
    /// Where it begins; the greater one of an axis that falls.
    pub(crate) from: f64,
    /// Where it ends.
    pub(crate) to: f64,
    /// In rising order.
    pub(crate) ticks: Vec<Tick>,
}

/// A value that is marked on an axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Tick {
    /// Where.
    pub(crate) at: f64,
    /// What stands there.
    pub(crate) text: String,
}

/// Points that belong together.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Line {
    /// What they are of; several of the same name have one colour and stand once in the legend.
    pub(crate) name: String,
    /// The contender that they are of, where they are of one.
    pub(crate) of: Option<ContenderName>,
    /// How they are drawn.
    pub(crate) mark: Mark,
    /// From left to right.
    pub(crate) points: Vec<Point>,
}

/// How points are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Mark {
    /// Joined.
    Line,
    /// Joined by steps: a value holds until the next.
    Steps,
    /// One by one.
    Dots,
    /// Each from `x` to `end`, at its height.
    Spans,
    /// The same, as thick as a row.
    Bars,
    /// Each from `x` to `end`, from nothing to its height.
    Columns,
    /// Each at its `x`, from bottom to top: something became another. No run has them.
    #[serde(skip)]
    Events,
}

/// A point.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Point {
    /// Along the axis `x`.
    pub(crate) x: f64,
    /// Along the axis `y`.
    pub(crate) y: f64,
    /// Where it ends along the axis `x`, where it is no point but a span.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<f64>,
    /// The ends of its interval along the axis `y`, where it is drawn with one; no run's are.
    #[serde(skip)]
    pub(crate) interval: Option<(f64, f64)>,
    /// What is said of it to who points at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    /// How it differs from the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sign: Option<Sign>,
}

/// How a point differs from the others of its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Sign {
    /// It stands.
    Full,
    /// It does not count.
    Hollow,
    /// Something failed.
    Cross,
    /// It is the one to look at.
    Ring,
}

impl Axis {
    /// Whether a value lies between its ends.
    pub(crate) fn holds(&self, value: f64) -> bool {
        (self.from..=self.to).contains(&value)
    }

    /// From 0 where it begins to 1 where it ends; what lies beyond an end is at that end.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let share = if self.is_log {
            (value.max(self.from.min(self.to)) / self.from).ln() / (self.to / self.from).ln()
        } else {
            (value - self.from) / (self.to - self.from)
        };
        if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
    }
}

impl Point {
    pub(crate) fn at(x: f64, y: f64) -> Self {
        Self { x, y, end: None, interval: None, text: None, sign: None }
    }

    pub(crate) fn to(self, end: f64) -> Self {
        Self { end: Some(end), ..self }
    }

    pub(crate) fn between(self, interval: Option<(f64, f64)>) -> Self {
        Self { interval, ..self }
    }

    pub(crate) fn says(self, text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..self }
    }

    pub(crate) fn signed(self, sign: Sign) -> Self {
        Self { sign: Some(sign), ..self }
    }
}
