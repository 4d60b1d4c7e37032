// Validity: the checks of the run as badges that open, and what is to be known of it.
import type { Note, PageData, PageWorkload } from "../generated/page";

interface Props {
  data: PageData;
  page: PageWorkload;
}

const SIGNS = { good: "\u2713", doubtful: "!", bad: "\u00d7" } as const;

export function Validity({ data, page }: Props) {
  return (
    <section aria-labelledby="validity">
      <h2 id="validity">Validity</h2>
      <ul class="badges">
        {page.badges.map((badge) => (
          <li key={badge.name}>
            <details class={`badge ${badge.state}`}>
              <summary>
                <b aria-label={badge.state}>{SIGNS[badge.state]}</b> {badge.name} <span>{badge.short}</span>
              </summary>
              {badge.words.map((words) => (
                <p key={words}>{words}</p>
              ))}
            </details>
          </li>
        ))}
      </ul>
      <Notes notes={[...data.notes, ...page.notes]} />
    </section>
  );
}

export function Notes({ notes }: { notes: Note[] }) {
  if (notes.length === 0) return null;
  return (
    <ul class="notes">
      {notes.map((note) => (
        <li key={`${note.kind} ${note.names.join(" ")} ${note.words}`} class={note.kind}>
          <b>{note.kind}</b> <Whom names={note.names} />
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
