use anstyle::{AnsiColor, Style as Ansi};

use crate::document::Tone;

/// What a piece of text is; colour is never the only sign of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Strong,
    Faint,
    Good,
    Doubtful,
    Bad,
}

impl Style {
    pub(crate) fn of(tone: Tone) -> Self {
        match tone {
            Tone::Faint => Self::Faint,
            Tone::Good => Self::Good,
            Tone::Doubtful => Self::Doubtful,
            Tone::Bad => Self::Bad,
        }
    }
}

/// The text with its style, when colours are asked for.
pub(crate) fn paint(text: &str, style: Style, colour: bool) -> String {
    let ansi = match style {
        Style::Plain => return text.to_owned(),
        Style::Strong => Ansi::new().bold(),
        Style::Faint => Ansi::new().dimmed(),
        Style::Good => AnsiColor::Green.on_default(),
        Style::Doubtful => AnsiColor::Yellow.on_default(),
        Style::Bad => AnsiColor::Red.on_default(),
    };
    if colour && !text.is_empty() { format!("{ansi}{text}{ansi:#}") } else { text.to_owned() }
}
