// Axes: the values to mark and where a value lies. Those of ratios, which only the page knows, follow the rules of
// crates/report/src/document/axis.rs; tests/ticks.json holds both to the same.
import type { Axis, Tick } from "./generated/page";

/** What of an axis places values. */
export type Scale = Pick<Axis, "is_log" | "from" | "to" | "ticks">;

/** Ticks behind the first one, at most. */
const TICKS = 5;
/** When an axis around 1 shows nothing but 1. */
const NARROWEST = 0.05;

/** Where a value lies on an axis: 0 at its beginning, 1 at its end. */
export function place({ is_log, from, to }: Scale, value: number): number {
  const share = is_log ? Math.log(value / from) / Math.log(to / from) : (value - from) / (to - from);
  return Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0));
}

/**
 * Ticks whose texts do not stand upon one another on an axis of a length, where each takes some room around its place: of a linear
 * axis each second one, or each third one, and so on.
 */
export function fitting(axis: Scale, length: number, room: (tick: Tick) => number): Tick[] {
  const middle = (tick: Tick) => place(axis, tick.at) * length;
  const half = (tick: Tick) => room(tick) / 2;
  const isApart = (one: Tick | undefined, other: Tick) =>
    !one || Math.abs(middle(one) - middle(other)) >= half(one) + half(other);
  if (axis.is_log) {
    const kept: Tick[] = [];
    for (const tick of axis.ticks) if (isApart(kept.at(-1), tick)) kept.push(tick);
    return kept;
  }
  for (let step = 1; step < axis.ticks.length; step += 1) {
    const kept = axis.ticks.filter((_, at) => at % step === 0);
    if (kept.every((tick, at) => isApart(kept[at - 1], tick))) return kept;
  }
  return axis.ticks.slice(0, 1);
}

/** An axis of ratios: around 1, which is marked, or logarithmic where that is asked for and can be. */
export function ratios(values: number[], isLog: boolean, write: (value: number) => string): Scale {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const is_log = isLog && least > 0;
  const ticks = is_log ? logarithmic(least, most) : between(Math.min(least, 1 - NARROWEST), Math.max(most, 1 + NARROWEST));
  const texts = ticks.map((at) => ({ at, text: write(at) }));
  return { is_log, from: ticks[0] ?? 0, to: ticks.at(-1) ?? 1, ticks: texts };
}

/** A step of 1, 2 or 5 times a power of 10, at most so many of which make a length. */
function step(length: number): number {
  const rough = length / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5].map((factor) => factor * power).find((one) => one >= rough * (1 - 1e-9)) ?? 10 * power;
}

/** In equal steps between two values that are not equal. */
export function between(from: number, to: number): number[] {
  const size = step(to - from);
  const [first, last] = [Math.floor(from / size + 1e-9), Math.ceil(to / size - 1e-9)];
  // Whole numbers of steps, rounded, so that 1 is exactly 1.
  return Array.from({ length: last - first + 1 }, (_, index) => Math.round((first + index) * size * 1e9) / 1e9);
}

/**
 * At 1, 2 and 5 times the powers of 10; where these would be many at 1 and 3 times, then at powers of 10 alone, and of many not at
 * each.
 */
export function logarithmic(from: number, to: number): number[] {
  const [first, last] = [Math.floor(Math.log10(from)), Math.ceil(Math.log10(to))];
  const decades = Math.log10(to / from);
  if (decades > 3) {
    const size = Math.ceil((last - first) / TICKS);
    const ticks = Array.from({ length: TICKS + 2 }, (_, index) => 10 ** (first + index * size));
    const below = ticks.filter((tick) => tick < to * (1 - 1e-9)).length;
    return ticks.slice(0, Math.max(below, 1) + 1);
  }
  const factors = decades > 1.6 ? [1, 3] : [1, 2, 5];
  const powers = Array.from({ length: Math.max(last, first + 1) - first + 1 }, (_, index) => 10 ** (first + index));
  const all = powers.flatMap((power) => factors.map((factor) => factor * power));
  const begin = Math.max(0, all.filter((tick) => tick <= from * (1 + 1e-9)).length - 1);
  const found = all.findIndex((tick) => tick >= to * (1 - 1e-9));
  const end = found < 0 ? all.length - 1 : found;
  return all.slice(begin, Math.max(end, begin + 1) + 1);
}
