// A figure against another contender's: the paired ratio where the run has one, else the ratio of the two figures.
import type { Workload } from "./data";
import type { Figure, Point } from "./figures";

/** What a contender's figure is over another's. */
export interface Relative {
  value: number;
  low: number | null;
  high: number | null;
  /** Paired by block or launch, so that the interval is that of the ratio itself. */
  isPaired: boolean;
}

function inverse(ratio: Relative): Relative {
  return {
    value: 1 / ratio.value,
    low: ratio.high == null ? null : 1 / ratio.high,
    high: ratio.low == null ? null : 1 / ratio.low,
    isPaired: ratio.isPaired,
  };
}

function paired(workload: Workload, figure: Figure, over: string, under: string): Relative | null {
  const of = figure.ratioOf;
  if (!of) return null;
  const { contenders, ratios } = workload.page.detail;
  const place = (name: string) => contenders.findIndex((one) => one.contender === name);
  const [above, below] = [place(over), place(under)];
  const found = ratios.find((one) => one.of === of)?.pairs.find((pair) => pair[0] === above && pair[1] === below);
  return found ? { value: found[2], low: found[3], high: found[4], isPaired: true } : null;
}

/** The figure of a point over that of the contender chosen; null when that one has none. */
export function relative(workload: Workload, figure: Figure, own: Point, points: Point[], to: string): Relative | null {
  const base = points.find((one) => one.contender === to);
  if (!base || base.value === 0) return null;
  if (own.contender === to) return { value: 1, low: null, high: null, isPaired: true };
  const ratio = paired(workload, figure, own.contender, to);
  if (ratio) return ratio;
  const turned = paired(workload, figure, to, own.contender);
  if (turned && turned.value > 0) return inverse(turned);
  return { value: own.value / base.value, low: null, high: null, isPaired: false };
}
