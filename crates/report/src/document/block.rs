use serde::Serialize;
use velo_judge::Kind;

use super::chart::Chart;
use super::link::{Link, Linked};
use super::room::Room;
use super::table::Table;

/// What stands in a part. One that is empty is left out.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "is", rename_all = "kebab-case")]
pub(crate) enum Block {
    /// A paragraph.
    Text(Text),
    /// Rows and columns.
    Table(Table),
    /// Sentences, one below another.
    Lines(Lines),
    /// Names and what is said of each.
    Named(Named),
    /// What is said of something by groups of names, where there is little room.
    Groups(Groups),
    /// Who has no place in the table above, and why.
    Asides {
        /// One each.
        rows: Vec<Aside>,
    },
    /// What is to be known beside the figures.
    Notes {
        /// The gravest first.
        notes: Vec<Note>,
    },
    /// What somebody said, and whether it holds.
    Claims {
        /// One each.
        claims: Vec<Claim>,
    },
    /// A chart; where there is no room for one its table stands alone.
    Chart(Chart),
    /// Small charts with the same axes, side by side; no run has them.
    #[serde(skip)]
    Multiples(Vec<Multiple>),
    /// What opens when it is asked for, where the writer can do that.
    Fold(Fold),
}

/// A paragraph.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Text {
    #[serde(skip)]
    pub(crate) room: Room,
    /// What it says.
    pub(crate) words: String,
    /// Parts of it that lead somewhere, from left to right.
    #[serde(skip)]
    pub(crate) links: Vec<Link>,
}

/// A small chart beside others.
#[derive(Debug, Clone)]
pub(crate) struct Multiple {
    /// What it is of.
    pub(crate) caption: Linked,
    /// What is drawn.
    pub(crate) chart: Chart,
}

/// Sentences, one below another.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Lines {
    #[serde(skip)]
    pub(crate) room: Room,
    /// How they are meant.
    pub(crate) tone: Tone,
    /// What they say.
    pub(crate) lines: Vec<String>,
}

/// How a line is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Tone {
    /// As a remark.
    Faint,
    /// What is as it should be.
    Good,
    /// To be kept in mind.
    Doubtful,
    /// What went wrong.
    Bad,
}

/// Names and what is said of them.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Named {
    #[serde(skip)]
    pub(crate) room: Room,
    /// What the names are, and what is said of them.
    pub(crate) titles: [&'static str; 2],
    /// A name, and what is said of it.
    pub(crate) rows: Vec<(String, String)>,
    /// So many are shown where there is little room, and the number of the others.
    #[serde(skip)]
    pub(crate) most_when_narrow: usize,
}

/// What is said of something by groups of names.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Groups {
    /// Of what.
    pub(crate) title: String,
    /// More about it; may be empty.
    pub(crate) about: String,
    /// What is said, and of whom.
    pub(crate) rows: Vec<(String, String)>,
}

/// Somebody without a place in a table.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Aside {
    /// Who.
    pub(crate) name: String,
    /// One word or figure: `skipped`, `>= 171,000`.
    pub(crate) what: String,
    /// Why.
    pub(crate) reason: String,
    /// Where to read on, what to do.
    pub(crate) more: Option<String>,
}

/// A remark.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Note {
    /// How grave it is.
    pub(crate) kind: Kind,
    /// Of whom; empty: of all.
    pub(crate) names: Vec<String>,
    /// What it says.
    pub(crate) words: String,
}

/// What somebody said, beside what was measured.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Claim {
    /// In words.
    pub(crate) says: String,
    /// The figure that was printed.
    pub(crate) there: Option<String>,
    /// The figure measured here.
    pub(crate) here: Option<String>,
    /// Its interval.
    pub(crate) interval: Option<String>,
    /// Where the interval must lie for it to hold.
    pub(crate) bound: Option<String>,
    /// `holds`.
    pub(crate) verdict: String,
    /// How the verdict is meant.
    pub(crate) tone: Tone,
    /// Why there is no verdict.
    pub(crate) reason: Option<String>,
    /// Whether what it is about was measured at all.
    pub(crate) is_tested: bool,
}

