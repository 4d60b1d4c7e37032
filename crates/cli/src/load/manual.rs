//! What the long help of `velo load` says beside its flags.

pub(crate) const EXAMPLES: &str = "\
Examples:
  velo load http://127.0.0.1:3000/         10 connections, 10 s
  velo load -c 64 -d 30s --latency :3000   closed loop, all percentiles
  velo load -R 5000 -d 1m --fail-on 'p99<20ms,errors=0' :3000/
  velo load --json-body '{\"bet\": {bet}}' --value 'bet=true|false' \\
            --expect-json '{\"win\": \"<bool>\"}' :3000/coin
  velo load --value id=1..1000 --expect-body '{id}' ':3000/user/{id}'
  velo load --request '9*GET /' --request 'POST /user' :3000
  velo load --ramp '100..5000 over 30s' --html ramp.html :3000/
  velo load --compare-to before.json :3000/
  velo load --against :3001/ --fail-on 'goodput>-3%,cpu<3%' :3000/
  velo load -n 1 -v :3000/                 one request and its answer
  velo load --dry-run :3000/               the request, not sent
  velo load --wait-for 30s :3000/          a server that is still starting

Load models:
  Closed loop (no rate): each connection sends its next request when the
  answer has come, or --think later. The server sets the rate. Open loop
  (-R, --ramp, --steps, --spike, --burst, --offsets): requests are due
  at times of their own, and response times count from then, also when
  no connection was free.

What is sent:
  Host, Content-Length where there is a body, and the headers that you
  give; nothing else. Redirects are not followed, cookies are not kept,
  compressed bodies are not unpacked. The first request is already
  counted: nothing is asked of the server before. A name with several
  addresses is tried with one bare connection to each, and those that do
  not accept are left out and named.

Values:
  {name} in path, headers and bodies is the value that --value or
  --csv-values declares. Braces around anything else are themselves, so
  JSON needs no escapes; {{name} is the text {name}. @FILE reads a file,
  and @@ at the start is one @.

What is correct:
  An answer with one of the statuses (2xx unless said otherwise) and
  everything that --expect-* says. Without --expect-* bodies are only
  checked to be whole. All else is a failure and is counted by its
  class; times are of correct answers. No request is sent again.

Conditions of --fail-on:
  FIGURE, one of < <= > >= =, and a bound, with commas between several.
  Figures are p50, p75, p90, p95, p99, p99.9, p99.99, max and mean (us,
  ms or s; of one duration as in service.p99 or connect.max), rate (per
  second), achieved (%), errors, wrong, timeouts, refused and dropped (a
  count or %), and generator (% busy). With --against the figures are
  goodput, cpu, p50 and p99, the bound is the change against the other
  service in %, and errors are those of both: goodput>-3%,cpu<5%.

Against another service:
  Both are loaded in turn with the same requests, in windows of 50 ms or
  more (A, B, B, A), -d each. The result is the ratio of goodput, of CPU
  time per request and of times, with 95 % intervals between these two
  processes as they run now, not between the programs: start both anew
  and repeat it to learn how far launches differ.

Exit codes:
  0    done; also with failures, unless --fail-on forbids them, and with
       an undecided condition, unless --strict is given
  1    a condition of --fail-on does not hold (with --against: certainly
       not), or there was no correct answer in the counted stretch
  2    the command line or a file named there is wrong
  3    the environment is unfit: too few file descriptors, a name that
       is not found, a file that cannot be written
  4    with --strict: a condition of --fail-on is undecided
  130  interrupted (SIGINT, SIGQUIT, SIGTERM, SIGHUP); what was measured is
       printed

Flags follow wrk where tools differ: -t is threads (ab: seconds), -d the
duration (curl, hey, oha: the body). docs/other-tools.md lists
the flags of wrk, ab, oha, hey, h2load, ghz, k6 and others beside these. More
is in docs/load.md.";
