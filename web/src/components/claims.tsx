// What somebody said, and whether it holds.
import type { Claim, Tone } from "../generated/page";
import { Opening } from "./opening";

const SIGNS: Record<Tone, string> = { good: "\u2713", doubtful: "?", bad: "\u00d7", faint: "" };

export function Claims({ claims }: { claims: Claim[] }) {
  const tested = claims.filter((claim) => claim.is_tested);
  const others = claims.filter((claim) => !claim.is_tested);
  return (
    <>
      {tested.length > 0 && <List claims={tested} />}
      {others.length > 0 && (
        <Opening class="fold" summary={<span>{others.length} not testable in this run</span>}>
          <List claims={others} />
        </Opening>
      )}
    </>
  );
}

function List({ claims }: { claims: Claim[] }) {
  return (
    <ul class="claims">
      {claims.map((claim) => (
        <li key={claim.says} class={`claim ${claim.tone}`}>
          <b>
            <span aria-hidden="true">{SIGNS[claim.tone]}</span> {claim.is_tested ? claim.verdict : "not testable"}
          </b>
          <span>{claim.says}</span>
          <small>{beside(claim)}</small>
        </li>
      ))}
    </ul>
  );
}

function beside({ there, here, interval, bound, reason }: Claim): string {
  const figures = [
    there && `there ${there}`,
    here && `here ${here}${interval ? ` (${interval})` : ""}`,
    bound && `holds ${bound}`,
  ];
  const said = figures.filter(Boolean).join(", ");
  return [said, reason].filter(Boolean).join("; ");
}
