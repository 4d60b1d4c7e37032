// Programs without a server and clients: each iteration of each process, and what share of a server's answer is its handler's.
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
  const isOfClients = table.rows.some((row) => row.role === "client");
  const clients = isOfClients ? table.rows.filter((row) => isShown(row.contender) && row.steady_ns) : [];
  const costs = (table.costs ?? []).filter((cost) => isShown(cost.contender));
  const shares = table.handler_shares.filter((share) => isShown(share.server ?? share.task));
  return (
    <section aria-labelledby="tasks">
      <h2 id="tasks">{isOfClients ? "Files, one after the other" : "The work alone, without a server"}</h2>
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
      {clients.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="What a file takes each client">
          <table>
            <caption>A file by the client&rsquo;s own clock, and a process that fetches one</caption>
            <thead>
              <tr>
                <th scope="col">client</th>
                <th scope="col">steady</th>
                <th scope="col">cold</th>
                <th scope="col">process</th>
                <th scope="col">CPU time</th>
                <th scope="col">peak memory</th>
                <th scope="col">server&rsquo;s CPU</th>
              </tr>
            </thead>
            <tbody>
              {clients.map((row) => (
                <tr key={row.contender}>
                  <th scope="row">{row.contender}</th>
                  <td class="number">{format.timeNs(row.steady_ns?.value)}</td>
                  <td class="number">{format.timeNs(row.cold_ns?.value)}</td>
                  <td class="number">{format.timeNs(row.process_ns?.value)}</td>
                  <td class="number">{format.timeNs(row.cpu_per_iteration_ns?.value)}</td>
                  <td class="number">{row.memory_peak_bytes == null ? "\u2013" : format.bytes(row.memory_peak_bytes)}</td>
                  <td class="number">{row.server_cpu_share == null ? "\u2013" : format.percent(row.server_cpu_share)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {costs.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="What a file costs by parts">
          <table>
            <caption>By parts: a line through the sizes</caption>
            <thead>
              <tr>
                <th scope="col">client</th>
                <th scope="col">start and end of a process</th>
                <th scope="col">a file of no bytes</th>
                <th scope="col">a million bytes more</th>
              </tr>
            </thead>
            <tbody>
              {costs.map((cost) => (
                <tr key={cost.contender}>
                  <th scope="row">{cost.contender}</th>
                  <td class="number">{format.timeNs(cost.start_ns?.value)}</td>
                  <td class="number">{format.timeNs(cost.request_ns?.value)}</td>
                  <td class="number">{format.timeNs(cost.megabyte_ns?.value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
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
