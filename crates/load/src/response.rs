//! A whole answer, outside of a load.

use std::rc::Rc;

use crate::protocol::{GrpcStatus, Head};

/// A whole answer.
#[derive(Debug, Clone)]
pub struct Response {
    pub(crate) head: Rc<Head>,
    /// The status code.
    pub status: u16,
    /// The media type, lower case, without parameters.
    pub content_type: Option<String>,
    /// The body.
    pub body: Vec<u8>,
    /// Whether the connection lasts.
    pub keep_alive: bool,
}

impl Response {
    /// The status of the call that it answers.
    ///
    /// # Errors
    /// When it is no answer to a call of gRPC; why.
    pub fn grpc_status(&self) -> Result<u16, String> {
        match GrpcStatus::of(&self.head) {
            GrpcStatus::Code { code, .. } => Ok(code),
            GrpcStatus::HttpError => Err(format!("status {}", self.status)),
            GrpcStatus::Wrong(why) => Err(why),
        }
    }

    pub(crate) fn new(head: &Rc<Head>, body: &[u8], keep_alive: bool) -> Self {
        Self {
            status: head.status,
            content_type: head.content_type.clone(),
            body: body.to_vec(),
            keep_alive,
            head: Rc::clone(head),
        }
    }
}
