// One card a contender: what stands behind its figures, its versions and commands, its own notes.
import { useEffect, useRef } from "preact/hooks";

import { anchor, sorted } from "../data";
import type { Card, Contender, PageWorkload } from "../generated/page";
import { usePage } from "../shown";
import type { View } from "../state";
import { Blocks, Facts } from "./block";
import { Opening } from "./opening";

interface Props {
  workload: PageWorkload;
  contenders: Contender[];
  view: View;
  change: (part: Partial<View>) => void;
}

export function Cards({ workload: { cards, rankings }, contenders, view, change }: Props) {
  const { isShown } = usePage();
  // In the order of the ranking; those without a figure follow.
  const first = rankings[0];
  const best = first ? sorted(first, first.points).map((point) => point.contender) : [];
  const standing = ({ contender }: Card) => (best.includes(contender) ? best.indexOf(contender) : best.length);
  const shown = cards.filter(({ contender }) => isShown(contender)).sort((a, b) => standing(a) - standing(b));
  if (shown.length === 0) return null;
  return (
    <section aria-labelledby="contenders">
      <h2 id="contenders">Contenders, and the proof of each number</h2>
      {shown.map((card) => (
        <One key={card.contender} card={card} contender={contenders.find(({ name }) => name === card.contender)} view={view} change={change} />
      ))}
    </section>
  );
}

/** Who follows a link to a proof is led to it, and again while charts above it take their heights, until the reader does something. */
function leadTo(card: HTMLElement): () => void {
  const sizes = new ResizeObserver(() => card.scrollIntoView({ block: "start" }));
  const end = () => sizes.disconnect();
  sizes.observe(document.body);
  for (const act of ["wheel", "touchstart", "pointerdown", "keydown"]) addEventListener(act, end, { once: true, passive: true });
  return end;
}

interface OneProps extends Pick<Props, "view" | "change"> {
  card: Card;
  contender: Contender | undefined;
}

function One({ card, contender, view, change }: OneProps) {
  const { isPaper } = usePage();
  const place = useRef<HTMLDetailsElement>(null);
  const name = card.contender;
  const open = view.proof.split(" ").filter(Boolean);
  const isOpen = isPaper || open.includes(name);
  useEffect(() => (open[0] === name && place.current ? leadTo(place.current) : undefined), []);
  const toggle = (isNow: boolean) => {
    if (isNow === isOpen) return;
    const others = open.filter((one) => one !== name);
    change({ proof: (isNow ? [...others, name] : others).join(" ") });
  };
  return (
    <details class="fold card" id={anchor(name)} ref={place} open={isOpen} onToggle={(event) => toggle(event.currentTarget.open)}>
      <summary>
        <h3>{card.title}</h3>
        <small>{card.headline}</small>
      </summary>
      {isOpen && (
        <>
          <Blocks blocks={card.blocks} label={card.title} />
          {contender && <Facts facts={contender.facts} />}
          {contender?.notes_html && (
            <Opening class="readme" summary="Its own notes: decisions and doubts">
              {/* OK because velo writes this HTML from Markdown, without any markup of the notes' own. */}
              <div dangerouslySetInnerHTML={{ __html: contender.notes_html }} />
            </Opening>
          )}
        </>
      )}
    </details>
  );
}
