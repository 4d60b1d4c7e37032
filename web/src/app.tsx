// The page: the answer first, then how to look at it otherwise, then its validity.
import { useEffect, useLayoutEffect, useState } from "preact/hooks";

import { Beside } from "./components/beside";
import { Details, Part } from "./components/block";
import { Cards } from "./components/cards";
import { Cost } from "./components/cost";
import { Figures } from "./components/figures";
import { Footer, Terms } from "./components/footer";
import { Overview } from "./components/overview";
import { RankingChart } from "./components/ranking";
import { Switches } from "./components/switches";
import { Validity } from "./components/validity";
import { leader } from "./data";
import type { PageData, PageWorkload, Ranking, Section } from "./generated/page";
import { base } from "./relative";
import { PageContext, usePaper, useSeen } from "./shown";
import { useView, type View } from "./state";

export function App({ data }: { data: PageData }) {
  const [view, change] = useView();
  const isPaper = usePaper();
  const isWhole = useSeen() || isPaper;
  const { workloads, contenders } = data;
  const workload = workloads.find((one) => one.name === view.workload) ?? workloads[0];
  const title = workload ? `${workload.name}: ${workload.answer ?? workload.question}` : "A run without a workload";
  useEffect(() => {
    document.title = `${title} \u2013 Velodrome`;
  }, [title]);
  if (!workload) return <p class="empty">This run has no workload.</p>;
  const known = new Map(contenders.map((one) => [one.name, one]));
  const part = view.search.trim().toLowerCase();
  const isShown = (contender: string) =>
    (view.language === "" || known.get(contender)?.language === view.language) &&
    (view.class === "" || known.get(contender)?.class === view.class) &&
    (part === "" || contender.toLowerCase().includes(part));
  const end = data.end.filter((section) => section.weight === "headline");
  const page = { origin: `${workload.name}, ${data.origin}`, again: data.again, confidence: data.confidence, isShown, isPaper };
  return (
    <PageContext.Provider value={page}>
      <header class="masthead">
        <b>Velodrome</b>
        <span>compares HTTP service stacks on one machine and reports how far each number can be trusted</span>
        <a href="#terms" onClick={(event) => show(event, "terms")}>
          Method and terms
        </a>
      </header>
      <main>
        {workloads.length > 1 && (
          <Overview
            workloads={workloads}
            end={end}
            shown={workload.name}
            choose={(name) => change({ workload: name, figure: "", relative: "", sort: "", beside: "", proof: "" })}
          />
        )}
        {(isPaper ? workloads : [workload]).map((one) => (
          <Workload key={one.name} data={data} workload={one} view={view} change={change} isWhole={isWhole} />
        ))}
        {isWhole && <Terms terms={data.terms} />}
      </main>
      {isWhole && <Footer data={data} workload={workload.listed_as} />}
    </PageContext.Provider>
  );
}

interface Props {
  data: PageData;
  workload: PageWorkload;
  view: View;
  change: (part: Partial<View>) => void;
}

function Workload({ data, workload, view, change, isWhole }: Props & { isWhole: boolean }) {
  const { contenders } = data;
  const { rankings, sections } = workload;
  const ranking = rankings.find((one) => one.id === view.figure) ?? rankings[0];
  const costBy = rankings.find((one) => one.id === workload.cost_by);
  const isDetail = (section: Section) => section.weight === "detail";
  const parts = joined(sections.filter((section) => !isDetail(section)));
  const hasClaims = (part: Section[]) => part.some(({ blocks }) => blocks.some((block) => block.is === "claims"));
  const own = { workload, contenders, view, change };
  return (
    <>
      <header>
        <p class="label">
          {workload.name} <span>{workload.load}</span>
        </p>
        {workload.answer && <p class="question">{workload.question}</p>}
        <h1>{workload.answer ?? workload.question}</h1>
        <p class="machine">{data.origin}</p>
        {data.partial && <p class="partial">{data.partial}</p>}
        <Contents of={`${workload.name} ${view.figure} ${view.view} ${isWhole}`} />
      </header>
      {ranking && <Ranked ranking={ranking} {...own} />}
      {isWhole && (
        <>
          {parts.filter(hasClaims).map((part) => (
            <Part key={part[0]?.title} sections={part} class="said-there" />
          ))}
          <Validity badges={workload.badges} notes={[...data.notes, ...workload.notes]} />
          {parts.filter((part) => !hasClaims(part)).map((part) => (
            <Part key={part[0]?.title} sections={part} />
          ))}
          {costBy && <Cost ranking={costBy} view={view} change={change} />}
          <Beside {...own} />
          <Cards {...own} />
          <Details sections={sections.filter(isDetail)} />
        </>
      )}
    </>
  );
}

/** Sections of one title that follow each other. */
function joined(sections: Section[]): Section[][] {
  const parts: Section[][] = [];
  for (const section of sections) {
    const last = parts.at(-1);
    if (last?.[0]?.title === section.title) last.push(section);
    else parts.push([section]);
  }
  return parts;
}

function Ranked({ ranking, workload, contenders, view, change }: Omit<Props, "data"> & { ranking: Ranking; contenders: PageData["contenders"] }) {
  const to = base(ranking, view.relative);
  const isTable = view.view === "table";
  const rankedBy = workload.rankings.find(leader);
  const hasCard = (contender: string) => workload.cards.some((card) => card.contender === contender);
  return (
    <section aria-labelledby="figures">
      <h2 id="figures">{isTable ? "All figures" : ranking.label}</h2>
      {!isTable && (
        <p class="about">
          {ranking.about}
          {to !== null && `; relative to ${to}`}
          {rankedBy && !leader(ranking) && `; no ranks by it: they are by \u201c${rankedBy.label}\u201d`}
        </p>
      )}
      <Switches rankings={workload.rankings} ranking={ranking} contenders={contenders} view={view} change={change} />
      {isTable ? (
        <Figures workload={workload} contenders={contenders} view={view} change={change} />
      ) : (
        <>
          <RankingChart workload={workload.name} ranking={ranking} to={to} isLog={view.scale === "log"} hasCard={hasCard} />
          {ranking.ratios.length > 0 && leader(ranking) && <p class="about">{to === null ? ABSOLUTE_BARS : PAIRED_BARS}</p>}
        </>
      )}
    </section>
  );
}

/** Why bars may overlap though ranks differ. */
const PAIRED_BARS =
  "Ranks rest on ratios paired by block or launch, in which what slows the whole machine for a while cancels; it stays in absolute values, whose bars can overlap though ranks differ.";
const ABSOLUTE_BARS =
  "What slows the whole machine for a while stays in these bars, which can overlap though ranks differ: ranks rest on ratios paired by block or launch, in which it cancels.";

/** The parts of the page, as far as this workload has them. */
function Contents({ of }: { of: string }) {
  const [parts, setParts] = useState<[string, string][]>([]);
  // Before the page is drawn, so that nothing jumps.
  useLayoutEffect(() => {
    const heads = [...document.querySelectorAll<HTMLElement>("main > section > h2[id]")];
    setParts(heads.map((head) => [head.id, head.textContent ?? ""]));
  }, [of]);
  return (
    <nav class="contents" aria-label="Contents">
      {parts.map(([id, text]) => (
        <a key={id} href={`#${id}`} onClick={(event) => show(event, id)}>
          {text}
        </a>
      ))}
    </nav>
  );
}

/** The hash holds the view, so that a link within the page must not replace it. */
function show(event: Event, id: string): void {
  event.preventDefault();
  document.getElementById(id)?.scrollIntoView({ block: "start" });
}
