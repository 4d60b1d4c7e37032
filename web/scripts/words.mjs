// Fails where the page names a kind of measurement or a figure: it draws whatever the run's document holds.
import { readdir, readFile } from "node:fs/promises";

const folder = new URL("../src/", import.meta.url);
const WORDS =
  /\b(goodput|throughput|bursts?|tasks?|calls?|makespan|latency|latencies|percentiles?|p50|p90|p99|grpc|paced|knees?|handshakes?|iterations?|sweeps?|startup|response time|service time|framework tax)\b/i;

const files = (await readdir(folder, { recursive: true })).filter((file) => /\.(tsx?|css)$/.test(file) && !file.startsWith("generated"));
if (files.length === 0) throw new Error("no sources found");
const found = [];
for (const file of files.sort()) {
  const lines = (await readFile(new URL(file, folder), "utf8")).split("\n");
  lines.forEach((line, at) => {
    const word = WORDS.exec(line)?.[0];
    if (word) found.push(`web/src/${file}:${at + 1}: "${word}" is a word of the data, which the page must not know`);
  });
}
if (found.length > 0) {
  console.error(found.join("\n"));
  process.exit(1);
}
