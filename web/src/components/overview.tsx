// All workloads of a run: a row each with its answer and who leads, and what is to be said of all of them.
import { leader, sorted } from "../data";
import type { PageWorkload, Section } from "../generated/page";
import { usePage } from "../shown";
import { Part } from "./block";
import { Opening } from "./opening";
import { Table } from "./table";

interface Props {
  workloads: PageWorkload[];
  end: Section[];
  shown: string;
  choose: (workload: string) => void;
}

export function Overview({ workloads, end, shown, choose }: Props) {
  return (
    <div class="overview">
      <nav aria-label="Workloads">
        <ul>
          {workloads.map((workload) => (
            <li key={workload.name}>
              <button type="button" aria-current={workload.name === shown ? "page" : undefined} onClick={() => choose(workload.name)}>
                {workload.name}
              </button>
              <span>{workload.answer ?? workload.question}</span>
              <small>{leading(workload)}</small>
            </li>
          ))}
        </ul>
      </nav>
      <Opening class="fold" summary="Each contender in each workload, and over all of them">
        <EachIn workloads={workloads} />
        {end.map((section) => (
          <Part key={section.title} sections={[section]} />
        ))}
      </Opening>
    </div>
  );
}

/** A row for each contender, a column for each workload: the figure that it ranks by, as the first workload has them from best to worst. */
function EachIn({ workloads }: { workloads: PageWorkload[] }) {
  const { isShown } = usePage();
  const firsts = workloads.flatMap(({ name, rankings: [first] }) => (first ? [{ name, label: first.label, points: sorted(first, first.points) }] : []));
  const names = [...new Set(firsts.flatMap(({ points }) => points.map((point) => point.contender)))].filter(isShown);
  const columns = firsts.map(({ name, label }) => ({
    title: (
      <>
        {name} <small>{label}</small>
      </>
    ),
    is_number: true,
  }));
  return (
    <Table
      label="Each contender in each workload"
      columns={[{ title: "contender", is_number: false }, ...columns]}
      rows={names.map((name) => ({
        key: name,
        cells: [name, ...firsts.map(({ points }) => points.find((point) => point.contender === name)?.text ?? null)],
      }))}
    />
  );
}

function leading({ rankings }: PageWorkload): string {
  const first = rankings[0] ? leader(rankings[0]) : null;
  return first ? `${first.contender}: ${first.text}` : "nothing ranked";
}
