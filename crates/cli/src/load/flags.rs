//! The flags of `velo load`; their help is the manual.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ValueEnum, ValueHint};
use velo_load::{Shape, Think};
use velo_model::SlotKind;
use velo_request::{header, value};

use super::address::{self, Address};
use super::manual::EXAMPLES;
use super::shape;
use super::units;
use super::url::{self, Url};
use crate::flags::ConfigArgs;
use crate::values::{self, Cpus};

/// Load a server of your own: checked answers, closed or open loop
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct LoadArgs {
    /// What to load: `[http://]HOST[:PORT][/PATH]` or `https://...`; `:PORT/PATH` on this machine, `[::1]` for an IPv6 address
    #[arg(value_name = "URL", value_parser = url::parse)]
    pub(crate) url: Url,
    #[command(flatten)]
    pub(crate) against: AgainstFlags,
    #[command(flatten)]
    pub(crate) model: ModelFlags,
    #[command(flatten)]
    pub(crate) requests: RequestFlags,
    #[command(flatten)]
    pub(crate) grpc: GrpcFlags,
    #[command(flatten)]
    pub(crate) expect: ExpectFlags,
    #[command(flatten)]
    pub(crate) connections: ConnectionFlags,
    #[command(flatten)]
    pub(crate) https: HttpsFlags,
    #[command(flatten)]
    pub(crate) engine: EngineFlags,
    #[command(flatten)]
    pub(crate) result: ResultFlags,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}

/// A second service, and whose CPU time is read.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Against another service")]
pub(crate) struct AgainstFlags {
    /// Load this service in turn with the one at URL and compare the two, as they run now; a URL without a path has
    /// that of the first
    #[arg(id = "against", long = "against", value_name = "URL", value_parser = url::parse,
          conflicts_with_all = ["count", "ramp", "steps", "spike", "burst", "offsets", "unix", "address", "latency",
                                "csv", "hdr_log", "compare_to"])]
    pub(crate) url: Option<Url>,
    /// The process of the service at URL, whose CPU time is read with that of all that it started [default: the one
    /// that listens there, on this machine]
    #[arg(long, value_name = "PID", requires = "against", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) pid: Option<u32>,
    /// The same of the service of --against
    #[arg(long, value_name = "PID", requires = "against", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) against_pid: Option<u32>,
}

/// How much, and when.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Load")]
pub(crate) struct ModelFlags {
    /// Connections over all threads [default: 10, as wrk; 100 in an open loop, which opens as many of them as it needs]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) connections: Option<u32>,
    /// Threads, each on a CPU of its own [default: 1, which outruns most servers and leaves the other CPUs to one
    /// on the same machine; the result says when the generator was the limit]
    #[arg(short, long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<u32>,
    /// How long; a plain number is seconds [default: 10s, or what --requests or the load's shape takes]
    #[arg(short, short_alias = 'z', long, value_name = "TIME", value_parser = units::load_time)]
    pub(crate) duration: Option<Duration>,
    /// Stop after so many requests, over all connections and behind the warm-up, as in 1000 or 10k
    #[arg(short = 'n', long = "requests", value_name = "N", value_parser = units::count)]
    pub(crate) count: Option<u64>,
    /// Requests per second over all connections, as in 5000, 5k or 300/m: an open loop
    #[arg(short = 'R', visible_short_alias = 'q', long, value_name = "RATE", group = "shape", value_parser = shape::constant)]
    pub(crate) rate: Option<Shape>,
    /// A rate that goes from one to another, as in '100..5000 over 30s'
    #[arg(long, value_name = "FROM..TO over TIME", group = "shape", value_parser = shape::ramp)]
    pub(crate) ramp: Option<Shape>,
    /// One rate after the other, as in '100:10s,200:10s'
    #[arg(long, value_name = "RATE:TIME,...", group = "shape", value_parser = shape::steps)]
    pub(crate) steps: Option<Shape>,
    /// A rate with a higher one in the middle, as in '100,2000 at 10s for 2s'
    #[arg(long, value_name = "BASE,PEAK at TIME for TIME", group = "shape", value_parser = shape::spike)]
    pub(crate) spike: Option<Shape>,
    /// Many at once, again and again, as in '50 every 1s'
    #[arg(long, value_name = "N every TIME", group = "shape", value_parser = shape::burst)]
    pub(crate) burst: Option<Shape>,
    /// At the times in a file: one a line, from the start, in seconds or with a unit, ascending
    #[arg(long, value_name = "FILE", group = "shape", value_hint = ValueHint::FilePath)]
    pub(crate) offsets: Option<PathBuf>,
    /// How requests of a rate are spaced: `poisson`, as many independent users make, or `constant` [default: poisson]
    #[arg(long, value_name = "SPACING", value_enum, hide_possible_values = true)]
    pub(crate) arrivals: Option<Spacing>,
    /// A request that is due while no connection is free waits (`queue`) or is dropped and counted (`drop`)
    /// [default: queue]
    #[arg(long, value_name = "POLICY", value_enum, hide_possible_values = true)]
    pub(crate) when_full: Option<Full>,
    /// Closed loop: the pause between an answer and the next request, as in 20ms, or exp:20ms for exponentially
    /// distributed ones of this mean
    #[arg(long, value_name = "TIME", conflicts_with = "shape", value_parser = shape::think)]
    pub(crate) think: Option<Think>,
    /// Load before the counted stretch
    #[arg(long, value_name = "TIME", value_parser = units::time)]
    pub(crate) warm_up: Option<Duration>,
    /// The seed of everything random [default: a new one, in the result]
    #[arg(long, value_name = "N", value_parser = values::seed)]
    pub(crate) seed: Option<u64>,
    /// Response times from when a request was due, as oha has it: so it is in every open loop
    #[arg(long, hide = true, requires = "shape")]
    pub(crate) latency_correction: bool,
}

