//! The scripted server's part in workloads that echo: `GET /Perf/Echo?name=&x=&y=&e=`.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::script::Fault;

/// What a server keeps between reading a name and writing it.
static NAME: Mutex<String> = Mutex::new(String::new());

/// Long enough that another request comes meanwhile, where there is another connection.
const BETWEEN: Duration = Duration::from_micros(200);

/// Status, media type and body.
pub(crate) fn respond(query: &str, fault: Fault) -> (&'static str, &'static str, String) {
    answer(query, fault).map_or_else(
        || ("400 Bad Request", "text/plain", String::new()),
        |body| ("200 OK", "application/json", body),
    )
}

/// Two of the operations that a server need not offer.
pub(crate) fn operation(asked: &str) -> (&'static str, &'static str, String) {
    match asked {
        "Flags?f=7" => ("200 OK", "application/json", "{\"Flags\": 7}".to_owned()),
        "Throw" => {
            let page = format!("<pre>{}velo-secret-detail</pre>", "at frame\n".repeat(1000));
            ("500 Internal Server Error", "text/html", page)
        }
        asked if asked.starts_with("Flags?") => ("400 Bad Request", "text/plain", String::new()),
        _ => ("404 Not Found", "text/plain", String::new()),
    }
}

fn answer(query: &str, fault: Fault) -> Option<String> {
    let value = |name: &str| {
        let mut parameters = query.split('&').filter_map(|parameter| parameter.split_once('='));
        parameters.find(|(key, _)| *key == name).map(|(_, value)| value)
    };
    let number = |name: &str| value(name)?.parse::<i64>().ok();
    let e = number("e").filter(|e| (2..=4).contains(e))?;
    let name = decoded(value("name")?)?;
    let (x, y) = (number("x")?, number("y")?);
    let sum = match fault {
        Fault::EchoIgnoresE => (x + y) * 2,
        Fault::EchoDropsSign => (x.abs() + y.abs()) * e,
        _ => (x + y) * e,
    };
    let name = if fault == Fault::EchoSharesName { shared(name) } else { name };
    Some(serde_json::json!({ "Name": name, "Sum": sum }).to_string())
}

/// The name that was read last, by whomever.
fn shared(name: String) -> String {
    *NAME.lock().unwrap_or_else(PoisonError::into_inner) = name;
    thread::sleep(BETWEEN);
    NAME.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [byte, tail @ ..] = rest {
        rest = tail;
        match byte {
            b'%' => {
                let digits = str::from_utf8(rest.get(..2)?).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest = &rest[2..];
            }
            b'+' => bytes.push(b' '),
            byte => bytes.push(*byte),
        }
    }
    String::from_utf8(bytes).ok()
}
