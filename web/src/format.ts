// The numbers that only the page knows: ratios of two contenders, and what a reader's own load costs. All others come as texts.

/** `48,100`: three significant digits. */
export function number(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString("en-US", { maximumSignificantDigits: 3 });
}

/** `5.42×`, `0.034×`. */
export function ratio(value: number): string {
  const size = Math.abs(value);
  if (size >= 9.995) return `${number(value)}\u00d7`;
  return `${value.toFixed(size >= 0.0995 || size === 0 ? 2 : 3)}\u00d7`;
}

function percent(share: number): string {
  const value = share * 100;
  return value.toFixed(Math.abs(value) < 10 ? 1 : 0);
}

/** A figure and its interval. */
export interface Sure {
  value: number;
  low: number | null;
  high: number | null;
}

/** The sides of an interval may differ by this share of half of its width and still be written as one. */
const SYMMETRIC = 0.1;

/** `± 1.1 %`: half of the interval over the value; where its sides differ, both: `(-26 to +35 %)`; empty without an interval. */
export function plusMinus({ value, low, high }: Sure): string {
  if (low === null || high === null || value === 0) return "";
  const half = (high - low) / 2 / Math.abs(value);
  const [below, above] = [1 - low / value, high / value - 1];
  if (Math.abs(above - below) <= SYMMETRIC * half) return `\u00b1\u00a0${percent(half)}\u00a0%`;
  const signed = (share: number) => `${share < 0 ? "-" : "+"}${percent(Math.abs(share))}`;
  return `(${signed(-below)} to ${signed(above)}\u00a0%)`;
}
