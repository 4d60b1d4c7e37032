// Who has no rank or no figure, and why: what several share is said once.
import { grouped } from "../data";
import { Opening } from "./opening";

/** More than these are counted; who they are opens. */
export const MOST_NAMES = 6;

export function Reasons({ of }: { of: [string, string][] }) {
  if (of.length === 0) return null;
  return (
    <dl class="missing">
      {grouped(of).map(({ names, words }) => (
        <div key={words}>
          <dt>
            {names.length > MOST_NAMES ? (
              <Opening class="many" summary={`${names.length} contenders`}>
                {names.join(", ")}
              </Opening>
            ) : (
              names.join(", ")
            )}
          </dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
  );
}
