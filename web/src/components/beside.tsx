// A few contenders side by side: every figure of each, and how it was built and started.
import type { Workload } from "../data";
import { type Figure, sorted } from "../figures";
import * as format from "../format";
import type { Contender } from "../generated/page";
import { relative } from "../relative";
import type { View } from "../state";
import { cell } from "./table";

interface Props {
  workload: Workload;
  figures: Figure[];
  contenders: Contender[];
  isShown: (contender: string) => boolean;
  view: View;
  change: (part: Partial<View>) => void;
}

/** More do not fit beside one another. */
const MOST = 4;

export function Beside({ workload, figures, contenders, isShown, view, change }: Props) {
  const first = figures[0];
  if (!first) return null;
  const names = sorted(first, first.points).map((point) => point.contender);
  if (names.length < 2) return null;
  const asked = view.beside.split(" ").filter((name) => names.includes(name)).slice(0, MOST);
  // The two that a reader is most likely to choose between.
  const chosen = asked.length > 0 ? asked : names.slice(0, 2);
  const choose = (name: string, isOn: boolean) =>
    change({ beside: (isOn ? [...chosen, name] : chosen.filter((one) => one !== name)).join(" ") });
  const found = chosen.flatMap((name) => contenders.find((one) => one.name === name) ?? []);
  const [one, other] = found;
  return (
    <section aria-labelledby="beside">
      <h2 id="beside">Side by side</h2>
      <fieldset class="chips">
        <legend>Two to four contenders</legend>
        {names.filter((name) => isShown(name) || chosen.includes(name)).map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              disabled={(chosen.length === MOST && !chosen.includes(name)) || (chosen.length === 1 && chosen.includes(name))}
              onChange={(event) => choose(name, event.currentTarget.checked)}
            />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
      <div class="scroll" tabIndex={0} role="region" aria-label="Side by side">
        <table>
          <thead>
            <tr>
              <th scope="col">figure</th>
              {found.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
              {found.length === 2 && <th scope="col">{one!.name} over {other!.name}</th>}
            </tr>
          </thead>
          <tbody>
            {figures.map((figure) => (
              <tr key={figure.id}>
                <th scope="row">{figure.label}</th>
                {found.map(({ name }) => (
                  <td key={name} class="number">
                    {cell(figure, figure.points.find((point) => point.contender === name))}
                  </td>
                ))}
                {found.length === 2 && <td class="number">{over(workload, figure, one!.name, other!.name)}</td>}
              </tr>
            ))}
            {FACTS.filter(([, fact]) => found.some(fact)).map(([label, fact]) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {found.map((contender) => (
                  <td key={contender.name}>{fact(contender) ?? "\u2013"}</td>
                ))}
                {found.length === 2 && <td />}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const FACTS: [string, (contender: Contender) => string | null | undefined][] = [
  ["class", (contender) => contender.class],
  ["version", (contender) => contender.version],
  ["toolchains", (contender) => contender.toolchains.join(", ")],
  ["build", (contender) => contender.build],
  ["start", (contender) => contender.start],
];

/** The ratio of two contenders' figures, and whether it is one of pairs. */
function over(workload: Workload, figure: Figure, one: string, other: string): string {
  const own = figure.points.find((point) => point.contender === one);
  const ratio = own && !figure.isRatio ? relative(workload, figure, own, figure.points, other) : null;
  if (!ratio) return "\u2013";
  return `${format.ratio(ratio.value)} ${ratio.isPaired ? format.plusMinus(format.ratio, ratio) : "(not paired)"}`.trim();
}
