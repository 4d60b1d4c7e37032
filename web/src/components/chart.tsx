// A chart of the run's document: its axes, lines and texts are given; Observable Plot draws them as wide as there is room.
import * as Plot from "@observablehq/plot";
import { useLayoutEffect } from "preact/hooks";

import type { Field } from "../delimited";
import type { Chart, Line, Point, Tick } from "../generated/page";
import { fitting } from "../scale";
import { usePage } from "../shown";
import { useWidth } from "../width";
import { Caption } from "./caption";

/** A point of a line, with what it needs to be drawn apart from it. */
interface Drawn extends Point {
  name: string;
}

export function DrawnChart({ chart }: { chart: Chart }) {
  const { isShown } = usePage();
  const [where, width] = useWidth();
  const lines = chart.lines.filter(({ of, points }) => points.length > 0 && (of === null || isShown(of)));
  const seen = lines.map((line) => chart.lines.indexOf(line)).join(" ");
  useLayoutEffect(() => {
    const element = where.current;
    if (!element || width < 50) return;
    const drawn = draw(chart, lines, width);
    element.replaceChildren(drawn);
    return () => drawn.remove();
  }, [width, chart, seen]);
  if (lines.length === 0) return null;
  const svg = () => {
    const drawn = where.current?.querySelector("svg");
    return drawn ? standalone(drawn) : null;
  };
  return (
    <figure>
      <div class="chart" ref={where} style={{ minHeight: `${chart.height}px` }} />
      <Legend chart={chart} lines={lines} />
      <Caption label={chart.label} name={chart.id} svg={svg} data={() => data(chart, lines)} />
    </figure>
  );
}

/** What it shows as a head and rows; a name that stands in the legend once may stand in many rows. */
function data({ x, y }: Chart, lines: Line[]): Field[][] {
  const hasEnds = lines.some(({ points }) => points.some((point) => point.end != null));
  const head = ["name", x.column, ...(hasEnds ? [`${x.column}_end`] : []), y.column, "text"];
  const rows = lines.flatMap(({ name, points }) =>
    points.map((point) => [name, point.x, ...(hasEnds ? [point.end] : []), point.y, point.text]),
  );
  return [head, ...rows];
}

/** The width of a letter and the height of a text of 12 px. */
const [LETTER, LINE_HEIGHT] = [6.7, 14];
/** Room above and below what is drawn, with an axis's title and without. */
const [ABOVE, BELOW] = [
  (hasTitle: boolean) => (hasTitle ? 24 : 10),
  (hasTitle: boolean) => (hasTitle ? 44 : 28),
];

function draw(chart: Chart, lines: Line[], width: number): SVGSVGElement | HTMLElement {
  const { x, y } = chart;
  const longest = (ticks: Tick[]) => Math.max(0, ...ticks.map(({ text }) => text.length)) * LETTER;
  // Where there is no room for the names of rows beside them, they stand above them.
  const isAbove = longest(y.ticks) + 14 > width * 0.42;
  const height = chart.height * (isAbove ? 1.6 : 1);
  const marginLeft = isAbove ? 16 : longest(y.ticks) + 14;
  const marginRight = Math.min(longest(x.ticks.slice(-1)) / 2 + 8, 40);
  const [marginTop, marginBottom] = [ABOVE(y.title !== ""), BELOW(x.title !== "")];
  const inner = height - marginTop - marginBottom;
  const across = fitting(x, width - marginLeft - marginRight, ({ text }) => text.length * LETTER + 10);
  const up = fitting(y, inner, () => LINE_HEIGHT);
  const drawn = Plot.plot({
    width,
    height,
    marginLeft,
    marginRight,
    marginTop,
    marginBottom,
    style: { background: "transparent", fontSize: "12px", fontFamily: "inherit", overflow: "visible" },
    ariaLabel: chart.label,
    x: { type: x.is_log ? "log" : "linear", domain: [x.from, x.to], axis: null },
    y: { type: y.is_log ? "log" : "linear", domain: [y.from, y.to], axis: null },
    marks: [
      Plot.gridX(x.ticks.map(({ at }) => at)),
      Plot.gridY(y.ticks.map(({ at }) => at)),
      Plot.axisX(across.map(({ at }) => at), {
        tickFormat: text(across),
        tickSize: 0,
        label: x.title || null,
        labelAnchor: "center",
        labelArrow: "none",
        labelOffset: 38,
      }),
      ...(isAbove ? [] : [names(y.title, up)]),
      ...marks(chart, lines, inner, isAbove),
      ...(isAbove ? [above(y.ticks)] : []),
      tip(lines),
    ],
  });
  drawn.setAttribute("role", "img");
  // The chart has one label; those of its marks would be read on top of it.
  for (const mark of drawn.querySelectorAll("g[aria-label]")) mark.removeAttribute("aria-label");
  return drawn;
}

function names(title: string, ticks: Tick[]): Plot.Markish {
  return Plot.axisY(ticks.map(({ at }) => at), {
    tickFormat: text(ticks),
    tickSize: 0,
    label: title || null,
    labelAnchor: "top",
    labelArrow: "none",
  });
}

function above(ticks: Tick[]): Plot.Markish {
  return Plot.text(ticks, { y: "at", text: "text", frameAnchor: "left", dy: -9, fill: "currentColor", stroke: "var(--page)", strokeWidth: 3 });
}

function text(ticks: Tick[]): (at: number) => string {
  return (at) => ticks.find((tick) => tick.at === at)?.text ?? "";
}

