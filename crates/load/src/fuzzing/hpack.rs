//! The reader of compressed fields.

use crate::hpack::read::Reader;
use crate::hpack::{USUAL_TABLE_BYTES, field_bytes, write};

/// Blocks of one connection, one after the other.
///
/// The first byte says how long the fields of a block may be together; each block stands behind a byte with its length. What is
/// read stays within limits, is read again where nothing has changed the table, and is read as it was when it is written anew,
/// whether it is to be kept or not.
pub fn hpack_reader(data: &[u8]) {
    let [limit, rest @ ..] = data else { return };
    let limit = (usize::from(*limit) + 1) * 64;
    let mut reader = Reader::new(USUAL_TABLE_BYTES);
    let (mut again, mut written) = (Reader::new(USUAL_TABLE_BYTES), Vec::new());
    let mut rest = rest;
    while let [length, behind @ ..] = rest {
        let (block, next) = behind.split_at(usize::from(*length).min(behind.len()));
        rest = next;
        let before = reader.changes();
        let read = fields(&mut reader, block, limit);
        assert!(reader.kept_bytes() <= USUAL_TABLE_BYTES, "{} bytes are kept", reader.kept_bytes());
        let Some(read) = read else { return };
        let bytes: usize = read.iter().map(|(name, value)| field_bytes(name.len(), value.len())).sum();
        assert!(bytes <= limit, "{bytes} bytes of fields");
        if reader.changes() == before {
            assert_eq!(fields(&mut reader, block, limit).as_ref(), Some(&read));
            assert_eq!(reader.changes(), before);
        }
        written.clear();
        for (at, (name, value)) in read.iter().enumerate() {
            let Ok(name) = str::from_utf8(name) else { return };
            let write = if at % 2 == 0 { write::kept } else { write::not_kept };
            write(name, value, &mut written);
        }
        assert_eq!(fields(&mut again, &written, limit), Some(read));
    }
}

type Fields = Vec<(Vec<u8>, Vec<u8>)>;

fn fields(reader: &mut Reader, block: &[u8], limit: usize) -> Option<Fields> {
    let mut fields = Vec::new();
    let read = reader.read(block, limit, |name, value| fields.push((name.to_vec(), value.to_vec())));
    read.is_ok().then_some(fields)
}
