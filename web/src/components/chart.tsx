// A chart of Observable Plot that follows the width of its place and keeps its height, so that nothing jumps.
import * as Plot from "@observablehq/plot";
import { useEffect, useRef, useState } from "preact/hooks";

import type { Field } from "../delimited";
import { Caption } from "./caption";

interface Props {
  /** What it shows: below it, and for those who do not see it. */
  label: string;
  /** The name of its files. */
  name: string;
  height: number;
  options: (width: number) => Plot.PlotOptions;
  /** What the options rest on: another value draws the chart again. */
  basis: unknown;
  /** What is drawn, as a head and rows in base units. */
  data: () => Field[][];
}

export function Chart({ label, name, height, options, basis, data }: Props) {
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
  const svg = () => {
    const chart = place.current?.querySelector("svg");
    return chart ? standalone(chart) : null;
  };
  return (
    <figure>
      <div class="chart" ref={place} style={{ minHeight: `${height}px` }} />
      <Caption label={label} name={name} svg={svg} data={data} />
    </figure>
  );
}

/** A drawn chart as a file: the page's colours go with it. */
function standalone(chart: SVGSVGElement): string {
  const copy = chart.cloneNode(true) as SVGSVGElement;
  const styles = getComputedStyle(chart);
  const text = new XMLSerializer().serializeToString(copy);
  const coloured = text.replace(/var\((--[a-z0-9-]+)\)/g, (whole, name: string) => styles.getPropertyValue(name).trim() || whole);
  const style = `color:${styles.color};background:${styles.getPropertyValue("--page").trim()};font-family:sans-serif`;
  return coloured.replace("<svg", `<svg style="${style}"`).replace(/(<svg style="[^"]*"[^>]*?) style="[^"]*"/, "$1");
}

/** The horizontal axis: its name below the middle, so that it stands upon no tick. */
export function below(label: string): Plot.ScaleOptions {
  return { label, labelAnchor: "center", labelArrow: "none", labelOffset: 36 };
}

/** Room for the name of the horizontal axis. */
export const BELOW = 46;

/** Texts at the ends of lines, moved up and down until none stands upon another. */
export function endNames<T>(ends: T[], options: Plot.TextOptions & { y: Plot.ChannelValue }): Plot.Markish {
  const apart = Plot.initializer(options, (data, facets, channels, scales) => {
    const scale = scales.y as unknown as ((value: number) => number) | undefined;
    const values = Array.from((channels.y?.value ?? []) as Iterable<number>);
    const places = spread(values.map((value) => (scale ? scale(value) : value)), LINE_HEIGHT);
    return { data, facets, channels: { y: { value: places } } };
  });
  return Plot.text(ends as Plot.Data, apart as Plot.TextOptions);
}

/** Of a text of 12 px. */
const LINE_HEIGHT = 14;

/** Places at least so far apart, each as near to its own as the others allow: neighbours that are too close form a stack around their middle. */
export function spread(places: number[], apart: number): number[] {
  const order = places.map((place, index) => ({ place, index })).sort((a, b) => a.place - b.place);
  const stacks: { sum: number; members: number[] }[] = [];
  const middle = (stack: { sum: number; members: number[] }) => stack.sum / stack.members.length;
  const half = (stack: { members: number[] }) => (stack.members.length * apart) / 2;
  for (const { place, index } of order) {
    stacks.push({ sum: place, members: [index] });
    for (;;) {
      const [above, last] = [stacks[stacks.length - 2], stacks[stacks.length - 1]!];
      if (!above || middle(above) + half(above) <= middle(last) - half(last)) break;
      stacks.splice(-2, 2, { sum: above.sum + last.sum, members: [...above.members, ...last.members] });
    }
  }
  const found = new Array<number>(places.length).fill(0);
  for (const stack of stacks) {
    stack.members.forEach((index, at) => {
      found[index] = middle(stack) + (at - (stack.members.length - 1) / 2) * apart;
    });
  }
  return found;
}

/** Colours that differ in lightness too, none of them the only sign: lines are named at their ends. */
export function colour(index: number): string {
  return `var(--series-${(index % 8) + 1})`;
}

/** Dashes, so that lines differ without colours, and those of one colour too. */
export function dash(index: number): string {
  return ["none", "6 3", "2 3", "8 3 2 3"][(index + Math.floor(index / 8)) % 4]!;
}
