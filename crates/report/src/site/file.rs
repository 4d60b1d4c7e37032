//! A file of a site.

/// A file of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteFile {
    /// Where it lies in the site's folder: parts of `a-z`, `0-9`, `.` and `-` with `/` between, none of them hidden.
    pub path: String,
    /// What it holds.
    pub text: String,
}
