// Made by `npm run types` from schemas/page.schema.json.

/**
 * What kind of program a contender is.
 */
export type Class = "reference" | "raw" | "micro" | "framework" | "library" | "running";
/**
 * A contender's name: `<language>/<name>`, both of lower-case letters, digits and single hyphens.
 */
export type ContenderName = string;
/**
 * What a contender does when it is measured.
 */
export type Role = "server" | "task" | "client";
/**
 * What ended a run that came to its end.
 */
export type EndedBy =
  | {
      is: "plan";
    }
  | {
      is: "precision";
      /**
       * After which launch.
       */
      launch: number;
    };
/**
 * What takes part in a measurement and uses CPU time of its own, in the order to name them.
 */
export type PartyRole = "generator" | "contender" | "file-server" | "link";
/**
 * Which CPUs each party has; read back from the kernel.
 */
export type Placement = PartyCpus[];
/**
 * How far a run came.
 */
export type RunState = "running" | "complete" | "interrupted";
/**
 * What is checked.
 */
export type Check =
  | "correctness"
  | "failures"
  | "coin"
  | "limit"
  | "proof"
  | "littles-law"
  | "held-back"
  | "connections"
  | "fairness"
  | "warm-up"
  | "steady"
  | "consistency"
  | "launches"
  | "placement"
  | "conduct"
  | "stop"
  | "host"
  | "build"
  | "overrides"
  | "record"
  | "expectations"
  | "offered"
  | "send-lag"
  | "samples"
  | "model"
  | "ports"
  | "interrupted"
  | "control";
/**
 * What a check found, with its figures: a report has the words. Shares are parts of 1.
 */
export type Finding =
  | {
      /**
       * How many.
       */
      answers: number;
      found: "wrong-answers";
      /**
       * Of all requests.
       */
      share: number;
    }
  | {
      coin: CoinFinding;
      found: "unfair-coin";
    }
  | {
      answers: Outcomes;
      found: "failures";
      /**
       * Of all requests.
       */
      share: number;
    }
  | {
      found: "littles-law";
      /**
       * By how much in the worst window.
       */
      share: number;
    }
  | {
      /**
       * Those that were kept busy, of all.
       */
      busy_share: number;
      cause: IdleCause;
      found: "connections-idle";
    }
  | {
      /**
       * Asked for.
       */
      asked: number;
      found: "connections-missing";
      /**
       * The fewest that were open.
       */
      open: number;
    }
  | {
      /**
       * Once for each so many answers, rounded.
       */
      each_answers: number;
      found: "connections-reopened";
      /**
       * How often.
       */
      times: number;
    }
  | {
      /**
       * Below this part of the median of a launch a connection is starved.
       */
      below_share: number;
      fairness: Fairness;
      found: "connections-starved";
    }
  | {
      found: "bottleneck";
      limit: LimitFinding;
    }
  | {
      found: "idle-cpu-unknown";
    }
  | {
      /**
       * By how much goodput fell.
       */
      cost_share: number | null;
      found: "generator-matters";
      /**
       * CPU time wasted with each request, in nanoseconds.
       */
      slowed_ns: number;
    }
  | {
      found: "generator-unresolved";
      /**
       * CPU time wasted with each request, in nanoseconds.
       */
      slowed_ns: number;
      /**
       * The effect that could not be bounded.
       */
      within_share: number;
    }
  | {
      found: "service-time-samples";
      /**
       * The percentiles that are missing: `p99`.
       */
      percentiles: string[];
    }
  | {
      found: "service-times-unreadable";
      /**
       * Of how many windows.
       */
      windows: number;
    }
  | {
      found: "open-loops-unreadable";
      /**
       * How many.
       */
      histograms: number;
    }
  | {
      found: "rates-dropped";
      /**
       * What the rates were for.
       */
      rates: RatePurpose[];
    }
  | {
      /**
       * At which rate; `None` for that of a load alone.
       */
      at?: StatedRate | null;
      /**
       * Why, where that was looked into.
       */
      cause?: NotSent | null;
      found: "rate-not-offered";
      /**
       * Sent, of those that were due.
       */
      sent_share: number;
    }
  | {
      /**
       * At which rate; `None` for that of a load alone.
       */
      at?: StatedRate | null;
      /**
       * What was still unsent at a window's end.
       */
      behind_share: number;
      found: "rate-offered-late";
    }
  | {
      /**
       * At which rate; `None` for that of a load alone.
       */
      at?: StatedRate | null;
      /**
       * Why, where that was looked into.
       */
      cause?: NotSent | null;
      found: "never-sent";
      /**
       * How many.
       */
      requests: number;
    }
  | {
      answers: Outcomes;
      at: StatedRate;
      found: "failures-at-rate";
      /**
       * Of all requests at that rate.
       */
      share: number;
    }
  | {
      /**
       * At which rate; `None` for that of a load alone.
       */
      at?: StatedRate | null;
      /**
       * Whether the loop was closed: service times leave out what response times include.
       */
      closed_loop?: boolean;
      found: "send-lag";
      /**
       * The 99th percentile of how late.
       */
      p99_ns: number;
    }
  | {
      /**
       * At which rate; `None` for that of a load alone.
       */
      at?: StatedRate | null;
      found: "response-time-samples";
      /**
       * The percentiles that are missing: `p99`.
       */
      percentiles: string[];
    }
  | {
      /**
       * From the first third of a launch to its last; below 0: it fell.
       */
      change_share: number;
      figure: Figure;
      found: "trend";
    }
  | {
      figure: Figure;
      found: "trend-unknown";
      /**
       * The change that could not be bounded.
       */
      within_share: number;
    }
  | {
      figure: Figure;
      found: "inconsistent";
      parts: ConsistencyFinding;
    }
  | {
      found: "others-busy";
      /**
       * Programs that were seen.
       */
      names: string[];
      /**
       * The same in the windows of the rest.
       */
      rest_share: number;
      /**
       * Of the CPUs, in its windows.
       */
      share: number;
    }
  | {
      found: "left-by-build";
      /**
       * Their names.
       */
      programs: string[];
    }
  | {
      /**
       * Where.
       */
      address: string;
      found: "listens-on-all";
    }
  | {
      found: "log-cut";
      /**
       * The log, in the folder of the run.
       */
      log: string;
      /**
       * What was written in those parts of which some is left out.
       */
      written_bytes: number;
    }
  | {
      found: "launch-ended-early";
      /**
       * Which.
       */
      launch: number;
      /**
       * Why, as it was recorded.
       */
      reason: string;
    }
  | {
      /**
       * How far the farthest lies from the median of the others; below 0: less.
       */
      change_share: number;
      figure: Figure;
      found: "launches-apart";
      /**
       * Which launches.
       */
      launches: number[];
      /**
       * Of how many.
       */
      of: number;
    }
  | {
      found: "warm-up-not-steady";
      /**
       * In so many launches.
       */
      launches: number;
      /**
       * Of all.
       */
      of: number;
    }
  | {
      found: "outside-cpus";
      /**
       * In which launches.
       */
      launches: number[];
    }
  | {
      found: "not-stopped-by-sigterm";
      /**
       * In so many launches.
       */
      launches: number;
      /**
       * Of all.
       */
      of: number;
    }
  | {
      found: "process-ended-early";
      /**
       * Which.
       */
      process: number;
      /**
       * Why, as it was recorded.
       */
      reason: string;
    }
  | {
      found: "processes-dropped";
      /**
       * Of all.
       */
      of: number;
      /**
       * How many are dropped.
       */
      processes: number;
    }
  | {
      found: "read-bytes-unknown";
    }
  | {
      /**
       * The last quarter of the iterations over the one before, less 1; below 0: faster.
       */
      change_share: number;
      found: "task-trend";
    }
  | {
      found: "debug-build";
    }
  | {
      found: "override";
      /**
       * Which, as it was recorded.
       */
      setting: string;
    }
  | {
      /**
       * Which.
       */
      contenders: ContenderName[];
      found: "externally-started";
    }
  | {
      found: "others-unknown";
      /**
       * What other programs used.
       */
      others: boolean;
      /**
       * What the hypervisor stole.
       */
      steal: boolean;
    }
  | {
      found: "interrupts-apart";
    }
  | {
      /**
       * Whether they are counted, because they are most of all; else they are dropped.
       */
      are_counted: boolean;
      /**
       * Of all.
       */
      blocks: number;
      by: DisturbedBy;
      /**
       * How many.
       */
      disturbed: number;
      found: "blocks-disturbed";
    }
  | {
      found: "noise-floor-unknown";
      /**
       * Why.
       */
      reason: string;
      /**
       * On which workload.
       */
      workload: string;
    }
  | {
      contender: ContenderName;
      /**
       * By how much.
       */
      difference_share: number;
      found: "control-failed";
      /**
       * Half of the width of its 95 % interval.
       */
      half_width_share: number | null;
      /**
       * On which workload.
       */
      workload: string;
    }
  | {
      /**
       * When.
       */
      after_ns: number;
      /**
       * How long it should have been, where that was asked.
       */
      asked_ns: number | null;
      found: "interrupted";
    }
  | {
      /**
       * When.
       */
      after_ns: number;
      found: "gave-up";
      /**
       * Of so many that were asked.
       */
      of: number | null;
      /**
       * Requests until then.
       */
      tried: number;
    }
  | {
      answers: Outcomes;
      found: "nothing-worked";
      outside: Outcomes;
    }
  | {
      found: "failures-exit-with-zero";
    }
  | {
      answers: Outcomes;
      found: "warm-up-failures";
    }
  | {
      answers: Outcomes;
      found: "drained-failures";
    }
  | {
      found: "bodies-unchecked";
    }
  | {
      found: "closed-loop";
    }
  | {
      /**
       * Whether the loop was closed.
       */
      closed_loop: boolean;
      found: "generator-paused";
      /**
       * The longest time.
       */
      longest_ns: number;
    }
  | {
      found: "busy-polling";
    }
  | {
      /**
       * The CPUs' time that the group may use.
       */
      cpus: number;
      found: "throttled";
      /**
       * How long.
       */
      held_ns: number;
      /**
       * Of so many.
       */
      periods: number;
      /**
       * Periods in which it was held back.
       */
      throttled: number;
    }
  | {
      /**
       * Whether the loop was closed.
       */
      closed_loop: boolean;
      found: "generator-busy";
      /**
       * Of its CPU time.
       */
      share: number;
    }
  | {
      found: "thread-busy";
      /**
       * Of its CPU time.
       */
      share: number;
    }
  | {
      /**
       * How many.
       */
      connections: number;
      found: "connections-closed-idle";
      /**
       * The shortest time without a request after which it did.
       */
      shortest_ns: number;
    }
  | {
      /**
       * As many as it took.
       */
      allowed: number;
      /**
       * Asked for.
       */
      asked: number;
      found: "streams-limited";
    }
  | {
      found: "no-port";
      /**
       * So often.
       */
      times: number;
    }
  | {
      found: "histograms-unreadable";
      /**
       * Of which durations: `first-byte`.
       */
      times: string[];
    };