/// What to send.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Requests")]
pub(crate) struct RequestFlags {
    /// The method [default: GET, or POST with a body]
    #[arg(short, short_alias = 'X', long, value_name = "METHOD", conflicts_with_all = ["requests_by_flag", "requests_file"])]
    pub(crate) method: Option<String>,
    /// A header, `Name: value` or `Name: @FILE`; may be given more than once
    #[arg(short = 'H', long, value_name = "HEADER")]
    pub(crate) header: Vec<String>,
    /// The media type of bodies, as in application/json (a timeout is --timeout)
    #[arg(short = 'T', long, value_name = "TYPE", value_parser = media_type_of_a_body)]
    pub(crate) content_type: Option<String>,
    /// The body
    #[arg(long, value_name = "TEXT|@FILE", group = "own-body", conflicts_with_all = ["requests_by_flag", "requests_file"])]
    pub(crate) body: Option<String>,
    /// The body from a file, as hey and oha have it; `--body @FILE` is the same
    #[arg(short = 'D', long, value_name = "FILE", hide = true, group = "own-body", conflicts_with_all = ["requests_by_flag", "requests_file"], value_parser = data_file)]
    pub(crate) data_file: Option<String>,
    /// The body, which must be JSON, with `Content-Type: application/json`
    #[arg(long, value_name = "TEXT|@FILE", group = "own-body", conflicts_with_all = ["requests_by_flag", "requests_file", "content_type"])]
    pub(crate) json_body: Option<String>,
    /// One of several requests, as in 'GET /', '9*GET /user/{id}' (weight 9) or 'POST /user {"a": 1}'; the URL then
    /// has no path
    #[arg(id = "requests_by_flag", long = "request", value_name = "[WEIGHT*]METHOD PATH [BODY|@FILE]")]
    pub(crate) request: Vec<String>,
    /// Several requests from a TOML file: `[[request]]` with name, weight, method, path, headers, body and expect;
    /// docs/workloads.md has its keys
    #[arg(id = "requests_file", long = "requests-file", value_name = "FILE", conflicts_with = "requests_by_flag", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// Several requests one after the other on each connection, instead of at random by weight
    #[arg(long)]
    pub(crate) in_order: bool,
    /// Show each request as it would be sent, and send none
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// A value for {NAME}: a random whole number (id=1..1000), a counter (n=counter, n=counter:100) or one of several
    /// texts (bet=true|false); may be given more than once
    #[arg(long, value_name = "NAME=VALUES", value_parser = value::declaration)]
    pub(crate) value: Vec<(String, SlotKind)>,
    /// Values from a CSV file, whose first line has their names; one row for each request, from the first
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) csv_values: Option<PathBuf>,
    /// Rows of --csv-values at random
    #[arg(long, requires = "csv_values")]
    pub(crate) csv_random: bool,
}

