//! velo and other load generators against the faults, each one's own report held against the server's truth, as
//! `scripts/faults.sh` runs it: `velo-faults VELO [--protocol http1|h2|grpc] [--tools NAME,...] [--rows NAME,...]`. The table
//! goes to standard output, progress to standard error.

use std::error::Error;
use std::path::{Path, PathBuf};

use study_faults::{Case, Tool, cell, grpc, http1, http2, table};

const USAGE: &str = "usage: velo-faults VELO [--protocol http1|h2|grpc] [--tools NAME,...] [--rows NAME,...]";
/// What velo may have, whatever a server does.
const MOST_MEMORY_OF_VELO: u64 = 50_000_000;

/// What was asked for on the command line.
struct Wanted {
    velo: PathBuf,
    protocol: String,
    tools: Option<Vec<String>>,
    rows: Option<Vec<String>>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let wanted = parse(&arguments)?;
    match wanted.protocol.as_str() {
        "http1" => matrix(http1::tools(&wanted.velo), http1::cases(), &wanted),
        "h2" => matrix(http2::tools(&wanted.velo), http2::cases(), &wanted),
        "grpc" => matrix(grpc::tools(&wanted.velo), grpc::cases(), &wanted),
        other => Err(format!("--protocol {other}: expected http1, h2 or grpc").into()),
    }
}

fn parse(arguments: &[String]) -> Result<Wanted, Box<dyn Error>> {
    let (velo, options) = arguments.split_first().ok_or(USAGE)?;
    let velo = Path::new(velo).canonicalize()?;
    let mut wanted = Wanted { velo, protocol: "http1".to_owned(), tools: None, rows: None };
    let names = |list: &String| Some(list.split(',').map(str::to_owned).collect());
    for pair in options.chunks(2) {
        match pair {
            [flag, protocol] if flag == "--protocol" => wanted.protocol.clone_from(protocol),
            [flag, list] if flag == "--tools" => wanted.tools = names(list),
            [flag, list] if flag == "--rows" => wanted.rows = names(list),
            _ => return Err(format!("{pair:?}: not an option with its value\n{USAGE}").into()),
        }
    }
    Ok(wanted)
}

/// Runs each tool against each fault, one at a time, and prints the table.
fn matrix<C: Case>(
    mut tools: Vec<Tool<C>>,
    mut cases: Vec<&C>,
    wanted: &Wanted,
) -> Result<(), Box<dyn Error>> {
    keep(&mut tools, wanted.tools.as_deref(), "--tools", |tool| tool.name)?;
    keep(&mut cases, wanted.rows.as_deref(), "--rows", |case| case.name())?;
    let scratch = std::env::temp_dir().join(format!("velo-faults-{}", std::process::id()));
    std::fs::create_dir(&scratch)?;
    let outcome = cases
        .into_iter()
        .map(|case| {
            let cells = tools.iter().map(|tool| {
                let cell = cell(tool, case, &scratch)?;
                let (grade, marks) = (cell.verdict.grade.word(), cell.marks.letters());
                eprintln!("{:29} {:8} {grade}{marks} {}", case.name(), tool.name, cell.verdict.why);
                Ok(cell)
            });
            Ok((case, cells.collect::<std::io::Result<Vec<_>>>()?))
        })
        .collect::<std::io::Result<Vec<_>>>();
    std::fs::remove_dir_all(&scratch)?;
    let rows = outcome?;
    let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
    print!("{}", table(&names, &rows));
    let versions: Vec<String> = tools.iter().map(Tool::described).collect();
    println!("\nVersions: {}.", versions.join(", "));
    let cells = rows.iter().flat_map(|(_, cells)| cells);
    let most = cells.filter(|cell| cell.tool == "velo").map(|cell| cell.memory_bytes).max();
    match most {
        Some(most) if most > MOST_MEMORY_OF_VELO => {
            Err(format!("velo had {most} bytes of memory, at most {MOST_MEMORY_OF_VELO} expected").into())
        }
        _ => Ok(()),
    }
}

/// Keeps what is named, all of it where nothing is.
fn keep<T>(
    list: &mut Vec<T>,
    names: Option<&[String]>,
    flag: &str,
    name: impl Fn(&T) -> &'static str,
) -> Result<(), String> {
    let Some(names) = names else { return Ok(()) };
    if let Some(unknown) = names.iter().find(|wanted| !list.iter().any(|one| name(one) == wanted.as_str())) {
        return Err(format!("{flag} {unknown}: there is none of this name here"));
    }
    list.retain(|one| names.iter().any(|wanted| wanted == name(one)));
    Ok(())
}