/**
 * What is compared with one another.
 */
export type ScatterOver = "launches" | "windows";
/**
 * Why connections had no request in flight, by what was counted on them.
 */
export type IdleCause =
  | {
      /**
       * The fewest that got an answer in a launch, where that is not all.
       */
      answered: number | null;
      /**
       * Asked for.
       */
      asked: number;
      cause: "unserved";
      /**
       * The fewest that were open at the end of a window, where that is not all.
       */
      open: number | null;
    }
  | {
      cause: "reopening";
    }
  | {
      cause: "after-failures";
    }
  | {
      cause: "generator-held-back";
    };
/**
 * What pairs with a slowed generator tell.
 */
export type ProofFound = "generator-matters" | "generator-does-not-matter" | "unresolved";
/**
 * Why a rate was chosen.
 */
export type RatePurpose =
  | {
      is: "equal-work";
    }
  | {
      is: "share";
      /**
       * Of a hundred.
       */
      percent: number;
    }
  | {
      is: "curve";
      /**
       * Which.
       */
      point: number;
    }
  | {
      is: "search";
    };
/**
 * Why requests of an open loop were not sent.
 */
export type NotSent =
  | {
      cause: "no-connection";
      /**
       * How many.
       */
      requests: number;
    }
  | {
      cause: "generator-busy";
      /**
       * Of its CPU time.
       */
      share: number;
    }
  | {
      cause: "server-slow";
      /**
       * The least service time.
       */
      min_ns: number;
      /**
       * The median service time.
       */
      p50_ns: number;
    }
  | {
      cause: "none-free";
    }
  | {
      cause: "none-free-before-end";
    };
/**
 * A figure of a contender. What is known of it beside its name is in its row, [`Figure::row`].
 */
export type Figure =
  | "goodput"
  | "cpu-per-request"
  | "cpu-at-one-rate"
  | "response-p50"
  | "response-p99"
  | "memory"
  | "iteration-steady"
  | "iteration-cold"
  | "process"
  | "peak-memory"
  | "startup"
  | "tax"
  | "grpc-tax"
  | "makespan"
  | "call"
  | "call-connect"
  | "call-handshake"
  | "call-first-byte"
  | "call-rest";
/**
 * Parts of a run that should show the same figure.
 */
export type ConsistencyOf = "blocks" | "launch" | "launches";
/**
 * How grave a verdict is.
 */
export type Kind = "hint" | "warning" | "error";
/**
 * The connection of a call.
 */
export type CallConnection = "new" | "resumed" | "kept";
/**
 * What a contender is spoken to in.
 */
export type Protocol = "http1" | "https1" | "h2c" | "h2" | "grpc" | "grpcs";
/**
 * How a request is written to its connection.
 */
export type CallSending = "whole" | "apart" | "apart-nagle";
/**
 * A version of TLS, which is the only one that is offered.
 */
export type CallTls = "1.2" | "1.3";
/**
 * The load that a claim is about.
 */
export type ClaimLoad =
  | {
      burst: {
        /**
         * The first request is answered before the others are sent, as `ab` does it.
         */
        first_alone: boolean;
        /**
         * How many requests.
         */
        requests: number;
      };
    }
  | {
      call: {
        over: CallCondition;
        under: CallCondition;
      };
    };
/**
 * What a claim compares.
 */
export type Subject =
  | {
      /**
       * @minItems 2
       * @maxItems 2
       */
      ratio: [Side, Side];
    }
  | {
      order: Side[];
    }
  | {
      value: Side;
    };
/**
 * Whether a claim holds.
 */
export type Holds = "holds" | "does-not-hold" | "cannot-be-told";
/**
 * Where a figure was measured.
 */
export type Basis =
  | {
      is: "equal-work";
      /**
       * Requests per second.
       */
      rate_per_s: number;
    }
  | {
      /**
       * Connections, each with a request in flight.
       */
      connections: number;
      is: "saturation";
    };
/**
 * What is known of a pair.
 */
export type Standing = "separated" | "equal" | "open";
/**
 * The load that a figure was measured under.
 */
export type LoadCondition =
  | {
      /**
       * How many connections.
       */
      connections: number;
      is: "closed-loop";
    }
  | {
      is: "open-loop";
      /**
       * Requests per second on average.
       */
      rate_per_s: number;
    }
  | {
      /**
       * Over how many connections.
       */
      connections: number;
      /**
       * One was answered before the others were sent.
       */
      first_alone: boolean;
      is: "burst";
      /**
       * How many.
       */
      requests: number;
    }
  | {
      condition: CallCondition;
      is: "call";
    }
  | {
      is: "none";
    };
/**
 * One row of the published table, and what was measured here.
 */
export type ComparedRow = {
  /**
   * True when the contender was not the limit here, so that its score is a lower bound.
   */
  at_least: boolean;
  /**
   * Seconds of the burst with all connections opened at once.
   */
  at_once: Estimate | null;
  /**
   * Milliseconds of a task's first iteration.
   */
  cold: Estimate | null;
  /**
   * The contender that stands for it here.
   */
  contender: ContenderName | null;
  /**
   * The same, measured here; of a burst as `ab` does it, of a task its steady time.
   */
  here: Estimate | null;
  /**
   * Why there is no figure here.
   */
  reason: string | null;
  /**
   * The row's name as published.
   */
  row: string;
  /**
   * The published score: its rate over the published baseline's. Of a burst: seconds; of a task or a call: milliseconds.
   */
  there: number | null;
  /**
   * A task's published time over that of the published baseline, where that is a task.
   */
  times_baseline: number | null;
} & ComparedRow1;
export type ComparedRow1 =
  | {
      requests_per_s: number;
    }
  | {
      makespan: {
        /**
         * How many requests.
         */
        requests: number;
        /**
         * How long all of them took.
         */
        seconds: number;
      };
    }
  | {
      iteration_ms: number;
    }
  | {
      call: {
        condition: CallCondition;
        /**
         * How long it took.
         */
        ms: number;
      };
    };
/**
 * Why the knee is where it is.
 */
export type KneeReason = "slow" | "not-met" | "not-reached";
/**
 * Whether a row is ranked.
 */
export type RowState =
  | {
      /**
       * One more than the number of contenders separated above.
       */
      best: number;
      is: "ranked";
      /**
       * The number of ranked contenders less those separated below.
       */
      worst: number;
    }
  | ((
      | {
          cause: "not-measured";
          /**
           * All that were measured were disturbed, and are dropped.
           */
          dropped: boolean;
          role: Role;
        }
      | {
          cause: "wrong-answers";
          /**
           * The first of them in words.
           */
          example: string | null;
          /**
           * Of so many requests.
           */
          requests: number;
          /**
           * How many.
           */
          wrong: number;
        }
      | {
          cause: "unfair-coin";
          coin: CoinFinding;
        }
      | {
          answers: Outcomes;
          cause: "failures";
          /**
           * Of all requests.
           */
          share: number;
        }
      | {
          cause: "failures";
          /**
           * Why, as it was recorded.
           */
          ended: string;
          /**
           * Which.
           */
          process: number;
        }
      | {
          cause: "inconsistent";
          figure: Figure;
          parts: ConsistencyFinding;
        }
      | {
          cause: "unsteady";
          figure: Figure;
          parts: ConsistencyFinding;
        }
      | {
          /**
           * The `--budget` that has room for it, in seconds.
           */
          budget_s: number;
          cause: "still-warming";
          parts: ConsistencyFinding;
          /**
           * The `--warm-up` that may be enough, in seconds.
           */
          warm_up_s: number;
        }
      | {
          cause: "littles-law";
          /**
           * By how much over all windows.
           */
          share: number;
        }
      | {
          cause: "ran-already";
        }
      | {
          cause: "not-server-bound";
          limit: LimitFinding;
        }
      | {
          cause: "stale-data";
          /**
           * Of its answers after the change, those that were wrong.
           */
          share: number;
        }
      | {
          cause: "not-read";
          role: Role;
          /**
           * Of what must be read.
           */
          share: number;
        }
      | {
          cause: "stated-rate";
          /**
           * Requests per second.
           */
          rate_per_s: number;
        }
      | {
          cause: "outside-cpus";
          left: Left;
        }
      | {
          cause: "impossible-cpu-time";
          /**
           * CPU time per request, in nanoseconds: the least over its loads.
           */
          cpu_ns: number;
          /**
           * Less than this part of the reference's is not possible.
           */
          least_share: number;
          /**
           * The same of the reference; `None` where the contender used none at all.
           */
          reference_ns: number | null;
        }
      | {
          cause: "own-clock";
          /**
           * What it says, of what the lab's does.
           */
          share: number;
          /**
           * Where that was seen; the other loads of its listing have the same program.
           */
          workload: string;
        }
      | {
          cause: "file-server";
          /**
           * Of the client's CPU time.
           */
          share: number;
        }
      | {
          cause: "few-launches";
          /**
           * How many there are.
           */
          launches: number;
          /**
           * How many a rank needs.
           */
          needed: number;
          role: Role;
        }
      | {
          cause: "run";
        }
    ) & {
      is: "not-ranked";
      /**
       * The same in words.
       */
      reason: string;
    })
  | {
      is: "reference";
    }
  | {
      /**
       * What would cure it.
       */
      cure: string | null;
      is: "skipped";
      /**
       * One line.
       */
      reason: string;
    }
  | {
      is: "excluded";
      /**
       * The file in the run's folder that holds the whole story.
       */
      log: string | null;
      /**
       * One line.
       */
      reason: string;
      stage: Stage;
    };
