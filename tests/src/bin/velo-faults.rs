//! velo and other load generators against the faults, each one's own report held against the server's truth, as
//! `scripts/faults.sh` runs it: `velo-faults VELO [--tools NAME,...] [--rows NAME,...]`. The table goes to standard output,
//! progress to standard error.

use std::error::Error;
use std::path::Path;

use velo_tests::faults::matrix::{Tool, cell, table};
use velo_tests::faults::{Fault, Row};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (velo, options) =
        arguments.split_first().ok_or("usage: velo-faults VELO [--tools NAME,...] [--rows NAME,...]")?;
    let (mut only_tools, mut only_rows) = (None, None);
    for pair in options.chunks(2) {
        match pair {
            [flag, names] if flag == "--tools" => only_tools = Some(names),
            [flag, names] if flag == "--rows" => only_rows = Some(names),
            _ => return Err(format!("{pair:?}: expected --tools or --rows and a list of names").into()),
        }
    }
    let wanted =
        |only: Option<&String>, name: &str| only.is_none_or(|names| names.split(',').any(|one| one == name));
    let mut tools = Tool::installed(&Path::new(velo).canonicalize()?);
    tools.retain(|tool| wanted(only_tools, tool.name));
    let rows = Fault::ALL.iter().filter(|row| wanted(only_rows, row.name) && tells_apart(row));
    let scratch = std::env::temp_dir().join(format!("velo-faults-{}", std::process::id()));
    std::fs::create_dir(&scratch)?;
    let outcome = rows
        .map(|row| {
            let cells = tools.iter().map(|tool| {
                let cell = cell(tool, row, &scratch)?;
                let (grade, marks) = (cell.verdict.grade.word(), cell.marks.letters());
                eprintln!("{:20} {:8} {grade}{marks} {}", row.name, tool.name, cell.verdict.why);
                Ok(cell)
            });
            Ok((row, cells.collect::<std::io::Result<Vec<_>>>()?))
        })
        .collect::<std::io::Result<Vec<_>>>();
    std::fs::remove_dir_all(&scratch)?;
    let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
    print!("{}", table(&names, &outcome?));
    let versions: Vec<String> = tools.iter().map(Tool::described).collect();
    println!("\nVersions: {}.", versions.join(", "));
    Ok(())
}

/// A late answer is no failure: there is nothing in the report to judge.
fn tells_apart(row: &Row) -> bool {
    !matches!(row.fault, Fault::Delay | Fault::Freeze | Fault::Bandwidth)
}
