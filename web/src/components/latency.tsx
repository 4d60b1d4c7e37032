// Response times: percentiles at the one rate for all, and against the rate up to the knee.
import * as Plot from "@observablehq/plot";

import type { Workload } from "../data";
import type { Field } from "../delimited";
import * as format from "../format";
import type { Distribution } from "../generated/page";
import { BELOW, below, Chart, colour, dash, endNames } from "./chart";

interface Props {
  workload: Workload;
  isShown: (contender: string) => boolean;
}

/** A point of a percentile curve: `beyond` is 1 / (1 - quantile), so that each nine is as wide as the one before. */
interface Percentile {
  contender: string;
  beyond: number;
  ms: number;
}

export function Latency({ workload, isShown }: Props) {
  return (
    <>
      <AtOneRate workload={workload} isShown={isShown} />
      <Curves workload={workload} isShown={isShown} />
    </>
  );
}

/** The points of a distribution on a logarithmic percentile axis. */
export function percentiles(contender: string, distribution: Distribution): Percentile[] {
  return distribution.quantiles.map(([quantile, ns]) => ({ contender, beyond: 1 / (1 - quantile), ms: ns / 1e6 }));
}

/** `p50`, `p99.9`: as many digits as the nines that it has. */
export function percentileName(beyond: number): string {
  if (beyond <= 1) return "min";
  const digits = Math.max(0, Math.floor(Math.log10(beyond) + 1e-9) - 1);
  return `p${Number((100 * (1 - 1 / beyond)).toFixed(digits))}`;
}

/** A head and rows for the file behind a chart of percentiles. */
export function percentileRows(points: Percentile[]): Field[][] {
  return [["contender", "quantile", "time_ns"], ...points.map((point) => [point.contender, 1 - 1 / point.beyond, point.ms * 1e6])];
}

/** Ticks of a percentile axis that end where the points do. */
export function percentileTicks(points: { beyond: number }[]): number[] {
  const most = Math.max(1, ...points.map((point) => point.beyond));
  return [1, 2, 10, 100, 1e3, 1e4, 1e5, 1e6].filter((tick) => tick <= most * 1.01);
}

function AtOneRate({ workload, isShown }: Props) {
  const found = workload.page.detail.contenders.filter((one) => isShown(one.contender)).flatMap((one) => {
    const at = one.distributions.find(({ of }) => of.is === "open-loop" && of.purpose.is === "equal-work");
    return at ? [{ contender: one.contender, at }] : [];
  });
  if (found.length === 0) return null;
  const points = found.map(({ contender, at }) => percentiles(contender, at));
  const rates = [...new Set(found.map(({ at }) => (at.of.is === "open-loop" ? at.of.rate_per_s : 0)))];
  const at = rates.map((rate) => `${format.number(rate)}/s`).join(" or ");
  return (
    <section aria-labelledby="at-one-rate">
      <h2 id="at-one-rate">Response time at the common rate</h2>
      <p class="about">
        Open loop, {at}, from the moment a request was due. Both axes are logarithmic: each further nine (90 %,
        99 %, 99.9 %) is as far from the one before. A curve ends where fewer than ten samples lie beyond.
      </p>
      <Chart
        label={`Response time percentiles of ${found.length} contenders at ${at}`}
        name="response-times"
        height={360}
        basis={points}
        data={() => percentileRows(points.flat())}
        options={(width) => ({
          marginLeft: 60,
          marginRight: isNamed(width, points.length) ? 150 : 20,
          marginBottom: BELOW,
          x: { ...below("percentile"), type: "log", ticks: percentileTicks(points.flat()), tickFormat: (tick: number) => percentileName(tick), grid: true },
          y: { type: "log", label: "response time (ms)", grid: true, tickFormat: "~g" },
          marks: [
            ...points.map((line, index) =>
              Plot.line(line, { x: "beyond", y: "ms", stroke: colour(index), strokeDasharray: dash(index), strokeWidth: 1.75 }),
            ),
            ...(isNamed(width, points.length) ? [named(points.map((line) => line.at(-1)), { x: "beyond", y: "ms" })] : []),
            // One for all lines: each with its own would be a pile.
            Plot.tip(
              points.flat(),
              Plot.pointer({ x: "beyond", y: "ms", title: (point: Percentile) => `${point.contender}\n${percentileName(point.beyond)}: ${format.timeNs(point.ms * 1e6)}` }),
            ),
          ],
        })}
      />
      <Names names={found.map((one) => one.contender)} />
    </section>
  );
}

