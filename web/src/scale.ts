// Axes of the ranking: linear from 0, or logarithmic between powers of ten.

/** From a value to its place, in [0, 1], and the values to mark. */
export interface Scale {
  place: (value: number) => number;
  ticks: number[];
}

const STEPS = [1, 2, 2.5, 5, 10];

/** A linear scale from 0 to at least `most`. */
export function linear(most: number, about = 5): Scale {
  if (!(most > 0) || !Number.isFinite(most)) return { place: () => 0, ticks: [0] };
  const raw = most / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = (STEPS.find((one) => one * power >= raw) ?? 10) * power;
  const end = Math.ceil(most / step - 1e-9) * step;
  const ticks = Array.from({ length: Math.round(end / step) + 1 }, (_, index) => index * step);
  return { place: (value) => clamp(value / end), ticks };
}

/** A linear scale that holds both, and need not hold 0. */
export function between(least: number, most: number, about = 5): Scale {
  if (!(most > least) || !Number.isFinite(most - least)) return linear(most, about);
  const raw = (most - least) / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = (STEPS.find((one) => one * power >= raw) ?? 10) * power;
  const [from, to] = [Math.floor(least / step + 1e-9), Math.ceil(most / step - 1e-9)];
  // Whole numbers of steps, so that 1 is exactly 1.
  const ticks = Array.from({ length: to - from + 1 }, (_, index) => Number(((from + index) * step).toPrecision(12)));
  return { place: (value) => clamp((value / step - from) / (to - from)), ticks };
}

/** A logarithmic scale that holds both; both are above 0. */
export function logarithmic(least: number, most: number): Scale {
  if (!(least > 0) || !(most > 0) || !Number.isFinite(most)) return linear(most);
  const nice = (value: number, up: boolean) => {
    const power = 10 ** Math.floor(Math.log10(value) + 1e-9);
    const found = up ? [1, 2, 5, 10].find((one) => one * power >= value * 0.999) : [5, 2, 1].find((one) => one * power <= value * 1.001);
    return (found ?? 1) * power;
  };
  let [low, high] = [nice(least, false), nice(most, true)];
  if (low === high) [low, high] = [low / 2, high * 2];
  const span = Math.log10(high / low);
  const wanted = span > 3 ? [1] : span > 1.2 ? [1, 3] : [1, 2, 5];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    for (const one of wanted) {
      const tick = one * 10 ** power;
      if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
    }
  }
  return { place: (value) => clamp(Math.log10(value / low) / span), ticks };
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0));
}
