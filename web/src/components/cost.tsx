// What a load costs: the reader types the load and a price; CPU per request does the rest.
import { rowName, type Workload } from "../data";
import { cpuFigure, HOURS_A_MONTH, sorted, type Wanted } from "../figures";
import * as format from "../format";
import type { View } from "../state";

interface Props {
  workload: Workload;
  wanted: Wanted;
  isShown: (contender: string) => boolean;
  view: View;
  change: (part: Partial<View>) => void;
}

export function Cost({ workload, wanted, isShown, view, change }: Props) {
  const figure = cpuFigure(workload);
  if (!figure) return null;
  const { load, price } = wanted;
  const points = sorted(figure, figure.points.filter((point) => isShown(point.contender)));
  return (
    <section aria-labelledby="cost">
      <h2 id="cost">What a load would cost</h2>
      <p class="about">
        CPU time only, from &ldquo;{figure.label}&rdquo;: cores that are busy all the time. Nobody runs them so full; add what you keep in
        reserve.
      </p>
      <form class="switches" onSubmit={(event) => event.preventDefault()} aria-label="Load and price">
        <label class="choice">
          <span>Requests per second</span>
          <input type="text" inputMode="decimal" value={view.load} placeholder="20000" onInput={(event) => change({ load: event.currentTarget.value })} />
        </label>
        <label class="choice">
          <span>Price of a core for an hour</span>
          <input type="text" inputMode="decimal" value={view.price} placeholder="0.04" onInput={(event) => change({ price: event.currentTarget.value })} />
        </label>
      </form>
      {load === null && view.load !== "" && <p role="alert">{view.load} is not a number above 0.</p>}
      {price === null && view.price !== "" && <p role="alert">{view.price} is not a number above 0.</p>}
      {load !== null && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Cost">
          <table>
            <thead>
              <tr>
                <th scope="col">contender</th>
                <th scope="col">cores</th>
                {price !== null && <th scope="col">a month</th>}
                {price !== null && <th scope="col">a million requests</th>}
              </tr>
            </thead>
            <tbody>
              {points.map((point) => {
                const cores = (ns: number) => (load * ns) / 1e9;
                const million = price === null ? 0 : (point.value / 1e9 / 3600) * 1e6 * price;
                return (
                  <tr key={point.contender}>
                    <th scope="row">{rowName(workload, point.contender)}</th>
                    <td class="number">
                      {format.number(cores(point.value))} {format.plusMinus((value) => format.number(cores(value)), point)}
                    </td>
                    {price !== null && <td class="number">{format.number(cores(point.value) * price * HOURS_A_MONTH)}</td>}
                    {price !== null && <td class="number">{format.number(million)}</td>}
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** A number above 0 as people type it: `20000`, `20,000`, `20k`; else null. */
export function amount(text: string): number | null {
  const match = /^([0-9]+(?:\.[0-9]+)?)([kM]?)$/.exec(text.replace(/[\s,_]/g, ""));
  if (!match) return null;
  const value = Number(match[1]) * ({ k: 1e3, M: 1e6 }[match[2] ?? ""] ?? 1);
  return value > 0 && Number.isFinite(value) ? value : null;
}
