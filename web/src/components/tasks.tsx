// Programs without a server: each iteration of each process, and what share of a server's answer is its handler's.
import * as Plot from "@observablehq/plot";

import type { Workload } from "../data";
import * as format from "../format";
import { BELOW, below, Chart, colour, dash } from "./chart";
import { Names } from "./latency";

interface Props {
  workload: Workload;
  isShown: (contender: string) => boolean;
}

export function Tasks({ workload, isShown }: Props) {
  const table = workload.judged.tasks;
  if (!table) return null;
  const found = workload.page.detail.contenders.filter((one) => one.processes.length > 0 && isShown(one.contender));
  const lines = found.map((one) => {
    const most = Math.max(...one.processes.map((process) => process.iterations_ns.length));
    return Array.from({ length: most }, (_, iteration) => {
      const times = one.processes.flatMap((process) => process.iterations_ns[iteration] ?? []).sort((a, b) => a - b);
      return { contender: one.contender, iteration: iteration + 1, ms: (times[Math.floor(times.length / 2)] ?? 0) / 1e6 };
    }).filter((point) => point.ms > 0);
  });
  const shares = table.handler_shares.filter((share) => isShown(share.server ?? share.task));
  return (
    <section aria-labelledby="tasks">
      <h2 id="tasks">The work alone, without a server</h2>
      <p class="about">
        Median over processes of each iteration: the first one is cold, later ones show whether a runtime warms up. Both axes are
        logarithmic.
      </p>
      {lines.length > 0 && (
        <>
          <Chart
            label={`Time of each iteration, ${found.length} programs`}
            name="iterations"
            height={340}
            basis={lines}
            data={() => [["contender", "iteration", "time_ns"], ...lines.flat().map((one) => [one.contender, one.iteration, one.ms * 1e6])]}
            options={() => ({
              marginLeft: 50,
              marginBottom: BELOW,
              x: { ...below("iteration"), type: "log", grid: true, tickFormat: "~g" },
              y: { type: "log", label: "ms", grid: true, tickFormat: "~g" },
              marks: lines.map((line, index) =>
                Plot.line(line, { x: "iteration", y: "ms", stroke: colour(index), strokeDasharray: dash(index) }),
              ),
            })}
          />
          <Names names={found.map((one) => one.contender)} />
        </>
      )}
      {shares.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="What share of the call is the handler's">
          <table>
            <caption>What share of the call is the handler&rsquo;s</caption>
            <thead>
              <tr>
                <th scope="col">server</th>
                <th scope="col">its handler as a task</th>
                <th scope="col">steady time</th>
                <th scope="col">median service time</th>
                <th scope="col">handler&rsquo;s share</th>
              </tr>
            </thead>
            <tbody>
              {shares.map((share) => (
                <tr key={`${share.server} ${share.task}`}>
                  <th scope="row">{share.server ?? "none in this run"}</th>
                  <td>{share.task}</td>
                  <td class="number">{format.timeNs(share.handler_ns?.value)}</td>
                  <td class="number">{format.timeNs(share.service_p50_ns)}</td>
                  <td class="number">{share.share == null ? (share.reason ?? "\u2013") : format.percent(share.share)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
