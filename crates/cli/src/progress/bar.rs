//! The bar on a terminal: how far the stage is, how long it will take, and what was measured so far.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{out, values};

/// What is drawn again and again on a terminal; elsewhere nothing.
#[derive(Debug, Default)]
pub(super) struct Bar {
    /// `None` where standard error is no terminal.
    bar: Option<ProgressBar>,
    stage: &'static str,
    /// When it is expected to end.
    ends: Option<Instant>,
    so_far: Option<String>,
}

impl Bar {
    /// Looks whether standard error is a terminal.
    pub(super) fn new() -> Self {
        Self { bar: out::talks_to_terminal().then(ProgressBar::hidden), ..Self::default() }
    }

    /// Whether there is one.
    pub(super) fn is_drawn(&self) -> bool {
        self.bar.is_some()
    }

    /// How far a stage is.
    pub(super) fn advance(&mut self, stage: &'static str, done: u64, of: u64, message: String) {
        self.stage = stage;
        let Some(bar) = &self.bar else { return };
        bar.set_style(style(stage, self.so_far.is_some()));
        bar.set_length(of);
        bar.set_position(done);
        bar.set_message(velo_report::visible(&message).into_owned());
        if bar.is_hidden() {
            bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(8));
        }
    }

    /// The same as [`Bar::advance`], where the end is known.
    pub(super) fn advance_with(
        &mut self,
        stage: &'static str,
        (done, of): (u64, u64),
        left: Duration,
        message: &str,
    ) {
        self.ends = Instant::now().checked_add(left);
        let message = with_time_left(Some(left), message);
        self.advance(stage, done, of, message);
    }

    /// When it is expected to end, as far as is known yet.
    pub(super) fn expect(&mut self, left: Duration) {
        self.ends = Instant::now().checked_add(left);
    }

    /// What is done now; the bar stays where it is, unless another stage has begun.
    pub(super) fn message(&mut self, stage: &'static str, message: &str) {
        let left = self.ends.map(|ends| ends.saturating_duration_since(Instant::now()));
        let message = with_time_left(left, message);
        match &self.bar {
            Some(bar) if self.stage == stage => bar.set_message(message),
            _ => self.advance(stage, 0, 1, message),
        }
    }

    /// A line below the bar, in place of the one before.
    pub(super) fn below(&mut self, so_far: String) {
        if let Some(bar) = &self.bar {
            bar.set_prefix(so_far.clone());
            bar.set_style(style(self.stage, true));
        }
        self.so_far = Some(so_far);
    }

    /// Text above the bar.
    pub(super) fn suspend(&self, work: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(work),
            None => work(),
        }
    }

    /// Removes it.
    pub(super) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style(stage: &str, has_line_below: bool) -> ProgressStyle {
    let below = if has_line_below { "\n{prefix}" } else { "" };
    let template = format!("{stage:8} {{bar:12.##.}}  {{wide_msg}}{below}");
    // The old style will do: the template is fixed.
    ProgressStyle::with_template(&template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("##.")
}

fn with_time_left(left: Option<Duration>, message: &str) -> String {
    match left.filter(|left| !left.is_zero()) {
        Some(left) => format!("{} left  {message}", values::clock(left)),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_comes_first() {
        assert_eq!(with_time_left(Some(Duration::from_secs(72)), "launch 3/5"), "1:12 left  launch 3/5");
        assert_eq!(with_time_left(Some(Duration::ZERO), "launch 3/5"), "launch 3/5");
        assert_eq!(with_time_left(None, "launch 1"), "launch 1");
    }

    #[test]
    fn the_bar_stays_where_it_is_when_a_launch_begins() {
        let mut bar = Bar { bar: Some(ProgressBar::hidden()), ..Bar::default() };
        bar.advance_with("measure", (30, 100), Duration::from_secs(60), "launch 1/5, block 10/10");
        bar.message("measure", "launch 2/5, starting go/gin");
        let drawn = bar.bar.as_ref().unwrap();
        assert_eq!((drawn.position(), drawn.length()), (30, Some(100)));
        assert!(drawn.message().ends_with(" left  launch 2/5, starting go/gin"), "{}", drawn.message());
        bar.message("latency", "launch 1");
        assert_eq!(bar.bar.as_ref().unwrap().position(), 0, "another stage");
    }
}
