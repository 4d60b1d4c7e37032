// A chart of Observable Plot that follows the width of its place and keeps its height, so that nothing jumps.
import * as Plot from "@observablehq/plot";
import { useEffect, useRef, useState } from "preact/hooks";

interface Props {
  /** What it shows, for those who do not see it. */
  label: string;
  height: number;
  options: (width: number) => Plot.PlotOptions;
  /** What the options rest on: another value draws the chart again. */
  basis: unknown;
}

export function Chart({ label, height, options, basis }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = place.current;
    if (!element || width < 50) return;
    const chart = Plot.plot({
      width,
      height,
      style: { background: "transparent", fontSize: "12px", fontFamily: "inherit", overflow: "visible" },
      ...options(width),
      ariaLabel: label,
    });
    chart.setAttribute("role", "img");
    // The chart has one label; those of its marks would be read on top of it.
    for (const mark of chart.querySelectorAll("g[aria-label]")) mark.removeAttribute("aria-label");
    element.replaceChildren(chart);
    return () => chart.remove();
  }, [width, height, label, basis]);
  return <div class="chart" ref={place} style={{ minHeight: `${height}px` }} />;
}

/** Colours that differ in lightness too, none of them the only sign: lines are named at their ends. */
export function colour(index: number): string {
  return `var(--series-${(index % 8) + 1})`;
}

/** Dashes, so that lines differ without colours, and those of one colour too. */
export function dash(index: number): string {
  return ["none", "6 3", "2 3", "8 3 2 3"][(index + Math.floor(index / 8)) % 4]!;
}
