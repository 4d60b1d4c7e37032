use clap::CommandFactory as _;

use crate::args::{Args, CompletionsArgs};
use crate::{exit, out};

pub(crate) fn run(args: &CompletionsArgs) -> anyhow::Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "velo", &mut script);
    out::print(&String::from_utf8_lossy(&script))?;
    Ok(exit::DONE)
}