/**
 * A stage of a contender's life.
 */
export type Stage = "build" | "version" | "start" | "verify" | "measure";
/**
 * What is known of a change over a launch.
 */
export type Steady = "steady" | "trend" | "unknown";
/**
 * Which of two values is better.
 */
export type Better = "more" | "less";
/**
 * The unit of a figure's values.
 */
export type Unit = "per-second" | "nanoseconds" | "bytes" | "ratio";
/**
 * What costs.
 */
export type TaxOf = "framework" | "grpc";
/**
 * What an interval around a ratio tells.
 */
export type Told = "more" | "less" | "open";
/**
 * What differed between a contender and the one that it is compared with.
 */
export type Unlike =
  | {
      base: Protocol;
      contender: Protocol;
      is: "protocol";
    }
  | {
      /**
       * To the other.
       */
      base: number;
      /**
       * To the contender, the fewest at the end of a window.
       */
      contender: number;
      is: "connections";
    };
/**
 * What a check found.
 */
export type BadgeState = "good" | "doubtful" | "bad";
/**
 * Which times.
 */
export type DistributionOf =
  | {
      is: "closed-loop";
    }
  | {
      is: "open-loop";
      purpose: RatePurpose;
      /**
       * Requests per second, on average.
       */
      rate_per_s: number;
    };
/**
 * What a window is for: a [`Purpose`] without what it holds.
 */
export type WindowKind = "cold" | "warm-up" | "block" | "proof" | "paced" | "burst";

/**
 * The data of a page.
 */
export interface PageData {
  /**
   * The contenders, measured or not, by name.
   */
  contenders: Contender[];
  /**
   * The version of this format.
   */
  format: number;
  /**
   * The run in a few lines: a label and a text.
   */
  head: [string, string][];
  judgement: Judgement;
  /**
   * What else is to be known of the run.
   */
  notes: Note[];
  /**
   * What its words mean, as the glossary has them.
   */
  terms: Term[];
  /**
   * One for each of the judgement's workloads, in its order.
   */
  workloads: PageWorkload[];
}
/**
 * A contender, and how anybody can make it again.
 */
export interface Contender {
  /**
   * The command that built it.
   */
  build: string | null;
  /**
   * How it was built.
   */
  built: Build | null;
  class: Class;
  /**
   * The command that fetched what it depends on.
   */
  fetch: string | null;
  /**
   * The language.
   */
  language: string;
  /**
   * Its launches, in order.
   */
  launches: Launch[];
  name: ContenderName;
  /**
   * Its README, as HTML without scripts, pictures, or markup of its own.
   */
  notes_html: string | null;
  /**
   * Those of them that did.
   */
  passed_cases: number;
  /**
   * Conformance cases that had to pass.
   */
  required_cases: number;
  role: Role;
  /**
   * Where it ran already.
   */
  runs_at: string | null;
  /**
   * The command that started it.
   */
  start: string;
  /**
   * The toolchains as found.
   */
  toolchains: string[];
  /**
   * The contender of the same folder that this one differs from in some keys.
   */
  variant_of: ContenderName | null;
  /**
   * What its version command printed.
   */
  version: string | null;
}
/**
 * How a contender was built.
 */
export interface Build {
  /**
   * SHA-256 over its folder, lower-case hex.
   */
  content_hash: string;
  /**
   * How long it took.
   */
  duration_ns: number;
}
/**
 * One life of a contender's processes.
 */
export interface Launch {
  /**
   * Why it ended before its plan.
   */
  ended_early: string | null;
  /**
   * From 1.
   */
  launch: number;
  /**
   * Resident set size of the process tree, shared pages once, after the last block.
   */
  memory_steady_bytes: number | null;
  /**
   * Processes after warm-up.
   */
  processes: number | null;
  /**
   * From exec to the first correct answer.
   */
  startup_ns: number | null;
  /**
   * Threads of all of them.
   */
  threads: number | null;
}
/**
 * A judged run: what was measured and what it is worth.
 */
export interface Judgement {
  answers: Outcomes;
  /**
   * The command line of the run, without the program's path.
   */
  command: string[];
  /**
   * Of the intervals, unless said otherwise: 1 - the level of the look that decided.
   */
  confidence: number;
  /**
   * What ended the measuring.
   */
  ended_by: EndedBy | null;
  /**
   * The version of this format.
   */
  format: number;
  /**
   * One figure over all workloads, where there are two or more with scores.
   */
  geometric_mean: GeometricMean | null;
  host: HostSummary;
  identity: Identity;
  /**
   * The link between load and contenders, where there was one, and what it did.
   */
  link?: LinkUse | null;
  /**
   * The worst disagreement of Little's law in any counted window.
   */
  littles_law_worst: number | null;
  /**
   * What the processes of a contender could have in memory together.
   */
  memory_limit_bytes: number | null;
  /**
   * Why nothing is ranked, when nothing is.
   */
  nothing_ranked: string | null;
  /**
   * Settings that depart from the workloads' own, in words: they mark the result.
   */
  overrides: string[];
  /**
   * The plan, once it was fixed.
   */
  plan: Plan | null;
  /**
   * The seed of everything random.
   */
  seed: number;
  /**
   * When the run began, RFC 3339, UTC.
   */
  started_at: string;
  state: RunState;
  timings: Timings;
  /**
   * What else is to be known of the run.
   */
  verdicts: Verdict[];
  /**
   * The workloads, in the order asked.
   */
  workloads: JudgedWorkload[];
}
/**
 * Outcomes by class.
 */
export interface Outcomes {
  /**
   * The connection ended after the request was sent and before any byte of its answer.
   */
  closed_by_server: number;
  /**
   * No connection.
   */
  connect_error: number;
  /**
   * Everything as expected.
   */
  correct: number;
  /**
   * Due, but never sent: dropped by the generator.
   */
  dropped: number;
  /**
   * Another status than expected.
   */
  http_error: number;
  /**
   * The server said before any byte of an answer that it had not looked at the request and would not: in HTTP/2 and gRPC
   * REFUSED_STREAM, or GOAWAY with a smaller number. A connection that is refused is a `connect_error`.
   */
  refused: number;
  /**
   * No whole answer in time.
   */
  timeout: number;
  /**
   * The connection ended inside an answer.
   */
  truncated: number;
  /**
   * The expected status, but another header or body; also bytes that nobody asked for, a malformed or an over-long
   * answer.
   */
  wrong_answer: number;
}
/**
 * Geometric means of the scores over the same workloads for all.
 */
export interface GeometricMean {
  /**
   * The contenders whose own goodput is known in all of them, the highest mean first.
   */
  means: ContenderMean[];
  /**
   * Those workloads: all of the run whose baseline has a goodput of its own.
   */
  workloads: string[];
}
/**
 * One contender's mean.
 */
export interface ContenderMean {
  contender: ContenderName;
  mean: Estimate;
}
/**
 * A figure with Student's t interval over launches, at the judgement's confidence.
 */
export interface Estimate {
  /**
   * The interval's upper end; there when the lower one is.
   */
  high: number | null;
  /**
   * How many launches it rests on.
   */
  launches: number;
  /**
   * The lower one of two launches, which are too few for an interval; none with more or fewer.
   */
  least: number | null;
  /**
   * The interval's lower end; none with fewer than three launches.
   */
  low: number | null;
  /**
   * The higher one of two launches.
   */
  most: number | null;
  /**
   * The geometric mean over launches.
   */
  value: number;
}
/**
 * The host in short.
 */
export interface HostSummary {
  /**
   * Blocks; those of different workloads with the same number are one.
   */
  blocks: number;
  /**
   * Whether they are in the figures all the same, because most blocks are disturbed; else no window of theirs is in any
   * estimate.
   */
  counts_disturbed: boolean;
  /**
   * The CPU's model.
   */
  cpu_model: string | null;
  /**
   * CPUs online.
   */
  cpus: number;
  /**
   * Blocks that the machine spoilt.
   */
  disturbed_blocks: number;
  disturbed_by: DisturbedBy;
  /**
   * The host's name.
   */
  hostname: string;
  /**
   * Whether the kernel keeps the time of interrupts apart from that of tasks, so that no contender's CPU time has it.
   */
  irq_time_apart: boolean | null;
  /**
   * The kernel's release.
   */
  kernel: string;
  /**
   * The share of CPU time used by others, mean over the same.
   */
  others_share: number | null;
  placement: Placement;
  /**
   * The share of CPU time stolen, mean over the windows of all blocks, those at stated rates and disturbed ones too.
   */
  steal_share: number | null;
  /**
   * The hypervisor, where one is seen.
   */
  virtualisation: string | null;
  /**
   * Windows of all blocks.
   */
  windows: number;
}
/**
 * How many blocks were disturbed by which cause; one block can have several.
 */
export interface DisturbedBy {
  /**
   * The names of the busiest of them, the busiest first, a few at most.
   */
  names: string[];
  /**
   * Other programs used CPU time.
   */
  others: number;
  /**
   * A fixed spin took longer than usual.
   */
  slower_cpu: number;
  /**
   * The hypervisor took CPU time.
   */
  steal: number;
  /**
   * From this share of the CPUs' time on that disturbs.
   */
  steal_bound_share: number;
  /**
   * Pages went to swap or came back.
   */
  swap: number;
  /**
   * A CPU was slowed down for heat, or a quota of CPU time was used up.
   */
  throttled: number;
}
/**
 * The CPUs of a party.
 */
