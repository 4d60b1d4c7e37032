// All workloads of a run: a row each with its answer and who leads, and what is to be said of all of them.
import { leader } from "../data";
import type { PageWorkload, Section } from "../generated/page";
import { Part } from "./block";

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
      {end.map((section) => (
        <Part key={section.title} sections={[section]} />
      ))}
    </div>
  );
}

function leading({ rankings }: PageWorkload): string {
  const first = rankings[0] ? leader(rankings[0]) : null;
  return first ? `${first.contender}: ${first.text}` : "nothing ranked";
}
