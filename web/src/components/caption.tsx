// Below each chart: what it is and what measured it, the chart as a file, its data, and how to cite it.
import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";

import { type Field, delimited } from "../delimited";

/** What is the same below all charts of a page. */
export interface Origin {
  /** What ran, when and on what. */
  run: string;
  /** The command that repeats it. */
  again: string;
  /** Of all intervals, in per cent. */
  confidence: string;
}

export const OriginContext = createContext<Origin>({ run: "", again: "", confidence: "" });

interface Props {
  /** What the chart shows. */
  label: string;
  /** Whether its dots have bars. */
  hasIntervals?: boolean;
  /** The name of its files, without an ending. */
  name: string;
  /** The chart as a file of its own, made when it is asked for; null when there is none. */
  svg: (() => string | null) | null;
  /** A head and rows, in base units. */
  data: () => Field[][];
}

export function Caption({ label, hasIntervals, name, svg, data }: Props) {
  const { run, again, confidence } = useContext(OriginContext);
  const [isCited, cite] = useState(false);
  const saveChart = () => {
    const text = svg?.() ?? null;
    if (text !== null) save(`${name}.svg`, "image/svg+xml", text);
  };
  return (
    <figcaption class="caption">
      <span>
        {label}
        {hasIntervals && <small>; dot: value, bar: {confidence} confidence interval</small>}
      </span>
      <span class="tools">
        {svg && (
          <button type="button" onClick={saveChart} aria-label={`Save as SVG: ${label}`}>
            SVG
          </button>
        )}
        <button type="button" onClick={() => save(`${name}.csv`, "text/csv", delimited(data(), ","))} aria-label={`Save the data as CSV: ${label}`}>
          Data
        </button>
        <button type="button" onClick={() => cite(!isCited)} aria-expanded={isCited} aria-label={`Cite: ${label}`}>
          Cite
        </button>
      </span>
      {isCited && (
        <span class="citation">
          {label}. Velodrome, {run}. Repeat with <code>{again}</code>
        </span>
      )}
    </figcaption>
  );
}

function save(name: string, type: string, text: string): void {
  const link = document.createElement("a");
  link.download = name;
  link.href = `data:${type};charset=utf-8,${encodeURIComponent(text)}`;
  link.click();
}
