// The answer as a chart: a row each, a dot with its interval, ties in brackets, and below a line what is not ranked.
import { anchor, grouped, sorted } from "../data";
import * as format from "../format";
import type { RankedPoint, Ranking } from "../generated/page";
import { type Relative, relative } from "../relative";
import { fitting, place, ratios, type Scale } from "../scale";
import { usePage } from "../shown";
import { ties } from "../ties";
import { useWidth } from "../width";
import { Caption } from "./caption";
import { Reasons } from "./reasons";

interface Drawn extends format.Sure {
  point: RankedPoint;
  text: string;
  /** Beside it, in small letters; may be empty. */
  more: string;
  /** The figure in full, for those who do not see it. */
  spoken: string;
}

interface Props {
  /** The workload's name. */
  workload: string;
  ranking: Ranking;
  /** The contender that figures are relative to; null: none. */
  to: string | null;
  isLog: boolean;
  /** Who has a card to be led to. */
  hasCard: (contender: string) => boolean;
}

export function RankingChart({ workload, ranking, to, isLog, hasCard }: Props) {
  const { isShown } = usePage();
  const drawn = sorted(ranking, ranking.points.filter((point) => isShown(point.contender))).flatMap((point) => draw(ranking, point, to));
  const ranked = drawn.filter((one) => one.point.ranks);
  const others = drawn.filter((one) => !one.point.ranks);
  // What is not ranked, such as the reference, may lie beyond an axis of ratios and then says so; it must not squeeze the ranks.
  const scale: Scale =
    to === null
      ? ((isLog ? ranking.log_axis : null) ?? ranking.axis)
      : ratios((ranked.length > 0 ? ranked : drawn).flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]), isLog, format.ratio);
  const hasRanks = ranking.points.some((point) => point.ranks);
  const reasons = others.flatMap(({ point: { contender, reason } }): [string, string][] => (reason ? [[contender, reason]] : []));
  // What several rows share stands below the chart, once.
  const shared = grouped(reasons).filter(({ names }) => names.length > 1).map(({ words }) => words);
  const missing = ranking.without.filter(([contender]) => isShown(contender));
  const standing = sorted(ranking, ranking.points);
  const brackets = ties(ranked.map(({ point }) => ({ place: standing.indexOf(point), worst: point.ranks?.[1] ?? 0 })));
  const lanes = Math.max(0, ...brackets.map((tie) => tie.lane + 1));
  if (drawn.length === 0 && missing.length === 0) return <p class="empty">No contender matches.</p>;
  const row = (one: Drawn, at: number) => (
    <Row
      key={one.point.contender}
      one={one}
      row={at}
      scale={scale}
      isRatio={to !== null || ranking.is_ratio}
      isFaint={!one.point.ranks && (hasRanks || one.point.reason !== null)}
      reason={shared.includes(one.point.reason ?? "") ? null : one.point.reason}
      hasCard={hasCard(one.point.contender)}
    />
  );
  return (
    <figure class="ranking">
      {drawn.length > 0 && (
        <div class="ranking-rows" style={{ "--lanes": lanes }} role="table" aria-label={`${ranking.label}${to === null ? "" : `, relative to ${to}`}`}>
          {brackets.map((tie) => (
            <div
              key={`${tie.from}-${tie.to}`}
              class="tie"
              style={{ gridRow: `${tie.from + 1} / ${tie.to + 2}`, "--lane": tie.lane }}
              aria-hidden="true"
            />
          ))}
          {ranked.map((one, at) => row(one, at + 1))}
          {ranked.length > 0 && others.length > 0 && (
            <div class="divider" style={{ gridRow: ranked.length + 1 }} role="row">
              <span role="cell">not ranked</span>
            </div>
          )}
          {others.map((one, at) => row(one, ranked.length + 2 + at))}
          <AxisRow scale={scale} row={drawn.length + 3} />
        </div>
      )}
      {drawn.length > 0 && (
        <Caption
          label={`${ranking.label}, ${drawn.length} contender${drawn.length === 1 ? "" : "s"}${to === null ? "" : `, relative to ${to}`}`}
          hasIntervals={drawn.some((one) => one.low !== null)}
          name={`${workload}-${ranking.id}`}
          svg={() => ranking.svg}
          svgIs={to === null ? "" : "absolute values"}
          data={() => [
            ["contender", "best_rank", "worst_rank", "value", "low", "high", "at_least"],
            ...drawn.map(({ point: { contender, ranks, at_least }, value, low, high }) => [contender, ranks?.[0], ranks?.[1], value, low, high, `${at_least}`]),
          ]}
        />
      )}
      <Reasons of={[...reasons.filter(([, words]) => shared.includes(words)), ...missing]} />
    </figure>
  );
}

