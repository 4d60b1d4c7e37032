// All figures of all contenders as numbers: sorted by any of them, to be copied or saved.
import { useState } from "preact/hooks";

import type { Workload } from "../data";
import { type Field, delimited } from "../delimited";
import { type Figure, type Point, sorted } from "../figures";
import * as format from "../format";
import type { Contender } from "../generated/page";
import { START } from "../role";
import type { View } from "../state";

interface Props {
  workload: Workload;
  figures: Figure[];
  contenders: Contender[];
  isShown: (contender: string) => boolean;
  view: View;
  change: (part: Partial<View>) => void;
}

interface Row {
  contender: Contender;
  points: Map<string, Point>;
}

export function Table({ workload, figures, contenders, isShown, view, change }: Props) {
  const [said, say] = useState("");
  const rows = rowsOf(workload, figures, contenders.filter((one) => isShown(one.name)));
  const isFalling = view.sort.startsWith("-");
  const by = view.sort.replace(/^-/, "");
  // Best first, as in the chart.
  const best = figures[0] ? sorted(figures[0], figures[0].points).map((point) => point.contender) : [];
  const place = (row: Row) => {
    const at = best.indexOf(row.contender.name);
    return at < 0 ? best.length : at;
  };
  rows.sort((a, b) => (isFalling ? -1 : 1) * (by === "" ? place(a) - place(b) : compare(a, b, by)));
  const sort = (id: string) => change({ sort: by === id && !isFalling ? `-${id}` : id });
  const order = (id: string) => (by !== id ? "none" : isFalling ? "descending" : "ascending");
  const head = (id: string, text: string) => (
    <th key={id} scope="col" aria-sort={order(id)}>
      <button type="button" onClick={() => sort(id)}>
        {text}
        <span aria-hidden="true">{by === id ? (isFalling ? " \u2193" : " \u2191") : ""}</span>
      </button>
    </th>
  );
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(delimited(lines(rows, figures), "\t"));
      say("copied");
    } catch {
      say("this browser does not let a page copy: save it instead");
    }
  };
  return (
    <div class="table">
      <div class="scroll" tabIndex={0} role="region" aria-label="All figures">
        <table>
          <thead>
            <tr>
              <th scope="col" class="number">
                rank
              </th>
              {head("name", "contender")}
              {head("class", "class")}
              {figures.map((figure) => head(figure.id, figure.label))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ contender, points }) => (
              <tr key={contender.name}>
                <td class="number">{rankOf(points.get(figures[0]?.id ?? ""))}</td>
                <th scope="row">{contender.name}</th>
                <td>{contender.role === "server" ? contender.class : START[contender.role]}</td>
                {figures.map((figure) => (
                  <td key={figure.id} class="number">
                    {cell(figure, points.get(figure.id))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="actions">
        <button type="button" onClick={copy}>
          Copy
        </button>
        <a download={`${workload.judged.name}.csv`} href={`data:text/csv;charset=utf-8,${encodeURIComponent(delimited(lines(rows, figures), ","))}`}>
          Save as CSV
        </a>
        <span role="status">{said}</span>
      </p>
    </div>
  );
}

function rankOf(point: Point | undefined): string {
  return point?.rank ? format.rank(point.rank.best, point.rank.worst) : "\u2013";
}

function rowsOf(workload: Workload, figures: Figure[], contenders: Contender[]): Row[] {
  const columns = figures.map((figure) => ({ id: figure.id, points: figure.points }));
  const measured = new Set([...workload.judged.rows, ...(workload.judged.tasks?.rows ?? [])].map((row) => row.contender));
  return contenders
    .filter((contender) => measured.has(contender.name))
    .map((contender) => {
      const points = new Map<string, Point>();
      for (const { id, points: all } of columns) {
        const own = all.find((point) => point.contender === contender.name);
        if (own) points.set(id, own);
      }
      return { contender, points };
    });
}

function compare(a: Row, b: Row, by: string): number {
  const names = a.contender.name.localeCompare(b.contender.name);
  if (by === "" || by === "name") return names;
  if (by === "class") return a.contender.class.localeCompare(b.contender.class) || names;
  const [left, right] = [a.points.get(by)?.value, b.points.get(by)?.value];
  if (left === undefined || right === undefined) return (left === undefined ? 1 : 0) - (right === undefined ? 1 : 0) || names;
  return left - right || names;
}

export function cell(figure: Figure, point: Point | undefined): string {
  if (!point) return "\u2013";
  const bound = point.atLeast ? "\u2265\u00a0" : "";
  const interval = point.atLeast || figure.isRatio ? "" : format.plusMinus(figure.text, point);
  return `${bound}${figure.text(point.value)} ${interval}`.trim();
}

/** Plain numbers in base units, with the ends of their intervals. */
function lines(rows: Row[], figures: Figure[]): Field[][] {
  const head = ["contender", "class", ...figures.flatMap(({ id }) => [id, `${id}_low`, `${id}_high`])];
  const body = rows.map(({ contender, points }) => [
    contender.name,
    contender.class,
    ...figures.flatMap(({ id }) => {
      const point = points.get(id);
      return [point?.value, point?.low, point?.high];
    }),
  ]);
  return [head, ...body];
}
