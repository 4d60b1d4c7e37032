// The run's data, as velo writes them into the page: schemas/page.schema.json.
import type { PageData, RankedPoint, Ranking } from "./generated/page";

/** What velo has written into this page; null in the template itself. */
export function read(): PageData | null {
  const text = document.getElementById("velo-data")?.textContent ?? "null";
  return JSON.parse(text) as PageData | null;
}

/** The place of a contender's card in the page. */
export function anchor(contender: string): string {
  return `contender-${contender.replace(/[^a-z0-9-]/g, "-")}`;
}

/** Points from best to worst; ranked ones first. */
export function sorted({ better }: Ranking, points: RankedPoint[]): RankedPoint[] {
  const sign = better === "more" ? -1 : 1;
  const group = (one: RankedPoint) => (one.ranks ? 0 : 1);
  return [...points].sort(
    (a, b) => group(a) - group(b) || sign * (a.value - b.value) || a.contender.localeCompare(b.contender),
  );
}

/** The best of a ranking; null where nothing is ranked. */
export function leader(ranking: Ranking): RankedPoint | null {
  return sorted(ranking, ranking.points).find((point) => point.ranks) ?? null;
}

/** What several share is said once: of whom, and what. */
export function grouped(said: [string, string][]): { names: string[]; words: string }[] {
  const groups = new Map<string, string[]>();
  for (const [name, words] of said) groups.set(words, [...(groups.get(words) ?? []), name]);
  return [...groups].map(([words, names]) => ({ names, words }));
}

/** The name of a part as a heading; what has capitals of its own, such as an abbreviation, stays as it is, and so does a contender's name. */
export function capitalised(text: string): string {
  return /^\S*[\p{Lu}/]/u.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}
