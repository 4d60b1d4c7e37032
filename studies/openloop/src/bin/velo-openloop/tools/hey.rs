use std::process::Command;

use super::{Load, figures_of, ns};
use crate::figures::Figures;
use crate::{CONNECTIONS, Outcome};

pub(super) fn prepare(load: &Load, command: &mut Command) -> Outcome<()> {
    command.args(["-o", "csv", "-c", &CONNECTIONS.to_string(), "-z", &format!("{}s", load.seconds)]);
    command.args(["-q", &load.per_s_each().to_string()]).arg(load.url());
    Ok(())
}

/// A line for each answer: the response time in seconds first, the status code seventh.
pub(super) fn read(load: &Load, stdout: &str) -> Outcome<Figures> {
    let (mut right_ns, mut failed) = (Vec::new(), 0);
    for line in stdout.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [time, _, _, _, _, _, status, _] = fields.as_slice() else {
            return Err(format!("its output has a line `{line}`").into());
        };
        match ns(time.parse()?) {
            Some(time_ns) if *status == "200" => right_ns.push(time_ns),
            _ => failed += 1,
        }
    }
    Ok(figures_of(load, right_ns, failed))
}

#[cfg(test)]
mod tests {
    use super::super::tests::read as read_with;
    use super::*;

    #[test]
    fn its_lines_are_understood() {
        let head =
            "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset";
        let good = "0.0002,0.0000,0.0000,0.0000,0.0002,0.0000,200,0.1000";
        let bad = "0.0009,0.0000,0.0000,0.0000,0.0002,0.0000,500,0.1000";
        let figures = read_with(read, &[head, good, bad, good].join("\n"));
        assert_eq!(figures.times.all(), [Some(200_000); 5]);
        assert_eq!((figures.requests, figures.failed, figures.achieved_per_s), (3, 1, Some(1.0)));
    }
}
