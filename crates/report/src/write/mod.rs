//! Writers: each writes any document, or a run as data or a picture.

pub(crate) mod html;
pub(crate) mod junit;
pub(crate) mod markdown;
pub(crate) mod page;
pub(crate) mod svg;
pub(crate) mod terminal;
