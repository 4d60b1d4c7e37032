// Ties are brackets: runs of ranks that were not told apart.

/** Rows of a ranking from one place to another, both counted from 0. */
export interface Tie {
  from: number;
  to: number;
  /** Which of the brackets side by side. */
  lane: number;
}

/** A ranked row: its place among all that are ranked, counted from 0, and its worst rank. */
export interface RankedRow {
  place: number;
  worst: number;
}

/** The brackets of ranked rows in their order, of which some may be hidden; each joins rows none of which is separated from another. */
export function ties(rows: RankedRow[]): Tie[] {
  const found: Tie[] = [];
  rows.forEach(({ worst }, from) => {
    const beyond = rows.findIndex(({ place }) => place >= worst);
    const to = (beyond < 0 ? rows.length : beyond) - 1;
    // A row that shares its last rank with the one before lies in that one's bracket.
    const isInside = found.some((tie) => tie.from <= from && tie.to >= to);
    if (to > from && !isInside) {
      let lane = 0;
      while (found.some((tie) => tie.lane === lane && tie.to >= from)) lane += 1;
      found.push({ from, to, lane });
    }
  });
  return found;
}
