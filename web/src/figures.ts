// The series that contenders can be compared by, as the judged run has them, with what a reader's own load makes of them.
import { isGrpc, type Workload } from "./data";
import * as format from "./format";
import type { Estimate, SeriesPoint, Unit } from "./generated/page";

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
  /** What stands beside the name. */
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
  points: Point[];
  /** Who has no point, and why. */
  without: [string, string][];
  /** Which of the paired ratios are of this figure. */
  ratioOf: string | null;
  /** A ratio that has 1 as its natural zero, such as a tax. */
  isRatio: boolean;
  /** Its chart as a file; null for what only this page knows, such as a reader's own load. */
  svg: string | null;
}

const TEXTS: Record<Unit, (value: number) => string> = {
  "per-second": (value) => `${format.number(value)}/s`,
  nanoseconds: format.timeNs,
  bytes: format.bytes,
  ratio: format.change,
};

function point(workload: Workload, { contender, estimate, at_least, best, worst, over, reason }: SeriesPoint): Point {
  const { value, low, high, least, most }: Estimate = estimate;
  const rank = best != null && worst != null ? { best, worst } : null;
  return { contender, value, low, high, least, most, atLeast: at_least, rank, beside: [isGrpc(workload, contender) ? "gRPC" : "", over ? `over ${over}` : ""].filter(Boolean).join(", "), reason: reason ?? "" };
}

function measured(workload: Workload): Figure[] {
  return workload.judged.series.map((series, index) => ({
    ...workload.page.series[index]!,
    better: series.better,
    text: TEXTS[series.unit],
    points: series.points.map((one) => point(workload, one)),
    ratioOf: series.of,
    isRatio: series.unit === "ratio",
  }));
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
  const times = (value: number | null) => (value === null ? null : value * factor);
  const what = price === null ? "Cores" : "Cost a month";
  return [
    {
      ...basis,
      id: "cost",
      label: `${what} at ${format.number(load)} requests/s`,
      about: `CPU time alone, from \u201c${basis.label}\u201d: cores that are busy all the time; less is better`,
      text: format.number,
      svg: null,
      points: basis.points.map((point) => ({
        ...point,
        value: point.value * factor,
        low: times(point.low),
        high: times(point.high),
        least: times(point.least),
        most: times(point.most),
      })),
    },
  ];
}

/** CPU per request, where all are given the same work if the run has that. */
export function cpuFigure(workload: Workload): Figure | null {
  const all = measured(workload);
  const of = (name: string) => all.find((figure) => figure.ratioOf === name);
  return of("cpu-at-one-rate") ?? of("cpu-per-request") ?? null;
}

/** The figures that a workload has, the one that ranks first. */
export function figures(workload: Workload, wanted: Wanted = { load: null, price: null }): Figure[] {
  const cpu = cpuFigure(workload);
  return [...measured(workload), ...(cpu ? cost(cpu, wanted) : [])];
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