export interface PartyCpus {
  /**
   * Its CPUs; the generator has one thread on each.
   */
  cpus: number[];
  role: PartyRole;
}
/**
 * What measured.
 */
export interface Identity {
  /**
   * `release`, or `debug`: figures of a debug build are worth nothing.
   */
  build: string;
  /**
   * The generator's driver: `epoll` or `io_uring`.
   */
  driver: string;
  /**
   * The version of `velo`.
   */
  velo: string;
  /**
   * The workloads' hashes, in the order of [`RunFile::workloads`].
   */
  workload_hashes: string[];
}
/**
 * The link of a run, and what it did over all windows, settling and draining included.
 */
export interface LinkUse {
  /**
   * CPU time of the forwarder as a share of the time in which there was load. It is on the generator's CPUs, and in no
   * contender's figure.
   */
  busy_share: number | null;
  /**
   * How much later than due packets were handed over, on average: what the forwarder's own timing adds to each way.
   */
  late_ns: number | null;
  link: Link;
  /**
   * Of those, lost at random.
   */
  lost: number;
  /**
   * Of those, lost because the queue before the rate was full.
   */
  overflowed: number;
  /**
   * IP packets that came to it, from both sides.
   */
  packets: number;
  /**
   * The share of packets that were later than a millisecond.
   */
  very_late_share: number | null;
}
/**
 * A link with distance between load and contender: how long packets take, how fast they are sent, how many are lost.
 *
 * Its text is that of flags and workload files: `rtt=20ms,rate=100mbit,loss=0.1%`, each part once and none needed but one.
 */
export interface Link {
  /**
   * The share of packets lost at random in each direction, from 0 to [`Link::MOST_LOSS`].
   */
  loss: number;
  /**
   * Bits a second in each direction, counted over whole IP packets; `None`: no limit.
   */
  rate_bits_per_s: number | null;
  /**
   * The round-trip time of an empty link; each direction takes half of it. At most [`Link::LONGEST_RTT_NS`].
   */
  rtt_ns: number;
}
/**
 * The plan, fixed before the first counted window.
 */
export interface Plan {
  /**
   * Blocks in each launch, for each workload.
   */
  blocks: number;
  /**
   * The rates that all contenders of a group are given; empty: none.
   */
  equal_work: EqualWork[];
  /**
   * Every so manyth block of a launch has windows at the common rate, the first among them; at least 1. CPU time per request
   * scatters less than goodput, so that fewer windows are as precise.
   */
  equal_work_every: number;
  /**
   * What it was expected to take from the first start.
   */
  expected_ns: number;
  /**
   * Launches of every contender.
   */
  launches: number;
  /**
   * What the budget has no room for, each in words.
   */
  left_out: string[];
  /**
   * When the pairs are looked at, the last launch among them; empty: once, at the end.
   */
  looks: Look[];
  /**
   * The budget that would have had room for ranks, in seconds, where this one has none.
   */
  needed_budget_s: number | null;
  /**
   * Why nothing will be ranked, when that is so already.
   */
  not_ranked: string | null;
  /**
   * Pairs of windows with and without a slowed generator, for each contender and workload, in the first launch.
   */
  proof_pairs: number;
  time: PlannedTime;
}
/**
 * One rate for contenders that are near enough to one another to be given the same work.
 */
export interface EqualWork {
  /**
   * Who is given it.
   */
  contenders: ContenderName[];
  /**
   * Requests a second on average: half of the slowest one's goodput.
   */
  rate_per_s: number;
  /**
   * The workload.
   */
  workload: string;
}
/**
 * A moment at which pairs of contenders are separated or not.
 */
export interface Look {
  /**
   * After this launch.
   */
  launch: number;
  /**
   * The family-wise level, such as 0.05.
   */
  level: number;
}
/**
 * What a plan's time is for. Settling, draining, and the ways between windows are the rest of it.
 */
export interface PlannedTime {
  /**
   * Windows at the common rate, with their settling and draining.
   */
  common_rate_ns: number;
  /**
   * Counted windows of blocks.
   */
  counted_ns: number;
  /**
   * The proof by slowing the generator.
   */
  proof_ns: number;
  /**
   * Starting and stopping.
   */
  starts_ns: number;
  /**
   * Warm-ups.
   */
  warm_up_ns: number;
}
/**
 * How long the stages took.
 */
export interface Timings {
  /**
   * Fetching and building.
   */
  build_ns: number;
  /**
   * Launches, warm-up and blocks.
   */
  measure_ns: number;
  /**
   * Conformance.
   */
  verify_ns: number;
}
/**
 * What a check says of a number: it stands beside the number, never in a log only.
 */
export interface Verdict {
  /**
   * The bound that it was held against.
   */
  bound: number | null;
  check: Check;
  /**
   * The figure that was checked, where there is one.
   */
  figure: number | null;
  finding: Finding;
  kind: Kind;
}
/**
 * What was found of a coin, over all windows of a row.
 */
export interface CoinFinding {
  /**
   * Whether every test was passed.
   */
  fair: boolean;
  /**
   * The tests of how launches and windows differ.
   */
  scatter: CoinScatter[];
  /**
   * The tests of counts over all windows.
   */
  tests: CoinTest[];
}
/**
 * One test of how a count scatters around one half. A coin that draws from a list is even in all, but not in each launch.
 */
export interface CoinScatter {
  /**
   * The test accuses when either is below this.
   */
  accused_below: number;
  /**
   * What was counted: `draws true`.
   */
  counted: string;
  /**
   * Launches or stretches of windows with at least 1,000 tosses.
   */
  groups: number;
  over: ScatterOver;
  /**
   * A fair coin scatters at least as little with at most this probability.
   */
  p_less: number;
  /**
   * A fair coin scatters at least as much with at most this probability.
   */
  p_more: number;
  /**
   * Whether the test was passed.
   */
  passed: boolean;
  /**
   * The sum over groups of z squared, z = (2 k - n) / sqrt(n) with k of n: as many as there are groups are expected.
   */
  sum_of_squares: number;
}
/**
 * One test of a coin against one half.
 */
export interface CoinTest {
  /**
   * The test accuses below this: the false alarms allowed a run, shared by all tests of the run (Bonferroni).
   */
  accused_below: number;
  /**
   * What was counted: `draws true`.
   */
  counted: string;
  /**
   * Of how many.
   */
  of: number;
  /**
   * How likely a fair coin is to be at least as uneven; `None`: nothing was counted.
   */
  p_value: number | null;
  /**
   * Whether the test was passed; nothing counted accuses nobody.
   */
  passed: boolean;
  /**
   * How often.
   */
  successes: number;
}
/**
 * How the connections of a row fared, each launch's counted windows taken together.
 */
export interface Fairness {
  /**
   * Connections for each of those.
   */
  connections_per_process: number | null;
  /**
   * The lowest of the launches' Jain indices: 1 when all connections got the same.
   */
  jains_index: number;
  /**
   * How many processes shared them, workers and whatever else the contender runs; `None` when not known.
   */
  processes: number | null;
  /**
   * Connections under 10 % of the median of their launch.
   */
  starved: Starved[];
}
/**
 * A connection that got far less than the others.
 */
export interface Starved {
  /**
   * What it got.
   */
  completions: number;
  /**
   * The connection, from 1.
   */
  connection: number;
  /**
   * The launch; `None` of a load alone.
   */
  launch?: number | null;
}
/**
 * Which parties limited a row, and by which figures (medians over its counted windows).
 */
export interface LimitFinding {
  /**
   * The parties that were at their limit; only where that is the contender alone is goodput its own. None: nobody was seen to
   * be; it was the path, locks, waiting, or a figure is missing.
   */
  at_limit: PartyRole[];
  /**
   * The share of a CPU that the busiest of several processes used, where that is all it could.
   */
  busiest_process_share: number | null;
  /**
   * The share of a CPU that the contender used without load.
   */
  idle_cpu_share: number | null;
  /**
   * How busy each party was.
   */
  parties: PartyShare[];
  /**
   * What slowing the generator showed, where that was tried.
   */
  proof: Proof | null;
  /**
   * True when one process of the contender was at its limit while its siblings waited.
   */
  uneven: boolean;
}
/**
 * How busy a party was.
 */
export interface PartyShare {
  /**
   * The share of its CPUs' time that it used; of the contender, that its busy threads could use.
   */
  busy_share: number | null;
  role: PartyRole;
}
/**
 * What slowing the generator did to a contender's goodput.
 */
export interface Proof {
  /**
   * By which share goodput would have fallen if the generator had been the limit: what was wasted over all that it
   * then spends on a request.
   */
  fall_if_limit: number | null;
  found: ProofFound;
  /**
   * The upper end.
   */
  high: number | null;
  /**
   * The lower end of its 95 % interval, by Student's t over the pairs; `None` with fewer than two.
   */
  low: number | null;
  /**
   * Pairs of a slowed window and a plain one.
   */
  pairs: number;
  /**
   * Goodput slowed over goodput plain, geometric mean over the pairs; `None` when no pair has both.
   */
  ratio: number | null;
  /**
   * CPU time that the generator wasted with each request of the slowed windows, in nanoseconds.
   */
  slowed_ns: number;
}
/**
 * The rate of an open loop.
 */
export interface StatedRate {
  purpose: RatePurpose;
  /**
   * Requests per second.
   */
  rate_per_s: number;
}
/**
 * A figure in one part of the run over the same in another.
 */
