use super::block::Tone;
use super::section::Section;

/// A whole document, or the part of one that is about one workload.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    /// `velo run coin`.
    pub(crate) title: String,
    /// Where its title leads, where it leads somewhere.
    pub(crate) href: Option<String>,
    /// The name by which links lead to it within its page; only parts have one.
    pub(crate) anchor: Option<&'static str>,
    /// Which question it answers; empty where its parts say that.
    pub(crate) question: String,
    /// What it comes to, in a sentence or two, and how that is meant.
    pub(crate) answer: Option<(String, Tone)>,
    /// How it came about; may be empty.
    pub(crate) about: String,
    /// Labels and texts.
    pub(crate) facts: Vec<(String, String)>,
    /// In their order.
    pub(crate) sections: Vec<Section>,
    /// Each about one workload.
    pub(crate) parts: Vec<Document>,
    /// What is to be said of all of them.
    pub(crate) end: Vec<Section>,
}

impl Document {
    pub(crate) fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            href: None,
            anchor: None,
            question: String::new(),
            answer: None,
            about: String::new(),
            facts: Vec::new(),
            sections: Vec::new(),
            parts: Vec::new(),
            end: Vec::new(),
        }
    }
}