/// Calls of gRPC.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "gRPC")]
pub(crate) struct GrpcFlags {
    /// Call this method of gRPC, as in package.Service/Method, over HTTP/2; the URL then has no path
    #[arg(id = "grpc", long = "grpc", value_name = "METHOD", conflicts_with_all = ["http1", "http2", "pipelining", "method", "content_type", "own-body", "requests_by_flag", "requests_file"])]
    pub(crate) method: Option<String>,
    /// The .proto file that defines the method, compiled here; may be given more than once
    #[arg(long, value_name = "FILE", group = "schema", requires = "grpc", value_hint = ValueHint::FilePath)]
    pub(crate) proto: Vec<PathBuf>,
    /// Where --proto and what it imports are looked for; may be given more than once [default: the folder of --proto]
    #[arg(long, value_name = "DIR", requires = "proto", value_hint = ValueHint::DirPath)]
    pub(crate) import_path: Vec<PathBuf>,
    /// A FileDescriptorSet that defines the method, as protoc --include_imports --descriptor_set_out writes it
    #[arg(long, value_name = "FILE", group = "schema", conflicts_with = "proto", requires = "grpc", value_hint = ValueHint::FilePath)]
    pub(crate) protoset: Option<PathBuf>,
    /// Ask the server for the method's definition: reflection v1 or v1alpha
    #[arg(long, group = "schema", conflicts_with_all = ["proto", "protoset"], requires = "grpc")]
    pub(crate) reflect: bool,
    /// The message of a call as JSON; {NAME} in it is a value that --value or --csv-values declares [default: {}]
    #[arg(long, value_name = "JSON|@FILE")]
    pub(crate) data: Option<String>,
    /// Metadata of every call, `key: value`; may be given more than once
    #[arg(long, value_name = "KEY: VALUE", requires = "grpc")]
    pub(crate) metadata: Vec<String>,
    /// How long a call may take: sent as grpc-timeout, and a call that takes longer is given up here as well
    #[arg(long, value_name = "TIME", requires = "grpc", value_parser = units::time)]
    pub(crate) deadline: Option<Duration>,
    /// Pack messages with gzip, and accept packed ones
    #[arg(long)]
    pub(crate) gzip: bool,
    /// Messages that a call of a method whose client streams sends, all at once [default: 1]
    #[arg(long, value_name = "N", requires = "grpc", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) messages: Option<u32>,
    /// The grpc-status that is correct, by number or name, as in 0, NOT_FOUND or 0,5 [default: OK]
    #[arg(long, value_name = "STATUS,...", requires = "grpc")]
    pub(crate) expect_grpc_status: Option<String>,
    /// How many messages an answer that is a stream has [default: any number]
    #[arg(long, value_name = "N", requires = "grpc")]
    pub(crate) expect_messages: Option<u64>,
}

/// What is a correct answer.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Expectations")]
pub(crate) struct ExpectFlags {
    /// Statuses, as in 200,3xx or 200-204 [default: 2xx]
    #[arg(id = "expect_status", long = "expect-status", value_name = "STATUS,...")]
    pub(crate) status: Option<String>,
    /// A header, `Name: value`, or `Name` for any value; may be given more than once
    #[arg(id = "expect_header", long = "expect-header", value_name = "HEADER")]
    pub(crate) header: Vec<String>,
    /// The media type, without parameters, as in application/json
    #[arg(id = "expect_type", long = "expect-content-type", alias = "expect-type", value_name = "TYPE")]
    pub(crate) content_type: Option<String>,
    /// The body byte for byte, with the request's own values
    #[arg(id = "expect_body", long = "expect-body", value_name = "TEXT|@FILE", group = "expected-body")]
    pub(crate) body: Option<String>,
    /// No body
    #[arg(id = "expect_empty", long = "expect-empty", group = "expected-body")]
    pub(crate) empty: bool,
    /// The body of the first correct answer to the same request
    #[arg(id = "expect_same", long = "expect-same", group = "expected-body")]
    pub(crate) same: bool,
    /// A body of so many bytes
    #[arg(id = "expect_length", long = "expect-length", value_name = "N|A..B", group = "expected-body")]
    pub(crate) length: Option<String>,
    /// A body that a regular expression matches somewhere; anchor it with ^ and $
    #[arg(id = "expect_regex", long = "expect-regex", value_name = "REGEX", group = "expected-body")]
    pub(crate) regex: Option<String>,
    /// A body with this SHA-256
    #[arg(id = "expect_sha256", long = "expect-sha256", value_name = "HEX", group = "expected-body")]
    pub(crate) sha256: Option<String>,
    /// A body equal to this as JSON, with the request's own values: white space and the order of members do not count. The
    /// texts `"<bool>"`, `"<int>"`, `"<number>"`, `"<string>"` and `"<any>"` stand for any of these
    #[arg(id = "expect_json", long = "expect-json", value_name = "TEXT|@FILE", group = "expected-body")]
    pub(crate) json: Option<String>,
}

