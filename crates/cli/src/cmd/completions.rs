//! How a shell comes to ask, and that it gets its answer; what it is offered is `crate::complete`.

use clap::CommandFactory as _;
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, Shell};

use crate::args::{Args, CompletionsArgs};
use crate::{exit, out};

/// By this variable a shell asks, with its name.
const ASKS: &str = "VELO_COMPLETE";
pub(crate) fn run(args: &CompletionsArgs) -> anyhow::Result<u8> {
    out::print(&String::from_utf8_lossy(&script(args.shell)?))?;
    Ok(exit::DONE)
}

/// Answers a shell and ends, where one asks.
pub(crate) fn if_asked() {
    CompleteEnv::with_factory(Args::command).var(ASKS).complete();
}

/// The script that makes a shell ask.
fn script(shell: Shell) -> anyhow::Result<Vec<u8>> {
    let mut script = Vec::new();
    let shells = Shells::builtins();
    let Some(completer) = shells.completer(&shell.to_string()) else {
        anyhow::bail!("there is no completion for {shell}");
    };
    completer.write_registration(ASKS, "velo", "velo", "velo", &mut script)?;
    if shell == Shell::Zsh {
        // As a file of fpath it is run for the first word already, which would else be completed to nothing.
        script.extend(b"\n[ \"$funcstack[1]\" = _velo ] && _clap_dynamic_completer_velo \"$@\"\n");
    }
    Ok(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_has_a_script_that_asks() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::Elvish, Shell::PowerShell] {
            let script = String::from_utf8(script(shell).unwrap()).unwrap();
            assert!(script.contains(ASKS) && script.contains("velo"), "{shell}: {script}");
        }
        let zsh = String::from_utf8(script(Shell::Zsh).unwrap()).unwrap();
        assert_eq!(
            zsh.matches("_clap_dynamic_completer_velo").count(),
            3,
            "defined, registered, called: {zsh}"
        );
    }
}
