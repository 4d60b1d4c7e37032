// What the words of the page mean, and how to repeat, compare and read on.
import type { PageData, Term } from "../generated/page";
import { Opening } from "./opening";

export function Terms({ terms }: { terms: Term[] }) {
  return (
    <section aria-labelledby="terms">
      <h2 id="terms">Method and terms</h2>
      <p class="about">
        How it is measured and judged, with each formula and bound, is in METHODOLOGY.md; all terms are in GLOSSARY.md, and each
        contender is in contenders/ of the repository that this velo was built from.
      </p>
      <Opening class="fold" summary={<span>What the words of this page mean</span>}>
        <dl class="facts terms">
          {terms.map(({ term, meaning }) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </Opening>
    </section>
  );
}

/** Beside the page in the run's folder. */
const RAW: [string, string][] = [
  ["windows.ndjson", "each window"],
  ["run.json", "the run"],
  ["judgement.json", "the result"],
  ["report.md", "the report"],
];

export function Footer({ data, workload }: { data: PageData; workload: string | null }) {
  return (
    <footer>
      <dl class="facts">
        {data.facts.map(([label, text]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{text}</dd>
          </div>
        ))}
        <div>
          <dt>again</dt>
          <dd>
            <code>{data.again}</code>
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
