//! Whether a contender read its files for each request or iteration, as they were.

use velo_model::Role;
use velo_record::{Outcomes, Window};

use crate::doubt::cause::Cause;

/// Of what must have been read, so much must have been; the rest is room for requests at a window's edges.
const READ: f64 = 0.99;
/// A share of failures above this after the files changed, and not before, is put down to the change.
const STALE: f64 = 0.01;

/// What is wrong with how the files were used.
pub(crate) fn fault(windows: &[&Window]) -> Option<Cause> {
    if let Some(share) = stale(windows) {
        return Some(Cause::StaleData { share });
    }
    let (read, needed) = read_and_needed(windows);
    (needed > 0.0).then(|| not_read(Role::Server, read / needed)).flatten()
}

/// Who has read so much of what must be read has not read it for each request, or for each iteration of a task.
pub(crate) fn not_read(role: Role, share: f64) -> Option<Cause> {
    (share < READ).then_some(Cause::NotRead { role, share })
}

/// Bytes read, and what all answered requests must have read; of windows in which both are known.
fn read_and_needed(windows: &[&Window]) -> (f64, f64) {
    let known = windows.iter().filter_map(|window| {
        let data = window.data?;
        let answers = window.all().correct as f64;
        Some((data.read_bytes? as f64, answers * data.file_bytes as f64))
    });
    known.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

/// The share of wrong answers after the change, when there were none to speak of before it.
fn stale(windows: &[&Window]) -> Option<f64> {
    let share = |is_changed: bool| {
        let (mut wrong, mut all) = (0.0, 0.0);
        for window in windows {
            if window.data.is_some_and(|data| (data.version > 0) == is_changed) {
                let Outcomes { correct, wrong_answer, http_error, .. } = window.all();
                wrong += wrong_answer as f64 + http_error as f64;
                all += correct as f64 + wrong_answer as f64 + http_error as f64;
            }
        }
        (all > 0.0).then(|| wrong / all)
    };
    let after = share(true)?;
    (after > STALE && share(false)? <= STALE).then_some(after)
}

#[cfg(test)]
mod tests {
    use velo_record::DataWindow;

    use super::*;
    use velo_fixtures::{Simulated, Simulation};

    const FILE: u64 = 1000;

    /// Windows of which the second half has the second version; each answer read the file so many times.
    fn windows(times_read: f64, wrong_after: u64) -> Vec<Window> {
        let (_, mut windows) = Simulation::new(vec![Simulated::new("go/net-http", 4000.0)]).run();
        let half = windows.len() / 2;
        for (number, window) in windows.iter_mut().enumerate() {
            let version = u32::from(number >= half);
            if version > 0 {
                window.outcomes.http_error = wrong_after;
            }
            let answers = window.all().correct;
            let read = (answers as f64 * FILE as f64 * times_read) as u64;
            window.data = Some(DataWindow { version, file_bytes: FILE, read_bytes: Some(read) });
        }
        windows
    }

    fn cause(windows: &[Window]) -> Option<Cause> {
        fault(&windows.iter().collect::<Vec<_>>())
    }

    #[test]
    fn who_reads_its_files_for_each_request_is_without_fault() {
        assert_eq!(cause(&windows(1.0, 0)), None);
        assert_eq!(cause(&windows(1.7, 0)), None, "sockets are read too");
        let mut unknown = windows(0.0, 0);
        for window in &mut unknown {
            window.data = window.data.map(|data| DataWindow { read_bytes: None, ..data });
        }
        assert_eq!(cause(&unknown), None, "not known is no fault");
        assert_eq!(cause(&[]), None);
    }

    #[test]
    fn who_keeps_what_it_read_is_found_by_bytes_and_by_answers() {
        assert!(matches!(cause(&windows(0.5, 0)), Some(Cause::NotRead { .. })));
        assert!(matches!(cause(&windows(1.0, 500)), Some(Cause::StaleData { .. })));
        let mut always = windows(1.0, 500);
        for window in &mut always {
            window.outcomes.http_error = 500;
        }
        assert_eq!(cause(&always), None, "one that always fails fails for another reason");
    }
}
