//! `velo`: a laboratory that compares HTTP service stacks and can prove its numbers.

mod again;
mod args;
mod carried;
mod cmd;
mod columns;
mod complete;
mod config;
mod examples;
mod exit;
mod flags;
mod found;
mod gate;
mod like;
mod limits;
mod link;
mod load;
mod out;
mod progress;
mod protocol;
mod root;
mod run_folder;
mod running;
mod screen;
mod select;
mod signals;
mod values;

use clap::Parser as _;
use clap::error::ContextKind;
use std::process::ExitCode;

use args::{Args, Verb};

fn main() -> ExitCode {
    velo_lab::become_helper_if_asked();
    cmd::completions::if_asked();
    let line = like::completed(std::env::args_os().collect());
    let ended = line.and_then(config::completed).and_then(|line| {
        let args = Args::try_parse_from(&line).unwrap_or_else(|error| refuse(error));
        again::remember(&line);
        limits::catch_large_files()?;
        run(&args)
    });
    ExitCode::from(ended.unwrap_or_else(|error| {
        out::talk(&format!("error: {error:#}\n"));
        exit::code(&error)
    }))
}

fn run(args: &Args) -> anyhow::Result<u8> {
    if let (Verb::Run(_) | Verb::Gate(_) | Verb::Verify(_) | Verb::Serve(_) | Verb::Load(_), Some(note)) =
        (&args.verb, limits::tight_memory())
    {
        out::talk(&note);
    }
    match &args.verb {
        Verb::Run(verb) => cmd::run::run(verb, verb.place.root.as_deref()),
        Verb::List(verb) => cmd::list::run(verb, verb.place.root.as_deref()),
        Verb::Build(verb) => cmd::build::run(verb, verb.place.root.as_deref()),
        Verb::Verify(verb) => cmd::verify::run(verb, verb.place.root.as_deref()),
        Verb::Serve(verb) => cmd::serve::run(verb, verb.place.root.as_deref()),
        Verb::Show(verb) => cmd::show::run(verb, verb.place.root.as_deref()),
        _ if args.root.is_some() => {
            Err(exit::usage("--root does nothing here\n  it is for run, list, build, verify, serve and show"))
        }
        Verb::Doctor(verb) => cmd::doctor::run(verb),
        Verb::Report(verb) => cmd::report::run(verb),
        Verb::Archive(verb) => cmd::archive::run(verb),
        Verb::Compare(verb) => cmd::compare::run(verb),
        Verb::Gate(verb) => cmd::gate::run(verb),
        Verb::Site(verb) => cmd::site::run(verb),
        Verb::New(verb) => cmd::new::run(verb),
        Verb::Contenders(verb) => cmd::contenders::run(verb),
        Verb::Load(verb) => cmd::load::run(verb),
        Verb::Link(verb) => cmd::link::run(verb),
        Verb::ServeFiles(verb) => cmd::serve_files::run(verb),
        Verb::Completions(verb) => cmd::completions::run(verb),
        Verb::Man(verb) => cmd::man::run(verb),
        Verb::Version => {
            out::print(concat!("velo ", env!("CARGO_PKG_VERSION"), "\n"))?;
            Ok(exit::DONE)
        }
    }
}

/// What is wrong, then what to type, in place of tips that only know the flags of this program.
fn with_hint(error: &str, hint: &str) -> String {
    let mut parts = error.split("\n\n");
    let first = parts.next().unwrap_or_default();
    let rest = parts.filter(|part| !part.contains("tip:")).collect::<Vec<_>>().join("\n\n");
    format!("{first}\n  {}\n\n{rest}", columns::wrap(hint, 2, 80))
}

/// Help is told here too, and is success.
fn refuse(mut error: clap::Error) -> ! {
    let args: Vec<String> = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    match load::hints::for_error(&error, &args) {
        Some(hint) => {
            // What looks alike is not what is meant.
            error.remove(ContextKind::SuggestedArg);
            out::talk(&with_hint(&error.render().ansi().to_string(), &hint));
        }
        // Nobody can be told that nobody can be told.
        None => _ = error.print(),
    }
    std::process::exit(error.exit_code());
}