/// How connections are made and used.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Connections")]
pub(crate) struct ConnectionFlags {
    /// A request without a whole answer after this long is a timeout
    #[arg(long, value_name = "TIME", value_parser = units::time, default_value = "5s")]
    pub(crate) timeout: Duration,
    /// Before the load, wait this long at most until the server accepts a connection [default: not at all; a load whose
    /// connections all fail ends after a second]
    #[arg(long, value_name = "TIME", value_parser = units::time)]
    pub(crate) wait_for: Option<Duration>,
    /// HTTP/2: with https:// by ALPN, with http:// from the first byte on (prior knowledge)
    #[arg(long, conflicts_with_all = ["http1", "pipelining"])]
    pub(crate) http2: bool,
    /// HTTP/1.1: the default, also with https://
    #[arg(long, visible_alias = "h1")]
    pub(crate) http1: bool,
    /// Requests in flight on one connection of HTTP/2, but never more than the server takes [default: 1]
    #[arg(long, value_name = "N", conflicts_with = "pipelining", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) streams: Option<u32>,
    /// Requests in flight on one connection of HTTP/1.1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) pipelining: u32,
    /// Close a connection after so many requests [default: keep it open]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) requests_per_connection: Option<u32>,
    /// A connection for each request, with `Connection: close` in HTTP/1.1: as ab without -k
    #[arg(long, alias = "disable-keepalive", conflicts_with = "requests_per_connection")]
    pub(crate) no_keepalive: bool,
    /// Connect to a Unix socket, @NAME for an abstract one; the URL still gives Host and path
    #[arg(long, value_name = "PATH", group = "where", value_hint = ValueHint::FilePath)]
    pub(crate) unix: Option<PathBuf>,
    /// Connect to this address instead of the URL's host, which still is in Host and SNI: IP or IP:PORT; may be given
    /// more than once
    #[arg(long, value_name = "IP[:PORT]", conflicts_with = "where", value_parser = address::address)]
    pub(crate) address: Vec<Address>,
    /// Of a name's addresses only the first that accepts, instead of all in turn
    #[arg(long, conflicts_with_all = ["unix", "address"])]
    pub(crate) pin_address: bool,
    /// Only IPv4 addresses of a name
    #[arg(short = '4', long, conflicts_with_all = ["ipv6", "unix", "address"])]
    pub(crate) ipv4: bool,
    /// Only IPv6 addresses of a name
    #[arg(short = '6', long, conflicts_with_all = ["unix", "address"])]
    pub(crate) ipv6: bool,
    /// Connect from this own address, for more connections than one has ports; may be given more than once
    #[arg(long, value_name = "IP", conflicts_with = "unix")]
    pub(crate) source: Vec<IpAddr>,
}

/// How connections are encrypted.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "HTTPS")]
pub(crate) struct HttpsFlags {
    /// Accept any certificate (curl's -k; ab's -k, keep-alive, is the default here)
    #[arg(short = 'k', long)]
    pub(crate) insecure: bool,
    /// Trust the certificates in this PEM file instead of the system's
    #[arg(long, value_name = "FILE", conflicts_with = "insecure", value_hint = ValueHint::FilePath)]
    pub(crate) cacert: Option<PathBuf>,
    /// The name to ask for and to check [default: the URL's host]
    #[arg(long, value_name = "NAME")]
    pub(crate) sni: Option<String>,
    /// Only this version of TLS: 1.2 or 1.3 [default: both]
    #[arg(long, value_name = "VERSION", value_enum)]
    pub(crate) tls: Option<TlsVersion>,
    /// A full handshake for each connection, no session is resumed
    #[arg(long)]
    pub(crate) no_resumption: bool,
    /// The client's certificate chain, a PEM file
    #[arg(long, value_name = "FILE", requires = "key", value_hint = ValueHint::FilePath)]
    pub(crate) cert: Option<PathBuf>,
    /// The key of --cert, a PEM file
    #[arg(long, value_name = "FILE", requires = "cert", value_hint = ValueHint::FilePath)]
    pub(crate) key: Option<PathBuf>,
}

