// Requests sent at once: when their answers came, and what more connections do.
import * as Plot from "@observablehq/plot";

import { rowName, type Workload } from "../data";
import * as format from "../format";
import type { BurstDetail, JudgedBurst } from "../generated/page";
import { BELOW, below, Chart, colour, dash } from "./chart";
import { Names } from "./latency";

interface Props {
  workload: Workload;
  isShown: (contender: string) => boolean;
}

export function Bursts({ workload, isShown }: Props) {
  const bursts = workload.judged.bursts.filter((burst) => !burst.sweep);
  if (bursts.length === 0) return <Sweep workload={workload} isShown={isShown} />;
  return (
    <>
      <section aria-labelledby="bursts">
        <h2 id="bursts">Requests at once</h2>
        <p class="about">
          How long it takes until all are answered. Ten at a time and a wait of one second make a line that climbs by ten each second.
        </p>
        {bursts.map((burst) => (
          <Burst key={burstName(burst)} burst={burst} workload={workload} isShown={isShown} />
        ))}
      </section>
      <Sweep workload={workload} isShown={isShown} />
    </>
  );
}

/** `40 requests over 40 connections, one answered before the others`. */
function burstName(burst: JudgedBurst): string {
  const how = burst.first_alone ? ", one answered before the others" : "";
  return `${format.count(burst.requests)} requests over ${format.count(burst.connections)} connections${how}`;
}

