// The source's table beside ours, and its claims one by one.
import type { Workload } from "../data";
import * as format from "../format";
import type { ComparedRow, JudgedClaim } from "../generated/page";

const VERDICTS = {
  holds: ["\u2713", "holds"],
  "does-not-hold": ["\u00d7", "does not hold"],
  "cannot-be-told": ["?", "inconclusive"],
} as const;

export function Published({ workload }: { workload: Workload }) {
  const { published, claims, source } = workload.judged;
  if (published.length === 0 && claims.length === 0) return null;
  const untested = claims.filter(isUntested);
  return (
    <section aria-labelledby="published">
      <h2 id="published">Published against measured</h2>
      <p class="about">{workload.page.source}</p>
      <Claims claims={claims.filter((claim) => !isUntested(claim))} />
      {untested.length > 0 && (
        <details>
          <summary>
            {untested.length} {untested.length === 1 ? "claim" : "claims"} not testable in this run
          </summary>
          <Claims claims={untested} />
        </details>
      )}
      {published.length > 0 && <PublishedTable rows={published} baseline={workload.judged.baseline} />}
      {source.notes.length > 0 && (
        <details>
          <summary>What is known of that table</summary>
          <ul class="plain">
            {source.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

/** What it is about was not measured. */
function isUntested(claim: JudgedClaim): boolean {
  return claim.holds === "cannot-be-told" && !claim.measured;
}

function Claims({ claims }: { claims: JudgedClaim[] }) {
  if (claims.length === 0) return null;
  return (
    <ul class="claims">
      {claims.map((claim) => (
        <Claim key={claim.claim.says} claim={claim} />
      ))}
    </ul>
  );
}

function Claim({ claim }: { claim: JudgedClaim }) {
  const [sign, verdict] = VERDICTS[claim.holds];
  const words = isUntested(claim) ? "not testable in this run" : verdict;
  const isTime = "value" in claim.claim.subject && typeof claim.claim.figure === "object";
  const text = (value: number) => (isTime ? format.timeNs(value * 1e9) : format.ratio(value));
  const there = claim.claim.printed;
  return (
    <li class={`claim ${claim.holds}`}>
      <b>
        <span aria-hidden="true">{sign}</span> {words}
      </b>
      <q>{claim.claim.says}</q>
      <small>
        {there != null && `there ${text(there)}`}
        {claim.measured && `${there != null ? ", " : ""}here ${format.spoken(text, claim.measured)}`}
        {claim.reason && `${there != null || claim.measured ? "; " : ""}${claim.reason}`}
      </small>
    </li>
  );
}

function PublishedTable({ rows, baseline }: { rows: ComparedRow[]; baseline: string }) {
  const hasOnce = rows.some((row) => row.at_once);
  const hasCold = rows.some((row) => row.cold);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Published table and ours">
      <table>
        <thead>
          <tr>
            <th scope="col">published row</th>
            <th scope="col">what</th>
            <th scope="col">there</th>
            <th scope="col">here</th>
            {hasOnce && <th scope="col">here, all at once</th>}
            {hasCold && <th scope="col">here, cold</th>}
            <th scope="col">contender here</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const [what, text] = kindOf(row);
            return (
              <tr key={`${row.row} ${what}`}>
                <th scope="row">{row.row}</th>
                <td>{what}</td>
                <td class="number">{row.there == null ? "\u2013" : text(row.there)}</td>
                <td class="number">{isBaseline(row, baseline) ? "1, the baseline" : row.here ? `${row.at_least ? "\u2265\u00a0" : ""}${withInterval(text, row.here)}` : "\u2013"}</td>
                {hasOnce && <td class="number">{row.at_once ? withInterval(text, row.at_once) : "\u2013"}</td>}
                {hasCold && <td class="number">{row.cold ? withInterval(text, row.cold) : "\u2013"}</td>}
                <td>
                  {row.contender ?? "none"}
                  {row.reason && <small> {row.reason}</small>}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function withInterval(text: (value: number) => string, estimate: format.Sure): string {
  return `${text(estimate.value)} ${format.plusMinus(text, estimate)}`.trim();
}

/** Scores are relative to it. */
function isBaseline(row: ComparedRow, baseline: string): boolean {
  return row.contender === baseline && row.here != null && !("makespan" in row) && !("iteration_ms" in row) && !("call" in row);
}

/** What a published row is about, and how its figure is written. */
function kindOf(row: ComparedRow): [string, (value: number) => string] {
  if ("makespan" in row) return [`${row.makespan.requests} requests`, (seconds) => format.timeNs(seconds * 1e9)];
  if ("iteration_ms" in row) return ["an iteration", (ms) => format.timeNs(ms * 1e6)];
  if ("call" in row) return ["a single call", (ms) => format.timeNs(ms * 1e6)];
  return ["score against the baseline", format.ratio];
}
