// What is to be known beside the figures.
import type { Note } from "../generated/page";
import { Opening } from "./opening";
import { MOST_NAMES } from "./reasons";

export function Notes({ notes }: { notes: Note[] }) {
  if (notes.length === 0) return null;
  return (
    <ul class="notes">
      {notes.map((note) => (
        <li key={`${note.kind} ${note.names.join(" ")} ${note.words}`} class={note.kind}>
          {note.names.length > MOST_NAMES ? (
            <Opening
              class="many"
              summary={
                <>
                  <b>{note.kind}</b> {note.names.length} contenders: {note.words}
                </>
              }
            >
              {note.names.join(", ")}
            </Opening>
          ) : (
            <>
              <b>{note.kind}</b> {note.names.length > 0 && `${note.names.join(", ")}: `}
              {note.words}
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
