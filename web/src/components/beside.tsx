// A few contenders side by side: every figure of each, and how it was built and started.
import { sorted } from "../data";
import * as format from "../format";
import type { Contender, PageWorkload, Ranking } from "../generated/page";
import { relative } from "../relative";
import { usePage } from "../shown";
import type { View } from "../state";
import { Table } from "./table";

interface Props {
  workload: PageWorkload;
  contenders: Contender[];
  view: View;
  change: (part: Partial<View>) => void;
}

/** More do not fit beside one another. */
const MOST = 4;

export function Beside({ workload: { rankings }, contenders, view, change }: Props) {
  const { isShown } = usePage();
  const first = rankings[0];
  if (!first) return null;
  const names = sorted(first, first.points).map((point) => point.contender);
  if (names.length < 2) return null;
  const asked = view.beside.split(" ").filter((name) => names.includes(name)).slice(0, MOST);
  // The two that a reader is most likely to choose between.
  const chosen = asked.length > 0 ? asked : names.slice(0, 2);
  const choose = (name: string, isOn: boolean) =>
    change({ beside: (isOn ? [...chosen, name] : chosen.filter((one) => one !== name)).join(" ") });
  const [one, other] = chosen;
  const pair = chosen.length === 2 && one && other ? ([one, other] as const) : null;
  const figures = rankings.map((ranking) => ({
    key: `figure ${ranking.id}`,
    cells: [
      ranking.label,
      ...chosen.map((name) => ranking.points.find((point) => point.contender === name)?.text ?? null),
      ...(pair ? [over(ranking, ...pair)] : []),
    ],
  }));
  const facts = chosen.map((name) => contenders.find((contender) => contender.name === name)?.facts ?? []);
  const labels = [...new Set(facts.flatMap((own) => own.map(([label]) => label)))];
  const rows = labels.map((label) => ({
    key: `fact ${label}`,
    cells: [label, ...facts.map((own) => own.find(([name]) => name === label)?.[1] ?? null), ...(pair ? [""] : [])],
  }));
  const columns = ["", ...chosen, ...(pair ? [`${one} over ${other}`] : [])];
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
      <Table label="Side by side" columns={columns.map((title) => ({ title, is_number: false }))} rows={[...figures, ...rows]} />
    </section>
  );
}

/** The ratio of two contenders' figures, and whether it is one of pairs; null where there is none. */
function over(ranking: Ranking, one: string, other: string): string | null {
  const own = ranking.points.find((point) => point.contender === one);
  const ratio = own && !ranking.is_ratio ? relative(ranking, own, other) : null;
  return ratio && `${format.ratio(ratio.value)} ${ratio.isPaired ? format.plusMinus(ratio) : "(not paired)"}`.trim();
}
