//! What stands below the flags in `--help`: examples, and what they do not say.

pub(crate) const EXAMPLES: &str = "\
Examples:
  velo doctor                is this machine fit, and which toolchains are here?
  velo run coin              measure the published stacks, about 3 minutes
  velo run coin --only 'go/*' --quick         smoke run, no ranking
  velo run void coin --all --budget 25m       everything, both workloads
  velo verify coin --contender ../my-server   is it correct?
  velo verify echo --all --strictness         what does each with odd input?
  velo report results/2026-11-21T10-31-02-myhost --format markdown
  velo gate                  is my branch slower than where it began?
  velo site results          many runs as pages for any web host
  velo load -c 64 -d 30s http://127.0.0.1:3000/   a server of your own
  velo help load             the manual of a command

Exit codes:
  0    done; also when a contender was skipped because a toolchain or a fetch
       is missing
  1    a check failed: a contender was excluded, a row is invalid, a condition
       of velo load or velo compare does not hold, the head of a gate is worse
  2    the command line, a config file or a definition is wrong
  3    the environment is unfit: too few CPUs, a folder that cannot be written,
       a host that --strict refuses
  4    with --strict: a condition of velo load or velo compare, or a gate, is
       undecided
  130  interrupted (SIGINT, SIGQUIT, SIGTERM, SIGHUP); what was measured is kept

Results go to standard output, everything else to standard error. Standard
input is never read. NO_COLOR is respected.";

pub(crate) const RUN_EXAMPLES: &str = "\
Examples:
  velo run coin                               the published stacks, 3 minutes
  velo run void coin --all --budget 25m       everything, both workloads
  velo run coin --only 'go/*' --quick         smoke run, no ranking
  velo run coin --skip 'java/*' --seed 7341   another run's order of windows
  velo run coin --contender ../my-server      your own beside the published
  velo run coin --url mine=http://127.0.0.1:3000 --pin   one that runs already
  velo run --like results/2026-11-21T10-31-02-myhost   the same again
  velo run coin --as-published --only go/gin  the source's own load
  velo run coin --precision 2% --budget 15m   less when ratios are known to 2 %
  velo run coin --latency --curve             also response times, and the knee
  velo run coin --protocol h2                 over TLS and HTTP/2
  velo run coin --link rtt=20ms,rate=100mbit  over a link with distance
  velo run coin --target-rps 20k --price 0.04EUR   cores, and the money

What is measured:
  Without a filter: each workload's default set and the reference server, which
  shows the generator's ceiling and is never ranked. With --all: all contenders
  that answer one of the workloads. With --only: those that a glob matches,
  among all of them, and the reference, so that runs compare. --skip then takes
  away.

A velo.toml in this folder or above it may hold flags under [run]; those that
are typed win. docs/load.md has its keys.

Ctrl-C once: the run stops, keeps what it has and reports it as partial. Twice:
it ends at once.";

pub(crate) const COMPARE_EXAMPLES: &str = "\
Examples:
  velo compare results/before results/after     each contender: what changed?
  velo compare results/after --between go/gin js/fastify   within one run
  velo compare RUN --between go/net-http go/grpc --users 10000 --calls 1000
  velo compare results/before --save baseline.json   a small file for later
  velo compare baseline.json results/after --fail-on regression:3%
  velo compare baseline.json results/after --format markdown

Conditions of --fail-on, separated by commas:
  regression:3%   the figures that contenders are ranked by: goodput, CPU time
                  per request at the common rate, the steady time of tasks
  goodput:3%      correct responses per second
  cpu:3%          CPU time per request, in the blocks and at the common rate
  steady:3%       the steady time of tasks
  startup:10%     from exec to the first correct answer
  calls:3%        whole single calls, under each of their conditions
  A contender breaks one when it is worse by more than that and told apart from
  no change, of all that is asked, at 5 % (Holm); or when it had a figure before
  and has failed after. What is too wide to tell is undecided.

Exit codes:
  0  no condition is broken; one that is undecided is a warning
  1  a condition is broken
  2  the command line is wrong, or the runs do not compare
  4  with --strict: a condition is undecided";

pub(crate) const LINK_EXAMPLES: &str = "\
Examples:
  velo link rtt=20ms -- ./server --port 3000
  velo link rtt=100ms,rate=10mbit,loss=0.5% -- node server.js
  velo load http://198.18.7.2:3000/           at the address that it prints

A link:
  rtt=TIME    the round-trip time of an empty link, half each way; 0 to 10s
  rate=RATE   bits a second each way, as in 100mbit, over whole IP packets; its
              queue holds one round-trip time, 64 packets at least
  loss=SHARE  packets lost at random each way, as in 0.1%

The server is in a network namespace of its own, where it may listen on
127.0.0.1 or on every address. As root it is reached from this machine at an
address of 198.18.0.0/16; without, and with --apart, at 127.0.0.1 from within
the link's other namespace, into which the line `within` leads. Nothing of the
link is left when velo has ended, however it ended.

Exit codes:
  0    the command ended by itself, with success
  1    the command ended with a failure
  3    there can be no link here
  130  interrupted (SIGINT, SIGQUIT, SIGTERM, SIGHUP)";
