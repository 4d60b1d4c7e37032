// The answer as a chart: a row each, a dot with its interval, ties in brackets, and below a line what is not ranked.
import { useEffect, useState } from "preact/hooks";

import { anchor, rowName, type Workload } from "../data";
import { type Figure, type Point, sorted } from "../figures";
import * as format from "../format";
import { type Relative, relative } from "../relative";
import { between, linear, logarithmic, type Scale } from "../scale";
import { ties } from "../ties";
import { Caption } from "./caption";

interface Drawn {
  point: Point;
  value: number;
  low: number | null;
  high: number | null;
  text: string;
  /** The figure in full, for those who do not see it. */
  spoken: string;
}

interface Props {
  workload: Workload;
  figure: Figure;
  /** The contender that figures are relative to; empty: none. */
  to: string;
  isLog: boolean;
  isShown: (contender: string) => boolean;
}

export function Ranking({ workload, figure, to, isLog, isShown }: Props) {
  const all = figure.points;
  const drawn = sorted(figure, all.filter((point) => isShown(point.contender))).flatMap((point) => {
    const one = draw(workload, figure, point, all, to);
    return one ? [one] : [];
  });
  const ranked = drawn.filter((one) => one.point.rank);
  const others = drawn.filter((one) => !one.point.rank);
  // What is not ranked, such as the reference, may lie beyond the axis and then says so; it must not squeeze the ranks.
  const isRatio = to !== "" || figure.isRatio;
  const isNarrow = useIsNarrow();
  const scale = scaleOf(ranked.length > 0 ? ranked : drawn, isLog, isNarrow ? 3 : 5, figure.isRatio && to === "");
  const tickText = (value: number) => (to ? format.ratio(value) : figure.text(value));
  const missing = figure.without.filter(([contender]) => isShown(contender));
  const brackets = ties(ranked.map((one) => one.point.rank!));
  const lanes = Math.max(0, ...brackets.map((tie) => tie.lane + 1));
  if (drawn.length === 0 && missing.length === 0) return <p class="empty">No contender matches.</p>;
  return (
    <figure class="ranking">
      <div
        class="ranking-rows"
        style={{ "--lanes": lanes }}
        role="table"
        aria-label={`${figure.label}${to ? `, relative to ${to}` : ""}`}
      >
        {brackets.map((tie) => (
          <div
            key={`${tie.from}-${tie.to}`}
            class="tie"
            style={{ gridRow: `${tie.from + 1} / ${tie.to + 2}`, "--lane": tie.lane }}
            aria-hidden="true"
          />
        ))}
        {ranked.map((one, index) => (
          <RankingRow key={one.point.contender} one={one} row={index + 1} scale={scale} isRatio={isRatio} />
        ))}
        {ranked.length > 0 && others.length > 0 && (
          <div class="divider" style={{ gridRow: ranked.length + 1 }} role="row">
            <span role="cell">not ranked</span>
          </div>
        )}
        {others.map((one, index) => (
          <RankingRow
            key={one.point.contender}
            one={one}
            row={ranked.length + 2 + index}
            scale={scale}
            isRatio={isRatio}
          />
        ))}
        <Axis scale={scale} text={tickText} row={drawn.length + 3} isNarrow={isNarrow} />
      </div>
      {drawn.length > 0 && (
        <Caption
          label={`${figure.label}, ${drawn.length} contenders${to ? `, relative to ${to}` : ""}`}
          hasIntervals={drawn.some((one) => one.low !== null)}
          name={`${workload.judged.name}-${figure.id}`}
          svg={figure.svg === null || to ? null : () => figure.svg}
          data={() => [
            ["contender", "best_rank", "worst_rank", "value", "low", "high", "at_least"],
            ...drawn.map(({ point: { contender, rank, atLeast }, value, low, high }) => [contender, rank?.best, rank?.worst, value, low, high, `${atLeast}`]),
          ]}
        />
      )}
      {missing.length > 0 && <Missing workload={workload} missing={missing} />}
    </figure>
  );
}

function draw(workload: Workload, figure: Figure, point: Point, all: Point[], to: string): Drawn | null {
  if (!to) {
    const { value, low, high } = point;
    const text = `${point.atLeast ? "\u2265\u00a0" : ""}${figure.text(value)}`;
    const shownLow = point.atLeast ? null : low;
    return {
      point,
      value,
      low: shownLow,
      high: point.atLeast ? null : high,
      text: point.atLeast || figure.isRatio ? text : `${text} ${format.plusMinus(figure.text, point)}`.trim(),
      spoken: `${point.atLeast ? "at least " : ""}${format.spoken(figure.text, point.atLeast ? { value, low: null, high: null } : point)}`,
    };
  }
  const found = relative(workload, figure, point, all, to);
  if (!found) return null;
  return {
    point,
    value: found.value,
    low: found.low,
    high: found.high,
    text: relativeText(found, point, to),
    spoken: `${format.spoken(format.ratio, found)} of ${to}`,
  };
}

