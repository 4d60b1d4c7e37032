//! The scripted server's part in workloads that wait: `GET /wait/{ms}`, so many at a time as `AT_A_TIME` says.

use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::script::Fault;

static SERVED: Mutex<u32> = Mutex::new(0);
static FREE: Condvar = Condvar::new();

/// Status, media type and body.
pub(crate) fn respond(ms: &str, fault: Fault) -> (&'static str, &'static str, String) {
    let Some(wait) = ms.parse().ok().map(Duration::from_millis) else {
        return ("400 Bad Request", "text/plain", String::new());
    };
    let most = std::env::var("AT_A_TIME").ok().and_then(|text| text.parse().ok()).unwrap_or(u32::MAX);
    let served = SERVED.lock().unwrap_or_else(PoisonError::into_inner);
    let mut served =
        FREE.wait_while(served, |served| *served >= most).unwrap_or_else(PoisonError::into_inner);
    *served += 1;
    drop(served);
    thread::sleep(if fault == Fault::TooEarly { wait / 2 } else { wait });
    *SERVED.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
    FREE.notify_one();
    ("200 OK", "text/plain", format!("waited {ms}"))
}