export interface ConsistencyFinding {
  /**
   * The same in the blocks, late in a launch, or in the last third of the launches.
   */
  after: number;
  /**
   * The same over what the others show; `None` of a contender that is alone.
   */
  against_others: number | null;
  /**
   * The figure at the end of the warm-up, early in a launch, or in the first third of the launches: the median over launches, correct
   * answers per second or nanoseconds of CPU time per request.
   */
  before: number;
  /**
   * A factor up or down that takes the rank.
   */
  bound: number;
  /**
   * The upper end.
   */
  high: number | null;
  /**
   * How many launches it rests on.
   */
  launches: number;
  /**
   * The ends of the 99 % interval of the latter, else of the former.
   */
  low: number | null;
  of: ConsistencyOf;
  /**
   * Whether it keeps the bound, or chance may have broken it.
   */
  passed: boolean;
  /**
   * The same of the proof, where there is one and blocks are held against it.
   */
  proof: number | null;
  /**
   * The one over the other.
   */
  ratio: number;
}
/**
 * A workload of a judged run.
 */
export interface JudgedWorkload {
  baseline: ContenderName;
  /**
   * Why there are no scores, when there are none.
   */
  baseline_fault: string | null;
  /**
   * Requests sent at once, and the sweep of connections.
   */
  bursts: JudgedBurst[];
  /**
   * Single calls; none where the run has none.
   */
  calls: CallTable | null;
  /**
   * The generator's ceiling on this host: the reference's goodput.
   */
  ceiling_per_s: Estimate | null;
  /**
   * The published claims and their verdicts.
   */
  claims: JudgedClaim[];
  /**
   * Connections, each with [`JudgedWorkload::streams`] requests in flight.
   */
  connections: number;
  /**
   * The reference against itself.
   */
  controls: Control[];
  /**
   * What a stated load would cost, when that was asked.
   */
  cost: Cost | null;
  /**
   * The link between load and contender, where there was one.
   */
  link?: Link | null;
  /**
   * The name that `velo run` takes: that of the workload, where `name` is that of one of several loads.
   */
  listed_as: string;
  /**
   * Its name, or that of one of its loads.
   */
  name: string;
  /**
   * How those compare that are ranked, by each figure that at least two are ranked by.
   */
  pairs: FigurePairs[];
  protocol: Protocol;
  /**
   * The published table beside the measured one.
   */
  published: ComparedRow[];
  /**
   * One line: what is asked.
   */
  question: string;
  /**
   * The workload's own rate of an open loop, in place of a closed one.
   */
  rate_per_s: number | null;
  /**
   * Connections were closed after so many requests; left out where they were kept.
   */
  requests_per_connection?: number | null;
  /**
   * One row a contender: ranked ones first, best first.
   */
  rows: Row[];
  /**
   * What its contenders are compared by, each in the same shape; the one that ranks them first.
   */
  series: Series[];
  source: Source;
  /**
   * Requests in flight on each.
   */
  streams: number;
  /**
   * What contenders do with input that the workload leaves to them.
   */
  strictness: StrictnessCase[];
  /**
   * Programs without a server; none where the run has none.
   */
  tasks: TaskTable | null;
  /**
   * What frameworks cost over the raw contender, and gRPC over REST.
   */
  taxes: Tax[];
}
/**
 * Requests over some connections, contender by contender.
 */
export interface JudgedBurst {
  /**
   * Over how many connections.
   */
  connections: number;
  /**
   * One was answered before the others were sent, each over a connection of its own, as `ab` does it; else all
   * connections were opened at once and kept.
   */
  first_alone: boolean;
  /**
   * The name of the request.
   */
  request: string;
  /**
   * How many.
   */
  requests: number;
  /**
   * The shortest makespan first; those with a fault last.
   */
  rows: BurstRow[];
  /**
   * A point of the sweep of connections: one request on each.
   */
  sweep: boolean;
  /**
   * What each request had to wait, on average; `None` where it had not.
   */
  wait_ns: number | null;
}
/**
 * A contender's burst.
 */
export interface BurstRow {
  answers: Outcomes;
  /**
   * Requests x wait / makespan: how many it served at a time, on average.
   */
  at_a_time: number | null;
  contender: ContenderName;
  /**
   * The first failures in words, a few at most.
   */
  examples: string[];
  /**
   * Why its makespan says nothing and takes no part in claims; `None` when each request was answered as expected.
   */
  fault: string | null;
  /**
   * Connections turned away because a queue of those to be accepted was full, on the whole host meanwhile.
   */
  listen_overflows: number | null;
  /**
   * From the first attempt to connect to the last answer, mean over launches; no interval when it was measured once.
   */
  makespan_ns: Estimate | null;
  /**
   * Resident set size of the process tree before, shared pages once: the least before any burst of the launch, since some keep what they
   * have needed once.
   */
  memory_before_bytes: number | null;
  /**
   * (waiting - before) / requests; negative when it gave memory back meanwhile.
   */
  memory_per_request_bytes: number | null;
  /**
   * The same while the requests waited.
   */
  memory_waiting_bytes: number | null;
  /**
   * First packets of a connection that were sent again, on the whole host meanwhile.
   */
  syn_retransmits: number | null;
}
/**
 * Single calls of a workload, one request at a time with nothing else in flight.
 */
export interface CallTable {
  /**
   * Calls that each of them makes in a year.
   */
  calls_per_user_per_year: number;
  /**
   * In the order of the workload.
   */
  conditions: CallsUnderCondition[];
  /**
   * Conditions under which no calls could be made, and why, each in words.
   */
  left_out: string[];
  /**
   * People who wait, for the hours that all of them wait in a year: those that were asked for, else those of the published sum.
   */
  users: number;
}
/**
 * Calls under one condition.
 */
export interface CallsUnderCondition {
  condition: CallCondition;
  /**
   * The round trips that a call takes at least, by the protocols' own rules.
   */
  least_round_trips: number;
  /**
   * One row a contender: those that can be compared first, the shortest call first.
   */
  rows: CallRow[];
}
/**
 * Under which condition a call is made.
 *
 * Its text is that of workload files and claims: `https1 new tls1.3 20ms`, with what is not said being `new`, TLS 1.3 where there
 * is TLS, no distance, and one write.
 */
export interface CallCondition {
  connection: CallConnection;
  protocol: Protocol;
  /**
   * The round-trip time of the link in between, in milliseconds; 0: there is none.
   */
  rtt_ms: number;
  sending: CallSending;
  /**
   * The version of TLS, where the protocol is encrypted.
   */
  tls: CallTls | null;
}
/**
 * A contender's calls under one condition. Times are of launches in which nobody disturbed; in each of them the mean of the middle
 * half of its calls, by the whole call.
 */
export interface CallRow {
  /**
   * The version of TLS that handshakes agreed on, and the protocol that ALPN chose.
   */
  agreed: string | null;
  /**
   * Right answers in all launches.
   */
  calls: number;
  class: Class;
  /**
   * The first call that a process ever got, over launches; only under the condition that it was made under.
   */
  cold_ns: Estimate | null;
  /**
   * Opening TCP, mean over launches; `None`: the call has no such phase. The four phases add up to the mean of the whole.
   */
  connect_ns: number | null;
  contender: ContenderName;
  /**
   * Too few launches were left, so that all of them count, and it is compared with nobody.
   */
  counts_disturbed: boolean;
  /**
   * Launches that do not, because others or the hypervisor took CPU time meanwhile.
   */
  dropped: number;
  /**
   * Of those, more than for the fastest contender under the condition; `None` for the reference, which is no choice.
   */
  extra_hours_per_year: number | null;
  /**
   * Calls without an answer.
   */
  failed: number;
  /**
   * Why its times cannot be used.
   */
  fault: string | null;
  /**
   * From then to the first byte of the answer, the writing of the request included.
   */
  first_byte_ns: number | null;
  /**
   * The handshake of TLS.
   */
  handshake_ns: number | null;
  /**
   * How much longer it takes than its round trips and the contender's own work explain, where that is about the 40 ms for which an
   * acknowledgement is held back.
   */
  held_back_ns: number | null;
  /**
   * Launches that count.
   */
  launches: number;
  /**
   * Bytes of IP packets on the link to the server and back, median.
   *
   * @minItems 2
   * @maxItems 2
   */
  link_bytes: [number, number] | null;
  /**
   * Round trips by the packets on the link.
   */
  link_round_trips: CallCount | null;
  protocol: Protocol;
  /**
   * Bytes that TCP carried back, median.
   */
  received_bytes: number | null;
  /**
   * From the first byte of the answer to its last.
   */
  rest_ns: number | null;
  /**
   * Calls whose handshake resumed a session.
   */
  resumed: number;
  /**
   * Round trips by what went through the client's socket.
   */
  round_trips: CallCount | null;
  /**
   * TCP segments sent and received, median.
   *
   * @minItems 2
   * @maxItems 2
   */
  segments: [number, number] | null;
  /**
   * TCP segments that were sent again, in all calls.
   */
  sent_again: number;
  /**
   * Bytes that TCP carried to the server, median.
   */
  sent_bytes: number | null;
  /**
   * Calls that cannot count under the condition: on a connection that had to be opened anew, or without a session to resume.
   */
  unlike: number;
  /**
   * The contender of the same folder that this one differs from in some keys.
   */
  variant_of: ContenderName | null;
  /**
   * Hours that all users of the table wait in a year.
   */
  waiting_hours_per_year: number | null;
  /**
   * The whole call, with an interval over launches.
   */
  whole_ns: Estimate | null;
  /**
   * Answers that were not right.
   */
  wrong_answers: number;
  /**
   * The first of both in words, a few at most.
   */
  wrong_examples: string[];
}
/**
 * A count that was found in each call.
 */
export interface CallCount {
  /**
   * The least.
   */
  least: number;
  /**
   * The most.
   */
  most: number;
}
/**
 * A claim and its verdict.
 */
