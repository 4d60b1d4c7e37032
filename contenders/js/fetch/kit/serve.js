// Reads lines "URL TAB OUT" and answers each when its file is saved.
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";

/** Answers with nanoseconds and bytes, or with nanoseconds and what went wrong. */
export async function serve(get) {
  for await (const line of createInterface({ input: process.stdin })) {
    const [url, out] = line.split("\t");
    const began = process.hrtime.bigint();
    try {
      await get(url, out);
      const took = process.hrtime.bigint() - began;
      process.stdout.write(`${took}\t${(await stat(out)).size}\n`);
    } catch (error) {
      const took = process.hrtime.bigint() - began;
      const cause = error.cause ? ` (${error.cause})` : "";
      process.stdout.write(`${took}\terror: ${`${error}${cause}`.replace(/\s+/g, " ")}\n`);
    }
  }
  // Connections that are kept would keep the process.
  process.exit(0);
}
