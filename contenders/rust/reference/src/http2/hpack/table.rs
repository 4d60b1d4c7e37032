//! The static and the dynamic table.

use std::collections::VecDeque;

use super::name::Name;

/// A header field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field<'a> {
    pub name: &'a [u8],
    pub value: &'a [u8],
    pub kind: Name,
    /// Whether the value may stand in a field: no line ends, no NUL.
    pub is_sound: bool,
}

impl<'a> Field<'a> {
    pub fn new(name: &'a [u8], value: &'a [u8], kind: Name) -> Field<'a> {
        let is_sound = !value.iter().any(|byte| matches!(byte, 0 | b'\r' | b'\n'));
        Field { name, value, kind, is_sound }
    }

    /// What it counts in a table and in a list of headers (RFC 7541, 4.1).
    pub fn size(&self) -> usize {
        self.name.len() + self.value.len() + ENTRY_SIZE
    }
}

const ENTRY_SIZE: usize = 32;

/// What the server allows a client's table to hold: the default of the protocol.
pub const SIZE_LIMIT: usize = 4096;

pub struct Table {
    /// The newest first.
    entries: VecDeque<Entry>,
    size: usize,
    limit: usize,
    changes: u64,
}

pub struct Entry {
    /// The name and behind it the value.
    bytes: Box<[u8]>,
    name: usize,
    kind: Name,
    is_sound: bool,
}

impl Entry {
    pub fn new(field: Field<'_>) -> Entry {
        Entry {
            bytes: [field.name, field.value].concat().into_boxed_slice(),
            name: field.name.len(),
            kind: field.kind,
            is_sound: field.is_sound,
        }
    }

    fn size(&self) -> usize {
        self.bytes.len() + ENTRY_SIZE
    }
}

impl Table {
    pub fn new() -> Table {
        Table { entries: VecDeque::new(), size: 0, limit: SIZE_LIMIT, changes: 0 }
    }

    /// The same as long as every index means the same.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// The field with that index, from 1.
    pub fn get(&self, index: usize) -> Option<Field<'_>> {
        if let Some((name, value, kind)) = STATIC.get(index.checked_sub(1)?) {
            return Some(Field { name, value, kind: *kind, is_sound: true });
        }
        let entry = self.entries.get(index - 1 - STATIC.len())?;
        let (name, value) = entry.bytes.split_at(entry.name);
        Some(Field { name, value, kind: entry.kind, is_sound: entry.is_sound })
    }

    /// An entry larger than the table empties it and is not kept.
    pub fn insert(&mut self, entry: Entry) {
        self.changes += 1;
        let size = entry.size();
        self.shrink(self.limit.saturating_sub(size));
        if size <= self.limit {
            self.size += size;
            self.entries.push_front(entry);
        }
    }

    pub fn set_limit(&mut self, limit: usize) {
        self.changes += 1;
        self.limit = limit;
        self.shrink(limit);
    }

    fn shrink(&mut self, size: usize) {
        while self.size > size {
            let Some(oldest) = self.entries.pop_back() else { return };
            self.size -= oldest.size();
        }
    }

    #[cfg(test)]
    pub fn size(&self) -> usize {
        self.size
    }
}

/// RFC 7541, appendix A. That a request has no `:status` is told by the kind.
#[rustfmt::skip]
static STATIC: [(&[u8], &[u8], Name); 61] = [
    (b":authority", b"", Name::Authority),
    (b":method", b"GET", Name::Method),
    (b":method", b"POST", Name::Method),
    (b":path", b"/", Name::Path),
    (b":path", b"/index.html", Name::Path),
    (b":scheme", b"http", Name::Scheme),
    (b":scheme", b"https", Name::Scheme),
    (b":status", b"200", Name::Forbidden),
    (b":status", b"204", Name::Forbidden),
    (b":status", b"206", Name::Forbidden),
    (b":status", b"304", Name::Forbidden),
    (b":status", b"400", Name::Forbidden),
    (b":status", b"404", Name::Forbidden),
    (b":status", b"500", Name::Forbidden),
    (b"accept-charset", b"", Name::Other),
    (b"accept-encoding", b"gzip, deflate", Name::Other),
    (b"accept-language", b"", Name::Other),
    (b"accept-ranges", b"", Name::Other),
    (b"accept", b"", Name::Other),
    (b"access-control-allow-origin", b"", Name::Other),
    (b"age", b"", Name::Other),
    (b"allow", b"", Name::Other),
    (b"authorization", b"", Name::Other),
    (b"cache-control", b"", Name::Other),
    (b"content-disposition", b"", Name::Other),
    (b"content-encoding", b"", Name::Other),
    (b"content-language", b"", Name::Other),
    (b"content-length", b"", Name::ContentLength),
    (b"content-location", b"", Name::Other),
    (b"content-range", b"", Name::Other),
    (b"content-type", b"", Name::ContentType),
    (b"cookie", b"", Name::Other),
    (b"date", b"", Name::Other),
    (b"etag", b"", Name::Other),
    (b"expect", b"", Name::Expect),
    (b"expires", b"", Name::Other),
    (b"from", b"", Name::Other),
    (b"host", b"", Name::Other),
    (b"if-match", b"", Name::Other),
    (b"if-modified-since", b"", Name::Other),
    (b"if-none-match", b"", Name::Other),
    (b"if-range", b"", Name::Other),
    (b"if-unmodified-since", b"", Name::Other),
    (b"last-modified", b"", Name::Other),
    (b"link", b"", Name::Other),
    (b"location", b"", Name::Other),
    (b"max-forwards", b"", Name::Other),
    (b"proxy-authenticate", b"", Name::Other),
    (b"proxy-authorization", b"", Name::Other),
    (b"range", b"", Name::Other),
    (b"referer", b"", Name::Other),
    (b"refresh", b"", Name::Other),
    (b"retry-after", b"", Name::Other),
    (b"server", b"", Name::Other),
    (b"set-cookie", b"", Name::Other),
    (b"strict-transport-security", b"", Name::Other),
    (b"transfer-encoding", b"", Name::Forbidden),
    (b"user-agent", b"", Name::Other),
    (b"vary", b"", Name::Other),
    (b"via", b"", Name::Other),
    (b"www-authenticate", b"", Name::Other),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_the_static_table() {
        for (name, _, kind) in &STATIC {
            assert_eq!(Name::of(name), *kind, "{}", name.escape_ascii());
        }
    }

    #[test]
    fn the_oldest_entries_make_room() {
        let mut table = Table::new();
        table.set_limit(100);
        let field = |value| Field::new(b"name", value, Name::Other);
        for value in [&b"1"[..], b"22", b"333"] {
            table.insert(Entry::new(field(value)));
        }
        assert_eq!(
            (table.get(62), table.get(63), table.get(64)),
            (Some(field(b"333")), Some(field(b"22")), None)
        );
        assert_eq!(table.size(), 2 * 36 + 5);
        table.set_limit(40);
        assert_eq!((table.get(62), table.get(63)), (Some(field(b"333")), None));
        table.insert(Entry::new(field(b"too large for it")));
        assert_eq!((table.get(62), table.size()), (None, 0));
        assert_eq!((table.get(0), table.get(usize::MAX)), (None, None));
    }
}
