// The page: the answer first, then how to look at it otherwise, then its validity.
import { useEffect, useLayoutEffect, useState } from "preact/hooks";

import { Beside } from "./components/beside";
import { Bursts } from "./components/bursts";
import { Calls } from "./components/calls";
import { OriginContext } from "./components/caption";
import { Cards } from "./components/cards";
import { amount, Cost } from "./components/cost";
import { Latency } from "./components/latency";
import { Published } from "./components/published";
import { Ranking } from "./components/ranking";
import { Strictness } from "./components/strictness";
import { Switches } from "./components/switches";
import { Table } from "./components/table";
import { Tasks } from "./components/tasks";
import { Validity } from "./components/validity";
import { language, workloads } from "./data";
import { type Figure, figures } from "./figures";
import type { PageData } from "./generated/page";
import { useView } from "./state";

export function App({ data }: { data: PageData }) {
  const [view, change] = useView();
  const all = workloads(data);
  const workload = all.find((one) => one.judged.name === view.workload) ?? all[0];
  const title = workload ? `${workload.judged.name}: ${workload.judged.question}` : "A run without a workload";
  useEffect(() => {
    document.title = `${title} \u2013 Velodrome`;
  }, [title]);
  if (!workload) return <p class="empty">This run has no workload.</p>;
  const wanted = { load: amount(view.load), price: amount(view.price) };
  const found = figures(workload, wanted);
  const figure = found.find((one) => one.id === view.figure) ?? found[0];
  const classes = new Map(data.contenders.map((one) => [one.name, one.class]));
  const part = view.search.trim().toLowerCase();
  const isShown = (contender: string) =>
    (view.language === "" || language(contender) === view.language) &&
    (view.class === "" || classes.get(contender) === view.class) &&
    (part === "" || contender.toLowerCase().includes(part));
  const again = command(data);
  const run = data.head.filter(([label]) => ["run", "host"].includes(label)).map(([, text]) => text).join("; ");
  return (
    <OriginContext.Provider value={{ run: `${workload.judged.name}, ${run}`, again, confidence: `${Math.round(data.judgement.confidence * 100)} %` }}>
      <header>
        {all.length > 1 && (
          <nav aria-label="Workloads">
            {all.map(({ judged }) => (
              <button
                key={judged.name}
                type="button"
                aria-current={judged.name === workload.judged.name ? "page" : undefined}
                onClick={() => change({ workload: judged.name, figure: "", relative: "", sort: "" })}
              >
                {judged.name}
              </button>
            ))}
          </nav>
        )}
        <p class="label">
          {workload.judged.name} <span>{workload.page.load}</span>
        </p>
        <h1>{workload.judged.question}</h1>
        {workload.page.answer && <p class="answer">{workload.page.answer}</p>}
        <p class="machine">{data.head.filter(([label]) => ABOVE.includes(label)).map(([, text]) => text).join("; ")}</p>
        {data.judgement.state !== "complete" && <p class="partial">A partial run: it did not come to its end.</p>}
        <Contents workload={workload.judged.name} />
      </header>
      <main>
        <section aria-labelledby="figures">
          <h2 id="figures" class={figure ? "" : "hidden"}>
            {figure ? (view.view === "table" ? "All figures" : figure.label) : "No figures"}
          </h2>
          {figure && view.view !== "table" && <Shown figure={figure} to={view.relative} />}
          {figure ? (
            <>
              {view.view === "table" ? (
                <Table workload={workload} figures={found} contenders={data.contenders} isShown={isShown} view={view} change={change} />
              ) : (
                <Ranking
                  workload={workload}
                  figure={figure}
                  to={figure.points.some((point) => point.contender === view.relative) ? view.relative : ""}
                  isLog={view.scale === "log"}
                  isShown={isShown}
                />
              )}
              <Switches figures={found} figure={figure} contenders={data.contenders} view={view} change={change} />
            </>
          ) : (
            <NoFigures data={data} workload={workload.judged.name} />
          )}
        </section>
        <Validity data={data} page={workload.page} />
        <Published workload={workload} />
        <Bursts workload={workload} isShown={isShown} />
        <Latency workload={workload} isShown={isShown} />
        <Tasks workload={workload} isShown={isShown} />
        <Calls workload={workload} isShown={isShown} />
        <Cost workload={workload} wanted={wanted} isShown={isShown} view={view} change={change} />
        <Beside workload={workload} figures={found} contenders={data.contenders} isShown={isShown} view={view} change={change} />
        <Cards workload={workload} contenders={data.contenders} isShown={isShown} view={view} change={change} />
        <Strictness workload={workload} isShown={isShown} />
      </main>
      <Terms data={data} />
      <Footer data={data} again={again} workload={workload.judged.rows.length > 0 ? workload.judged.listed_as : null} />
    </OriginContext.Provider>
  );
}

