// All figures of all contenders as a table: sorted by any of them, to be copied or saved.
import { useState } from "preact/hooks";

import { sorted } from "../data";
import { type Field, delimited } from "../delimited";
import type { Contender, PageWorkload, RankedPoint } from "../generated/page";
import { usePage } from "../shown";
import type { View } from "../state";
import { Table } from "./table";

interface Props {
  workload: PageWorkload;
  contenders: Contender[];
  view: View;
  change: (part: Partial<View>) => void;
}

interface Row {
  contender: Contender;
  /** One for each ranking. */
  points: (RankedPoint | undefined)[];
}

export function Figures({ workload, contenders, view, change }: Props) {
  const { isShown } = usePage();
  const [said, say] = useState("");
  const { rankings, cards } = workload;
  const measured = new Set(cards.map((card) => card.contender));
  const rows: Row[] = contenders
    .filter(({ name }) => isShown(name) && (measured.has(name) || rankings.some(({ points }) => points.some((one) => one.contender === name))))
    .map((contender) => ({
      contender,
      points: rankings.map(({ points }) => points.find((point) => point.contender === contender.name)),
    }));
  const isFalling = view.sort.startsWith("-");
  const by = view.sort.replace(/^-/, "");
  const first = rankings[0];
  // Best first, as in the chart.
  const best = first ? sorted(first, first.points).map((point) => point.contender) : [];
  const standing = ({ contender: { name } }: Row) => (best.includes(name) ? best.indexOf(name) : best.length);
  const column = rankings.findIndex((ranking) => ranking.id === by);
  const names = (a: Row, b: Row) => a.contender.name.localeCompare(b.contender.name);
  const compare = (a: Row, b: Row) => {
    if (by === "name") return names(a, b);
    if (by === "class") return a.contender.class.localeCompare(b.contender.class) || names(a, b);
    if (column < 0) return standing(a) - standing(b) || names(a, b);
    const [left, right] = [a.points[column]?.value ?? Number.POSITIVE_INFINITY, b.points[column]?.value ?? Number.POSITIVE_INFINITY];
    return left === right ? names(a, b) : left - right;
  };
  rows.sort((a, b) => (isFalling ? -1 : 1) * compare(a, b));
  const head = (id: string, text: string, is_number: boolean) => ({
    is_number,
    order: by !== id ? ("none" as const) : isFalling ? ("descending" as const) : ("ascending" as const),
    title: (
      <button type="button" onClick={() => change({ sort: by === id && !isFalling ? `-${id}` : id })}>
        {text}
        <span aria-hidden="true">{by !== id ? "" : isFalling ? " \u2193" : " \u2191"}</span>
      </button>
    ),
  });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(delimited(lines(workload, rows), "\t"));
      say("copied");
    } catch {
      say("this browser does not let a page copy: save it instead");
    }
  };
  return (
    <div class="table">
      <Table
        label="All figures"
        columns={[
          { title: "rank", is_number: true },
          head("name", "contender", false),
          head("class", "class", false),
          ...rankings.map(({ id, label }) => head(id, label, true)),
        ]}
        rows={rows.map(({ contender, points }) => ({
          key: contender.name,
          cells: [points[0]?.rank ?? null, contender.name, contender.class, ...points.map((point) => point?.text ?? null)],
        }))}
      />
      <p class="actions">
        <button type="button" onClick={copy}>
          Copy
        </button>
        <a download={`${workload.name}.csv`} href={`data:text/csv;charset=utf-8,${encodeURIComponent(delimited(lines(workload, rows), ","))}`}>
          Save as CSV
        </a>
        <span role="status">{said}</span>
      </p>
    </div>
  );
}

/** Plain numbers in base units, with the ends of their intervals. */
function lines({ rankings }: PageWorkload, rows: Row[]): Field[][] {
  const head = ["contender", "class", ...rankings.flatMap(({ id }) => [id, `${id}_low`, `${id}_high`])];
  const body = rows.map(({ contender, points }) => [
    contender.name,
    contender.class,
    ...points.flatMap((point) => [point?.value, point?.low, point?.high]),
  ]);
  return [head, ...body];
}
