// Ties are brackets: runs of ranks that were not told apart.

/** Rows of a ranking from one place to another, both counted from 0. */
export interface Tie {
  from: number;
  to: number;
  /** Which of the brackets side by side. */
  lane: number;
}

/** The brackets of ranked rows in their order; each joins rows none of which is separated from another. */
export function ties(ranks: { best: number; worst: number }[]): Tie[] {
  const found: Tie[] = [];
  ranks.forEach((rank, place) => {
    const to = Math.min(rank.worst - 1, ranks.length - 1);
    // A row that shares its last rank with the one before lies in that one's bracket.
    const isInside = found.some((tie) => tie.from <= place && tie.to >= to);
    if (to > place && !isInside) {
      let lane = 0;
      while (found.some((tie) => tie.lane === lane && tie.to >= place)) lane += 1;
      found.push({ from: place, to, lane });
    }
  });
  return found;
}
