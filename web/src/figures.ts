// The figures that contenders can be compared by, each read from the judged run in the same shape.
import type { Workload } from "./data";
import * as format from "./format";
import type { Estimate, JudgedBurst, RatioOf, Row } from "./generated/page";

/** One contender's figure. */
export interface Point {
  contender: string;
  value: number;
  low: number | null;
  high: number | null;
  /** Both launches where there are two, which have no interval. */
  least: number | null;
  most: number | null;
  /** It could be better: who was the limit is another. */
  atLeast: boolean;
  rank: { best: number; worst: number } | null;
  /** What stands beside the name, such as the rate of its group. */
  beside: string;
  /** Why it has no rank, where others have. */
  reason: string;
}

/** A figure that contenders can be compared by. */
export interface Figure {
  id: string;
  label: string;
  /** What it is, in a few words below the chart. */
  about: string;
  better: "more" | "less";
  text: (value: number) => string;
  points: (workload: Workload) => Point[];
  /** Which of the paired ratios are of this figure. */
  ratioOf: RatioOf | "task-steady" | null;
  /** A ratio that has 1 as its natural zero, such as a tax. */
  isRatio?: boolean;
}

const NO_FIGURE = new Set([
  "not-measured",
  "wrong-answers",
  "unfair-coin",
  "failures",
  "littles-law",
  "inconsistent",
  "unsteady",
  "outside-cpus",
  "impossible-cpu-time",
  "stale-data",
  "not-read",
  "own-clock",
]);

/** Whether a row's figures mean what they say. */
export function stands(row: Pick<Row, "state">): boolean {
  const state = row.state;
  if (state.is === "excluded" || state.is === "skipped") return false;
  return state.is !== "not-ranked" || !NO_FIGURE.has(state.cause);
}

/** Why a row is not ranked, in words; empty when it is. */
export function reason(row: Pick<Row, "state">): string {
  const state = row.state;
  switch (state.is) {
    case "ranked":
      return "";
    case "reference":
      return "the reference: the generator's ceiling here, never ranked";
    case "skipped":
      return `skipped: ${state.reason}${state.cure ? ` (${state.cure})` : ""}`;
    case "excluded":
      return `failed: ${state.reason}`;
    default:
      return state.reason;
  }
}

function point(contender: string, estimate: Estimate, more: Partial<Point> = {}): Point {
  return {
    contender,
    value: estimate.value,
    low: estimate.low,
    high: estimate.high,
    least: estimate.least,
    most: estimate.most,
    atLeast: false,
    rank: null,
    beside: "",
    reason: "",
    ...more,
  };
}

function ofRows(pick: (row: Row) => Estimate | number | null | undefined) {
  return (workload: Workload): Point[] =>
    workload.judged.rows.flatMap((row) => {
      const found = stands(row) ? pick(row) : null;
      if (found == null) return [];
      const estimate = typeof found === "number" ? { value: found, low: null, high: null, least: null, most: null, launches: 0 } : found;
      return [point(row.contender, estimate, { reason: row.state.is === "reference" ? "reference" : "" })];
    });
}

const GOODPUT: Figure = {
  id: "goodput",
  label: "Goodput",
  about: "correct responses per second, closed loop; more is better",
  better: "more",
  text: (value) => `${format.number(value)}/s`,
  ratioOf: "goodput",
  points: (workload) =>
    workload.judged.rows.flatMap((row) => {
      if (!stands(row) || !row.goodput_per_s) return [];
      const rank = row.state.is === "ranked" ? { best: row.state.best, worst: row.state.worst } : null;
      return [point(row.contender, row.goodput_per_s, { atLeast: row.at_least, rank, reason: reason(row) })];
    }),
};

const CPU: Figure = {
  id: "cpu",
  label: "CPU per request",
  about: "CPU time of all its processes for each correct response, closed loop; less is better",
  better: "less",
  text: format.timeNs,
  ratioOf: "cpu-per-request",
  points: ofRows((row) => row.cpu_per_request_ns),
};

const CPU_AT_RATE: Figure = {
  id: "cpu-at-rate",
  label: "CPU per request at one rate",
  about: "CPU time for each correct response while all are given the same work; less is better",
  better: "less",
  text: format.timeNs,
  ratioOf: "cpu-at-one-rate",
  points: (workload) => {
    const { groups } = workload.judged.equal_work;
    return groups.flatMap((group) =>
      group.rows.flatMap((row) => {
        if (!row.cpu_per_request_ns) return [];
        const rank = row.best != null && row.worst != null ? { best: row.best, worst: row.worst } : null;
        const beside = groups.length > 1 ? `at ${format.number(group.rate_per_s)}/s` : "";
        return [point(row.contender, row.cpu_per_request_ns, { rank, beside, reason: row.reason ?? "" })];
      }),
    );
  },
};

function responseTime(id: string, label: string, pick: "p50_ns" | "p99_ns"): Figure {
  return {
    id,
    label,
    about: "response time from the intended start, open loop, all at the same rate; less is better",
    better: "less",
    text: format.timeNs,
    ratioOf: null,
    points: ofRows((row) => row.latency.find((one) => one.purpose.is === "equal-work")?.response[pick]),
  };
}

const MEMORY: Figure = {
  id: "memory",
  label: "Memory",
  about: "proportional set size of all its processes after the last block, median over launches; less is better",
  better: "less",
  text: format.bytes,
  ratioOf: "memory",
  points: ofRows((row) => row.processes.memory_steady_bytes),
};