/// How the generator works.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Generator")]
pub(crate) struct EngineFlags {
    /// What moves the bytes
    #[arg(long, value_name = "DRIVER", value_enum, default_value_t = Driver::Auto)]
    pub(crate) driver: Driver,
    /// The threads' CPUs, as in 0-3,8 [default: the last of those that this process may use]
    #[arg(long, value_name = "LIST", value_parser = values::cpus)]
    pub(crate) cpus: Option<Cpus>,
    /// Wait for answers without sleeping: more precise, and each thread uses all of its CPU
    #[arg(long)]
    pub(crate) busy_poll: bool,
    /// The longest body that is taken; a longer one is a wrong answer
    #[arg(long, value_name = "BYTES", value_parser = units::size, default_value = "1M")]
    pub(crate) limit_body: usize,
    /// The longest status line and headers that are taken
    #[arg(long, value_name = "BYTES", value_parser = units::size, default_value = "64k")]
    pub(crate) limit_head: usize,
}

/// What comes of it.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Result")]
pub(crate) struct ResultFlags {
    /// All percentiles, not the usual five
    #[arg(short = 'L', long)]
    pub(crate) latency: bool,
    /// Exit with 1 where one of these does not hold, as in 'p99<20ms,errors=0'
    #[arg(long, value_name = "CONDITIONS")]
    pub(crate) fail_on: Option<String>,
    /// Exit with 4 where a condition of --fail-on is undecided, as with too few samples
    #[arg(long, requires = "fail_on")]
    pub(crate) strict: bool,
    /// Write the whole result as JSON; `-` for standard output, where the table then is not (a body is --json-body)
    #[arg(long, value_name = "FILE", value_parser = json_file, value_hint = ValueHint::FilePath)]
    pub(crate) json: Option<PathBuf>,
    /// Write figures and percentiles as CSV; `-` as for --json
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) csv: Option<PathBuf>,
    /// Write a report as one HTML file: percentiles, rates, failures and times over time, conditions; `-` as for --json
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) html: Option<PathBuf>,
    /// Write the histograms as an HdrHistogram log; `-` as for --json
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) hdr_log: Option<PathBuf>,
    /// Compare with an earlier result, a file of --json
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) compare_to: Option<PathBuf>,
    /// Nothing but the result, warnings and errors: no plan, nothing of --live, no hints
    #[arg(long)]
    pub(crate) quiet: bool,
    /// What is shown while the load is under way
    #[arg(long, value_enum, value_name = "WHAT", default_value = "auto", conflicts_with = "quiet")]
    pub(crate) live: LiveShown,
    /// Nothing while the load is under way, as oha has it
    #[arg(long, hide = true, conflicts_with = "live")]
    pub(crate) no_tui: bool,
    /// Details that are seldom wanted: hints of every load, checks that found nothing, and with -n 1 the request and its
    /// answer
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

impl RequestFlags {
    /// The one body, as text or `@FILE`.
    pub(crate) fn body(&self) -> Option<String> {
        self.body.clone().or_else(|| self.data_file.as_ref().map(|path| format!("@{path}")))
    }
}

impl ConnectionFlags {
    /// Requests in flight on one connection, whatever the protocol calls that.
    pub(crate) fn in_flight_on_each(&self) -> u32 {
        self.streams.unwrap_or(self.pipelining)
    }
}

impl LoadArgs {
    /// Whether the one request and its answer are shown.
    pub(crate) fn shows_exchange(&self) -> bool {
        self.model.count == Some(1) && self.result.verbose && !self.result.quiet
    }