export interface JudgedClaim {
  claim: Claim;
  holds: Holds;
  /**
   * The ratio or the figure that was measured, where the claim is about one and its sides can be used.
   */
  measured: Estimate | null;
  /**
   * For an order: each neighbouring pair.
   */
  pairs: JudgedPair[];
  /**
   * Why it is inconclusive, or which pair breaks an order.
   */
  reason: string | null;
}
/**
 * A published claim as data.
 */
export interface Claim {
  bound: Bound;
  figure: ClaimFigure;
  /**
   * The figure as published, where the claim is about one ratio.
   */
  printed: number | null;
  /**
   * The sentence.
   */
  says: string;
  subject: Subject;
}
/**
 * A closed range of ratios or figures; `None` is open.
 */
export interface Bound {
  /**
   * The greatest that is inside.
   */
  high: number | null;
  /**
   * The least that is inside.
   */
  low: number | null;
}
/**
 * Which figure of a contender a claim is about.
 */
export interface ClaimFigure {
  /**
   * It is a score: the figure over that of the workload's baseline.
   */
  is_score?: boolean;
  of: Figure;
  /**
   * Under which load, where a workload has several for the figure.
   */
  under?: ClaimLoad | null;
}
/**
 * One side of a claim: a contender in a workload.
 */
export interface Side {
  contender: ContenderName;
  /**
   * The workload; the claim's own unless another is named (`void:go/gin`).
   */
  workload: string;
}
/**
 * One neighbouring pair of an order.
 */
export interface JudgedPair {
  holds: Holds;
  /**
   * The ratio that was measured.
   */
  measured: Estimate | null;
  over: Side;
  /**
   * Why it is inconclusive.
   */
  reason: string | null;
  under: Side;
}
/**
 * A program against itself.
 */
export interface Control {
  contender: ContenderName;
  /**
   * Whether the interval holds 1. Of good runs 5 % fail.
   */
  holds_one: boolean | null;
  /**
   * Half of the interval's width, relative to the ratio: what this run cannot tell from nothing.
   */
  noise_floor: number | null;
  /**
   * Goodput of A' over that of A, paired by block; the interval is one of 95 %.
   */
  ratio: Estimate | null;
  /**
   * Why there is no interval.
   */
  reason: string | null;
  twin: ContenderName;
}
/**
 * The answer to what a stated load would cost.
 */
export interface Cost {
  question: CostQuestion;
  /**
   * Cheapest first.
   */
  rows: CostRow[];
}
/**
 * What a stated load would cost. Each part is answered where what it needs is given.
 */
export interface CostQuestion {
  /**
   * Calls that each of them makes in a year.
   */
  calls_per_user_per_year: number | null;
  /**
   * What the price is in, such as `EUR`; only printed.
   */
  currency: string | null;
  /**
   * The price of one core for an hour, at least 0: what a million requests cost.
   */
  price_per_core_hour: number | null;
  /**
   * The load to be served, in requests per second, above 0: how many cores that takes.
   */
  target_rps: number | null;
  /**
   * People who wait for answers. With the calls: how many hours all of them wait in a year.
   */
  users: number | null;
}
/**
 * What a contender would cost. A part that was not asked for, or whose figure is missing, is `None`.
 */
export interface CostRow {
  contender: ContenderName;
  /**
   * Cores that are fully used by the stated load: the contender's alone, without room for peaks.
   */
  cores: Estimate | null;
  cpu_basis: Basis;
  cpu_per_request_ns: Estimate;
  /**
   * The price of a million requests, in the question's currency.
   */
  price_per_million: Estimate | null;
  /**
   * Requests that a core serves in a second of its CPU time.
   */
  requests_per_core_second: Estimate | null;
  /**
   * Where the time of a call was measured.
   */
  waiting_basis: Basis | null;
  /**
   * Hours that all users together wait in a year: the mean time of a call x calls x users.
   */
  waiting_hours_per_year: Estimate | null;
}
/**
 * How those compare that are ranked by a figure under a load.
 */
export interface FigurePairs {
  /**
   * Each pair once.
   */
  compared: ComparedPair[];
  /**
   * A difference of this share would have been found with a probability of 90 % in the median pair.
   */
  could_have_seen: number | null;
  /**
   * The same of the pair of which most is known.
   */
  could_have_seen_least: number | null;
  /**
   * The same of the pair of which least is known: between any two.
   */
  could_have_seen_most: number | null;
  /**
   * How many are equal for practical purposes.
   */
  equal: number;
  /**
   * Two are equal when neither is more than this share above the other.
   */
  equal_within: number;
  /**
   * The probability of even one false separation among all pairs (Holm's procedure).
   */
  level: number;
  of: Figure;
  /**
   * How many are neither.
   */
  open: number;
  /**
   * How many were told apart.
   */
  separated: number;
  under: LoadCondition;
}
/**
 * A pair of ranked contenders.
 */
export interface ComparedPair {
  /**
   * The smallest difference that would have been found in 90 % of runs, as a share of the lower figure.
   */
  could_have_seen: number | null;
  /**
   * Launches after which the pair's own interval would be the ratio +-2 %, by the spread that was seen.
   */
  launches_to_2_percent: number | null;
  over: ContenderName;
  /**
   * The two-sided p-value of no difference.
   */
  p: number | null;
  /**
   * The same adjusted for all pairs.
   */
  p_holm: number | null;
  /**
   * Figure over figure, paired by block or by process, with the interval of this pair alone at the confidence of the judgement. With
   * three or more contenders its width rests on the spread of all pairs.
   */
  ratio: Estimate | null;
  /**
   * Its upper end.
   */
  simultaneous_high: number | null;
  /**
   * The lower end of the interval that holds for all pairs at once (Bonferroni).
   */
  simultaneous_low: number | null;
  state: Standing;
  under: ContenderName;
  /**
   * For an open pair: what would tell.
   */
  would_tell: WouldTell | null;
}
/**
 * What it would take to separate an open pair, or to find it equal, if its ratio stays where it is.
 */
export interface WouldTell {
  /**
   * The `--budget` that buys them; none for more launches than a run ever has.
   */
  budget_ns: number | null;
  /**
   * The half-width that the simultaneous interval must have, as a share of the ratio.
   */
  half_width: number;
  /**
   * The launches after which about half of all runs have it.
   */
  launches: number;
}
/**
 * One contender in one workload.
 */
export interface Row {
  /**
   * Goodput over the baseline's, paired by block.
   */
  against_baseline: Estimate | null;
  answers: Outcomes;
  /**
   * True when the contender was not seen to be the limit: it could serve more, so the goodput is a lower bound.
   */
  at_least: boolean;
  class: Class;
  /**
   * Draws of a coin, where the workload has one.
   */
  coin: CoinFinding | null;
  /**
   * The first windows after process start.
   */
  cold: Cold | null;
  connections: Connections;
  /**
   * Whether that figure was the same in the warm-up, and from launch to launch; `None` without counted windows.
   */
  consistency: Consistency | null;
  contender: ContenderName;
  counters: Counters;
  /**
   * CPU time of the process tree per correct response.
   */
  cpu_per_request_ns: Estimate | null;
  /**
   * Response times against the rate, where that was tried.
   */
  curve: Curve | null;
  /**
   * Shares of the connections, where there is enough to tell.
   */
  fairness: Fairness | null;
  /**
   * Correct responses per second.
   */
  goodput_per_s: Estimate | null;
  /**
   * Response times in an open loop, and CPU per request, at stated rates; empty when none was tried.
   */
  latency: PacedFigures[];
  /**
   * Launches with at least one counted window.
   */
  launches: number;
  /**
   * Who was the limit; `None` without counted windows.
   */
  limit: LimitFinding | null;
  littles_law: LittlesLaw;
  processes: Processes;
  protocol: Protocol;
  /**
   * Service time over all counted windows.
   */
  service_time: Percentiles | null;
  state: RowState;
  /**
   * Whether goodput, or CPU time per request at a stated rate, held still over a launch; `None` without counted windows.
   */
  steadiness: Steadiness | null;
  /**
   * What else is to be known.
   */
  verdicts: Verdict[];
  /**
   * What its version command printed.
   */
  version: string | null;
  /**
   * Counted windows.
   */
  windows: number;
  /**
   * The first wrong answers in words, a few at most.
   */
  wrong_examples: string[];
}
/**
 * Figures of the first windows after process start.
 */
export interface Cold {
  /**
   * CPU time per correct response.
   */
  cpu_per_request_ns: Estimate | null;
  /**
   * Correct responses per second.
   */
  goodput_per_s: Estimate | null;
  /**
   * Service time.
   */
  service_time: Percentiles | null;
}
/**
 * Percentiles of a merged histogram: the smallest value v such that at least ceil(q * n) samples are <= v. One with
 * fewer than 10 samples beyond it is left out.
 */
export interface Percentiles {
  /**
   * The greatest.
   */
  max_ns: number | null;
  /**
   * The mean.
   */
  mean_ns: number | null;
  /**
   * The median.
   */
  p50_ns: number | null;
  /**
   * The 75th percentile.
   */
  p75_ns: number | null;
  /**
   * The 90th percentile.
   */
  p90_ns: number | null;
  /**
   * The 95th percentile.
   */
  p95_ns: number | null;
  /**
   * The 99.99th percentile.
   */
  p9999_ns: number | null;
  /**
   * The 99.9th percentile.
   */
  p999_ns: number | null;
  /**
   * The 99th percentile.
   */
  p99_ns: number | null;
  /**
   * Samples.
   */
  samples: number;
}
/**
 * Connections of a row.
 */
export interface Connections {
  /**
   * The fewest that got any correct answer in the counted windows of a launch.
   */
  answered_least: number | null;
  /**
   * Correct answers in the same windows.
   */
  answers: number;
  /**
   * Asked for in a window, at most.
   */
  asked: number;
  /**
   * Closed by the load after so many requests, as the workload wants it; `None`: kept.
   */
  closed_after?: number | null;
  /**
   * The fewest open at the end of a counted window.
   */
  established_least: number | null;
  /**
   * Reopened under load.
   */
  reconnects: number;
  /**
   * Reopened before windows because the contender had closed them while it was stopped.
   */
  reopened_after_stop: number;
}
/**
 * Whether the figure that a contender is ranked by was the same wherever it was measured.
 */