const STARTUP: Figure = {
  id: "startup",
  label: "Startup",
  about: "from exec to the first correct answer; less is better",
  better: "less",
  text: format.timeNs,
  ratioOf: "startup",
  points: ofRows((row) => row.processes.startup_ns),
};

const TAX: Figure = {
  id: "tax",
  label: "Framework tax",
  about: "CPU per request over that of the raw contender of the same language and host; less is better",
  better: "less",
  text: format.change,
  ratioOf: null,
  isRatio: true,
  points: (workload) =>
    workload.judged.taxes.flatMap((tax) =>
      tax.ratio ? [point(tax.contender, tax.ratio, { beside: `over ${tax.raw}`, reason: tax.reason ?? "" })] : [],
    ),
};

function taskTime(id: string, label: string, pick: "cold_ns" | "steady_ns"): Figure {
  return {
    id,
    label,
    about:
      pick === "cold_ns"
        ? "the first iteration of a process, by the program's own clock; less is better"
        : "an iteration once warm: the median of the second half of a process's iterations; less is better",
    better: "less",
    text: format.timeNs,
    ratioOf: pick === "steady_ns" ? "task-steady" : null,
    points: (workload) =>
      (workload.judged.tasks?.rows ?? []).flatMap((row) => {
        const time = row[pick];
        if (!time || !stands(row)) return [];
        const { state } = row;
        const ranked = state.is === "ranked" && pick === "steady_ns";
        const rank = ranked ? { best: state.best, worst: state.worst } : null;
        return [point(row.contender, time, { rank, reason: reason(row) })];
      }),
  };
}

/** `40 requests over 40 connections, one first`. */
export function burstName(burst: JudgedBurst): string {
  const how = burst.first_alone ? ", one answered before the others" : "";
  return `${format.count(burst.requests)} requests over ${format.count(burst.connections)} connections${how}`;
}

function burst(burst: JudgedBurst): Figure {
  const id = `burst-${burst.requests}-${burst.connections}${burst.first_alone ? "-ab" : ""}`;
  return {
    id,
    label: `Makespan: ${burstName(burst)}`,
    about: "from the first attempt to connect to the last answer; less is better",
    better: "less",
    text: format.timeNs,
    ratioOf: null,
    points: () =>
      burst.rows.flatMap((row) => (row.makespan_ns && !row.fault ? [point(row.contender, row.makespan_ns)] : [])),
  };
}

/** Hours of a month, on average. */
export const HOURS_A_MONTH = 730;

/** What a reader has typed: requests per second to be served, and the price of one core for an hour. */
export interface Wanted {
  load: number | null;
  price: number | null;
}

/** Cores that a load keeps busy, or what they cost in a month. */
function cost(basis: Figure, { load, price }: Wanted): Figure[] {
  if (load === null) return [];
  const factor = (load / 1e9) * (price === null ? 1 : price * HOURS_A_MONTH);
  const what = price === null ? "Cores" : "Cost a month";
  return [
    {
      ...basis,
      id: "cost",
      label: `${what} at ${format.number(load)} requests/s`,
      about: `CPU time alone, from \u201c${basis.label}\u201d: cores that are busy all the time; less is better`,
      text: format.number,
      points: (workload) =>
        basis.points(workload).map((point) => ({
          ...point,
          value: point.value * factor,
          low: point.low === null ? null : point.low * factor,
          high: point.high === null ? null : point.high * factor,
          least: point.least === null ? null : point.least * factor,
          most: point.most === null ? null : point.most * factor,
        })),
    },
  ];
}

/** CPU per request, where all are given the same work if the run has that. */
export function cpuFigure(workload: Workload): Figure | null {
  return [CPU_AT_RATE, CPU].find((figure) => figure.points(workload).length > 0) ?? null;
}

/** The figures that a workload has, the one that ranks first. */
export function figures(workload: Workload, wanted: Wanted = { load: null, price: null }): Figure[] {
  const { judged } = workload;
  const bursts = judged.bursts.filter((one) => !one.sweep).map(burst);
  const rates = [CPU_AT_RATE, responseTime("p50", "Median response time at one rate", "p50_ns")];
  rates.push(responseTime("p99", "p99 response time at one rate", "p99_ns"));
  const tasks = [
    taskTime("task-steady", "Task, steady", "steady_ns"),
    taskTime("task-cold", "Task, cold", "cold_ns"),
  ];
  const cpu = cpuFigure(workload);
  const costs = cpu ? cost(cpu, wanted) : [];
  const all =
    judged.rate_per_s == null
      ? [GOODPUT, ...tasks, CPU, ...rates, ...bursts, MEMORY, STARTUP, TAX, ...costs]
      : [...bursts, ...rates, CPU, ...tasks, MEMORY, STARTUP, TAX, ...costs];
  return all.filter((figure) => figure.points(workload).length > 0);
}

/** Points from best to worst; ranked ones first. */
export function sorted(figure: Figure, points: Point[]): Point[] {
  const sign = figure.better === "more" ? -1 : 1;
  const group = (one: Point) => (one.rank ? 0 : 1);
  const anyRanked = points.some((one) => one.rank);
  return [...points].sort(
    (a, b) => (anyRanked ? group(a) - group(b) : 0) || sign * (a.value - b.value) || a.contender.localeCompare(b.contender),
  );
}
