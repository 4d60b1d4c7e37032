//! Which answer a request gets, by its method and its target.

use std::borrow::Cow;

use crate::answers::{Answer, BAD_REQUEST, NOT_FOUND, OK, ONLY_GET, ONLY_POST, ONLY_PUT};
use crate::limits::LONGEST_WAIT;

/// What a request asks for.
#[derive(Clone, Copy)]
pub enum Route {
    Fixed(&'static Answer),
    /// Where the id stands, beside the place that [`route`] was given.
    User {
        start: usize,
        end: usize,
    },
    Coin,
    /// Milliseconds.
    Wait(u16),
    /// A user's id.
    Password(u64),
    /// Where the query stands, as of [`Route::User`].
    Echo {
        start: usize,
        end: usize,
    },
}

/// `start` is where the target begins in the request.
pub fn route(method: &[u8], target: &[u8], start: usize) -> Result<Route, &'static Answer> {
    let (path, start) = match target {
        [b'/', ..] => (target, start),
        b"*" if method == b"OPTIONS" => return Ok(Route::Fixed(&NOT_FOUND)),
        // The form that a request to a proxy has; servers must take it too.
        _ if target.len() > 7 && target[..7].eq_ignore_ascii_case(b"http://") => {
            let host =
                target[7..].iter().position(|byte| matches!(byte, b'/' | b'?')).unwrap_or(target.len() - 7);
            (&target[7 + host..], start + 7 + host)
        }
        _ => return Err(&BAD_REQUEST),
    };
    let whole = path;
    let path = &path[..path.iter().position(|byte| *byte == b'?').unwrap_or(path.len())];

    let get = |route| if method == b"GET" { route } else { Route::Fixed(&ONLY_GET) };
    let post = |route| if method == b"POST" { route } else { Route::Fixed(&ONLY_POST) };
    let put = |route| if method == b"PUT" { route } else { Route::Fixed(&ONLY_PUT) };
    Ok(match path {
        b"/" | b"" => get(Route::Fixed(&OK)),
        b"/user" => post(Route::Fixed(&OK)),
        b"/coin" => post(Route::Coin),
        b"/Perf/Echo" => {
            get(Route::Echo { start: start + whole.len().min(path.len() + 1), end: start + whole.len() })
        }
        _ => {
            if segment(path, b"/user/").is_some() {
                get(Route::User { start: start + b"/user/".len(), end: start + path.len() })
            } else if let Some(milliseconds) = segment(path, b"/wait/") {
                get(match whole_number(milliseconds) {
                    Some(milliseconds @ ..=LONGEST_WAIT) => Route::Wait(milliseconds as u16),
                    _ => Route::Fixed(&BAD_REQUEST),
                })
            } else if let Some(id) = segment(path, b"/users/") {
                put(whole_number(id).map_or(Route::Fixed(&BAD_REQUEST), Route::Password))
            } else {
                Route::Fixed(&NOT_FOUND)
            }
        }
    })
}

/// The one segment that follows the prefix.
fn segment<'a>(path: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    path.strip_prefix(prefix).filter(|segment| !segment.is_empty() && !segment.contains(&b'/'))
}

fn whole_number(segment: &[u8]) -> Option<u64> {
    let digits = percent_decode(segment)?;
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(&digits).ok()?.parse().ok()
}

pub fn percent_decode(text: &[u8]) -> Option<Cow<'_, [u8]>> {
    if !text.contains(&b'%') {
        return Some(Cow::Borrowed(text));
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [byte, tail @ ..] = rest {
        rest = tail;
        if *byte != b'%' {
            decoded.push(*byte);
            continue;
        }
        let [high, low, tail @ ..] = rest else { return None };
        let value = char::from(*high).to_digit(16)? * 16 + char::from(*low).to_digit(16)?;
        decoded.push(value as u8);
        rest = tail;
    }
    Some(Cow::Owned(decoded))
}
