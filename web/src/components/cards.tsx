// One card a contender: its windows over time, its percentiles, its versions and commands, its own notes.
import * as Plot from "@observablehq/plot";
import { useEffect, useRef } from "preact/hooks";

import { anchor, rowName, type Workload } from "../data";
import { figures, sorted } from "../figures";
import * as format from "../format";
import type { Contender, ContenderDetail, Distribution, Row, TaskRow } from "../generated/page";
import { kind, START } from "../role";
import type { View } from "../state";
import { BELOW, below, Chart } from "./chart";
import { percentileName, percentileRows, percentiles, percentileTicks } from "./latency";
import { Notes } from "./validity";

interface Props {
  workload: Workload;
  contenders: Contender[];
  isShown: (contender: string) => boolean;
  view: View;
  change: (part: Partial<View>) => void;
}

export function Cards({ workload, contenders, isShown, view, change }: Props) {
  // In the order of the ranking; those without a figure follow.
  const first = figures(workload)[0];
  const best = first ? sorted(first, first.points).map((point) => point.contender) : [];
  const place = (name: string) => (best.includes(name) ? best.indexOf(name) : best.length);
  const shown = contenders.filter((one) => isShown(one.name)).sort((a, b) => place(a.name) - place(b.name));
  const own = shown.flatMap((contender) => {
    const row = workload.judged.rows.find((one) => one.contender === contender.name) ?? null;
    const task = workload.judged.tasks?.rows.find((one) => one.contender === contender.name) ?? null;
    return row || task ? [{ contender, row, task }] : [];
  });
  if (own.length === 0) return null;
  return (
    <section aria-labelledby="contenders">
      <h2 id="contenders">Contenders, and the proof of each number</h2>
      {own.map(({ contender, row, task }) => (
        <Card key={contender.name} contender={contender} row={row} task={task} workload={workload} view={view} change={change} />
      ))}
    </section>
  );
}

interface CardProps {
  contender: Contender;
  row: Row | null;
  task: TaskRow | null;
  workload: Workload;
}

/** Who follows a link to a proof is led to it, and again while charts above it take their heights, until the reader does something. */
function leadTo(card: HTMLElement): () => void {
  const sizes = new ResizeObserver(() => card.scrollIntoView({ block: "start" }));
  const end = () => sizes.disconnect();
  sizes.observe(document.body);
  for (const act of ["wheel", "touchstart", "pointerdown", "keydown"]) addEventListener(act, end, { once: true, passive: true });
  return end;
}

function Card({ contender, row, task, workload, view, change }: CardProps & Pick<Props, "view" | "change">) {
  const place = useRef<HTMLDetailsElement>(null);
  const open = view.proof.split(" ").filter(Boolean);
  const isOpen = open.includes(contender.name);
  useEffect(() => (open[0] === contender.name && place.current ? leadTo(place.current) : undefined), []);
  const toggle = (isNow: boolean) => {
    if (isNow === isOpen) return;
    const others = open.filter((name) => name !== contender.name);
    change({ proof: (isNow ? [...others, contender.name] : others).join(" ") });
  };
  return (
    <details class="card" id={anchor(contender.name)} ref={place} open={isOpen} onToggle={(event) => toggle(event.currentTarget.open)}>
      <summary>
        <h3>{rowName(workload, contender.name)}</h3>
        <span>{workload.page.headlines.find(([name]) => name === contender.name)?.[1]}</span>
      </summary>
      {isOpen && <Inside contender={contender} row={row} task={task} workload={workload} />}
    </details>
  );
}

function Inside({ contender, row, task, workload }: CardProps) {
  const detail = workload.page.detail.contenders.find((one) => one.contender === contender.name);
  const remarks = workload.page.remarks.find((one) => one.contender === contender.name);
  return (
    <>
      <Notes notes={remarks?.notes ?? []} />
      {detail && <Windows detail={detail} />}
      {detail?.distributions.map((distribution) => (
        <Times key={distributionName(distribution)} contender={contender.name} distribution={distribution} />
      ))}
      <Facts contender={contender} row={row} task={task} limit={remarks?.limit} />
      {contender.notes_html && (
        <details class="readme">
          <summary>Its own notes: decisions and doubts</summary>
          {/* OK because velo writes this HTML from Markdown, without any markup of the notes' own. */}
          <div dangerouslySetInnerHTML={{ __html: contender.notes_html }} />
        </details>
      )}
    </>
  );
}

