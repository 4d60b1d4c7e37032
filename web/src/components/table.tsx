// A table that scrolls by itself where it is too wide, and keeps the names of its rows in sight.
import type { ComponentChildren } from "preact";

export interface Column {
  title: ComponentChildren;
  is_number: boolean;
  /** How the rows are ordered by it; missing where they cannot be. */
  order?: "ascending" | "descending" | "none";
}

interface Props {
  label: string;
  columns: Column[];
  /** A key and a cell for each column; null: not known. */
  rows: { key: string; cells: (string | null)[] }[];
}

/** The first column of texts names the rows. */
export function Table({ label, columns, rows }: Props) {
  const names = Math.max(0, columns.findIndex((column) => !column.is_number));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map(({ title, is_number, order }, at) => (
              <th key={at} scope="col" class={kind(at === names, is_number)} aria-sort={order}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, at) =>
                at === names ? (
                  <th key={at} scope="row" class="sticky">
                    {cell ?? NONE}
                  </th>
                ) : (
                  <td key={at} class={kind(false, columns[at]?.is_number ?? false)}>
                    {cell === null ? NONE : <Cell text={cell} />}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A figure, and how sure it is in small letters. */
function Cell({ text }: { text: string }) {
  const at = text.indexOf(" \u00b1 ");
  return at < 0 ? (
    <>{text}</>
  ) : (
    <>
      {text.slice(0, at)} <small>{text.slice(at + 1)}</small>
    </>
  );
}

/** What is not known. */
const NONE = "\u2013";

function kind(isName: boolean, isNumber: boolean): string | undefined {
  return isName ? "sticky" : isNumber ? "number" : undefined;
}
