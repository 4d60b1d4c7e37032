use std::process::Command;

use super::{Load, figures_of};
use crate::figures::Figures;
use crate::protocol::Protocol;
use crate::{CONNECTIONS, Outcome};

const FILE: &str = "h2load.tsv";

pub(super) fn prepare(load: &Load, command: &mut Command) -> Outcome<()> {
    // It adds to a file that is there.
    let file = load.folder.join(FILE);
    if file.exists() {
        std::fs::remove_file(&file)?;
    }
    if load.protocol == Protocol::Http1 {
        command.arg("--h1");
    }
    command.args(["-t", "1", "-c", &CONNECTIONS.to_string(), "-D", &load.seconds.to_string()]);
    command.arg(format!("--rps={}", load.per_s_each()));
    command.arg(format!("--log-file={}", file.display())).arg(load.url());
    Ok(())
}

pub(super) fn read(load: &Load, _: &str) -> Outcome<Figures> {
    read_log(load, &std::fs::read_to_string(load.folder.join(FILE))?)
}

/// A line for each answer: start, status, and duration in microseconds.
fn read_log(load: &Load, text: &str) -> Outcome<Figures> {
    let (mut right_ns, mut failed) = (Vec::new(), 0);
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [_, status, us] = fields.as_slice() else {
            return Err(format!("its log has a line `{line}`").into());
        };
        if *status == "200" {
            right_ns.push(us.parse::<u64>()? * 1000);
        } else {
            failed += 1;
        }
    }
    Ok(figures_of(load, right_ns, failed))
}

#[cfg(test)]
mod tests {
    use super::super::tests::read as read_with;
    use super::*;

    #[test]
    fn its_log_is_understood() {
        let figures =
            read_with(read_log, "1795276723504005\t200\t300\n1795276723504006\t-1\t900\n1\t200\t100\n");
        assert_eq!(figures.times.all(), [100_000, 300_000, 300_000, 300_000, 300_000].map(Some));
        assert_eq!((figures.requests, figures.failed, figures.achieved_per_s), (3, 1, Some(1.0)));
    }
}
