// What every part of the page must know, without being handed it by each part above.
import { createContext, options } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";

/** What is the same all over a page. */
export interface Page {
  /** What ran, when and on what. */
  origin: string;
  /** The command that repeats it. */
  again: string;
  /** Of all intervals: `95 %`. */
  confidence: string;
  /** Whether the reader's filters let a contender be seen. */
  isShown: (contender: string) => boolean;
  /** On paper nothing can be opened, so that everything is. */
  isPaper: boolean;
}

export const PageContext = createContext<Page>({ origin: "", again: "", confidence: "", isShown: () => true, isPaper: false });

export function usePage(): Page {
  return useContext(PageContext);
}

/** Whether the page is being printed. */
export function usePaper(): boolean {
  const [isPaper, set] = useState(() => matchMedia("print").matches);
  useEffect(() => {
    const query = matchMedia("print");
    const look = () => atOnce(() => set(query.matches));
    const [begin, end] = [() => atOnce(() => set(true)), () => atOnce(() => set(false))];
    query.addEventListener("change", look);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      query.removeEventListener("change", look);
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
  return isPaper;
}

/** Whether the reader has seen something: what is far down waits for it, so that the answer is there soon. */
export function useSeen(): boolean {
  const [isSeen, set] = useState(false);
  // An effect runs after the page was drawn.
  useEffect(() => set(true), []);
  return isSeen;
}

/** What is printed is what is drawn when the event ends. */
function atOnce(change: () => void): void {
  const before = options.debounceRendering;
  options.debounceRendering = (render) => render();
  change();
  if (before) options.debounceRendering = before;
  else delete options.debounceRendering;
}