/** Names at the ends of lines need room, and more than a few would lie upon one another. */
function isNamed(width: number, lines: number): boolean {
  return width >= 500 && lines <= 6;
}

/** The names at the last points of lines, in the lines' colours. */
function named<T extends { contender: string }>(ends: (T | undefined)[], place: { x: string; y: string }): Plot.Markish {
  const found = ends.flatMap((end, index) => (end ? [{ ...end, index }] : []));
  return endNames(found, {
    ...place,
    text: "contender",
    textAnchor: "start",
    dx: 8,
    fill: (end: { index: number }) => colour(end.index),
  });
}

/** Which line is whose: colour and dashes. */
export function Names({ names }: { names: string[] }) {
  return (
    <ul class="names">
      {names.map((name, index) => (
        <li key={name}>
          <svg width="28" height="10" aria-hidden="true">
            <line x1="0" y1="5" x2="28" y2="5" stroke={colour(index)} stroke-width="2" stroke-dasharray={dash(index)} />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}

function Curves({ workload, isShown }: Props) {
  const found = workload.judged.rows.filter((row) => row.curve && isShown(row.contender));
  if (found.length === 0) return null;
  const lines = found.map((row) =>
    row.curve!.points.flatMap((point) => {
      const p99 = point.response.p99_ns;
      return p99 ? [{ contender: row.contender, rate: point.rate_per_s, ms: p99.value / 1e6, isMet: point.is_met }] : [];
    }),
  );
  const knees = found.flatMap((row) => {
    const knee = row.curve!.knee;
    return knee ? [{ contender: row.contender, rate: knee.rate_per_s, ms: knee.p99_ns / 1e6 }] : [];
  });
  return (
    <section aria-labelledby="curve">
      <h2 id="curve">Response time against load</h2>
      <p class="about">
        The 99th percentile at rising rates, open loop. A ring is the knee: above it response times grow beyond three times those of the
        nearly idle contender, or the rate is not met (hollow points).
      </p>
      <Chart
        label={`99th percentile of response time against the rate, ${found.length} contenders`}
        name="response-time-against-load"
        height={360}
        basis={lines}
        data={() => [["contender", "rate_per_s", "p99_ns", "is_met"], ...lines.flat().map((one) => [one.contender, one.rate, one.ms * 1e6, `${one.isMet}`])]}
        options={(width) => ({
          marginLeft: 60,
          marginRight: isNamed(width, lines.length) ? 150 : 20,
          marginBottom: BELOW,
          x: { ...below("requests per second"), grid: true, tickFormat: "~s", zero: true },
          y: { type: "log", label: "p99 response time (ms)", grid: true, tickFormat: "~g" },
          marks: [
            ...lines.flatMap((line, index) => [
              Plot.line(line, { x: "rate", y: "ms", stroke: colour(index), strokeDasharray: dash(index) }),
              Plot.dot(line, { x: "rate", y: "ms", stroke: colour(index), fill: (point: { isMet: boolean }) => (point.isMet ? colour(index) : "var(--page)"), r: 3 }),
            ]),
            ...(isNamed(width, lines.length) ? [named(lines.map((line) => line.at(-1)), { x: "rate", y: "ms" })] : []),
            Plot.dot(knees, { x: "rate", y: "ms", r: 8, stroke: "currentColor", strokeWidth: 1.5 }),
          ],
        })}
      />
      <Names names={found.map((row) => row.contender)} />
      <ul class="plain">
        {found.map((row) => (
          <li key={row.contender}>
            {row.contender}: {row.curve!.knee ? kneeWords(row.curve!.knee) : "the points show no knee"}
          </li>
        ))}
      </ul>
    </section>
  );
}

function kneeWords(knee: { rate_per_s: number; p99_ns: number; end: string }): string {
  const ends: Record<string, string> = {
    slow: "above it requests queue",
    "not-met": "the next rate was not met",
    "not-reached": "no higher rate was tried",
  };
  return `knee at ${format.number(knee.rate_per_s)}/s with a p99 of ${format.timeNs(knee.p99_ns)}; ${ends[knee.end] ?? knee.end}`;
}
