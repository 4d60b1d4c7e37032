//! A method: what a call sends, and the check of what comes back.

use std::io::Write as _;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use prost_reflect::MethodDescriptor;
use velo_load::{BodyChecker, LengthForm, Part, Slot, Template};

use crate::checker::MessageChecker;
use crate::encode;
use crate::error::EncodeError;
use crate::expected;
use crate::fold;
use crate::marked;

/// A method of a service.
#[derive(Debug, Clone)]
pub struct Method {
    descriptor: MethodDescriptor,
}

/// How the body of a call is made of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bodies {
    /// So many messages, for a method whose client streams; else 1.
    pub messages: u32,
    /// Each is compressed.
    pub gzip: bool,
}

/// The bytes and parts that the messages of one body may take.
const MOST_BYTES: usize = 64 << 20;
const MOST_PARTS: usize = 1 << 20;

impl Method {
    pub(crate) fn new(descriptor: MethodDescriptor) -> Self {
        Self { descriptor }
    }

    /// As in `package.Service/Method`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.descriptor.parent_service().full_name(), self.descriptor.name())
    }

    /// The path of its calls.
    pub fn path(&self) -> String {
        format!("/{}", self.name())
    }

    /// Whether a call sends a stream of messages.
    pub fn client_streams(&self) -> bool {
        self.descriptor.is_client_streaming()
    }

    /// Whether an answer is a stream of messages.
    pub fn server_streams(&self) -> bool {
        self.descriptor.is_server_streaming()
    }

    /// The full name of the message that is sent.
    pub fn input(&self) -> String {
        self.descriptor.input().full_name().to_owned()
    }

    /// The full name of the message that comes back.
    pub fn output(&self) -> String {
        self.descriptor.output().full_name().to_owned()
    }

    /// The body of a call whose messages are this JSON, with the slots that stand in it.
    ///
    /// # Errors
    /// When the JSON is no message of the method's input, or a slot stands where none can.
    pub fn body(&self, json: &Template, slots: &[Slot], bodies: Bodies) -> Result<Template, EncodeError> {
        let message = encode::message(&self.descriptor.input(), json, slots)?;
        let framed = match (bodies.gzip, fold::fixed(&message)) {
            (false, _) => fold::delimited(vec![0], LengthForm::Four, false, message),
            (true, Some(bytes)) => {
                let packed = packed(bytes).map_err(|error| {
                    EncodeError::new("", error.to_string(), "expected a message that gzip can pack")
                })?;
                fold::delimited(vec![1], LengthForm::Four, false, vec![Part::Bytes(packed)])
            }
            (true, None) => {
                return Err(EncodeError::new(
                    "",
                    "a message with drawn values cannot be packed ahead",
                    "expected the message without {NAME}, or the call without gzip",
                ));
            }
        };
        let size = if let Part::Bytes(bytes) = &framed { bytes.len() } else { 1 };
        let most = if matches!(framed, Part::Bytes(_)) { MOST_BYTES } else { MOST_PARTS };
        if size.saturating_mul(bodies.messages as usize) > most {
            let what =
                format!("{} messages of a call are more than 64 MiB or a million parts", bodies.messages);
            return Err(EncodeError::new("", what, "expected fewer or shorter messages"));
        }
        let mut parts = Vec::new();
        for _ in 0..bodies.messages {
            fold::push(&mut parts, framed.clone());
        }
        Ok(Template(parts))
    }

    /// The check of a message that comes back: that it is one, and that the inner check finds it correct as JSON. `expected` is the
    /// JSON that the inner check compares with, if it does: where that is another spelling of what the message has, by the JSON
    /// mapping, the inner check sees it as it is spelt there.
    ///
    /// # Errors
    /// When what is expected is no message of the method's output.
    pub fn checker(
        &self,
        inner: Option<Arc<dyn BodyChecker>>,
        expected: Option<&Template>,
    ) -> Result<Arc<dyn BodyChecker>, EncodeError> {
        let expected = expected.map(marked::parse).transpose()?;
        let output = self.descriptor.output();
        if let Some(expected) = &expected {
            expected::check(&output, expected, "")?;
        }
        Ok(Arc::new(MessageChecker::new(output, inner, expected)))
    }

    /// A message of the method's input as JSON, for people; `None` when the bytes are none.
    pub fn shown(&self, message: &[u8]) -> Option<String> {
        let message = prost_reflect::DynamicMessage::decode(self.descriptor.input(), message).ok()?;
        serde_json::to_string(&message).ok()
    }
}

fn packed(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
}