    /// What is shown under way.
    pub(crate) fn shown_live(&self) -> LiveShown {
        if self.result.quiet || self.result.no_tui { LiveShown::Off } else { self.result.live }
    }

    /// Whether HTTP/2 is spoken, below gRPC too.
    pub(crate) fn speaks_http2(&self) -> bool {
        self.connections.http2 || self.grpc.method.is_some()
    }

    /// A request without a whole answer after this long is a timeout.
    pub(crate) fn timeout(&self) -> Duration {
        let own = self.connections.timeout;
        self.grpc.deadline.map_or(own, |deadline| deadline.min(own))
    }

    /// A connection is closed after so many requests. `-H 'Connection: close'` says the same as `--no-keepalive`: no other request may
    /// follow on the connection (RFC 9112, 9.6).
    pub(crate) fn requests_per_connection(&self) -> Option<u32> {
        let closes = |header: &String| {
            header.split_once(':').is_some_and(|(name, value)| {
                name.trim().eq_ignore_ascii_case("connection")
                    && value.split(',').any(|option| option.trim().eq_ignore_ascii_case("close"))
            })
        };
        if self.connections.no_keepalive || self.requests.header.iter().any(closes) {
            Some(1)
        } else {
            self.connections.requests_per_connection
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Spacing {
    /// As many independent users make: random distances.
    Poisson,
    /// Equal distances.
    Constant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Full {
    /// It waits, and its response time counts the wait.
    Queue,
    /// It is dropped and counted.
    Drop,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TlsVersion {
    /// TLS 1.2.
    #[value(name = "1.2")]
    V12,
    /// TLS 1.3.
    #[value(name = "1.3")]
    V13,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Driver {
    /// io_uring where the kernel gives it and it is cheaper, else epoll.
    Auto,
    /// epoll.
    Epoll,
    /// io_uring, or an error.
    #[value(name = "io_uring")]
    IoUring,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LiveShown {
    /// A view on a terminal, elsewhere a line every 5 s.
    Auto,
    /// A line every second.
    Plain,
    /// Nothing.
    Off,
}

/// A file; curl has a body behind the same flag.
fn json_file(text: &str) -> Result<PathBuf, String> {
    if text.starts_with(['{', '[', '@', '"']) {
        return Err("--json names the file that the result goes to; a body is --json-body".to_owned());
    }
    Ok(PathBuf::from(text))
}

/// A file that is there; h2load has its seconds behind the same letter, whatever files there are.
fn data_file(text: &str) -> Result<String, String> {
    match text {
        _ if units::time(text).is_ok() => Err(format!(
            "-D is a body's file here, as in hey and oha\n  a duration (h2load: -D) is -d {text}; a file of this name is ./{text}"
        )),
        _ if Path::new(text).is_file() => Ok(text.to_owned()),
        _ => Err("there is no such file".to_owned()),
    }
}

/// What stands in `Content-Type`, parameters too. Some know the letter as that of a timeout.
fn media_type_of_a_body(text: &str) -> Result<String, String> {
    if units::time(text).is_ok() {
        return Err(format!(
            "-T is the content type here, as in ab, hey and oha\n  a timeout is --timeout {text}"
        ));
    }
    if text.contains('/') && header::is_value(text.as_bytes()) {
        return Ok(text.to_owned());
    }
    Err("expected a media type, as in application/json".to_owned())
}

/// Threads; ab has its seconds behind the same letter.
fn threads(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(threads @ 1..=1024) => Ok(threads),
        Ok(_) => Err("expected 1 to 1,024".to_owned()),
        Err(_) if units::time(text).is_ok() => {
            Err(format!("-t is threads here, as in wrk\n  a duration (ab: -t) is -d {text}"))
        }
        Err(_) => Err("expected a number of threads".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bodys_file_is_told_from_a_duration() {
        assert!(data_file("10").expect_err("a duration").contains("-d 10"));
        assert!(!data_file("no-such.json").expect_err("no file").contains("h2load"));
        let here = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        assert_eq!(data_file(here), Ok(here.to_owned()));
    }

    #[test]
    fn media_types_are_told_from_times() {
        assert!(media_type_of_a_body("text/plain; charset=utf-8").is_ok());
        assert!(media_type_of_a_body("5s").expect_err("a time").contains("--timeout 5s"));
        assert!(media_type_of_a_body("json").is_err());
    }
}
