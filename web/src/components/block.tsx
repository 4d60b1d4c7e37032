// Each kind of block that a part of the run's document can consist of.
import { capitalised } from "../data";
import type { Aside, Block, Chart, Section, Table } from "../generated/page";
import { usePage } from "../shown";
import { DrawnChart } from "./chart";
import { Claims } from "./claims";
import { Notes } from "./notes";
import { Opening } from "./opening";
import { Reasons } from "./reasons";
import { Table as Grid } from "./table";

/** Blocks from top to bottom; charts that follow each other stand side by side where there is room. */
export function Blocks({ blocks, label }: { blocks: Block[]; label: string }) {
  const groups: (Block | Chart[])[] = [];
  for (const block of blocks) {
    const last = groups.at(-1);
    if (block.is !== "chart") groups.push(block);
    else if (Array.isArray(last)) last.push(block);
    else groups.push([block]);
  }
  return (
    <>
      {groups.map((group, at) =>
        Array.isArray(group) ? (
          <div key={at} class="charts">
            {group.map((chart) => (
              <DrawnChart key={chart.id} chart={chart} />
            ))}
          </div>
        ) : (
          <One key={at} block={group} label={label} />
        ),
      )}
    </>
  );
}

function One({ block, label }: { block: Block; label: string }) {
  switch (block.is) {
    case "text":
      return <p class="said">{block.words}</p>;
    case "table":
      return <Filtered table={block} label={label} />;
    case "lines":
      return (
        <ul class={`plain ${block.tone}`}>
          {block.lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      );
    case "named":
      return <Facts facts={block.rows} />;
    case "groups":
      return (
        <>
          <p class="said">
            {block.title} {block.about}
          </p>
          <Facts facts={block.rows} />
        </>
      );
    case "asides":
      return <Asides rows={block.rows} />;
    case "notes":
      return <Notes notes={block.notes} />;
    case "claims":
      return <Claims claims={block.claims} />;
    case "chart":
      return <DrawnChart chart={block} />;
    case "fold":
      return (
        <Opening class="fold" isOpen={block.is_open} summary={<Title title={block.title} about={block.about} />}>
          <Blocks blocks={block.blocks} label={block.title} />
        </Opening>
      );
  }
}

function Filtered({ table, label }: { table: Table; label: string }) {
  const { isShown } = usePage();
  const rows = table.rows.map((row, at) => ({ ...row, key: `${at}` })).filter(({ of }) => of === null || isShown(of));
  return rows.length > 0 ? <Grid label={label} columns={table.columns} rows={rows} /> : null;
}

function Asides({ rows }: { rows: Aside[] }) {
  const { isShown } = usePage();
  // What a contender is may stand behind its name.
  const contender = (name: string) => name.split(" ", 1)[0] ?? name;
  return (
    <Reasons
      of={rows
        .filter(({ name }) => isShown(contender(name)))
        .map(({ name, what, reason, more }) => [name, `${what}: ${[reason, more].filter(Boolean).join("; ")}`])}
    />
  );
}

export function Facts({ facts }: { facts: [string, string][] }) {
  return (
    <dl class="facts">
      {facts.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function Title({ title, about }: { title: string; about: string }) {
  return (
    <>
      <h3>{capitalised(title)}</h3>
      {about && <small>{about}</small>}
    </>
  );
}

/** A part with its heading; parts of one title that follow each other are one. */
export function Part({ sections, class: className }: { sections: Section[]; class?: string }) {
  const title = sections[0]?.title ?? "";
  const id = `part-${title.replace(/[^a-z0-9]+/gi, "-")}`;
  return (
    <section aria-labelledby={id} class={className}>
      <h2 id={id}>{capitalised(title)}</h2>
      {sections.map((section, at) => (
        <div key={at}>
          {section.about && <p class="about">{section.about}</p>}
          <Blocks blocks={section.blocks} label={title} />
        </div>
      ))}
    </section>
  );
}

/** What is for who looks something up. */
export function Details({ sections }: { sections: Section[] }) {
  if (sections.length === 0) return null;
  return (
    <section aria-labelledby="details">
      <h2 id="details">In detail</h2>
      {sections.map((section, at) => (
        <Opening key={at} class="fold" summary={<Title title={section.title} about={section.about} />}>
          <Blocks blocks={section.blocks} label={section.title} />
        </Opening>
      ))}
    </section>
  );
}
