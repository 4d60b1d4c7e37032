// Brackets of ties, also where filters hide some of the rows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { runnerImport } from "vite";

const path = fileURLToPath(new URL("../src/ties.ts", import.meta.url));
const { ties } = (await runnerImport(path, { configFile: false })).module;

/** Rows of worst ranks in their places, without those that are hidden. */
const rows = (worst, hidden = []) => worst.map((one, place) => ({ place, worst: one })).filter(({ place }) => !hidden.includes(place));

test("ties are brackets, side by side where they overlap", () => {
  assert.deepEqual(ties(rows([1, 3, 3, 4])), [{ from: 1, to: 2, lane: 0 }]);
  assert.deepEqual(ties(rows([2, 3, 3])), [{ from: 0, to: 1, lane: 0 }, { from: 1, to: 2, lane: 1 }]);
  assert.deepEqual(ties(rows([1, 2])), []);
});

test("what is hidden ties nothing together", () => {
  assert.deepEqual(ties(rows([2, 2, 3], [1])), []);
  assert.deepEqual(ties(rows([3, 3, 3, 4], [1])), [{ from: 0, to: 1, lane: 0 }]);
});
