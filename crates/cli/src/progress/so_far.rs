//! What was measured so far, so that nobody waits for minutes without a figure.

use velo_lab::SoFar;
use velo_stats::number::rate;

/// The last column of a line.
const WIDTH: usize = 79;

/// A line for each workload, the fastest first: medians of what was counted, which are no ranks.
pub(super) fn lines(so_far: &[SoFar]) -> Vec<String> {
    let mut workloads: Vec<&str> = so_far.iter().map(|one| one.workload.as_str()).collect();
    workloads.dedup();
    let is_one = workloads.len() == 1;
    let line = |workload: &str| {
        let mut own: Vec<&SoFar> = so_far.iter().filter(|one| one.workload == workload).collect();
        own.sort_by(|a, b| b.goodput_per_s.total_cmp(&a.goodput_per_s));
        let of = if is_one { String::new() } else { format!(" {workload}") };
        fitted(&format!("so far  {of}"), &own)
    };
    workloads.into_iter().map(line).collect()
}

/// As many as there is room for; how many more there are.
fn fitted(head: &str, own: &[&SoFar]) -> String {
    let words: Vec<String> =
        own.iter().map(|one| format!("{} {}", one.contender, rate(one.goodput_per_s))).collect();
    let mut shown = words.len();
    loop {
        let more = match words.len() - shown {
            0 => String::new(),
            more => format!(", {more} more"),
        };
        let line = format!("{head} {}/s{more}", words[..shown].join(", "));
        if line.chars().count() <= WIDTH || shown <= 1 {
            return line;
        }
        shown -= 1;
    }
}

#[cfg(test)]
mod tests {
    use velo_model::ContenderName;

    use super::*;

    fn so_far(workload: &str, contender: &str, goodput_per_s: f64) -> SoFar {
        SoFar {
            workload: workload.to_owned(),
            contender: ContenderName::new(contender).unwrap(),
            goodput_per_s,
        }
    }

    #[test]
    fn the_fastest_is_first_and_a_workload_is_named_among_others() {
        let (slow, fast) = (so_far("coin", "python/fastapi", 5_310.0), so_far("coin", "go/gin", 46_900.0));
        assert_eq!(lines(&[slow.clone(), fast.clone()]), ["so far   go/gin 46,900, python/fastapi 5,310/s"]);
        assert_eq!(
            lines(&[so_far("void", "go/gin", 60_000.0), slow, fast]),
            ["so far   void go/gin 60,000/s", "so far   coin go/gin 46,900, python/fastapi 5,310/s"]
        );
        assert_eq!(lines(&[]), [""; 0]);
    }

    #[test]
    fn a_line_fits_and_says_how_many_it_leaves_out() {
        let many: Vec<SoFar> =
            (0..12).map(|n| so_far("coin", &format!("go/contender-{n}"), 50_000.0 - f64::from(n))).collect();
        let lines = lines(&many);
        assert!(lines[0].chars().count() <= WIDTH && lines[0].ends_with(" more"), "{lines:?}");
        assert!(lines[0].starts_with("so far   go/contender-0 50,000, "), "{lines:?}");
    }
}
