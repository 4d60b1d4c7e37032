//! Parts of a message with what is the same in each call put together.

use velo_load::{Binary, LengthForm, Part};

/// Puts bytes that stand side by side together.
pub(crate) fn push(parts: &mut Vec<Part>, part: Part) {
    match (parts.last_mut(), part) {
        (Some(Part::Bytes(before)), Part::Bytes(more)) => before.extend(more),
        (_, Part::Bytes(bytes)) if bytes.is_empty() => {}
        (_, part) => parts.push(part),
    }
}

pub(crate) fn extend(parts: &mut Vec<Part>, more: impl IntoIterator<Item = Part>) {
    more.into_iter().for_each(|part| push(parts, part));
}

/// The bytes, when nothing is drawn.
pub(crate) fn fixed(parts: &[Part]) -> Option<&[u8]> {
    match parts {
        [] => Some(&[]),
        [Part::Bytes(bytes)] => Some(bytes),
        _ => None,
    }
}

/// A content behind a tag and its length; written out when nothing of it is drawn.
pub(crate) fn delimited(tag: Vec<u8>, length: LengthForm, omits_empty: bool, content: Vec<Part>) -> Part {
    let Some(bytes) = fixed(&content) else {
        let content = velo_load::Template(content);
        return Part::Binary(Box::new(Binary::Delimited { tag, length, omits_empty, content }));
    };
    if bytes.is_empty() && omits_empty {
        return Part::Bytes(Vec::new());
    }
    let mut all = tag;
    match length {
        LengthForm::Varint => prost::encoding::encode_varint(bytes.len() as u64, &mut all),
        LengthForm::Four => all.extend((bytes.len() as u32).to_be_bytes()),
    }
    all.extend(bytes);
    Part::Bytes(all)
}
