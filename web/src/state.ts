// What is shown lives in the URL's hash, so that a view can be shared and the back button works.
import { useEffect, useState } from "preact/hooks";

/** What the reader has chosen; what is empty is the default. */
export interface View {
  workload: string;
  figure: string;
  /** The contender that figures are relative to, or `absolute`. */
  relative: string;
  scale: "" | "log";
  view: "" | "table";
  language: string;
  class: string;
  /** Part of a contender's name. */
  search: string;
  /** A column of the table, with a minus before it when falling. */
  sort: string;
  /** Requests per second to be served, as typed. */
  load: string;
  /** The price of one core for an hour, as typed. */
  price: string;
  /** The contenders side by side, with a space between two. */
  beside: string;
  /** The contenders whose proof is open, with a space between two. */
  proof: string;
}

export const NOTHING_CHOSEN: View = {
  workload: "",
  figure: "",
  relative: "",
  scale: "",
  view: "",
  language: "",
  class: "",
  search: "",
  sort: "",
  load: "",
  price: "",
  beside: "",
  proof: "",
};

const KEYS = Object.keys(NOTHING_CHOSEN) as (keyof View)[];

/** Reads a hash; what it does not know is left out. */
export function parse(hash: string): View {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const view = { ...NOTHING_CHOSEN };
  for (const key of KEYS) {
    const value = given.get(key);
    if (value !== null) (view as Record<string, string>)[key] = value.slice(0, 1000);
  }
  if (view.scale !== "log") view.scale = "";
  if (view.view !== "table") view.view = "";
  return view;
}

/** Writes a hash, without what is the default. */
export function write(view: View): string {
  const chosen = new URLSearchParams();
  for (const key of KEYS) if (view[key]) chosen.set(key, view[key]);
  return chosen.toString();
}

/** What is typed, or opened while reading: each letter would be a step back otherwise. */
const NO_STEP: (keyof View)[] = ["search", "load", "price", "proof", "beside"];

/** The view of the hash, and how to change a part of it. */
export function useView(): [View, (change: Partial<View>) => void] {
  const [view, setView] = useState(() => parse(location.hash));
  useEffect(() => {
    const follow = () => setView(parse(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const change = (part: Partial<View>) => {
    const next = { ...parse(location.hash), ...part };
    setView(next);
    const isStep = Object.keys(part).some((key) => !NO_STEP.includes(key as keyof View));
    history[isStep ? "pushState" : "replaceState"](null, "", `#${write(next)}`);
  };
  return [view, change];
}