export interface Consistency {
  figure: Figure;
  /**
   * What was looked at, as far as there are launches enough.
   */
  findings: ConsistencyFinding[];
}
/**
 * Hardware counters of a row's counted windows; `None` where the kernel gives none (the run's host facts say why).
 */
export interface Counters {
  /**
   * CPU cycles of the process tree per correct response.
   */
  cycles_per_request: Estimate | null;
  /**
   * Instructions of the process tree per correct response.
   */
  instructions_per_request: Estimate | null;
}
/**
 * Response time against the rate, by rising rate.
 */
export interface Curve {
  /**
   * Where requests begin to queue; `None` when the points do not show it.
   */
  knee: Knee | null;
  /**
   * The rates that were tried.
   */
  points: PacedFigures[];
}
/**
 * The highest rate that was met with a 99th percentile of at most three times that of the nearly idle contender, before a
 * rate is not met or two in a row are slower.
 */
export interface Knee {
  end: KneeReason;
  /**
   * The bound, as a multiple of the latter.
   */
  factor: number;
  /**
   * The 99th percentile when nearly idle: the median over the lowest third of the rates.
   */
  idle_p99_ns: number;
  /**
   * Its 99th percentile of response time.
   */
  p99_ns: number;
  /**
   * That rate.
   */
  rate_per_s: number;
}
/**
 * All windows of a contender at one rate for one purpose.
 */
export interface PacedFigures {
  /**
   * Sent over offered.
   */
  achieved_share: number | null;
  answers: Outcomes;
  /**
   * How far behind its schedule a window was at its end, as a share of its length: twice the median send lag over the
   * median length. What waits for a connection at the end is still sent for a while, so that the number sent alone
   * would take an overload for met; under an overload each request waits longer than the one before, and the one in the
   * middle half as long as the last.
   */
  behind_share: number | null;
  /**
   * CPU time of the contender's process tree per correct response at this rate.
   */
  cpu_per_request_ns: Estimate | null;
  /**
   * Due, but never sent.
   */
  dropped: number;
  /**
   * The share of its CPUs' time that the generator used, median over windows.
   */
  generator_busy_share: number | null;
  /**
   * True when at least 99 % were sent, at most 1 % behind the schedule, at most 0.1 % failed, and no answer was wrong.
   */
  is_met: boolean;
  /**
   * Launches with such a window.
   */
  launches: number;
  /**
   * Requests that were due.
   */
  offered: number;
  purpose: RatePurpose;
  /**
   * Requests per second that the schedule had, on average.
   */
  rate_per_s: number;
  response: ResponseTimes;
  /**
   * The 99th percentile from the intended start to the actual send: how late the generator was, or how long
   * requests waited for a connection.
   */
  send_lag_p99_ns: number | null;
  /**
   * Those of them that were sent.
   */
  sent: number;
  /**
   * The 99th percentile from the actual send to the last byte.
   */
  service_p99_ns: Estimate | null;
  /**
   * Histograms that cannot be read and are missing from the percentiles.
   */
  unreadable_histograms: number;
  /**
   * The share of its CPUs' time that the contender used, median over windows.
   */
  utilisation: number | null;
  /**
   * Windows.
   */
  windows: number;
}
/**
 * Response times over launches. A percentile of which fewer than 10 samples lie beyond is left out.
 */
export interface ResponseTimes {
  /**
   * The greatest.
   */
  max_ns: number | null;
  /**
   * The mean, of each launch, then over launches.
   */
  mean_ns: Estimate | null;
  /**
   * The median, of all samples together, as all percentiles.
   */
  p50_ns: Estimate | null;
  /**
   * The 75th percentile.
   */
  p75_ns: Estimate | null;
  /**
   * The 90th percentile.
   */
  p90_ns: Estimate | null;
  /**
   * The 95th percentile.
   */
  p95_ns: Estimate | null;
  /**
   * The 99.9th percentile.
   */
  p999_ns: Estimate | null;
  /**
   * The 99th percentile.
   */
  p99_ns: Estimate | null;
  /**
   * Samples.
   */
  samples: number;
}
/**
 * What Little's law says of a row's counted windows.
 */
export interface LittlesLaw {
  /**
   * The share of the places for a request, connections times streams, that was in flight or in the generator's hands, median over windows.
   */
  kept_busy: number | null;
  /**
   * The disagreement over all windows together that are long enough to tell, as a share of the requests in flight;
   * `None` when none is.
   */
  together: number | null;
  /**
   * The disagreement of the worst of them.
   */
  worst: number | null;
}
/**
 * What the kernel said of a contender's processes, over its launches.
 */
export interface Processes {
  /**
   * The largest resident size, summed over processes, median over launches.
   */
  memory_peak_bytes: number | null;
  /**
   * Resident set size of the process tree, shared pages once, after the last block, median over launches.
   */
  memory_steady_bytes: number | null;
  /**
   * Processes after warm-up.
   */
  processes: Span | null;
  /**
   * From exec to the first correct answer.
   */
  startup_ns: Estimate | null;
  /**
   * Threads of all of them.
   */
  threads: Span | null;
}
/**
 * A number that differed between launches.
 */
export interface Span {
  /**
   * The least.
   */
  least: number;
  /**
   * The greatest.
   */
  most: number;
}
/**
 * The figures of a contender that left its CPUs.
 */
export interface Left {
  /**
   * How many CPUs it was given.
   */
  given_cpus: number;
  /**
   * Launches after whose warm-up threads could run outside, whether or not they ran.
   */
  launches: number[];
  /**
   * CPUs outside of its own on which its threads ran, or could run and did run somewhere.
   */
  outside: number[];
  /**
   * Which.
   */
  own: number[];
  /**
   * Windows in which that was seen.
   */
  seen: number;
  /**
   * The most CPUs that it used in a launch, on average over its windows.
   */
  used_cpus: number | null;
  /**
   * Of all.
   */
  windows: number;
}
/**
 * The change of a figure over a launch.
 */
export interface Steadiness {
  /**
   * The figure in the last third of a launch's blocks over that in its first third; `None` when no launch has both.
   */
  change: Estimate | null;
  figure: Figure;
  found: Steady;
}
/**
 * A quantity under a load, of all contenders of a workload that have it.
 */
export interface Series {
  better: Better;
  of: Figure;
  /**
   * At least one, in the order of the judgement.
   */
  points: SeriesPoint[];
  under: LoadCondition;
  unit: Unit;
}
/**
 * A contender's value.
 */
export interface SeriesPoint {
  /**
   * It could be better: the contender was not seen to be the limit.
   */
  at_least: boolean;
  /**
   * The best rank that it may hold by this series; `None` where it has none.
   */
  best: number | null;
  contender: ContenderName;
  estimate: Estimate;
  /**
   * Whose value it is over, in a series of ratios.
   */
  over: ContenderName | null;
  /**
   * Why it has no rank, where others have or could have.
   */
  reason: string | null;
  /**
   * The worst.
   */
  worst: number | null;
}
/**
 * Where a comparison was published.
 */
export interface Source {
  /**
   * Who wrote it.
   */
  author: string;
  /**
   * The load generator's command line, or what is known of it.
   */
  command: string;
  /**
   * The machine, as far as it was said.
   */
  machine: string;
  /**
   * What a reader must know of that table.
   */
  notes: string[];
  /**
   * Its title.
   */
  title: string;
  /**
   * When.
   */
  year: number;
}
/**
 * One case and what each contender answered.
 */
export interface StrictnessCase {
  /**
   * The answers, in the order of the run's contenders.
   */
  answers: StrictnessAnswer[];
  /**
   * The case.
   */
  case: string;
  /**
   * What a careful server answers: statuses, and what of the body is shown; `None`: the run does not say.
   */
  expected: string | null;
  /**
   * The operation that a contender need not offer.
   */
  operation: string | null;
  /**
   * What is sent: the method and the path, the headers of its own and the body; `None`: the run does not say.
   */
  request: string | null;
}
/**
 * What a contender answered in a case.
 */
export interface StrictnessAnswer {
  contender: ContenderName;
  /**
   * The status and the start of the body, or what went wrong.
   */
  got: string;
  /**
   * Whether it is what is expected.
   */
  is_expected: boolean;
  /**
   * False where the contender has no such operation: a plain request of it got the 404 of an unknown route.
   */
  is_offered: boolean;
  /**
   * The body holds a text that is no business of a client's.
   */
  leaks: boolean;
  /**
   * Of a client: what it came to, as in `whole file`, `error` and `truncated`.
   */
  outcome?: string | null;
  /**
   * What a successful answer's body says, where that can be compared: JSON, or nothing but `empty`.
   */
  shown: string | null;
  /**
   * The status; `None`: there was no whole answer.
   */
  status: number | null;
}
/**
 * The tasks of a workload.
 */
export interface TaskTable {
  /**
   * Of clients: where an iteration is of several files.
   */
  batch?: Batch | null;
  /**
   * Of clients: what a file costs by parts; it stands with the first size.
   */
  costs?: DownloadCost[];
  /**
   * What share of a server's answer is its handler's: the task of the same language beside each server.
   */
  handler_shares: HandlerShare[];
  /**
   * One row a task: ranked ones first, the shortest steady time first.
   */
  rows: TaskRow[];
}
/**
 * Several files that a client fetches with one line: its times are those of all of them.
 */
export interface Batch {
  /**
   * How many of them may be fetched at the same time.
   */
  at_once: number;
  /**
   * How many, two or more.
   */
  files: number;
}
/**
 * The parts of what a client takes; their `launches` are processes.
 */
