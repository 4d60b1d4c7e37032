// Writes src/generated/page.d.ts: the types of the data that velo writes into the page, from their JSON Schema.
import { readFile, writeFile } from "node:fs/promises";

import { compile } from "json-schema-to-typescript";

const folder = new URL("..", import.meta.url);
const schema = JSON.parse(await readFile(new URL("../schemas/page.schema.json", folder), "utf8"));

/** What the compiler knows of tuples and of references is older than the schema's draft. */
function older(node) {
  if (Array.isArray(node)) return node.map(older);
  if (node === null || typeof node !== "object") return node;
  // What stands beside a reference says no more than it, but for the tag of a variant.
  const { $ref, ...beside } = node;
  if ($ref) return beside.properties ? { allOf: [{ $ref }, older(beside)] } : { $ref };
  const { prefixItems, ...rest } = node;
  const own = prefixItems ? { ...rest, items: prefixItems, additionalItems: false } : rest;
  return Object.fromEntries(Object.entries(own).map(([key, value]) => [key, older(value)]));
}

const text = await compile(older(schema), "PageData", {
  additionalProperties: false,
  bannerComment: "// Made by `npm run types` from schemas/page.schema.json.",
  format: true,
  style: { printWidth: 120 },
});
const target = new URL("src/generated/page.d.ts", folder);
if (process.argv.includes("--check")) {
  if ((await readFile(target, "utf8")) !== text) {
    console.error("web/src/generated/page.d.ts differs from the schema: npm run types");
    process.exit(1);
  }
} else {
  await writeFile(target, text);
}
