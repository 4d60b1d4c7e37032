use serde::{Deserialize, Serialize};

/// Text with slots: literal parts and slots, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TextTemplate {
    /// The parts in order.
    pub parts: Vec<TextPart>,
}

/// A part of a [`TextTemplate`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TextPart {
    /// Text as it is.
    Literal(String),
    /// Bytes that are not UTF-8.
    Bytes(Vec<u8>),
    /// The value of the slot with this index in [`crate::Request::slots`].
    Slot(usize),
}

impl TextPart {
    /// Bytes as they are.
    pub fn of(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or_else(|error| Self::Bytes(error.into_bytes()), Self::Literal)
    }

    /// The bytes, unless it is a slot.
    pub fn literal(&self) -> Option<&[u8]> {
        match self {
            Self::Literal(text) => Some(text.as_bytes()),
            Self::Bytes(bytes) => Some(bytes),
            Self::Slot(_) => None,
        }
    }
}

impl TextTemplate {
    /// Text without a slot.
    pub fn fixed(text: &str) -> Self {
        Self { parts: vec![TextPart::Literal(text.to_owned())] }
    }

    /// The text with each slot replaced by its own.
    pub fn render(&self, texts: &[impl AsRef<[u8]>]) -> Vec<u8> {
        let mut rendered = Vec::new();
        for part in &self.parts {
            match part {
                TextPart::Slot(slot) => {
                    rendered.extend_from_slice(texts.get(*slot).map_or(b"", AsRef::as_ref));
                }
                literal => rendered.extend_from_slice(literal.literal().unwrap_or_default()),
            }
        }
        rendered
    }

    /// As it was written, but for escapes.
    pub fn written(&self, names: &[&str]) -> String {
        let part = |part: &TextPart| match part {
            TextPart::Slot(index) => format!("{{{}}}", names.get(*index).copied().unwrap_or("?")),
            literal => String::from_utf8_lossy(literal.literal().unwrap_or_default()).into_owned(),
        };
        self.parts.iter().map(part).collect()
    }

    /// The slots that stand in it.
    pub fn slots(&self) -> impl Iterator<Item = usize> {
        self.parts
            .iter()
            .filter_map(|part| if let TextPart::Slot(index) = part { Some(*index) } else { None })
    }

    /// The bytes between the slots.
    pub fn literals(&self) -> impl Iterator<Item = &[u8]> {
        self.parts.iter().filter_map(TextPart::literal)
    }

    /// Gives each slot the place that it has among `slots`, which hold all of them.
    pub fn renumber(&mut self, slots: &[usize]) {
        for part in &mut self.parts {
            if let TextPart::Slot(slot) = part {
                *slot = slots.iter().position(|own| own == slot).unwrap_or_default();
            }
        }
    }
}
