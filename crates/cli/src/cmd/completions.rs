use crate::args::CompletionsArgs;
use crate::{complete, exit, out};

pub(crate) fn run(args: &CompletionsArgs) -> anyhow::Result<u8> {
    let script = complete::script(args.shell)?;
    out::print(&String::from_utf8_lossy(&script))?;
    Ok(exit::DONE)
}
