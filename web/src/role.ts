// What a contender is, in words.
import type { Contender } from "./generated/page";

/** What its command is called. */
export const START: Record<Contender["role"], string> = { server: "start", task: "program", client: "client" };

/** What kind of program it is. */
export function kind(contender: Contender): string {
  if (contender.role === "client") return "client";
  return contender.role === "task" ? "program without a server" : contender.class;
}