function draw(ranking: Ranking, point: RankedPoint, to: string | null): Drawn[] {
  if (to === null) {
    const { value, low, high, text, spoken } = point;
    return [{ point, value, low, high, text, more: "", spoken }];
  }
  const found = relative(ranking, point, to);
  if (!found) return [];
  const { value, low, high } = found;
  const text = inWords(found, point, to);
  return [{ point, value, low, high, text, more: point.text, spoken: `${text} of ${to}; ${point.spoken}` }];
}

function inWords(found: Relative, point: RankedPoint, to: string): string {
  if (point.contender === to) return "1\u00d7, the base";
  const bound = point.at_least ? "\u2265\u00a0" : "";
  return `${bound}${format.ratio(found.value)} ${found.isPaired ? format.plusMinus(found) : "(not paired)"}`.trim();
}

interface RowProps {
  one: Drawn;
  row: number;
  scale: Scale;
  isRatio: boolean;
  /** It has no rank, where others have or for a reason of its own. */
  isFaint: boolean;
  /** Why it has none, where that is its own reason. */
  reason: string | null;
  hasCard: boolean;
}

function Row({ one, row, scale, isRatio, isFaint, reason, hasCard }: RowProps) {
  const { point, value } = one;
  const from = place(scale, one.low ?? value);
  const to = place(scale, one.high ?? value);
  const isBeyond = value > scale.to * (1 + 1e-9);
  return (
    <div class={`row${isFaint ? " unranked" : ""}`} style={{ "--row": row }} role="row">
      <span class="rank" role="cell" aria-label={point.rank ? `rank ${point.rank}` : "not ranked"}>
        {point.rank?.replace("-", "\u2013") ?? "\u2013"}
      </span>
      <span class="name" role="rowheader">
        {hasCard ? (
          <a href={`#${anchor(point.contender)}`} onClick={(event) => open(event, point.contender)}>
            {point.contender}
          </a>
        ) : (
          point.contender
        )}
        {point.beside && <small> {point.beside}</small>}
      </span>
      <span class="track" role="cell" aria-label={one.spoken}>
        {scale.ticks.map(({ at }) => (
          <i key={at} class="grid" style={{ left: share(place(scale, at)) }} />
        ))}
        {isRatio && <i class="one" style={{ left: share(place(scale, 1)) }} />}
        {isBeyond ? (
          <i class="beyond">{"\u25b8"}</i>
        ) : (
          <>
            <i class="interval" style={{ left: share(from), width: share(to - from) }} />
            <i class={`dot${point.at_least ? " open" : ""}`} style={{ left: share(place(scale, value)) }} />
          </>
        )}
      </span>
      <span class="value" role="cell">
        <span>{one.text}</span>
        {one.more && <small>{one.more}</small>}
      </span>
      {!point.ranks && reason && (
        <span class="reason" role="cell">
          {reason}
        </span>
      )}
    </div>
  );
}

/** The hash holds the view, so that a link within the page must not replace it. */
function open(event: Event, contender: string): void {
  event.preventDefault();
  const card = document.getElementById(anchor(contender));
  if (!(card instanceof HTMLDetailsElement)) return;
  card.open = true;
  card.scrollIntoView({ block: "start" });
  card.querySelector("summary")?.focus({ preventScroll: true });
}

/** The width of a digit of a tick. */
const DIGIT = 7.4;

function AxisRow({ scale, row }: { scale: Scale; row: number }) {
  const [where, width] = useWidth();
  // The texts at both ends lie wholly to one side of their places.
  const isEnd = (at: number) => at === scale.from || at === scale.to;
  const ticks = fitting(scale, width, ({ at, text }) => text.length * DIGIT * (isEnd(at) ? 2 : 1) + 8);
  return (
    <div class="row axis" style={{ "--row": row }} aria-hidden="true">
      <div class="track" ref={where}>
        {ticks.map(({ at, text }) => (
          <span key={at} class={`tick${at === scale.from ? " first" : at === scale.to ? " last" : ""}`} style={{ left: share(place(scale, at)) }}>
            {text}
          </span>
        ))}
      </div>
    </div>
  );
}

function share(value: number): string {
  return `${(value * 100).toFixed(3)}%`;
}
