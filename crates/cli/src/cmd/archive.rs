use std::path::PathBuf;

use anyhow::Context as _;
use velo_record::{Archive, ResultFile, is_archive};

use crate::args::ArchiveArgs;
use crate::exit::{self, usage};
use crate::{again, out, run_folder};

pub(crate) fn run(args: &ArchiveArgs) -> anyhow::Result<u8> {
    if is_archive(&args.dir) {
        return Err(usage(format!(
            "{}: it is an archive already\n  expected a run's folder",
            args.dir.display()
        )));
    }
    // What cannot be read here cannot be judged elsewhere.
    drop(run_folder::read(&args.dir)?);
    let archive = Archive::of(&args.dir)?;
    let path = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{}.tar.gz", archive.name())));
    let shown = again::shown_path(&path);
    ResultFile::open(&path)
        .and_then(|file| archive.write(file))
        .with_context(|| format!("{shown} cannot be written"))?;
    out::talk(&format!("archive: {shown}\n  velo report {shown} judges it on any machine\n"));
    Ok(exit::DONE)
}
