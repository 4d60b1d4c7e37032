use std::fs;

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::args::{Args, ManArgs};
use crate::{exit, out};

pub(crate) fn run(args: &ManArgs) -> anyhow::Result<u8> {
    let dir = args.dir.display();
    fs::create_dir_all(&args.dir).with_context(|| format!("{dir} cannot be made"))?;
    clap_mangen::generate_to(command(), &args.dir)
        .with_context(|| format!("{dir}: a manual page cannot be written"))?;
    out::talk(&format!("{dir}: velo.1 and a page for each command; man -l {dir}/velo.1 shows it\n"));
    Ok(exit::DONE)
}

/// As for help on a terminal, but for what only that has.
fn command() -> clap::Command {
    Args::command().disable_help_subcommand(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_has_a_page_with_its_flags_and_nothing_that_is_hidden() {
        let dir = tempfile::tempdir().unwrap();
        run(&ManArgs { dir: dir.path().join("man1") }).unwrap();
        let read = |name: &str| fs::read_to_string(dir.path().join("man1").join(name)).unwrap();
        for verb in command().get_subcommands().map(clap::Command::get_name) {
            let page = read(&format!("velo-{verb}.1"));
            assert!(page.contains(".SH NAME") && page.contains(".SH SYNOPSIS"), "{verb}");
        }
        assert!(read("velo.1").contains("velo\\-load(1)"));
        let load = read("velo-load.1");
        assert!(load.contains("fail\\-on") && load.contains("Exit codes"), "{load}");
        assert!(!load.contains("no\\-tui"), "hidden");
    }
}