function marks(chart: Chart, lines: Line[], height: number, isAbove: boolean): Plot.Markish[] {
  const styles = stylesOf(chart);
  const down = Math.sign(chart.y.from - chart.y.to);
  const spans = lines.flatMap(({ mark, points }) => (mark === "spans" ? points : [])).length;
  const strokeWidth = Math.max(0.5, Math.min(2.5, height / Math.max(spans, 1) / 2));
  return lines.flatMap(({ name, mark, points }): Plot.Markish[] => {
    const { colour: stroke, dash: strokeDasharray } = styles.get(name)!;
    const at = { x: "x", y: "y" } as const;
    const from = { x1: "x", x2: "end" } as const;
    const failed = (point: Point) => point.sign === "cross";
    switch (mark) {
      case "line":
      case "steps": {
        const curve = mark === "steps" ? "step-after" : "linear";
        return [Plot.line(points, { ...at, stroke, strokeDasharray, strokeWidth: 1.75, curve }), ...signs(points.filter(({ sign }) => sign != null), stroke)];
      }
      case "dots":
        return signs(points, stroke);
      case "spans":
        return [
          Plot.ruleY(points.filter((point) => !failed(point)), { ...from, y: "y", stroke, strokeWidth }),
          Plot.ruleY(points.filter(failed), { ...from, y: "y", stroke: "var(--bad)", strokeDasharray: "2 3", strokeWidth }),
        ];
      case "bars":
        return [Plot.rect(points, { ...from, y1: ({ y }: Point) => y - down * (isAbove ? 0 : BAR / 2), y2: ({ y }: Point) => y + (down * BAR) / 2, fill: stroke })];
      case "columns":
        return [Plot.rect(points, { ...from, y1: chart.y.from, y2: "y", fill: stroke, insetLeft: 0.5, insetRight: 0.5 })];
    }
  });
}

/** How much of a row a bar takes. */
const BAR = 0.7;

function signs(points: Point[], stroke: string): Plot.Markish[] {
  const of = (...some: (Point["sign"] | undefined)[]) => points.filter(({ sign }) => some.includes(sign ?? undefined));
  const at = { x: "x", y: "y", stroke } as const;
  return [
    Plot.dot(of("full", undefined), { ...at, fill: stroke, r: 2.5 }),
    Plot.dot(of("hollow"), { ...at, fill: "var(--page)", r: 3 }),
    Plot.dot(of("cross"), { ...at, symbol: "times", r: 4 }),
    Plot.dot(of("ring"), { ...at, stroke: "currentColor", strokeWidth: 1.5, r: 8 }),
  ];
}

/** One for all lines: each with its own would be a pile. */
function tip(lines: Line[]): Plot.Markish {
  const said = lines.flatMap(({ name, points }) => points.filter((point) => point.text).map((point): Drawn => ({ ...point, name })));
  const isAlone = new Set(lines.map(({ name }) => name)).size === 1;
  return Plot.tip(
    said,
    Plot.pointer({
      x: (point: Drawn) => (point.x + (point.end ?? point.x)) / 2,
      y: "y",
      title: ({ name, text }: Drawn) => (isAlone || text?.includes(name) ? text : `${name}\n${text}`),
      fill: "var(--page)",
      stroke: "var(--soft)",
    }),
  );
}

interface Style {
  colour: string;
  dash: string;
}

/** One colour a name; dashes, so that lines differ without colours, and those of one colour too. */
function stylesOf(chart: Chart): Map<string, Style> {
  const names = [...new Set(chart.lines.map(({ name }) => name))];
  const dashes = ["none", "6 3", "2 3", "8 3 2 3"];
  return new Map(
    names.map((name, at) => [
      name,
      { colour: `var(--series-${(at % 8) + 1})`, dash: dashes[(at + Math.floor(at / 8)) % dashes.length]! },
    ]),
  );
}

/** Which line is whose. */
function Legend({ chart, lines }: { chart: Chart; lines: Line[] }) {
  const styles = stylesOf(chart);
  if (styles.size < 2) return null;
  const areas = new Set(lines.filter(({ mark }) => mark === "bars" || mark === "columns").map(({ name }) => name));
  return (
    <ul class="names">
      {[...new Set(lines.map(({ name }) => name))].map((name) => {
        const { colour, dash } = styles.get(name)!;
        return (
          <li key={name}>
            <svg width={areas.has(name) ? 14 : 28} height="10" aria-hidden="true">
              {areas.has(name) ? (
                <rect width="14" height="10" fill={colour} />
              ) : (
                <line x1="0" y1="5" x2="28" y2="5" stroke={colour} stroke-width="2" stroke-dasharray={dash} />
              )}
            </svg>
            {name}
          </li>
        );
      })}
    </ul>
  );
}

/** A drawn chart as a file: the page's colours go with it. */
function standalone(drawn: SVGSVGElement): string {
  const styles = getComputedStyle(drawn);
  const text = new XMLSerializer().serializeToString(drawn);
  const coloured = text.replace(/var\((--[a-z0-9-]+)\)/g, (whole, name: string) => styles.getPropertyValue(name).trim() || whole);
  const style = `color:${styles.color};background:${styles.getPropertyValue("--page").trim()};font-family:sans-serif`;
  return coloured.replace("<svg", `<svg style="${style}"`).replace(/(<svg style="[^"]*"[^>]*?) style="[^"]*"/, "$1");
}
