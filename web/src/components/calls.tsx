// Single calls: what one request costs when it is the only one, by phase, for each protocol, connection and distance.
import * as Plot from "@observablehq/plot";

import { rowName, type Workload } from "../data";
import * as format from "../format";
import type { CallCondition, CallRow, CallsUnderCondition, CallTable } from "../generated/page";
import { BELOW, below, Chart, colour } from "./chart";

interface Props {
  workload: Workload;
  isShown: (contender: string) => boolean;
}

const PHASES: [string, (row: CallRow) => number | null | undefined][] = [
  ["connect", (row) => row.connect_ns],
  ["TLS", (row) => row.handshake_ns],
  ["first byte", (row) => row.first_byte_ns],
  ["rest", (row) => row.rest_ns],
];

export function Calls({ workload, isShown }: Props) {
  const table = workload.judged.calls;
  if (!table) return null;
  return (
    <section aria-labelledby="calls">
      <h2 id="calls">One call at a time</h2>
      <p class="about">
        What a request costs when nothing else is in flight: opening TCP, the handshake of TLS, from then to the first byte of the
        answer, and to its last. Each distance is a link that holds every packet for half of its round trip.
      </p>
      {groups(table).map((group) => (
        <Group key={group.name} group={group} table={table} workload={workload} isShown={isShown} />
      ))}
      {table.left_out.length > 0 && (
        <ul class="plain">
          {table.left_out.map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Conditions that differ in protocol, version of TLS and connection only. */
interface Conditions {
  name: string;
  id: string;
  all: CallsUnderCondition[];
}

function groups(table: CallTable): Conditions[] {
  const found = new Map<string, Conditions>();
  for (const under of table.conditions) {
    const { rtt_ms, sending } = under.condition;
    const id = `${rtt_ms}-${sending}`;
    const distance = rtt_ms === 0 ? "No distance" : `Round trip of ${format.count(rtt_ms)} ms`;
    const group = found.get(id) ?? { name: `${distance}${SENT[sending]}`, id, all: [] };
    group.all.push(under);
    found.set(id, group);
  }
  return [...found.values()];
}

const SENT: Record<CallCondition["sending"], string> = {
  whole: "",
  apart: ", head and body in a write each",
  "apart-nagle": ", head and body in a write each, with Nagle\u2019s algorithm",
};

/** `h2, TLS 1.3, new`. */
function short({ protocol, tls, connection }: CallCondition): string {
  return [protocol, ...(tls ? [`TLS ${tls}`] : []), connection].join(", ");
}

interface Bar {
  bar: string;
  contender: string;
  condition: string;
  phase: string;
  ms: number;
}

function Group({ group, table, workload, isShown }: Props & { group: Conditions; table: CallTable }) {
  const rows = group.all.flatMap((under) =>
    under.rows.filter((row) => isShown(row.contender)).map((row) => ({ row, under, condition: short(under.condition) })),
  );
  const usable = rows.filter(({ row }) => hasFigures(row));
  usable.sort((a, b) => a.row.contender.localeCompare(b.row.contender) || a.row.whole_ns!.value - b.row.whole_ns!.value);
  const bars: Bar[] = usable.flatMap(({ row, condition }) =>
    PHASES.map(([phase, of]) => ({
      bar: `${rowName(workload, row.contender)}, ${condition}`,
      contender: row.contender,
      condition,
      phase,
      ms: (of(row) ?? 0) / 1e6,
    })),
  );
  const order = usable.map(({ row, condition }) => `${rowName(workload, row.contender)}, ${condition}`);
  const longest = Math.max(0, ...order.map((bar) => bar.length));
  return (
    <details class="burst" open={group.all.some((under) => under.condition.rtt_ms > 0 && under.condition.sending === "whole")}>
      <summary>
        <span>{group.name}</span>
        <small>{format.count(usable.length)} bars</small>
      </summary>
      {bars.length > 0 && (
        <Chart
          label={`Phases of a call: ${group.name}`}
          name={`calls-${group.id}`}
          height={order.length * 20 + 30 + BELOW}
          basis={bars}
          data={() => [["contender", "condition", "phase", "time_ns"], ...bars.map((one) => [one.contender, one.condition, one.phase, one.ms * 1e6])]}
          options={(width) => ({
            marginLeft: Math.min(longest * 7 + 12, width * 0.55),
            marginBottom: BELOW,
            x: { ...below("ms"), grid: true, zero: true },
            y: { label: null, domain: order },
            color: { domain: PHASES.map(([phase]) => phase), range: PHASES.map((_, index) => colour(index)), legend: false },
            marks: [Plot.barX(bars, { x: "ms", y: "bar", fill: "phase", inset: 1 })],
          })}
        />
      )}
      <p class="legend">
        {PHASES.map(([phase], index) => (
          <span key={phase}>
            <i aria-hidden="true" style={{ background: colour(index) }} /> {phase}
          </span>
        ))}
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Single calls: ${group.name}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">contender</th>
              <th scope="col">condition</th>
              <th scope="col">whole</th>
              {PHASES.map(([phase]) => (
                <th key={phase} scope="col">
                  {phase}
                </th>
              ))}
              <th scope="col">first call of a process</th>
              <th scope="col">round trips</th>
              <th scope="col">bytes up</th>
              <th scope="col">bytes down</th>
              <th scope="col">hours a year</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ row, condition }) => (
              <tr key={`${row.contender} ${condition}`}>
                <th scope="row">{rowName(workload, row.contender)}</th>
                <td>{condition}</td>
                {hasFigures(row) ? (
                  <>
                    <td class="number">
                      {row.counts_disturbed ? `${format.timeNs(row.whole_ns!.value)} *` : format.spoken(format.timeNs, row.whole_ns!)}
                    </td>
                    {PHASES.map(([phase, of]) => (
                      <td key={phase} class="number">
                        {format.timeNs(of(row))}
                      </td>
                    ))}
                  </>
                ) : (
                  <td colSpan={1 + PHASES.length}>{row.fault}</td>
                )}
                <td class="number">{format.timeNs(row.cold_ns?.value)}</td>
                <td class="number">{trips(row)}</td>
                <td class="number">{format.number(row.link_bytes?.[0] ?? row.sent_bytes)}</td>
                <td class="number">{format.number(row.link_bytes?.[1] ?? row.received_bytes)}</td>
                <td class="number">{format.number(row.waiting_hours_per_year)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {usable.some(({ row }) => row.counts_disturbed) && (
        <p class="about">* Others took CPU time in most launches: these are of all launches, and are compared with nothing.</p>
      )}
      <p class="about">
        Hours a year: {format.count(table.users)} users with {format.count(table.calls_per_user_per_year)} calls each.
      </p>
    </details>
  );
}

/** Its times are worth a look, though others may have disturbed them. */
function hasFigures(row: CallRow): boolean {
  return row.whole_ns != null && (row.fault == null || row.counts_disturbed);
}

/** `3`, or by the link where it counted otherwise: `3 (link 4)`. */
function trips(row: CallRow): string {
  const own = row.round_trips;
  if (!own) return "\u2013";
  const text = ({ least, most }: { least: number; most: number }) => (least === most ? `${least}` : `${least} to ${most}`);
  const link = row.link_round_trips;
  return link && text(link) !== text(own) ? `${text(own)} (link ${text(link)})` : text(own);
}
