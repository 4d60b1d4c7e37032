// What opens when it is asked for, and is open on paper. What is in it is made once it is open.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import { usePage } from "../shown";

interface Props {
  class: string;
  isOpen?: boolean;
  summary: ComponentChildren;
  children: ComponentChildren;
}

export function Opening({ class: className, isOpen = false, summary, children }: Props) {
  const { isPaper } = usePage();
  const [isOpened, open] = useState(isOpen);
  return (
    <details class={className} open={isPaper || isOpened} onToggle={(event) => !isPaper && open(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {(isPaper || isOpened) && children}
    </details>
  );
}