/** What a reader must know of a run before its figures: version and date, machine, plan. */
const ABOVE = ["run", "host", "plan"];

/** The parts of the page, as far as this workload has them. */
function Contents({ workload }: { workload: string }) {
  const [parts, setParts] = useState<[string, string][]>([]);
  // Before the page is drawn, so that nothing jumps.
  useLayoutEffect(() => {
    const heads = [...document.querySelectorAll<HTMLElement>("main h2[id]:not(.hidden)")];
    setParts(heads.map((head) => [head.id, head.textContent ?? ""]));
  }, [workload]);
  // The hash holds the view, so that a link within the page must not replace it.
  const show = (event: Event, id: string) => {
    event.preventDefault();
    document.getElementById(id)?.scrollIntoView({ block: "start" });
  };
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

function Shown({ figure, to }: { figure: Figure; to: string }) {
  return (
    <p class="about">
      {figure.about}
      {to && `; relative to ${to}`}
    </p>
  );
}

function NoFigures({ data, workload }: { data: PageData; workload: string }) {
  const judged = data.judgement.workloads.find((one) => one.name === workload);
  return (
    <dl class="missing">
      {(judged?.rows ?? []).map((row) => (
        <div key={row.contender}>
          <dt>{row.contender}</dt>
          <dd>{"reason" in row.state ? row.state.reason : row.state.is}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What the page's words mean. */
function Terms({ data }: { data: PageData }) {
  return (
    <section aria-labelledby="terms">
      <h2 id="terms">Terms</h2>
      <details>
        <summary>What the words of this page mean</summary>
        <dl class="facts terms">
          {data.terms.map(({ term, meaning }) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <p class="about">
          All terms are in GLOSSARY.md, each formula and bound in METHODOLOGY.md, and each contender in contenders/ of the repository that
          this velo was built from.
        </p>
      </details>
    </section>
  );
}

/** The command that repeats the run. */
function command({ judgement: { command, seed } }: PageData): string {
  const hasSeed = command.some((word) => /^--seed(=|$)/.test(word));
  return ["velo", ...command, ...(hasSeed ? [] : ["--seed", `${seed}`])].map(quoted).join(" ");
}

/** Beside the page in the run's folder. */
const RAW: [string, string][] = [
  ["windows.ndjson", "each window"],
  ["run.json", "the run"],
  ["judgement.json", "the result"],
  ["report.md", "the report"],
];

function Footer({ data, again, workload }: { data: PageData; again: string; workload: string | null }) {
  return (
    <footer>
      <dl class="facts">
        {data.head.map(([label, text]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{text}</dd>
          </div>
        ))}
        <div>
          <dt>again</dt>
          <dd>
            <code>{again}</code>
          </dd>
        </div>
        {workload && (
          <>
            <div>
              <dt>a change</dt>
              <dd>
                <code>velo compare THIS_RUN LATER_RUN --fail-on regression:3%</code> tells whether a later run is worse
              </dd>
            </div>
            <div>
              <dt>your own</dt>
              <dd>
                <code>velo run {workload} --contender YOUR_FOLDER</code> measures a server of yours beside these;{" "}
                <code>velo new contender --help</code> makes one from a template
              </dd>
            </div>
          </>
        )}
        <div>
          <dt>raw files</dt>
          <dd>
            {RAW.map(([file, what], index) => (
              <span key={file}>
                {index > 0 && ", "}
                <a href={file}>{file}</a> ({what})
              </span>
            ))}
            , where this page lies in its run&rsquo;s folder
          </dd>
        </div>
      </dl>
    </footer>
  );
}

/** A word as a shell reads it back. */
function quoted(word: string): string {
  return /^[A-Za-z0-9_./:=,%+@-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`;
}
