// What is drawn: the figure, what it is relative to, the scale, and which contenders.
import type { ComponentChildren } from "preact";

import { language } from "../data";
import type { Figure } from "../figures";
import type { Contender } from "../generated/page";
import type { View } from "../state";

interface Props {
  figures: Figure[];
  figure: Figure;
  contenders: Contender[];
  view: View;
  change: (part: Partial<View>) => void;
}

export function Switches({ figures, figure, contenders, view, change }: Props) {
  const bases = figure.points.map((point) => point.contender);
  const languages = [...new Set(contenders.map((one) => language(one.name)))].sort();
  const classes = [...new Set(contenders.map((one) => one.class))].sort();
  return (
    <form class="switches" onSubmit={(event) => event.preventDefault()} aria-label="What is shown">
      <Choice label="Figure" value={figure.id} onChange={(value) => change({ figure: value === figures[0]?.id ? "" : value })}>
        {figures.map((one) => (
          <option key={one.id} value={one.id}>
            {one.label}
          </option>
        ))}
      </Choice>
      <Choice label="Relative to" value={bases.includes(view.relative) ? view.relative : ""} onChange={(relative) => change({ relative })}>
        <option value="">absolute values</option>
        {[...bases].sort().map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </Choice>
      <Pair
        legend="Scale"
        options={[
          ["", "linear"],
          ["log", "logarithmic"],
        ]}
        value={view.scale}
        onChange={(scale) => change({ scale: scale as View["scale"] })}
      />
      <Pair
        legend="As"
        options={[
          ["", "chart"],
          ["table", "table"],
        ]}
        value={view.view}
        onChange={(as) => change({ view: as as View["view"] })}
      />
      {languages.length > 1 && (
        <Choice label="Language" value={view.language} onChange={(value) => change({ language: value })}>
          <option value="">all</option>
          {languages.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Choice>
      )}
      {classes.length > 1 && (
        <Choice label="Class" value={view.class} onChange={(value) => change({ class: value })}>
          <option value="">all</option>
          {classes.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Choice>
      )}
      <label class="choice">
        <span>Name</span>
        <input
          type="search"
          value={view.search}
          placeholder="part of a name"
          onInput={(event) => change({ search: event.currentTarget.value })}
        />
      </label>
    </form>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  children: ComponentChildren;
}

function Choice({ label, value, onChange, children }: ChoiceProps) {
  return (
    <label class="choice">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {children}
      </select>
    </label>
  );
}

interface PairProps {
  legend: string;
  options: [string, string][];
  value: string;
  onChange: (value: string) => void;
}

function Pair({ legend, options, value, onChange }: PairProps) {
  return (
    <fieldset class="pair">
      <legend>{legend}</legend>
      {options.map(([id, text]) => (
        <label key={id}>
          <input type="radio" name={legend} checked={value === id} onChange={() => onChange(id)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}
