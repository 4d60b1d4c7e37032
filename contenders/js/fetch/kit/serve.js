// Reads lines "URL TAB OUT" and answers each when its file is saved; a line may hold several such pairs.
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";

const atOnce = Number(process.env.AT_ONCE ?? 1);

/** Answers with nanoseconds and bytes, or with nanoseconds and what went wrong. */
export async function serve(get) {
  for await (const line of createInterface({ input: process.stdin })) {
    const files = pairs(line.split("\t"));
    const began = process.hrtime.bigint();
    try {
      await getAll(files, get);
      const took = process.hrtime.bigint() - began;
      const sizes = await Promise.all(files.map(async ([, out]) => (await stat(out)).size));
      process.stdout.write(`${took}\t${sizes.reduce((sum, size) => sum + size, 0)}\n`);
    } catch (error) {
      const took = process.hrtime.bigint() - began;
      const cause = error.cause ? ` (${error.cause})` : "";
      process.stdout.write(`${took}\terror: ${`${error}${cause}`.replace(/\s+/g, " ")}\n`);
    }
  }
  // Connections that are kept would keep the process.
  process.exit(0);
}

function pairs(fields) {
  return fields.flatMap((field, index) => (index % 2 === 0 ? [[field, fields[index + 1]]] : []));
}

/** As many loops as may fetch at once, each of which takes the next file. */
async function getAll(files, get) {
  const left = files.values();
  const loop = async () => {
    for (const [url, out] of left) await get(url, out);
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
}
