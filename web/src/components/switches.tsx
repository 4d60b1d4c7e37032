// What is drawn: the figure, what it is relative to, the scale, and which contenders.
import type { ComponentChildren } from "preact";

import type { Contender, Ranking } from "../generated/page";
import { ABSOLUTE, base } from "../relative";
import type { View } from "../state";

interface Props {
  rankings: Ranking[];
  ranking: Ranking;
  contenders: Contender[];
  view: View;
  change: (part: Partial<View>) => void;
}

export function Switches({ rankings, ranking, contenders, view, change }: Props) {
  // A table has every figure as it is.
  const isTable = view.view === "table";
  const to = base(ranking, view.relative);
  const names = ranking.points.map((point) => point.contender).sort();
  const languages = [...new Set(contenders.map((one) => one.language))].sort();
  const classes = [...new Set(contenders.map((one) => one.class))].sort();
  const leader = base(ranking, "");
  const byDefault = leader ?? ABSOLUTE;
  return (
    <form class="switches" onSubmit={(event) => event.preventDefault()} aria-label="What is shown">
      <Choice label="Figure" value={ranking.id} isOff={isTable} onChange={(value) => change({ figure: value === rankings[0]?.id ? "" : value })}>
        {rankings.map((one) => (
          <option key={one.id} value={one.id}>
            {one.label}
          </option>
        ))}
      </Choice>
      {!ranking.is_ratio && (
        <Choice
          label="Relative to"
          value={to ?? ABSOLUTE}
          isOff={isTable}
          onChange={(relative) => change({ relative: relative === byDefault ? "" : relative })}
        >
          <option value={ABSOLUTE}>nobody: absolute values</option>
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
              {name === leader && ", the leader"}
            </option>
          ))}
        </Choice>
      )}
      <Pair
        legend="Scale"
        options={[
          ["", "linear"],
          ["log", "logarithmic"],
        ]}
        value={view.scale}
        isOff={isTable || (to === null && !ranking.log_axis)}
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
  /** It would change nothing. */
  isOff?: boolean;
  onChange: (value: string) => void;
  children: ComponentChildren;
}

function Choice({ label, value, isOff, onChange, children }: ChoiceProps) {
  return (
    <label class="choice">
      <span>{label}</span>
      <select value={value} disabled={isOff} onChange={(event) => onChange(event.currentTarget.value)}>
        {children}
      </select>
    </label>
  );
}

interface PairProps {
  legend: string;
  options: [string, string][];
  value: string;
  /** It would change nothing. */
  isOff?: boolean;
  onChange: (value: string) => void;
}

function Pair({ legend, options, value, isOff, onChange }: PairProps) {
  return (
    <fieldset class="pair" disabled={isOff}>
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