/// What opens when it is asked for.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Fold {
    /// What is in it.
    pub(crate) title: String,
    /// Beside the title; may be empty.
    pub(crate) about: String,
    /// Whether it is open at first.
    pub(crate) is_open: bool,
    /// From top to bottom.
    pub(crate) blocks: Vec<Block>,
}

impl Block {
    pub(crate) fn text(words: impl Into<String>) -> Self {
        Self::text_in(Room::Any, words)
    }

    pub(crate) fn text_in(room: Room, words: impl Into<String>) -> Self {
        Self::Text(Text { room, words: words.into(), links: Vec::new() })
    }

    /// A paragraph of which parts lead somewhere.
    pub(crate) fn linked(Linked { words, links }: Linked) -> Self {
        Self::Text(Text { room: Room::Any, words, links })
    }

    /// What is to be remarked below a table.
    pub(crate) fn remarks(lines: Vec<String>) -> Self {
        Self::Lines(Lines { room: Room::Any, tone: Tone::Faint, lines })
    }

    /// What went wrong.
    pub(crate) fn faults(room: Room, lines: Vec<String>) -> Self {
        Self::Lines(Lines { room, tone: Tone::Doubtful, lines })
    }

    /// What a writer with so much room shows of it.
    pub(crate) fn seen_in(self, writer: Room) -> Option<Self> {
        if !self.is_in(writer) {
            return None;
        }
        Some(match self {
            Self::Table(table) => Self::Table(table.seen_in(writer)),
            Self::Fold(fold) => {
                let blocks = fold.blocks.into_iter().filter_map(|block| block.seen_in(writer)).collect();
                Self::Fold(Fold { blocks, ..fold })
            }
            other => other,
        })
    }

    /// Whether a writer with so much room shows it.
    pub(crate) fn is_in(&self, writer: Room) -> bool {
        let (room, is_empty) = match self {
            Self::Text(text) => (text.room, text.words.is_empty()),
            Self::Table(table) => (table.room, table.rows.is_empty()),
            Self::Lines(lines) => (lines.room, lines.lines.is_empty()),
            Self::Named(named) => (named.room, named.rows.is_empty()),
            Self::Groups(groups) => (Room::Narrow, groups.rows.is_empty()),
            Self::Asides { rows } => (Room::Any, rows.is_empty()),
            Self::Notes { notes } => (Room::Any, notes.is_empty()),
            Self::Claims { claims } => (Room::Any, claims.is_empty()),
            Self::Chart(chart) => (Room::Wide, chart.lines.iter().all(|line| line.points.is_empty())),
            Self::Multiples(all) => (Room::Wide, all.is_empty()),
            Self::Fold(fold) => (Room::Any, !fold.blocks.iter().any(|block| block.is_in(writer))),
        };
        room.is_in(writer) && !is_empty
    }
}

impl Named {
    pub(crate) fn new(titles: [&'static str; 2], rows: Vec<(String, String)>) -> Self {
        Self { room: Room::Any, titles, rows, most_when_narrow: usize::MAX }
    }
}

impl Fold {
    /// Its title and what stands beside it, where both are in one text.
    pub(crate) fn heading(&self) -> String {
        let about = if self.about.is_empty() { String::new() } else { format!(": {}", self.about) };
        format!("{}{about}", self.title)
    }
}

/// A hint that more share says how many they are.
const MOST_NAMES: usize = 6;

impl Note {
    /// `go/gin, js/fastify: SIGTERM did not stop it`.
    pub(crate) fn sentence(&self) -> String {
        match self.names.len() {
            0 => self.words.clone(),
            // A list of all would hide what is said of few.
            many if many > MOST_NAMES && self.kind == Kind::Hint => {
                format!("{many} contenders: {}", self.words)
            }
            _ => format!("{}: {}", self.names.join(", "), self.words),
        }
    }
}
