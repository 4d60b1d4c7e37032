//! End to end: the real binary, real processes, a scripted server as ground truth. One binary: its tests share the machine by
//! asking the harness for a place beside others, or for all of it.

/// `velo archive`: a run in one file is judged elsewhere as its folder is.
mod archive;
/// Builds: kept by what they depend on, made once, and what is told where one fails.
mod building;
/// Some requests at once: how long all of them take, and how many connections a contender can hold.
mod bursts;
/// Single calls on servers that speak each protocol: exact counts and lower bounds.
mod calls;
/// Clients are measured, tried with faults, and caught when they cheat.
mod clients;
/// What the command line says and how it exits.
mod command_line;
/// `velo compare`: two runs that were written to disk, and contenders of one.
mod compare;
/// A machine that others use is named before the run's end.
mod disturbed;
/// Every link of the documents leads somewhere.
mod documents;
/// `velo load` counts what a misbehaving server did in the right class.
mod faults;
/// The same over HTTP/2.
mod faults_h2;
/// Contenders that do not read their files for each request are caught.
mod files;
/// A disk that is full costs no table, and leaves no half of a file.
mod full_disk;
/// `velo gate`: two revisions of a repository against each other.
mod gate;
/// `velo load --grpc`: flags, results, exit codes.
mod grpc;
/// Services of gRPC that lie are caught.
mod grpc_liars;
/// The shared parts: the binary, scripted contenders, reading results.
mod harness;
/// A run that is killed or interrupted leaves what it measured, and nothing running.
mod killed;
/// Servers that cheat or break are caught.
mod liars;
/// `velo run --like`: an earlier run is measured again, and what cannot be the same is named.
mod like;
/// Contenders behind a link with distance, and `velo link`.
mod links;
/// `velo load --against`: two running services, loaded in turn.
mod load_against;
/// `velo load`: flags, results, exit codes.
mod load_command;
/// `velo load` where a server, a port or a person behaves oddly.
mod load_edges;
/// What `velo load` shows on a terminal while it loads.
mod load_live;
/// Contenders that print without end, go into the background, do not stop, or listen elsewhere.
mod odd_contenders;
/// What lies outside of the repository is measured too.
mod outside;
/// A run leaves the windows that its plan has.
mod planned;
/// Contenders are measured over HTTP/1.1 and HTTP/2, in clear and over TLS.
mod protocols;
/// The reference server, built and started.
mod reference;
/// Servers that run already are measured as far as they can be, and left running.
mod running;
/// What a run leaves on disk is what the schemas say.
mod schemas;
/// Contenders are left running until Ctrl-C.
mod serving;
/// Many runs become a site of pages that lead to one another.
mod site;
/// Contenders whose processes leave their group, session or environment are measured with all of them or not at all, and ended.
mod strays;
/// `velo verify --strictness`: odd input, one table over all contenders.
mod strictness;
/// Programs without a server are measured, and caught when they cheat or break.
mod tasks;
