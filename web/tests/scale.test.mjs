// The axes of ratios, held to the cases that crates/report/src/document/axis.rs is held to.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { runnerImport } from "vite";

const cases = JSON.parse(await readFile(new URL("ticks.json", import.meta.url), "utf8"));
const { module: scale } = await runnerImport(fileURLToPath(new URL("../src/scale.ts", import.meta.url)), { configFile: false });

for (const name of ["between", "logarithmic"]) {
  test(`the ticks of ${name}`, () => {
    assert.ok(cases[name].length > 0);
    for (const { from, to, ticks } of cases[name]) {
      const found = scale[name](from, to);
      assert.equal(found.length, ticks.length, `${from} to ${to}: ${found}`);
      found.forEach((tick, at) => {
        assert.ok(Math.abs(tick - ticks[at]) <= Math.abs(ticks[at]) * 1e-9, `${from} to ${to}: ${found}`);
      });
    }
  });
}

test("an axis of ratios holds 1 and all of them", () => {
  const axis = scale.ratios([0.2, 0.9], false, String);
  assert.deepEqual([axis.from, axis.to, axis.is_log], [0.2, 1.2, false]);
  assert.deepEqual([scale.place(axis, 0.2), scale.place(axis, 1.2), scale.place(axis, 9)], [0, 1, 1]);
  assert.ok(axis.ticks.some(({ at, text }) => at === 1 && text === "1"));
  assert.ok(scale.ratios([0.2, 0.9], true, String).is_log);
  assert.equal(scale.ratios([0, 0.9], true, String).is_log, false, "0 has no logarithm");
});