function Burst({ burst, workload, isShown }: Props & { burst: JudgedBurst }) {
  const rows = burst.rows.filter((row) => isShown(row.contender));
  const measured = rows.map((row) => {
    const own = workload.page.detail.contenders.find((one) => one.contender === row.contender);
    return own?.bursts.find(
      (one) =>
        one.request === burst.request &&
        one.requests === burst.requests &&
        one.connections === burst.connections &&
        one.first_alone === burst.first_alone &&
        !one.sweep,
    );
  });
  const lines = rows.flatMap(({ contender }, index) => {
    const moments = answers(measured[index]).map((answer) => ({ contender, ...answer }));
    return moments.length > 0 ? [[{ contender, s: 0, by: 0 }, ...moments]] : [];
  });
  const spans = rows.flatMap(({ contender }, index) =>
    inTime(measured[index]).map((span) => ({ contender, ...span })),
  );
  return (
    <details class="burst">
      <summary>
        <span>{burstName(burst)}</span>
        {burst.wait_ns != null && <small>each waits {format.timeNs(burst.wait_ns)}</small>}
      </summary>
      {lines.length > 0 && (
        <>
          <Chart
            label={`Answers that had come, against time: ${burstName(burst)}`}
            name={`burst-${burst.requests}-${burst.connections}-answers`}
            height={280}
            basis={lines}
            data={() => [["contender", "time_s", "answers"], ...lines.flat().map((one) => [one.contender, one.s, one.by])]}
            options={() => ({
              marginLeft: 50,
              marginBottom: BELOW,
              x: { ...below("seconds since the burst began"), grid: true, zero: true },
              y: { label: "answers", grid: true, zero: true },
              marks: lines.map((line, index) =>
                Plot.line(line, { x: "s", y: "by", stroke: colour(index), strokeDasharray: dash(index), curve: "step-after" }),
              ),
            })}
          />
          <Names names={lines.map((line) => line[0]!.contender)} />
        </>
      )}
      {spans.length > 0 && <Spans burst={burst} spans={spans} />}
      <div class="scroll" tabIndex={0} role="region" aria-label={burstName(burst)}>
        <table>
          <thead>
            <tr>
              <th scope="col">contender</th>
              <th scope="col">makespan</th>
              <th scope="col">at a time</th>
              <th scope="col">memory per waiting request</th>
              <th scope="col">what went wrong</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.contender}>
                <th scope="row">{rowName(workload, row.contender)}</th>
                <td class="number">
                  {row.makespan_ns
                    ? `${format.timeNs(row.makespan_ns.value)} ${format.plusMinus(format.timeNs, row.makespan_ns)}`
                    : "\u2013"}
                </td>
                <td class="number">{format.number(row.at_a_time)}</td>
                <td class="number">{format.bytes(row.memory_per_request_bytes)}</td>
                <td>{row.fault ?? ""}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** Each request with its times in seconds. */
function inTime(burst: BurstDetail | undefined) {
  if (!burst) return [];
  const failed = new Set(burst.failed_spans);
  const seconds = (part: number) => (part * burst.makespan_ns) / 1e13;
  return burst.spans.map(([sent, done], place) => ({ place, sent: seconds(sent), done: seconds(done), isCorrect: !failed.has(place) }));
}

/** When answers came, and how many had come by then. */
function answers(burst: BurstDetail | undefined): { s: number; by: number }[] {
  if (!burst || burst.spans.length === 0) return (burst?.answered ?? []).map(([ns, by]) => ({ s: ns / 1e9, by }));
  const done = inTime(burst).flatMap((span) => (span.isCorrect ? [span.done] : []));
  return done.sort((a, b) => a - b).map((s, index) => ({ s, by: index + 1 }));
}

interface Span {
  contender: string;
  place: number;
  sent: number;
  done: number;
  isCorrect: boolean;
}

/** Each request as a line from its sending to its answer, all contenders on one axis of time. */
function Spans({ burst, spans }: { burst: JudgedBurst; spans: Span[] }) {
  const names = [...new Set(spans.map((span) => span.contender))];
  const lane = 84;
  const strokeWidth = Math.max(0.4, Math.min(2, (lane * 0.5) / burst.requests));
  const rules = (some: Span[], stroke: string, strokeDasharray: string) =>
    Plot.ruleY(some, { fy: "contender", y: "place", x1: "sent", x2: "done", stroke, strokeDasharray, strokeWidth });
  return (
    <>
      <h3>Each request in time</h3>
      <p class="about">
        A line from when it was sent to when its answer came, in the order sent; a broken one failed. What waits in a row before it is served makes long lines.
      </p>
      <Chart
        label={`Each request from its sending to its answer: ${burstName(burst)}, ${names.length} contenders`}
        name={`burst-${burst.requests}-${burst.connections}-requests`}
        height={names.length * lane + 72}
        basis={spans}
        data={() => [
          ["contender", "request", "sent_s", "answered_s", "is_correct"],
          ...spans.map((span) => [span.contender, span.place, span.sent, span.done, `${span.isCorrect}`]),
        ]}
        options={() => ({
          marginLeft: 8,
          marginRight: 8,
          marginTop: 18,
          marginBottom: BELOW,
          x: { ...below("seconds since the burst began"), grid: true, zero: true },
          y: { axis: null, domain: [burst.requests, -1] },
          fy: { axis: null, domain: names, padding: 0.25 },
          marks: [
            rules(spans.filter((span) => span.isCorrect), "var(--series-1)", "none"),
            rules(spans.filter((span) => !span.isCorrect), "var(--bad)", "2 3"),
            Plot.text(names, {
              fy: (name: string) => name,
              text: (name: string) => name,
              frameAnchor: "top-left",
              dy: -13,
              fill: "currentColor",
            }),
          ],
        })}
      />
    </>
  );
}

function Sweep({ workload, isShown }: Props) {
  const points = workload.judged.bursts.filter((burst) => burst.sweep);
  if (points.length === 0) return null;
  const names = [...new Set(points.flatMap((burst) => burst.rows.map((row) => row.contender)))].filter(isShown).sort();
  const lines = names.map((contender) =>
    points
      .flatMap((burst) => {
        const row = burst.rows.find((one) => one.contender === contender);
        const makespan = row?.makespan_ns;
        return row && makespan ? [{ contender, connections: burst.connections, s: makespan.value / 1e9, fault: row.fault }] : [];
      })
      .sort((a, b) => a.connections - b.connections),
  );
  const faults = points.flatMap((burst) =>
    burst.rows
      .filter((row) => row.fault && isShown(row.contender))
      .map((row) => ({ contender: row.contender, connections: burst.connections, fault: row.fault! })),
  );
  return (
    <section aria-labelledby="sweep">
      <h2 id="sweep">More and more connections</h2>
      <p class="about">One request on each connection, all at once. A cross is a point with requests that were not answered as expected.</p>
      <Chart
        label={`Makespan against connections, ${names.length} contenders`}
        name="connections"
        height={340}
        basis={lines}
        data={() => [["contender", "connections", "makespan_s", "fault"], ...lines.flat().map((one) => [one.contender, one.connections, one.s, one.fault])]}
        options={() => ({
          marginLeft: 50,
          marginBottom: BELOW,
          x: { ...below("connections"), type: "log", grid: true, ticks: points.map((burst) => burst.connections), tickFormat: "~g" },
          y: { type: "log", label: "makespan (s)", grid: true, tickFormat: "~g" },
          marks: lines.flatMap((line, index) => [
            Plot.line(line, { x: "connections", y: "s", stroke: colour(index), strokeDasharray: dash(index) }),
            Plot.dot(line, { x: "connections", y: "s", stroke: colour(index), symbol: (point: { fault: string | null }) => (point.fault ? "times" : "circle"), r: 4 }),
          ]),
        })}
      />
      <Names names={names} />
      {faults.length > 0 && (
        <dl class="missing">
          {faults.map((one) => (
            <div key={`${one.contender} ${one.connections}`}>
              <dt>
                {rowName(workload, one.contender)}, {format.count(one.connections)} connections
              </dt>
              <dd>{one.fault}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
