//! `velo`: a laboratory that compares HTTP service stacks and can prove its numbers.

mod again;
mod args;
mod cmd;
mod columns;
mod exit;
mod out;
mod progress;
mod root;
mod select;
mod signals;
mod values;

use clap::Parser as _;
use std::process::ExitCode;

use args::{Args, Verb};

fn main() -> ExitCode {
    velo_lab::become_guard_if_asked();
    let args = Args::parse();
    ExitCode::from(run(&args).unwrap_or_else(|error| {
        out::talk(&format!("error: {error:#}\n"));
        exit::code(&error)
    }))
}

fn run(args: &Args) -> anyhow::Result<u8> {
    let root = args.root.as_deref();
    match &args.verb {
        Verb::Run(verb) => cmd::run::run(verb, root),
        Verb::List(verb) => cmd::list::run(verb, root),
        Verb::Verify(verb) => cmd::verify::run(verb, root),
        Verb::Show(verb) => cmd::show::run(verb, root),
        _ if root.is_some() => {
            Err(exit::usage("--root does nothing here\n  it is for run, list, verify and show"))
        }
        Verb::Doctor(_) => cmd::doctor::run(),
        Verb::Report(verb) => cmd::report::run(verb),
        Verb::Completions(verb) => cmd::completions::run(verb),
    }
}
