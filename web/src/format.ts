// Numbers as people read them: three significant digits, a unit, and half of the interval.

const NONE = "\u2013";

function significant(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return NONE;
  const whole = Number(value.toPrecision(digits));
  return whole.toLocaleString("en-US", { maximumSignificantDigits: digits });
}

/** `48,100`. */
export function number(value: number | null | undefined): string {
  return value == null ? NONE : significant(value);
}

/** `12,481,007`: every digit. */
export function count(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 0 });
}

/** `20.7 µs`. */
export function timeNs(ns: number | null | undefined): string {
  if (ns == null) return NONE;
  const steps: [number, string][] = [
    [1e9, "s"],
    [1e6, "ms"],
    [1e3, "µs"],
  ];
  // 999.6 rounds to the next unit's 1.
  const step = steps.find(([size]) => Math.abs(ns) >= size * 0.9995);
  return step ? `${significant(ns / step[0])}\u00a0${step[1]}` : `${significant(ns)}\u00a0ns`;
}

/** `14.2 MB`, powers of ten. */
export function bytes(value: number | null | undefined): string {
  if (value == null) return NONE;
  const steps: [number, string][] = [
    [1e9, "GB"],
    [1e6, "MB"],
    [1e3, "kB"],
  ];
  const step = steps.find(([size]) => Math.abs(value) >= size * 0.9995);
  return step ? `${significant(value / step[0])}\u00a0${step[1]}` : `${significant(value)}\u00a0B`;
}

/** `5.42×`, `0.34×`, `0.034×`: the digits that the terminal prints. */
export function ratio(value: number | null | undefined): string {
  if (value == null) return NONE;
  const size = Math.abs(value);
  if (!Number.isFinite(value) || size >= 9.995) return `${significant(value)}\u00d7`;
  return `${value.toFixed(size >= 0.0995 || size === 0 ? 2 : 3)}\u00d7`;
}

/** `+2.4 %`. */
export function change(ratio: number): string {
  const percent = (ratio - 1) * 100;
  const digits = Math.abs(percent) < 10 ? 1 : 0;
  const text = Math.abs(percent).toFixed(digits);
  const sign = Number(text) === 0 ? "+" : percent > 0 ? "+" : "\u2212";
  return `${sign}${text}\u00a0%`;
}

/** `1.1 %`, of a share. */
export function percent(share: number | null | undefined): string {
  if (share == null) return NONE;
  const value = share * 100;
  return `${value.toFixed(Math.abs(value) < 10 ? 1 : 0)}\u00a0%`;
}

/** A figure, and how sure it is: its interval, or both of two launches, which have none. */
export interface Sure {
  value: number;
  low: number | null;
  high: number | null;
  least?: number | null;
  most?: number | null;
}

/** The sides of an interval may differ by this share of half of its width and still be written as one. */
const SYMMETRIC = 0.1;

/**
 * `±1.1 %`: half of the interval over the value; where its sides differ, both: `(−26 to +35 %)`; of two launches both as they were
 * measured: `(47,200 and 49,100)`; empty where nothing is known.
 */
export function plusMinus(text: (value: number) => string, { value, low, high, least, most }: Sure): string {
  if (least != null && most != null) return `(${text(least)} and ${text(most)})`;
  if (low == null || high == null || value === 0) return "";
  const half = (high - low) / 2 / Math.abs(value);
  const [below, above] = [1 - low / value, high / value - 1];
  if (Math.abs(above - below) <= SYMMETRIC * half) return `\u00b1${percent(half)}`;
  const signed = (share: number) => `${share < 0 ? "\u2212" : "+"}${percent(Math.abs(share))}`;
  return `(${signed(-below).replace("\u00a0%", "")} to ${signed(above)})`;
}

/** A figure with its interval in words, for those who do not see it drawn. */
export function spoken(text: (value: number) => string, figure: Sure): string {
  const { value, low, high, least, most } = figure;
  if (least != null && most != null) return `${text(value)}, of two launches with ${text(least)} and ${text(most)}`;
  return low == null || high == null ? text(value) : `${text(value)}, from ${text(low)} to ${text(high)}`;
}

/** `1-2`, `3`. */
export function rank(best: number, worst: number): string {
  return best === worst ? `${best}` : `${best}\u2013${worst}`;
}
