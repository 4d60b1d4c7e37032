// Validity: the checks of the run as badges that open, and what is to be known of it.
import type { Badge, Note } from "../generated/page";
import { Notes } from "./notes";
import { Opening } from "./opening";

const SIGNS = { good: "\u2713", doubtful: "!", bad: "\u00d7" } as const;

export function Validity({ badges, notes }: { badges: Badge[]; notes: Note[] }) {
  return (
    <section aria-labelledby="validity">
      <h2 id="validity">Validity</h2>
      <ul class="badges">
        {badges.map((badge) => (
          <li key={badge.name}>
            <Opening
              class={`badge ${badge.state}`}
              summary={
                <>
                  <b role="img" aria-label={badge.state}>{SIGNS[badge.state]}</b> {badge.name} <span>{badge.short}</span>
                </>
              }
            >
              {badge.words.map((words) => (
                <p key={words}>{words}</p>
              ))}
            </Opening>
          </li>
        ))}
      </ul>
      <Notes notes={notes} />
    </section>
  );
}
