//! The scripted server's part in the workload users.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use velo_model::{Digest, TextTemplate};
use velo_request::digest_text;

use crate::script::Fault;

static KEPT_FILE: OnceLock<String> = OnceLock::new();
static KEPT_HASH: OnceLock<String> = OnceLock::new();

/// Status, media type and body for `PUT /users/{id}`.
pub(crate) fn respond(id: &str, body: &str, fault: Fault) -> (&'static str, &'static str, String) {
    let json = "application/json";
    let is_number = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    let password = serde_json::from_str::<serde_json::Value>(body)
        .ok()
        .and_then(|body| Some(body.get("password")?.as_str()?.to_owned()));
    let Some(password) = password.filter(|_| is_number) else {
        return ("400 Bad Request", "text/plain", String::new());
    };
    let users = match fault {
        Fault::KeepsFile => KEPT_FILE.get_or_init(read).clone(),
        Fault::KeepsUsers => {
            let now = read();
            KEPT_FILE.get_or_init(|| now).clone()
        }
        _ => read(),
    };
    if !users.contains(&format!("\"id\": {id},")) {
        return ("404 Not Found", "text/plain", String::new());
    }
    let hash = match fault {
        Fault::KeepsHash => KEPT_HASH.get_or_init(|| sha512(password)).clone(),
        _ => sha512(password),
    };
    ("200 OK", json, format!("{{\"hash\": \"{hash}\"}}"))
}

pub(crate) fn read() -> String {
    let dir = std::env::var_os("DATA_DIR").unwrap_or_default();
    fs::read_to_string(Path::new(&dir).join("user.json")).unwrap_or_default()
}

pub(crate) fn sha512(text: String) -> String {
    digest_text(&Digest::Sha512(TextTemplate::fixed(&text)), &[""])
}