function relativeText(found: Relative, point: Point, to: string): string {
  if (point.contender === to) return "1\u00d7, the base";
  const bound = point.atLeast ? "\u2265\u00a0" : "";
  const beside = found.isPaired ? format.plusMinus(format.ratio, found) : "(not paired)";
  return `${bound}${format.ratio(found.value)} ${beside}`.trim();
}

/** Whether there is room for a few ticks only. */
function useIsNarrow(): boolean {
  const query = window.matchMedia("(max-width: 40rem)");
  const [isNarrow, setIsNarrow] = useState(query.matches);
  useEffect(() => {
    const look = () => setIsNarrow(query.matches);
    query.addEventListener("change", look);
    return () => query.removeEventListener("change", look);
  }, []);
  return isNarrow;
}

function scaleOf(drawn: Drawn[], isLog: boolean, ticks: number, isAroundOne: boolean): Scale {
  const ends = drawn.flatMap((one) => [one.value, one.low ?? one.value, one.high ?? one.value]);
  const finite = ends.filter((value) => Number.isFinite(value) && value > 0);
  const most = Math.max(0, ...finite);
  // A tax of 11 % is a short way from none, not a long one from -100 %.
  if (isAroundOne && !isLog && finite.length > 0) return between(Math.min(1, ...finite), Math.max(1, most), ticks);
  return isLog && finite.length > 0 ? logarithmic(Math.min(...finite), most) : linear(most, ticks);
}

interface RowProps {
  one: Drawn;
  row: number;
  scale: Scale;
  isRatio: boolean;
}

function RankingRow({ one, row, scale, isRatio }: RowProps) {
  const { point } = one;
  const rank = point.rank ? format.rank(point.rank.best, point.rank.worst) : "\u2013";
  const from = scale.place(one.low ?? one.value);
  const to = scale.place(one.high ?? one.value);
  const isBeyond = one.value > scale.ticks[scale.ticks.length - 1]! * (1 + 1e-9);
  return (
    <div class={`row${point.rank ? "" : " unranked"}`} style={{ "--row": row }} role="row">
      <span class="rank" role="cell" aria-label={point.rank ? `rank ${rank}` : "not ranked"}>
        {rank}
      </span>
      <span class="name" role="rowheader">
        <a href={`#${anchor(point.contender)}`} onClick={(event) => open(event, point.contender)}>
          {point.contender}
        </a>
        {point.beside && <small> {point.beside}</small>}
      </span>
      <span class="track" role="cell" aria-label={one.spoken}>
        {scale.ticks.map((tick) => (
          <i key={tick} class="grid" style={{ left: share(scale.place(tick)) }} />
        ))}
        {isRatio && <i class="one" style={{ left: share(scale.place(1)) }} />}
        {isBeyond ? (
          <i class="beyond">{"\u25b8"}</i>
        ) : (
          <>
            <i class="interval" style={{ left: share(from), width: share(to - from) }} />
            <i class={`dot${point.atLeast ? " open" : ""}`} style={{ left: share(scale.place(one.value)) }} />
          </>
        )}
      </span>
      <span class="value" role="cell">
        {one.text}
      </span>
      {!point.rank && point.reason && (
        <span class="reason" role="cell">
          {point.reason}
        </span>
      )}
    </div>
  );
}

/** The hash holds the view, so that a link within the page must not replace it. */
export function open(event: Event, contender: string): void {
  event.preventDefault();
  const card = document.getElementById(anchor(contender));
  if (!(card instanceof HTMLDetailsElement)) return;
  card.open = true;
  card.scrollIntoView({ block: "start" });
  card.querySelector("summary")?.focus({ preventScroll: true });
}

interface AxisProps {
  scale: Scale;
  text: (value: number) => string;
  row: number;
  isNarrow: boolean;
}

function Axis({ scale, text, row, isNarrow }: AxisProps) {
  // Where there is room for three, every second one of four is enough.
  const every = isNarrow && scale.ticks.length > 3 ? 2 : 1;
  return (
    <div class="row axis" style={{ "--row": row }} aria-hidden="true">
      <span class="track">
        {scale.ticks.filter((_, index) => index % every === 0).map((tick) => (
          <span key={tick} class={`tick${scale.place(tick) === 0 ? " first" : scale.place(tick) === 1 ? " last" : ""}`} style={{ left: share(scale.place(tick)) }}>
            {text(tick)}
          </span>
        ))}
      </span>
    </div>
  );
}

function Missing({ workload, missing }: { workload: Workload; missing: [string, string][] }) {
  return (
    <dl class="missing">
      {missing.map(([contender, why]) => (
        <div key={contender}>
          <dt>{rowName(workload, contender)}</dt>
          <dd>{why}</dd>
        </div>
      ))}
    </dl>
  );
}

function share(value: number): string {
  return `${(value * 100).toFixed(3)}%`;
}
