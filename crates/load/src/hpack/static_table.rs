//! The fields that both sides know from the start (RFC 7541, appendix A).

/// The number of the first entry of the dynamic table.
pub(crate) const FIRST_DYNAMIC: usize = FIELDS.len() + 1;

/// Name and value; the first has number 1.
pub(crate) const FIELDS: [(&str, &str); 61] = [
    (":authority", ""),
    (":method", "GET"),
    (":method", "POST"),
    (":path", "/"),
    (":path", "/index.html"),
    (":scheme", "http"),
    (":scheme", "https"),
    (":status", "200"),
    (":status", "204"),
    (":status", "206"),
    (":status", "304"),
    (":status", "400"),
    (":status", "404"),
    (":status", "500"),
    ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"),
    ("accept-language", ""),
    ("accept-ranges", ""),
    ("accept", ""),
    ("access-control-allow-origin", ""),
    ("age", ""),
    ("allow", ""),
    ("authorization", ""),
    ("cache-control", ""),
    ("content-disposition", ""),
    ("content-encoding", ""),
    ("content-language", ""),
    ("content-length", ""),
    ("content-location", ""),
    ("content-range", ""),
    ("content-type", ""),
    ("cookie", ""),
    ("date", ""),
    ("etag", ""),
    ("expect", ""),
    ("expires", ""),
    ("from", ""),
    ("host", ""),
    ("if-match", ""),
    ("if-modified-since", ""),
    ("if-none-match", ""),
    ("if-range", ""),
    ("if-unmodified-since", ""),
    ("last-modified", ""),
    ("link", ""),
    ("location", ""),
    ("max-forwards", ""),
    ("proxy-authenticate", ""),
    ("proxy-authorization", ""),
    ("range", ""),
    ("referer", ""),
    ("refresh", ""),
    ("retry-after", ""),
    ("server", ""),
    ("set-cookie", ""),
    ("strict-transport-security", ""),
    ("transfer-encoding", ""),
    ("user-agent", ""),
    ("vary", ""),
    ("via", ""),
    ("www-authenticate", ""),
];

/// The field with this number, which counts from 1.
pub(super) fn field(number: usize) -> Option<(&'static str, &'static str)> {
    FIELDS.get(number.checked_sub(1)?).copied()
}

/// The number of a field.
pub(crate) fn number(name: &str, value: &[u8]) -> Option<usize> {
    let at = FIELDS.iter().position(|known| known.0 == name && known.1.as_bytes() == value)?;
    Some(at + 1)
}

/// The number of the first field with this name.
pub(crate) fn name_number(name: &str) -> Option<usize> {
    FIELDS.iter().position(|known| known.0 == name).map(|at| at + 1)
}