function Windows({ detail }: { detail: ContenderDetail }) {
  const columns = detail.windows;
  const windows = columns.kind.flatMap((kind, index) => {
    const goodput = columns.goodput_per_s[index];
    if (goodput == null || kind !== "block") return [];
    return [{ launch: columns.launch[index]!, block: columns.block[index]!, dropped: columns.dropped[index]!, goodput }];
  });
  if (windows.length === 0) return null;
  const launches = [...new Set(windows.map((one) => one.launch))];
  const medians = detail.launch_goodputs_per_s.map(([launch, value]) => ({ launch, value }));
  const dropped = windows.filter((one) => one.dropped).length;
  return (
    <figure>
      <figcaption>
        Windows in the order measured, by launch (numbers below): a dot is one window, the bar a launch&rsquo;s median, of which the figure is the mean.
        {dropped > 0 && ` ${dropped} hollow ones were disturbed and are dropped.`}
      </figcaption>
      <Chart
        label={`Goodput of ${windows.length} windows in ${launches.length} launches`}
        name={`${anchor(detail.contender)}-windows`}
        height={236}
        basis={detail}
        data={() => [["launch", "block", "goodput_per_s", "is_dropped"], ...windows.map((one) => [one.launch, one.block, one.goodput, `${one.dropped}`])]}
        options={() => ({
          marginLeft: 60,
          fx: { label: null, padding: 0.05 },
          x: { axis: null, domain: [0, Math.max(...windows.map((one) => one.block)) + 1] },
          y: { label: "correct responses per second", grid: true, zero: true, tickFormat: "~s" },
          marks: [
            Plot.ruleY(medians, { fx: "launch", y: "value", stroke: "var(--accent)", strokeWidth: 2 }),
            Plot.dot(windows, {
              fx: "launch",
              x: "block",
              y: "goodput",
              r: 2.5,
              stroke: "currentColor",
              fill: (one: { dropped: boolean }) => (one.dropped ? "none" : "currentColor"),
            }),
          ],
        })}
      />
      {detail.windows_left_out > 0 && <p class="about">{format.count(detail.windows_left_out)} later windows are not drawn.</p>}
    </figure>
  );
}

function distributionName({ of }: Distribution): string {
  if (of.is === "closed-loop") return "Service time, closed loop";
  const share = of.purpose.is === "share" ? `, ${of.purpose.percent} % of the highest rate met` : "";
  return `Response time at ${format.number(of.rate_per_s)}/s${share}`;
}

function Times({ contender, distribution }: { contender: string; distribution: Distribution }) {
  const points = percentiles(contender, distribution);
  const decade = 10 ** (1 / 20);
  const bins = distribution.bins.map(([from, samples]) => ({ from: from / 1e6, to: (from * decade) / 1e6, samples }));
  return (
    <figure>
      <figcaption>
        {distributionName(distribution)}: {format.count(distribution.samples)} samples, at most {format.timeNs(distribution.max_ns)}
      </figcaption>
      <div class="two">
        <Chart
          label={`${distributionName(distribution)}: percentiles`}
          name={`${anchor(contender)}-percentiles`}
          height={236}
          basis={distribution}
          data={() => percentileRows(points)}
          options={() => ({
            marginLeft: 55,
            marginBottom: BELOW,
            x: { ...below("percentile"), type: "log", ticks: percentileTicks(points), tickFormat: (tick: number) => percentileName(tick), grid: true },
            y: { type: "log", label: "ms", grid: true, tickFormat: "~g" },
            marks: [Plot.line(points, { x: "beyond", y: "ms", stroke: "var(--accent)", strokeWidth: 2 })],
          })}
        />
        <Chart
          label={`${distributionName(distribution)}: histogram`}
          name={`${anchor(contender)}-histogram`}
          height={236}
          basis={distribution}
          data={() => [["from_ms", "to_ms", "samples"], ...bins.map((bin) => [bin.from, bin.to, bin.samples])]}
          options={() => ({
            marginLeft: 55,
            marginBottom: BELOW,
            x: { ...below("ms"), type: "log", tickFormat: "~g" },
            y: { label: "samples", grid: true, tickFormat: "~s" },
            marks: [Plot.rectY(bins, { x1: "from", x2: "to", y: "samples", fill: "var(--accent)" }), Plot.ruleY([0])],
          })}
        />
      </div>
    </figure>
  );
}

interface FactsProps {
  contender: Contender;
  row: Row | null;
  task: TaskRow | null;
  limit: string | null | undefined;
}

function Facts({ contender, row, task, limit }: FactsProps) {
  const facts: [string, string][] = [];
  const add = (name: string, value: string | null | undefined) => {
    if (value) facts.push([name, value]);
  };
  add("version", contender.version);
  add("toolchains", contender.toolchains.join(", "));
  add("class", kind(contender));
  add("variant of", contender.variant_of);
  add("externally started at", contender.runs_at);
  add("fetch", contender.fetch);
  add("build", contender.build);
  add(START[contender.role], contender.start);
  add("content", contender.built?.content_hash.slice(0, 16));
  add("verified", contender.required_cases > 0 ? `${contender.passed_cases} of ${contender.required_cases} required cases` : null);
  if (row) {
    const { processes } = row;
    const span = (value: { least: number; most: number } | null) =>
      value ? (value.least === value.most ? `${value.least}` : `${value.least} to ${value.most}`) : null;
    add("processes", span(processes.processes));
    add("threads", span(processes.threads));
    add("startup", processes.startup_ns ? format.timeNs(processes.startup_ns.value) : null);
    add("memory", processes.memory_steady_bytes == null ? null : format.bytes(processes.memory_steady_bytes));
    add("bottleneck", limit);
    add("windows", row.windows > 0 ? `${format.count(row.windows)} in ${row.launches} launches` : null);
  }
  if (task) {
    add("processes", `${task.processes} counted, ${task.dropped} dropped`);
    add("iterations", format.count(task.iterations));
    add("cold", task.cold_ns ? format.spoken(format.timeNs, task.cold_ns) : null);
    add("steady", task.steady_ns ? format.spoken(format.timeNs, task.steady_ns) : null);
    add("memory, peak", task.memory_peak_bytes == null ? null : format.bytes(task.memory_peak_bytes));
  }
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
