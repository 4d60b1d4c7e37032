//! `velo site`: a static site of many runs, written beside its place and then put there at once.

mod find;
mod folder;
mod marker;

use velo_report::site::Site;

use self::find::Found;
use self::folder::Folder;
use crate::args::SiteArgs;
use crate::exit::{self, usage};
use crate::{out, run_folder};

pub(crate) fn run(args: &SiteArgs) -> anyhow::Result<u8> {
    let found = find::runs(&args.dirs)?;
    let mut folder = Folder::begin(&args.out)?;
    let mut site = args.url.as_deref().map_or_else(Site::new, Site::at);
    for run in &found {
        add(run, &mut site, &mut folder)?;
    }
    if site.ids().next().is_none() {
        return Err(usage(format!(
            "velo site found no run that it can read in {}\n  expected folders of runs, with run.json and windows.ndjson in them, or archives of such",
            args.dirs.iter().map(|dir| run_folder::shown(dir)).collect::<Vec<_>>().join(", ")
        )));
    }
    for file in site.files() {
        folder.write(&file.path, &file.text)?;
    }
    site.notes().iter().for_each(|note| out::talk(&format!("note: {note}\n")));
    let runs = site.ids().map(str::to_owned).collect();
    folder.finish(runs)?;
    out::print(&format!("{}\n", args.out.join("index.html").display()))?;
    Ok(exit::DONE)
}

/// Adds a run with its own pages. Its windows may be large: they are gone before the next run is read.
fn add(found: &Found, site: &mut Site, folder: &mut Folder) -> anyhow::Result<()> {
    if site.is_full() {
        site.leave_out(&found.name);
        return Ok(());
    }
    let run = match run_folder::read(&found.path) {
        Ok(run) => run,
        Err(error) => {
            out::talk(&format!("note: {} is left out: {error:#}\n", run_folder::shown(&found.path)));
            return Ok(());
        }
    };
    let judged = velo_judge::judge_run(&run.file, &run.windows);
    let pages = site.add(&found.name, &run.file, &judged.judgement, judged.detail());
    pages.iter().flatten().try_for_each(|page| folder.write(&page.path, &page.text))
}
