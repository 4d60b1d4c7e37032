/// What the head of an answer says, however it was carried.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) status: u16,
    /// Media type, lower case, without parameters.
    pub(crate) content_type: Option<String>,
    /// The fields, well-formed, each on a line: a name that is a token, a colon, a value.
    pub(super) fields: Box<[u8]>,
    /// The fields behind the body, as those above, where the protocol tells of them and there were any.
    pub(super) trailers: Option<Box<[u8]>>,
}

impl Head {
    /// All fields, each on a line, those behind the body last.
    pub(crate) fn lines(&self) -> Vec<u8> {
        [&*self.fields, self.trailers.as_deref().unwrap_or_default()].concat()
    }

    /// The values of the fields with this name, which must be a token, in order and without blanks at their ends.
    pub(crate) fn header(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        values(&self.fields, name)
    }

    /// The same of the fields behind the body.
    pub(crate) fn trailer(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        values(self.trailers.as_deref().unwrap_or_default(), name)
    }
}

fn values<'a>(fields: &'a [u8], name: &str) -> impl Iterator<Item = &'a [u8]> {
    // A line's own blanks and colons cannot be mistaken: no token holds one, and no value holds the end of a line.
    fields.split(|&b| b == b'\n').filter_map(move |line| {
        let colon = memchr::memchr(b':', line)?;
        line[..colon].eq_ignore_ascii_case(name.as_bytes()).then(|| line[colon + 1..].trim_ascii())
    })
}
