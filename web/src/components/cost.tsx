// What a load costs: the reader types the load and a price; CPU time per request does the rest.
import { sorted } from "../data";
import * as format from "../format";
import type { Ranking } from "../generated/page";
import { usePage } from "../shown";
import type { View } from "../state";
import { Table } from "./table";

interface Props {
  /** CPU time per request, in nanoseconds. */
  ranking: Ranking;
  view: View;
  change: (part: Partial<View>) => void;
}

/** Hours of a month, on average. */
const HOURS_A_MONTH = 730;
const [NS_A_SECOND, SECONDS_AN_HOUR] = [1e9, 3600];

export function Cost({ ranking, view, change }: Props) {
  const { isShown } = usePage();
  const [load, price] = [amount(view.load), amount(view.price)];
  const points = sorted(ranking, ranking.points.filter((point) => isShown(point.contender)));
  const columns = ["contender", "cores", ...(price === null ? [] : ["a month", "a million requests"])];
  return (
    <section aria-labelledby="cost">
      <h2 id="cost">What a load would cost</h2>
      <p class="about">
        CPU time only, from &ldquo;{ranking.label}&rdquo;: cores that are busy all the time. Nobody runs them so full; add what you keep in
        reserve.
      </p>
      <form class="switches" onSubmit={(event) => event.preventDefault()} aria-label="Load and price">
        <Typed label="Requests per second" value={view.load} example="20000" onInput={(text) => change({ load: text })} />
        <Typed label="Price of a core for an hour" value={view.price} example="0.04" onInput={(text) => change({ price: text })} />
      </form>
      {[view.load, view.price].filter((text) => text !== "" && amount(text) === null).map((text) => (
        <p key={text} role="alert">
          {text} is not a number above 0.
        </p>
      ))}
      {load !== null && (
        <Table
          label="Cost"
          columns={columns.map((title, at) => ({ title, is_number: at > 0 }))}
          rows={points.map((point) => {
            const seconds = point.value / NS_A_SECOND;
            const cores = load * seconds;
            const money = price === null ? [] : [cores * price * HOURS_A_MONTH, (seconds / SECONDS_AN_HOUR) * 1e6 * price];
            const busy = `${point.at_least ? "\u2265\u00a0" : ""}${format.number(cores)} ${format.plusMinus(point)}`.trim();
            return { key: point.contender, cells: [point.contender, busy, ...money.map(format.number)] };
          })}
        />
      )}
    </section>
  );
}

interface TypedProps {
  label: string;
  value: string;
  example: string;
  onInput: (text: string) => void;
}

function Typed({ label, value, example, onInput }: TypedProps) {
  return (
    <label class="choice">
      <span>{label}</span>
      <input type="text" inputMode="decimal" value={value} placeholder={example} onInput={(event) => onInput(event.currentTarget.value)} />
    </label>
  );
}

/** A number above 0 as people type it: `20000`, `20,000`, `20k`; else null. */
function amount(text: string): number | null {
  const match = /^([0-9]+(?:\.[0-9]+)?)([kM]?)$/.exec(text.replace(/[\s,_]/g, ""));
  if (!match) return null;
  const value = Number(match[1]) * ({ k: 1e3, M: 1e6 }[match[2] ?? ""] ?? 1);
  return value > 0 && Number.isFinite(value) ? value : null;
}