export interface DownloadCost {
  contender: ContenderName;
  /**
   * What a million bytes more take, once the process is warm.
   */
  megabyte_ns: Estimate | null;
  /**
   * What a file takes of no bytes, once the process is warm.
   */
  request_ns: Estimate | null;
  /**
   * What a process takes beside its first file, which is the smallest here: its start and its end.
   */
  start_ns: Estimate | null;
}
/**
 * A server and the task of its language.
 */
export interface HandlerShare {
  /**
   * Connections at which the server was measured, the fewest of the run's loads.
   */
  connections: number | null;
  /**
   * Steady time of the task.
   */
  handler_ns: Estimate | null;
  /**
   * The language of both.
   */
  language: string;
  /**
   * Why it is not known.
   */
  reason: string | null;
  /**
   * The server; none when the run had none of the language.
   */
  server: ContenderName | null;
  /**
   * The server's median service time.
   */
  service_p50_ns: number | null;
  /**
   * The first over the second. It may be above 1: a server is warmed up longer.
   */
  share: number | null;
  task: ContenderName;
}
/**
 * A task or a client in a workload; an iteration of a client is what it fetches with one line, a file or several. Figures are of
 * processes in which nobody disturbed and all lines were answered; the `launches` of an estimate are processes, and its interval is one
 * of 95 %.
 */
export interface TaskRow {
  class: Class;
  /**
   * The first iteration of a process, by its own clock; mean over processes.
   */
  cold_ns: Estimate | null;
  contender: ContenderName;
  /**
   * CPU time of the process tree over its answers, its start included; mean over processes.
   */
  cpu_per_iteration_ns: Estimate | null;
  /**
   * Processes that do not, because others or the hypervisor took CPU time meanwhile.
   */
  dropped: number;
  /**
   * Right answers in all processes.
   */
  iterations: number;
  /**
   * The largest resident size, summed over processes, median.
   */
  memory_peak_bytes: number | null;
  /**
   * Its own times over those of the lab's clock: of the middle of what its steady time is made of.
   */
  own_clock_share: number | null;
  /**
   * Of a client: from the start to the end of a process that is told one line; mean over processes.
   */
  process_ns: Estimate | null;
  /**
   * Processes that count.
   */
  processes: number;
  /**
   * What it read over what its iterations must read, the least of all processes; `None` where that is not known or it
   * need read nothing.
   */
  read_share: number | null;
  role: Role;
  /**
   * Of a client: CPU time of the server of its files over its own.
   */
  server_cpu_share: number | null;
  state: RowState;
  /**
   * In each process the median of the second half of its iterations, by its own clock; mean over processes.
   */
  steady_ns: Estimate | null;
  /**
   * The contender of the same folder that this one differs from in some keys.
   */
  variant_of: ContenderName | null;
  /**
   * What else is to be known.
   */
  verdicts: Verdict[];
  /**
   * What its version command printed.
   */
  version: string | null;
  /**
   * Lines that it answered wrongly, in all processes.
   */
  wrong_answers: number;
  /**
   * The first of them in words, a few at most.
   */
  wrong_examples: string[];
}
/**
 * What a contender costs over another.
 */
export interface Tax {
  /**
   * The same while both are given the same work, where both met a common rate.
   */
  at_common_rate: TaxAtRate | null;
  base: ContenderName;
  contender: ContenderName;
  of: TaxOf;
  /**
   * CPU time per request over the other's, each at its own goodput over the same connections, paired by block.
   */
  ratio: Estimate | null;
  /**
   * Why there is no ratio, or why it tells nothing.
   */
  reason: string | null;
  told: Told;
  /**
   * What else differed between the two, and is in the ratio.
   */
  unlike: Unlike[];
}
/**
 * A ratio at a rate that both were given.
 */
export interface TaxAtRate {
  /**
   * The rate.
   */
  rate_per_s: number;
  ratio: Estimate;
}
/**
 * A remark.
 */
export interface Note {
  kind: Kind;
  /**
   * Of whom; empty: of the run.
   */
  names: string[];
  /**
   * What it says.
   */
  words: string;
}
/**
 * A word of the page and what it means.
 */
export interface Term {
  /**
   * In a sentence.
   */
  meaning: string;
  /**
   * As the page uses it.
   */
  term: string;
}
/**
 * A workload.
 */
export interface PageWorkload {
  /**
   * The answer to its question in a sentence or two.
   */
  answer: string | null;
  /**
   * The checks of the run and of this workload.
   */
  badges: Badge[];
  detail: WorkloadDetail;
  /**
   * Each contender in one line.
   */
  headlines: [ContenderName, string][];
  /**
   * How it was loaded.
   */
  load: string;
  /**
   * What is to be known beside the figures, the gravest first.
   */
  notes: Note[];
  /**
   * What is to be known of each row and each task.
   */
  remarks: Remarks[];
  /**
   * The words for each of the judged workload's series, in their order.
   */
  series: SeriesWords[];
  /**
   * Where the published table comes from.
   */
  source: string;
}
/**
 * A check of the run.
 */
export interface Badge {
  /**
   * Its name.
   */
  name: string;
  /**
   * What it found, in two or three words.
   */
  short: string;
  state: BadgeState;
  /**
   * The whole story, a paragraph each.
   */
  words: string[];
}
/**
 * What stands behind the figures of a workload.
 */
export interface WorkloadDetail {
  /**
   * Contenders with at least one window or process, by name.
   */
  contenders: ContenderDetail[];
  /**
   * Figures of any two contenders, each pair once.
   */
  ratios: FigureRatios[];
  /**
   * Its name.
   */
  workload: string;
}
/**
 * What stands behind the figures of a contender in a workload.
 */
export interface ContenderDetail {
  /**
   * Its bursts, in the order measured.
   */
  bursts: BurstDetail[];
  contender: ContenderName;
  /**
   * Service times of the closed loop, then response times at each rate.
   */
  distributions: Distribution[];
  /**
   * Launch, and the median goodput of its blocks that count: correct responses per second, six digits of them.
   */
  launch_goodputs_per_s: [number, number][];
  /**
   * Its processes, where it is a task.
   */
  processes: ProcessDetail[];
  windows: WindowColumns;
  /**
   * Windows beyond the first 2,000, which are left out.
   */
  windows_left_out: number;
}
/**
 * A burst.
 */
export interface BurstDetail {
  /**
   * Where there are no spans: from the burst's beginning to a moment, and how many correct answers had come by then, by rising
   * time; at most 500. Of the first launch too, and none of a sweep.
   */
  answered: [number, number][];
  /**
   * Over how many connections.
   */
  connections: number;
  /**
   * The places, from 0, of those among them that failed.
   */
  failed_spans: number[];
  /**
   * One was answered before the others were sent.
   */
  first_alone: boolean;
  /**
   * Its launch, from 1.
   */
  launch: number;
  /**
   * From the first attempt to connect to the last answer.
   */
  makespan_ns: number;
  /**
   * The name of the request.
   */
  request: string;
  /**
   * How many.
   */
  requests: number;
  /**
   * Each request in the order sent: when it was sent and when it was answered or failed, since the burst's beginning, in
   * ten-thousandths of `makespan_ns`. Of the first launch that has them; none of a sweep, and none of more than 500 requests.
   */
  spans: [number, number][];
  /**
   * A point of the sweep of connections.
   */
  sweep: boolean;
}
/**
 * Times of one kind of a contender.
 */
export interface Distribution {
  /**
   * The lower end of a bin in nanoseconds, and its samples, rising; empty bins are left out. There are 20 bins for a factor
   * of ten.
   */
  bins: [number, number][];
  /**
   * The greatest time.
   */
  max_ns: number;
  of: DistributionOf;
  /**
   * Quantile in [0, 1) and time in nanoseconds, rising; those with fewer than 10 samples beyond are left out.
   */
  quantiles: [number, number][];
  /**
   * Samples.
   */
  samples: number;
}
/**
 * A process of a task.
 */
export interface ProcessDetail {
  /**
   * What the program says that each iteration took, in order; at most 500.
   */
  iterations_ns: number[];
  /**
   * Which, from 1.
   */
  process: number;
}
/**
 * Windows, a list for each of their figures: the n-th of each is of the n-th window. A page has thousands of them.
 */
export interface WindowColumns {
  /**
   * Its block, from 1; 0 before the blocks.
   */
  block: number[];
  /**
   * CPU time of the process tree per correct response, six digits of it.
   */
  cpu_per_request_ns: (number | null)[];
  /**
   * Whether it counts for no figure, because its block was disturbed.
   */
  dropped: boolean[];
  /**
   * Correct responses per second, six digits of them.
   */
  goodput_per_s: (number | null)[];
  /**
   * What it is for.
   */
  kind: WindowKind[];
  /**
   * Its launch, from 1.
   */
  launch: number[];
  /**
   * Its place within the block, from 1.
   */
  position: number[];
  /**
   * When its load began, since the run's start, in milliseconds.
   */
  started_ms: number[];
}
/**
 * A figure of contenders over that of others.
 */
export interface FigureRatios {
  of: Figure;
  /**
   * The one above the line and the one below it, as their places in [`WorkloadDetail::contenders`]; the ratio, paired by block,
   * else by launch; and the ends of the interval of this pair alone. Six digits of each.
   */
  pairs: [number, number, number, number | null, number | null][];
}
/**
 * What is to be known of one contender.
 */
export interface Remarks {
  contender: ContenderName;
  /**
   * What limited it, where that was looked at.
   */
  limit: string | null;
  /**
   * What its verdicts say.
   */
  notes: Note[];
}
/**
 * The words for one of a workload's series.
 */
export interface SeriesWords {
  /**
   * What it is, in a few words below the chart.
   */
  about: string;
  /**
   * Its name in addresses and in files with columns: letters, digits and hyphens, once in a workload.
   */
  id: string;
  /**
   * Its heading.
   */
  label: string;
  /**
   * Its chart as a file of its own.
   */
  svg: string;
  /**
   * Contenders without a point: who and why.
   */
  without: [ContenderName, string][];
}
