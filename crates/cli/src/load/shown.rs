//! Requests as they are sent, and the answer to the first: `--dry-run`, and `-v` with `-n 1`.

use std::collections::BTreeSet;

use velo_grpc::Method;
use velo_load::{Example, FirstAnswer};
use velo_record::LoadGrpc;

use super::mix::Asked;

/// Requests of a mix that are shown.
const MOST_REQUESTS: usize = 20;
/// Requests that are drawn to find them; one of a very small weight may not be among them.
const MOST_DRAWN: usize = 10_000;
/// The bytes of a body that are shown.
const MOST_OF_A_BODY: usize = 4_096;
/// The bytes of a message with its prefix that are shown in hexadecimal digits.
const MOST_IN_HEX: usize = 256;

/// Each request as it would be sent.
pub(crate) fn dry_run(asked: &Asked, seed: u64) -> String {
    if let (Some(method), Some(call)) = (&asked.method, &asked.grpc) {
        return dry_call(asked, method, call, seed);
    }
    let names: Vec<&str> = asked.mix.names().collect();
    let mut text = format!("dry run  nothing is sent; seed {seed}\n");
    let mut seen = BTreeSet::new();
    for example in Example::all(&asked.mix, seed).take(MOST_DRAWN) {
        if seen.len() == names.len().min(MOST_REQUESTS) {
            break;
        }
        if !seen.insert(example.request) {
            continue;
        }
        if names.len() > 1 {
            text.push_str(&format!("\nrequest  {}\n", names.get(example.request).unwrap_or(&"?")));
        }
        text.push('\n');
        text.push_str(&request(asked, &example, ""));
    }
    let unseen = names.len() - seen.len();
    if unseen > 0 {
        text.push_str(&format!("\n{} more not shown\n", crate::values::count(unseen, "request")));
    }
    text
}

/// A call as it would be sent.
fn dry_call(asked: &Asked, method: &Method, call: &LoadGrpc, seed: u64) -> String {
    let Some(example) = Example::all(&asked.mix, seed).next() else { return String::new() };
    let body = example.body(&asked.mix);
    let kind = match (method.client_streams(), method.server_streams()) {
        (false, false) => "unary",
        (false, true) => "server streaming",
        (true, false) => "client streaming",
        (true, true) => "bidirectional streaming",
    };
    let mut text = format!(
        "dry run  nothing is sent; seed {seed}\nmethod   {}, {kind}\nsends    {}\nanswers  {}\n",
        method.name(),
        method.input(),
        method.output()
    );
    text.push('\n');
    for (name, value) in example.fields(&asked.mix) {
        text.push_str(&format!("{name}: {value}\n"));
    }
    let bytes = body.len();
    text.push_str(&format!(
        "\n{} in {bytes} bytes\n",
        crate::values::count(call.messages as usize, "message")
    ));
    if let Some([flag, length @ ..]) = body.first_chunk::<5>() {
        let length = u32::from_be_bytes(*length) as usize;
        let message = body.get(5..5 + length).unwrap_or_default();
        let packed = if *flag == 1 { ", packed with gzip" } else { "" };
        let json = if *flag == 0 { method.shown(message) } else { None };
        if let Some(json) = json {
            text.push_str(&format!("{json}\n"));
        }
        let hex = velo_request::hex(&body[..body.len().min(MOST_IN_HEX)]);
        let more = if bytes > MOST_IN_HEX { " ..." } else { "" };
        text.push_str(&format!("{hex}{more}{packed}\n"));
    }
    text
}

/// The first request with its answer, as `curl -v` has them.
pub(crate) fn exchange(asked: &Asked, seed: u64, answer: Option<&FirstAnswer>) -> String {
    let Some(example) = Example::all(&asked.mix, seed).next() else { return String::new() };
    let mut text = request(asked, &example, "> ");
    match answer {
        None => text.push_str("< no whole answer\n"),
        Some(answer) => {
            text.push_str(&format!("< status {}\n", answer.status));
            text.push_str(&lines(answer.fields.trim_ascii_end(), "< "));
            text.push_str("<\n");
            text.push_str(&body(&answer.body, ""));
        }
    }
    text.push('\n');
    text
}

fn request(asked: &Asked, example: &Example, prefix: &str) -> String {
    let fields = example.fields(&asked.mix);
    let mut text = if fields.is_empty() {
        let head =
            example.bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(example.bytes.len());
        lines(&example.bytes[..head], prefix)
    } else {
        let fields: String = fields.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
        lines(fields.as_bytes(), prefix)
    };
    let sent = example.body(&asked.mix);
    if !(sent.is_empty() && prefix.is_empty()) {
        text.push_str(prefix.trim_end());
        text.push('\n');
    }
    text.push_str(&body(&sent, prefix));
    text
}

fn body(bytes: &[u8], prefix: &str) -> String {
    let shown = &bytes[..bytes.len().min(MOST_OF_A_BODY)];
    let mut text = lines(shown, prefix);
    if shown.len() < bytes.len() {
        text.push_str(&format!("{prefix}... {} bytes in all\n", bytes.len()));
    }
    text
}

/// Bytes line by line, with what cannot be seen or would move the cursor written out.
fn lines(bytes: &[u8], prefix: &str) -> String {
    let mut text = String::new();
    for line in String::from_utf8_lossy(bytes).lines() {
        text.push_str(prefix);
        for found in line.chars() {
            match found {
                '\'' | '"' | '\\' | '\t' => text.push(found),
                _ => text.extend(found.escape_debug()),
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_move_the_cursor_is_written_out() {
        let shown = lines(b"a: \"b\"\r\nc\x1b[2J\xe2\x80\xae\td\\", "< ");
        assert_eq!(shown, "< a: \"b\"\n< c\\u{1b}[2J\\u{202e}\td\\\n");
    }

    #[test]
    fn a_long_body_is_cut_and_its_length_told() {
        let shown = body(&[b'x'; 5_000], "");
        assert_eq!(shown.len(), 4_096 + 1 + "... 5000 bytes in all\n".len());
    }
}
