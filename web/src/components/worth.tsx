// What the run is worth: its checks as badges that open, and what is to be known of it.
import type { Workload } from "../data";
import * as format from "../format";
import type { Note, PageData } from "../generated/page";

interface Props {
  data: PageData;
  workload: Workload;
}

interface Badge {
  name: string;
  /** In two or three words. */
  short: string;
  state: "good" | "doubtful" | "bad";
  /** The whole story. */
  words: string[];
}

const SIGNS = { good: "\u2713", doubtful: "!", bad: "\u00d7" } as const;
const STATES = { good: "good", doubtful: "doubtful", bad: "bad" } as const;

export function Worth({ data, workload }: Props) {
  return (
    <section aria-labelledby="worth">
      <h2 id="worth">What it is worth</h2>
      <ul class="badges">
        {badges(data, workload).map((badge) => (
          <li key={badge.name}>
            <details class={`badge ${badge.state}`}>
              <summary>
                <b aria-label={STATES[badge.state]}>{SIGNS[badge.state]}</b> {badge.name} <span>{badge.short}</span>
              </summary>
              {badge.words.map((words) => (
                <p key={words}>{words}</p>
              ))}
            </details>
          </li>
        ))}
      </ul>
      <Notes notes={[...data.notes, ...workload.page.notes]} />
    </section>
  );
}

function badges(data: PageData, workload: Workload): Badge[] {
  const { judgement } = data;
  const { answers, host } = judgement;
  const failed = answers.http_error + answers.truncated + answers.timeout + answers.connect_error + answers.closed_by_server;
  const found: Badge[] = [];
  if (answers.correct + answers.wrong_answer + failed > 0) {
    found.push({
      name: "Answers",
      short: `${format.count(answers.correct + answers.wrong_answer)} checked, ${format.count(answers.wrong_answer)} wrong`,
      state: answers.wrong_answer > 0 ? "bad" : failed > 0 ? "doubtful" : "good",
      words: ["Every response was checked while the load ran; only correct ones count.", ...data.worth.slice(0, 1)],
    });
  }
  if (judgement.littles_law_worst != null) {
    found.push({
      name: "Little's law",
      short: `within ${format.percent(judgement.littles_law_worst)}`,
      state: judgement.littles_law_worst <= 0.05 ? "good" : "bad",
      words: ["Requests in flight, counted for themselves, must equal rate times service time. 5 % is the bound."],
    });
  }
  const control = workload.judged.controls[0];
  if (control) {
    const { ratio } = control;
    const holds = control.holds_one;
    found.push({
      name: "Noise floor",
      short: control.noise_floor == null ? "not known" : format.percent(control.noise_floor),
      state: holds === false ? "doubtful" : holds === true ? "good" : "doubtful",
      words: [
        ratio
          ? `The reference against itself: ${format.spoken(format.ratio, ratio)}. Half of that interval is the noise floor of this run.`
          : "The reference was not measured twice, or not often enough.",
      ],
    });
  }
  const dropped = host.blocks > 0 ? host.dropped_blocks / host.blocks : 0;
  found.push({
    name: "Host",
    short: `${format.count(host.dropped_blocks)} of ${format.count(host.blocks)} blocks dropped`,
    state: dropped > 0.5 ? "bad" : dropped > 0.2 ? "doubtful" : "good",
    words: [
      `${host.cpu_model ?? "unknown CPU"}, ${host.cpus} CPUs${host.virtualisation ? `, virtual (${host.virtualisation})` : ""}.`,
      `Stolen by the hypervisor: ${format.percent(host.steal_share)}; used by others: ${format.percent(host.others_share)}.`,
      "A block in which somebody else used the CPUs is dropped whole, for all contenders.",
    ],
  });
  const plan = judgement.plan;
  if (plan) {
    const isWhole = judgement.state === "complete" && !judgement.nothing_ranked;
    found.push({
      name: "Plan",
      short: `${plan.launches} launches of ${plan.blocks} blocks`,
      state: isWhole ? "good" : "doubtful",
      words: [
        judgement.nothing_ranked ? `Nothing is ranked: ${judgement.nothing_ranked}.` : "Fixed before the first counted window.",
        ...data.worth.slice(1),
      ],
    });
  }
  return found;
}

const KINDS: Record<string, string> = { error: "error", warning: "warning", hint: "hint" };

export function Notes({ notes }: { notes: Note[] }) {
  if (notes.length === 0) return null;
  return (
    <ul class="notes">
      {notes.map((note) => (
        <li key={`${note.kind} ${note.names.join(" ")} ${note.words}`} class={note.kind}>
          <b>{KINDS[note.kind] ?? note.kind}</b> <Whom names={note.names} />
          {note.words}
        </li>
      ))}
    </ul>
  );
}

/** More than these are counted; who they are opens. */
const MOST_NAMES = 6;

function Whom({ names }: { names: string[] }) {
  if (names.length === 0) return null;
  if (names.length <= MOST_NAMES) return <>{names.join(", ")}: </>;
  return (
    <details class="whom">
      <summary>{names.length} contenders</summary>({names.join(", ")}){" "}
    </details>
  );
}
