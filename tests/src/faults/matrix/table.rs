//! The matrix as Markdown.

use super::judge::{Grade, Marks, Verdict};
use crate::faults::Row;

/// What one tool made of one fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The tool.
    pub tool: &'static str,
    /// What its report came to.
    pub verdict: Verdict,
    /// What is noted beside it.
    pub marks: Marks,
}

/// The table, a line with the number of right cells among the 25, and the reasons for all other grades.
pub fn table(tools: &[&str], rows: &[(&Row, Vec<Cell>)]) -> String {
    let mut lines =
        vec![format!("| fault | {} |", tools.join(" | ")), format!("|---|{}", "---|".repeat(tools.len()))];
    for (row, cells) in rows {
        let cells = cells.iter().map(|cell| format!("{}{}", cell.verdict.grade.word(), cell.marks.letters()));
        lines.push(format!("| {} {} | {} |", row.row, row.title, cells.collect::<Vec<_>>().join(" | ")));
    }
    let numbered = || rows.iter().filter(|(row, _)| row.is_numbered());
    let right = (0..tools.len()).map(|at| {
        let graded = |grade| numbered().filter(|(_, cells)| cells[at].verdict.grade == grade).count();
        let applicable = numbered().count() - graded(Grade::NotApplicable);
        format!("**{} of {applicable}**", graded(Grade::Right))
    });
    lines.push(format!("| right, of the numbered | {} |", right.collect::<Vec<_>>().join(" | ")));
    let mut reasons = Vec::new();
    for (row, cells) in rows {
        let told = cells
            .iter()
            .filter(|cell| !cell.verdict.why.is_empty() && cell.verdict.grade != Grade::NotApplicable);
        let told: Vec<String> = told.map(|cell| format!("{}: {}", cell.tool, cell.verdict.why)).collect();
        if !told.is_empty() {
            reasons.push(format!("- {} {}: {}", row.row, row.title, told.join("; ")));
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
    use crate::faults::Fault;

    #[test]
    fn cells_counts_and_reasons() {
        let cell = |tool, grade, why: &str| Cell {
            tool,
            verdict: Verdict { grade, why: why.to_owned() },
            marks: Marks { exit_0: grade == Grade::Silent, ..Marks::default() },
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

Why, where it is not right:

- 3 truncated: b: 3 told, 4 were
";
        assert_eq!(text, expected);
    }
}
