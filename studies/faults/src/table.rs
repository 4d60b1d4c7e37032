//! The matrix as Markdown.

use super::case::Case;
use super::judge::{Grade, Marks, Verdict};

/// What one tool made of one fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The tool.
    pub tool: &'static str,
    /// What its report came to.
    pub verdict: Verdict,
    /// What is noted beside it.
    pub marks: Marks,
    /// The most memory that it had.
    pub memory_bytes: u64,
}

/// The table, lines with the number of right cells among the numbered and with the most memory of all runs, and the reasons
/// for all other grades.
pub fn table<C: Case>(tools: &[&str], rows: &[(&C, Vec<Cell>)]) -> String {
    let mut lines =
        vec![format!("| fault | {} |", tools.join(" | ")), format!("|---|{}", "---|".repeat(tools.len()))];
    for (row, cells) in rows {
        let cells = cells.iter().map(|cell| format!("{}{}", cell.verdict.grade.word(), cell.marks.letters()));
        lines.push(format!("| {} | {} |", row.title(), cells.collect::<Vec<_>>().join(" | ")));
    }
    let numbered = || rows.iter().filter(|(row, _)| row.is_numbered());
    let right = (0..tools.len()).map(|at| {
        let graded = |grade| numbered().filter(|(_, cells)| cells[at].verdict.grade == grade).count();
        let applicable = numbered().count() - graded(Grade::NotApplicable);
        format!("**{} of {applicable}**", graded(Grade::Right))
    });
    lines.push(format!("| right, of the numbered | {} |", right.collect::<Vec<_>>().join(" | ")));
    let memory = (0..tools.len()).map(|at| {
        let most = rows.iter().map(|(_, cells)| cells[at].memory_bytes).max();
        format!("{:.0}", most.unwrap_or(0) as f64 / 1e6)
    });
    lines.push(format!("| most memory, MB | {} |", memory.collect::<Vec<_>>().join(" | ")));
    let mut reasons = Vec::new();
    for (row, cells) in rows {
        let told = cells
            .iter()
            .filter(|cell| !cell.verdict.why.is_empty() && cell.verdict.grade != Grade::NotApplicable);
        let told: Vec<String> = told.map(|cell| format!("{}: {}", cell.tool, cell.verdict.why)).collect();
        if !told.is_empty() {
            reasons.push(format!("- {}: {}", row.title(), told.join("; ")));
        }
    }
    if !reasons.is_empty() {
        lines.extend(["", "Why, where it is not right:", ""].map(str::to_owned));
        lines.extend(reasons);
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use velo_tests::faults::Fault;

    #[test]
    fn cells_counts_and_reasons() {
        let cell = |tool, grade, why: &str| Cell {
            tool,
            verdict: Verdict { grade, why: why.to_owned() },
            marks: Marks { exit_0: grade == Grade::Silent, ..Marks::default() },
            memory_bytes: if tool == "a" { 10_000_000 } else { 612_345_678 },
        };
        let rows = [
            (Fault::None.row(), vec![cell("a", Grade::Right, ""), cell("b", Grade::Right, "")]),
            (
                Fault::EndlessChunks.row(),
                vec![cell("a", Grade::Right, ""), cell("b", Grade::NotApplicable, "old")],
            ),
            (
                Fault::Truncated.row(),
                vec![cell("a", Grade::Right, ""), cell("b", Grade::Silent, "3 told, 4 were")],
            ),
        ];
        let text = table(&["a", "b"], &rows);
        let expected = "\
| fault | a | b |
|---|---|---|
| - no fault | right | right |
| 7 endless chunks | right | n/a |
| 3 truncated | right | silent 0 |
| right, of the numbered | **2 of 2** | **0 of 1** |
| most memory, MB | 10 | 612 |

Why, where it is not right:

- 3 truncated: b: 3 told, 4 were
";
        assert_eq!(text, expected);
    }
}
