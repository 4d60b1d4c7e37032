//! What a report says before it is written as anything: parts of text, tables, remarks and charts. Every writer writes every part, so
//! that a new part changes no writer, and a new writer no part.

mod axis;
mod block;
mod chart;
mod link;
mod plain;
mod ranking;
mod room;
mod section;
mod table;
mod whole;

pub(crate) use block::{Aside, Block, Claim, Fold, Groups, Lines, Multiple, Named, Note, Tone};
pub(crate) use chart::{Axis, Chart, Line, Mark, Point, Sign, Tick};
pub(crate) use link::{Link, Linked};
pub(crate) use ranking::{RankedPoint, Ranking};
pub(crate) use room::Room;
pub(crate) use section::Section;
pub use section::Weight;
pub(crate) use table::{Column, Table, TableRow};
pub(crate) use whole::Document;
