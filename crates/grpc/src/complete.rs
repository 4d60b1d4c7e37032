//! From a request with JSON to one with messages.

use std::sync::Arc;

use velo_load::{BodyChecker, BodyExpect, RequestSpec};
use velo_model::{BodyExpectation, Request};
use velo_request::compile_template;

use crate::error::EncodeError;
use crate::method::{Bodies, Method};

/// Why a request cannot be made a call.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoCall {
    /// Its body is no message of the method's input.
    #[error("{0}")]
    Body(EncodeError),
    /// The JSON that is expected is no message of the method's output.
    #[error("{0}")]
    Expected(EncodeError),
}

impl Method {
    /// Makes messages of the JSON in a request that was prepared (`velo_request::prepare`); the check of its answers. `inner`: that
    /// of their JSON. A body that is expected as bytes is compared by the engine, message by message.
    ///
    /// # Errors
    /// When the JSON is no message, or a slot stands where none can.
    pub fn complete(
        &self,
        request: &Request,
        spec: &mut RequestSpec,
        bodies: Bodies,
        inner: Arc<dyn BodyChecker>,
    ) -> Result<Arc<dyn BodyChecker>, NoCall> {
        let json = spec.body.take().unwrap_or_default();
        spec.body = Some(self.body(&json, &spec.slots, bodies).map_err(NoCall::Body)?);
        let (inner, expected, has_slots) = match &request.expect.body {
            BodyExpectation::Any => (None, None, false),
            BodyExpectation::Json(shape) => {
                (Some(inner), Some(compile_template(&shape.text)), shape.text.slots().next().is_some())
            }
            _ => return Ok(inner),
        };
        spec.expect.body = if has_slots { BodyExpect::Checked } else { BodyExpect::CheckedAlike };
        self.checker(inner, expected.as_ref()).map_err(NoCall::Expected)
    }
}
