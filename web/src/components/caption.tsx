// Below each chart: what it is, the chart as a file, its data, and how to cite it.
import { useState } from "preact/hooks";

import { type Field, delimited } from "../delimited";
import { usePage } from "../shown";

interface Props {
  /** What the chart shows. */
  label: string;
  /** Whether its dots have bars. */
  hasIntervals?: boolean;
  /** The name of its files, without an ending. */
  name: string;
  /** The chart as a file of its own, made when it is asked for. */
  svg: () => string | null;
  /** How that differs from what is shown; may be empty. */
  svgIs?: string;
  /** A head and rows, in base units. */
  data: () => Field[][];
}

export function Caption({ label, hasIntervals, name, svg, svgIs = "", data }: Props) {
  const { origin, again, confidence } = usePage();
  const [isCited, cite] = useState(false);
  const saveChart = () => {
    const text = svg();
    if (text !== null) save(`${name}.svg`, "image/svg+xml", text);
  };
  return (
    <figcaption class="caption">
      <span>
        {label}
        {hasIntervals && `; dot: value, bar: ${confidence} confidence interval`}
      </span>
      <span class="tools">
        <button type="button" onClick={saveChart} aria-label={`Save as SVG: ${label}`}>
          SVG{svgIs && ` (${svgIs})`}
        </button>
        <button type="button" onClick={() => save(`${name}.csv`, "text/csv", delimited(data(), ","))} aria-label={`Save the data as CSV: ${label}`}>
          Data
        </button>
        <button type="button" onClick={() => cite(!isCited)} aria-expanded={isCited} aria-label={`Cite: ${label}`}>
          Cite
        </button>
      </span>
      {isCited && (
        <span class="citation">
          {label}. Velodrome, {origin}. Repeat with <code>{again}</code>
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
