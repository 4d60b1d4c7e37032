use std::fmt::Write;

use super::count::Measured;
use velo_load::bench;
use velo_stats::number::decimals;

const BEGIN: &str = "<!-- BEGIN instructions -->";
const END: &str = "<!-- END instructions -->";
const CONDITIONS: &str = "Counted with ";

/// The figures of a document.
pub(crate) struct Recorded {
    /// What they depend on beside the code: compiler, C library, machine.
    pub(crate) conditions: String,
    cases: Vec<(String, u64)>,
}

impl Recorded {
    /// Reads what [`write`] has written between the markers.
    pub(crate) fn read(document: &str) -> Result<Self, String> {
        let (_, text) = document.split_once(BEGIN).ok_or_else(|| format!("no {BEGIN}"))?;
        let (text, _) = text.split_once(END).ok_or_else(|| format!("no {END}"))?;
        let conditions = text.lines().find_map(|line| line.strip_prefix(CONDITIONS)?.strip_suffix('.'));
        let row = |line: &str| {
            let mut cells = line.strip_prefix("| `")?.split('|');
            let case = cells.next()?.trim_end().strip_suffix('`')?;
            Some((case.to_owned(), cells.nth(1)?.trim().replace(',', "").parse().ok()?))
        };
        Ok(Self {
            conditions: conditions.unwrap_or("nothing").to_owned(),
            cases: text.lines().filter_map(row).collect(),
        })
    }

    pub(crate) fn per_request(&self, case: &str) -> Option<u64> {
        self.cases.iter().find(|(name, _)| name == case).map(|(_, per_request)| *per_request)
    }
}

/// The figures as they stand in a document.
pub(crate) fn write(measured: &[Measured], conditions: &str) -> String {
    let mut text = String::from("| case | what it is | instructions per request |\n|---|---|---:|\n");
    for Measured { case, per_request } in measured {
        let what = bench::CASES.iter().find(|(name, _)| name == case).map_or("", |(_, what)| *what);
        // OK because writing to a String cannot fail.
        let _ = writeln!(text, "| `{case}` | {what} | {} |", decimals(*per_request, 0));
    }
    let _ = writeln!(text, "\n{CONDITIONS}{conditions}.");
    text
}
