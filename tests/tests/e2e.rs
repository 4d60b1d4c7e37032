//! End to end: the real binary, real processes, a scripted server as ground truth. One binary, one test at a time,
//! because they load the same two CPUs.

/// What the command line says and how it exits.
mod command_line;
/// `velo load` counts what a misbehaving server did in the right class.
mod faults;
/// The shared parts: the binary, scripted contenders, reading results.
mod harness;
/// A run that is killed or interrupted leaves what it measured, and nothing running.
mod killed;
/// Servers that cheat or break are caught.
mod liars;
/// `velo load`: flags, results, exit codes.
mod load_command;
/// A run leaves the windows that its plan has.
mod planned;
/// What a run leaves on disk is what the schemas say.
mod schemas;
