// A figure against another contender's: the paired ratio where the run has one, else the ratio of the two figures.
import { leader } from "./data";
import type { Sure } from "./format";
import type { RankedPoint, Ranking } from "./generated/page";

/** What a contender's figure is over another's. */
export interface Relative extends Sure {
  /** Paired by block or launch, so that the interval is that of the ratio itself. */
  isPaired: boolean;
}

/** The reader's choice of figures as they are, relative to nobody. */
export const ABSOLUTE = "absolute";

/** Whom a ranking is relative to: who was chosen, else its leader where ratios were paired, as ranks are judged; null: nobody. */
export function base(ranking: Ranking, chosen: string): string | null {
  if (ranking.is_ratio || chosen === ABSOLUTE) return null;
  if (ranking.points.some((point) => point.contender === chosen)) return chosen;
  return ranking.ratios.length > 0 ? (leader(ranking)?.contender ?? null) : null;
}

function paired({ points, ratios }: Ranking, over: string, under: string): Relative | null {
  const place = (name: string) => points.findIndex((point) => point.contender === name);
  const [above, below] = [place(over), place(under)];
  const found = ratios.find((pair) => pair[0] === above && pair[1] === below);
  if (found) return { value: found[2], low: found[3], high: found[4], isPaired: true };
  const turned = ratios.find((pair) => pair[0] === below && pair[1] === above);
  if (!turned || !(turned[2] > 0)) return null;
  const inverse = (value: number | null) => (value === null || !(value > 0) ? null : 1 / value);
  return { value: 1 / turned[2], low: inverse(turned[4]), high: inverse(turned[3]), isPaired: true };
}

/** A point over that of another contender; null where that one has none. */
export function relative(ranking: Ranking, own: RankedPoint, to: string): Relative | null {
  if (own.contender === to) return { value: 1, low: null, high: null, isPaired: true };
  const under = ranking.points.find((one) => one.contender === to);
  if (!under || under.value === 0) return null;
  const value = own.value / under.value;
  return paired(ranking, own.contender, to) ?? { value, low: null, high: null, isPaired: false };
}
