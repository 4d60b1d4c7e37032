// The built page with runs of known figures, in a real browser.
import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { accessibilityFaults, overlaps, pages, screenshot, start, stop, visit } from "./browser.mjs";

before(start);
after(stop);

const SCENES = ["coin", "wait", "users", "one", "sixty", "hostile", "partial", "load", "compare"];
/** Recorded runs: two workloads, and each kind of measurement that the scenes have not. */
const RECORDED = ["simulated-geometric", "calls", "bursts", "download", "grpc", "disturbed"];

/** The names in the ranking from the top. */
const names = (page) => page.locator(".ranking .name a").allTextContents();
const values = (page) => page.locator(".ranking .row:not(.axis) .value > span").allTextContents();

for (const scene of [...SCENES, ...RECORDED]) {
  for (const [width, dark] of [
    [360, false],
    [768, true],
    [1280, false],
    ...(scene === "coin" ? [[360, true], [1280, true]] : []),
  ]) {
    test(`${scene} at ${width} px, ${dark ? "dark" : "light"}: whole, quiet, accessible`, async () => {
      await visit(scene, { width, dark }, async (page) => {
        await page
          .locator(".card:nth-of-type(-n+2) > summary, details:not(.card) > summary")
          .evaluateAll((all) => all.filter((summary) => summary.checkVisibility()).forEach((summary) => summary.click()));
        await page.waitForTimeout(100);
        const wide = await page.evaluate(() => document.scrollingElement.scrollWidth);
        assert.ok(wide <= width, `${wide} px wide`);
        assert.deepEqual(await accessibilityFaults(page), []);
        assert.deepEqual(await overlaps(page), [], "no label stands upon another");
        await screenshot(page, `${scene}-${width}-${dark ? "dark" : "light"}`);
      });
    });
  }
}

test("a page of twenty contenders is below 1 MB", async () => {
  const { size } = await stat(join(pages, "coin.html"));
  assert.ok(size < 1_000_000, `${size} bytes`);
});

test("nothing jumps while the page comes up", async () => {
  await visit("coin", {}, async (page) => {
    await page.waitForTimeout(500);
    const shifts = await page.evaluate(() => window.shifts);
    assert.ok(shifts < 0.01, `${shifts}`);
  });
});

test("the answer stands first, the best row at the top, ties in brackets", async () => {
  await visit("coin", {}, async (page) => {
    assert.match(await page.locator("h1").textContent(), /rust\/hyper is fastest/);
    assert.match(await page.locator(".question").textContent(), /POST a bet/);
    assert.match(await page.locator(".masthead").textContent(), /Velodrome/);
    const shown = await names(page);
    assert.equal(shown[0], "rust/hyper");
    assert.equal(shown.length, 19, "twenty and the reference, without the two that have no figure");
    const [net, gin] = ["go/net-http", "go/gin"].map((name) => shown.indexOf(name));
    assert.equal(Math.abs(net - gin), 1, "twins stand together");
    const ranks = await page.locator(".ranking .row:not(.axis) .rank").allTextContents();
    assert.equal(ranks[net], ranks[gin]);
    assert.match(ranks[net], /\u2013/, "a shared rank is a range");
    assert.ok((await page.locator(".tie").count()) >= 1);
    const missing = await page.locator("section:has(#figures) .missing").textContent();
    assert.match(missing, /php\/mark.*Composer/);
    assert.match(missing, /php\/slim.*500/);
  });
});

test("what was judged is shown first: ratios to the leader, and why bars of absolute values may overlap", async () => {
  await visit("coin", {}, async (page) => {
    const shown = await values(page);
    assert.equal(shown[0], "1\u00d7, the base");
    assert.match(shown[1], /^0\.9\d\u00d7 \u00b1/);
    assert.match(await page.locator(".ranking .value small").first().textContent(), /^110,000/);
    assert.match(await page.locator("section:has(#figures)").textContent(), /can overlap though ranks differ/);
    await page.getByRole("combobox", { name: "Relative to" }).selectOption("absolute");
    assert.match((await values(page))[0], /^110,000/);
    assert.match(await page.locator("section:has(#figures)").textContent(), /can overlap though ranks differ/);
  });
});

test("the figure, the base and the scale can be switched, and the view is in the address", async () => {
  await visit("coin", {}, async (page) => {
    await page.getByLabel("Figure").selectOption("cpu-at-rate");
    assert.equal(await page.locator("#figures").textContent(), "CPU per request at the common rate");
    await page.getByRole("combobox", { name: "Relative to" }).selectOption("absolute");
    assert.match((await values(page))[0], /\u00b5s/);
    await page.getByRole("combobox", { name: "Relative to" }).selectOption("go/gin");
    const shown = await names(page);
    assert.equal((await values(page))[shown.indexOf("go/gin")], "1\u00d7, the base");
    assert.match((await values(page))[shown.indexOf("python/fastapi")], /\u00d7 \u00b1/);
    await page.getByLabel("logarithmic").check();
    const hash = await page.evaluate(() => location.hash);
    for (const part of ["figure=cpu-at-rate", "relative=go%2Fgin", "scale=log"]) assert.ok(hash.includes(part), hash);
    const before = await values(page);
    await visit("coin", { hash: hash.slice(1) }, async (shared) => {
      assert.deepEqual(await values(shared), before, "who follows the link sees the same");
      assert.ok(await shared.getByLabel("logarithmic").isChecked());
    });
    await page.goBack();
    assert.ok(await page.getByLabel("linear").isChecked(), "back is one step back");
    assert.equal(await page.getByRole("combobox", { name: "Relative to" }).inputValue(), "go/gin");
  });
});

test("workloads stand above each other, with their answers and the mean over them", async () => {
  await visit("simulated-geometric", {}, async (page) => {
    const rows = page.locator(".overview nav li");
    assert.equal(await rows.count(), 2);
    assert.match(await rows.nth(1).textContent(), /coin.*go\/net-http.*: 48,/);
    await page.getByText("Each contender in each workload").click();
    await page.locator(".overview tbody tr").first().waitFor();
    assert.match(await page.locator(".overview").textContent(), /geometric mean.*5\.48/s);
    const row = page.locator(".overview tbody tr", { hasText: "go/net-http" }).first();
    assert.equal((await row.locator("td").allTextContents()).filter((cell) => /^[0-9,]+ \u00b1/.test(cell)).length, 2, "a figure in each workload");
    const first = await page.locator("h1").textContent();
    await rows.nth(1).getByRole("button").click();
    await page.waitForFunction(() => location.hash.includes("workload=coin"));
    assert.notEqual(await page.locator("h1").textContent(), first);
    await page.goBack();
    await page.waitForFunction((text) => document.querySelector("h1").textContent === text, first);
  });
});

test("every figure can be chosen", async () => {
  for (const scene of ["coin", "wait", "users"]) {
    await visit(scene, {}, async (page) => {
      const options = await page.getByLabel("Figure").locator("option").evaluateAll((all) => all.map((one) => one.value));
      assert.ok(options.length >= 5, `${scene}: ${options}`);
      for (const option of options) {
        await page.getByLabel("Figure").selectOption(option);
        const shown = await values(page);
        assert.ok(shown.length > 0, `${scene}, ${option}`);
        assert.ok(!shown.join().includes("NaN"), `${scene}, ${option}: ${shown}`);
      }
    });
  }
});

test("a switch that would change nothing is off", async () => {
  await visit("coin", { hash: "view=table" }, async (page) => {
    const switches = [page.getByRole("combobox", { name: "Figure" }), page.getByRole("combobox", { name: "Relative to" }), page.getByRole("radio", { name: "linear" })];
    for (const one of switches) assert.ok(await one.isDisabled());
    await page.getByLabel("chart", { exact: true }).check();
    for (const one of switches) assert.ok(await one.isEnabled());
  });
});

test("a figure that nothing is ranked by says what ranks", async () => {
  await visit("coin", { hash: "figure=cpu" }, async (page) => {
    assert.match(await page.locator("section:has(#figures) > .about").first().textContent(), /no ranks by it: they are by .Goodput/);
    assert.equal(await page.locator(".ranking .row.unranked").count(), 1, "the reference alone");
  });
});

test("what several rows share is said once", async () => {
  await visit("partial", {}, async (page) => {
    const figures = page.locator("section:has(#figures)");
    assert.equal((await figures.textContent()).split("partial run: it was stopped").length, 2);
    assert.deepEqual(await figures.locator(".reason").allTextContents(), ["the reference, never ranked"]);
    const stopped = figures.locator(".missing > div", { hasText: "it was stopped" });
    await stopped.locator("summary", { hasText: "18 contenders" }).click();
    await stopped.getByText("go/gin").first().waitFor();
    assert.match(await stopped.textContent(), /go\/gin/);
  });
});

test("where nothing was claimed the source stands with the published figures", async () => {
  await visit("one", {}, async (page) => {
    assert.equal(await page.locator("#part-published").count(), 0);
    assert.match(await page.locator(".fold", { hasText: "Published figures" }).textContent(), /command: .*machine: /);
  });
});

test("contenders are filtered by language, class and name", async () => {
  await visit("coin", {}, async (page) => {
    await page.getByLabel("Language").selectOption("go");
    assert.deepEqual((await names(page)).sort(), ["go/gin", "go/net-http"]);
    await page.getByLabel("Class").selectOption("framework");
    assert.deepEqual(await names(page), ["go/gin"]);
    await page.getByLabel("Class").selectOption("");
    await page.getByLabel("Language").selectOption("");
    await page.getByLabel("Name").fill("FAST");
    assert.deepEqual((await names(page)).sort(), ["js/fastify", "python/fastapi"]);
    await page.getByLabel("Name").fill("nobody");
    assert.match(await page.locator("section:has(#figures)").textContent(), /No contender matches/);
  });
});

test("the table sorts by each column and holds what can be saved", async () => {
  await visit("coin", { hash: "view=table" }, async (page) => {
    const column = page.locator(".table").getByRole("columnheader", { name: "Goodput" });
    await column.getByRole("button").click();
    assert.equal(await column.getAttribute("aria-sort"), "ascending");
    const first = () => page.locator(".table tbody tr").first().locator("th").textContent();
    assert.equal(await first(), "ruby/sinatra");
    await column.getByRole("button").click();
    assert.equal(await column.getAttribute("aria-sort"), "descending");
    const href = await page.getByText("Save as CSV").getAttribute("href");
    const lines = decodeURIComponent(href.slice(href.indexOf(",") + 1)).split("\n");
    assert.match(lines[0], /^contender,class,goodput,goodput_low,goodput_high,/);
    const gin = lines.find((line) => line.startsWith("go/gin,")).split(",");
    const [value, low, high] = gin.slice(2, 5).map(Number);
    assert.ok(low < value && value < high && Math.abs(value - 47_900) < 3_000, gin.join());
  });
});

test("a load and a price become cores and money", async () => {
  await visit("coin", {}, async (page) => {
    await page.getByLabel("Requests per second").fill("20k");
    await page.getByLabel("Price of a core for an hour").fill("0.04");
    const row = page.locator("section:has(#cost) tbody tr", { hasText: "go/gin" });
    const cells = await row.locator("td").allTextContents();
    // 47,900/s on one core: 0.42 cores, 12.2 a month.
    assert.ok(Math.abs(Number.parseFloat(cells[0]) - 0.42) < 0.05, cells.join());
    assert.ok(Math.abs(Number.parseFloat(cells[1]) - 12.2) < 1.5, cells.join());
    const first = page.locator("section:has(#cost) tbody th").first();
    assert.equal(await first.textContent(), "rust/hyper", "the least CPU time is the least money");
    await page.getByLabel("Requests per second").fill("many");
    assert.match(await page.getByRole("alert").textContent(), /not a number/);
  });
});

test("a row leads to its card, by mouse and by keyboard, with charts and commands", async () => {
  await visit("coin", {}, async (page) => {
    await page.locator(".ranking .name a", { hasText: "go/gin" }).focus();
    await page.keyboard.press("Enter");
    const card = page.locator("#contender-go-gin");
    await card.locator("svg[role=img]").first().waitFor();
    assert.ok((await card.locator("svg[role=img]").count()) >= 5, "windows, two of service and two of response times");
    assert.match(await card.textContent(), /start/);
    assert.equal(await page.evaluate(() => document.activeElement.tagName), "SUMMARY");
    await page.keyboard.press("Enter");
    assert.equal(await card.getAttribute("open"), null, "it closes by keyboard too");
  });
});

test("a proof can be linked, and cards stand in the order of the ranking", async () => {
  await visit("coin", {}, async (page) => {
    const shown = await page.locator(".card h3").allTextContents();
    const ranked = await names(page);
    assert.deepEqual(shown.slice(0, ranked.length), ranked);
    await page.locator("#contender-go-gin summary").first().click();
    await page.waitForFunction(() => location.hash.includes("proof=go%2Fgin"));
  });
  await visit("coin", { hash: "proof=go%2Fgin" }, async (page) => {
    const card = page.locator("#contender-go-gin");
    await card.locator("svg[role=img]").first().waitFor();
    assert.equal(await page.locator(".card[open]").count(), 1);
    await page.waitForFunction(() => {
      const { top } = document.getElementById("contender-go-gin").getBoundingClientRect();
      return top >= 0 && top < 900;
    });
  });
});

test("each chart has a caption with its picture, its data and how to cite it", async () => {
  await visit("coin", {}, async (page) => {
    const caption = page.locator(".ranking > .caption");
    const saved = async (name) => {
      const [download] = await Promise.all([page.waitForEvent("download"), caption.getByRole("button", { name }).click()]);
      return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
    };
    const picture = await saved("Save as SVG");
    assert.equal(picture.name, "coin-goodput.svg");
    assert.match(picture.text, /^<svg.*go\/gin/s);
    const data = await saved("Save the data");
    assert.match(data.text, /^contender,best_rank,worst_rank,value,low,high,at_least\nrust\/hyper,/);
    await caption.getByRole("button", { name: "Cite" }).click();
    assert.match(await caption.textContent(), /Velodrome, coin, velo .*Repeat with velo run/);
    const drawn = page.locator("section:has(#part-equal-work) .caption");
    const [download] = await Promise.all([page.waitForEvent("download"), drawn.getByRole("button", { name: "Save as SVG" }).click()]);
    const text = await readFile(await download.path(), "utf8");
    assert.ok(!text.includes("var(--"), "the page's colours go with it");
    assert.ok((text.match(/<path/g) ?? []).length >= 19, "a line for each contender");
    const charts = await page.locator(".chart").count();
    assert.equal(await page.locator("figure:has(> .chart) > .caption").count(), charts);
  });
});

test("contenders stand side by side", async () => {
  await visit("coin", {}, async (page) => {
    const heads = () => page.locator("section:has(#beside) thead th").allTextContents();
    assert.deepEqual((await heads()).slice(0, 2), ["", "rust/hyper"]);
    await page.locator(".chips label", { hasText: "go/gin" }).locator("input").check();
    assert.equal((await heads()).length, 4, "three contenders");
    await page.waitForFunction(() => location.hash.includes("go%2Fgin"));
  });
  await visit("coin", { hash: "beside=go%2Fnet-http+go%2Fgin" }, async (page) => {
    const row = page.locator("section:has(#beside) tbody tr").first();
    const cells = await row.locator("td").allTextContents();
    assert.match(cells[2], /^(0\.9|1\.0)\d*\u00d7 /, "twins are as fast as one another");
    assert.match(await page.locator("section:has(#beside) tbody").textContent(), /version/);
  });
});

test("the page says what its words mean and where its raw files are", async () => {
  await visit("coin", {}, async (page) => {
    await page.getByText("What the words of this page mean").click();
    await page.locator(".terms").getByText("goodput").first().waitFor();
    assert.match(await page.locator(".terms").textContent(), /goodputcorrect responses per second/);
    assert.equal(await page.locator("footer a[href='windows.ndjson']").count(), 1);
  });
});

test("claims, badges and open loops are there", async () => {
  await visit("coin", {}, async (page) => {
    const claims = await page.locator(".claim").allTextContents();
    assert.match(claims[0], /holds.*Gin serves 5\.54/);
    assert.match(claims[1], /does not hold.*Fastify serves more/);
    assert.match(await page.locator(".badges").textContent(), /Answers.*Little's law.*Host.*Plan/);
    assert.equal(await page.locator("section:has(#part-equal-work) svg[role=img]").count(), 1);
    assert.equal(await page.locator("section:has(#part-response-time-against-load) svg[role=img]").count(), 1);
    const [claimed, checked] = await Promise.all(["#part-published", "#validity"].map((id) => page.locator(id).boundingBox()));
    assert.ok(claimed.y < checked.y, "what was claimed stands near the top");
  });
});

test("each curve opens below its contender's name", async () => {
  await visit("coin", {}, async (page) => {
    const part = page.locator(".fold", { hasText: "Response time at each rate" });
    await part.locator("summary").first().click();
    await part.locator(".fold h3").first().waitFor();
    assert.deepEqual(await part.locator(".fold h3").allTextContents(), ["go/net-http", "js/fastify"]);
    assert.match(await part.locator(".fold small").first().textContent(), /^knee at /);
  });
});

test("filters hide rows of tables and lines of charts", async () => {
  await visit("coin", { hash: "language=go" }, async (page) => {
    const part = page.locator("section:has(#part-equal-work)");
    assert.deepEqual((await part.locator("tbody th").allTextContents()).sort(), ["go/gin", "go/net-http"]);
    assert.deepEqual(await part.locator(".names li").allTextContents(), ["go/gin", "go/net-http"]);
  });
});

test("charts of every mark are drawn", async () => {
  await visit("wait", {}, async (page) => {
    const part = page.locator("section:has(#part-bursts)");
    await part.locator(".fold summary").first().click();
    const drawn = part.locator(".fold[open] svg[role=img]");
    await drawn.first().waitFor();
    assert.equal(await drawn.count(), 2);
    const lines = drawn.nth(1).locator("g[stroke^='var(--series-'] line");
    assert.equal(await lines.count(), 4 * 40, "a line for each request of each contender");
    assert.equal(await page.locator("section:has(#part-sweep-of-connections) svg[role=img]").count(), 1);
  });
  await visit("users", {}, async (page) => {
    assert.equal(await page.locator("section:has(#part-tasks) svg[role=img]").count(), 1);
    await page.getByLabel("Figure").selectOption("task-cold");
    assert.equal((await names(page)).at(-1), "csharp/program");
    await page.getByLabel("Figure").selectOption("task-steady");
    assert.equal((await names(page)).at(-1), "python/program");
  });
  await visit("calls", {}, async (page) => {
    const bars = page.locator("section:has(#part-calls) svg[role=img] g[fill^='var(--series-'] rect");
    assert.ok((await bars.count()) > 10, "a bar for each phase");
  });
});

test("what is said of a point can be read in the dark", async () => {
  await visit("coin", { dark: true }, async (page) => {
    const chart = page.locator("section:has(#part-response-time-against-load) svg[role=img]");
    await chart.scrollIntoViewIfNeeded();
    await chart.locator("circle").first().hover({ force: true });
    const tip = chart.locator("g:has(> path):has(> text)");
    await tip.waitFor();
    assert.match(await tip.textContent(), /go\/net-http|js\/fastify/);
    const fill = (part) => tip.locator(part).first().evaluate((element) => getComputedStyle(element).fill);
    assert.equal(await fill("path"), "rgb(20, 23, 27)", "the page's own dark");
    assert.equal(await fill("text"), "rgb(232, 235, 238)");
  });
});

test("on a phone the names of rows stay in sight", async () => {
  await visit("coin", { width: 360 }, async (page) => {
    const region = page.locator("section:has(#part-equal-work) .scroll");
    const name = region.locator("tbody th").first();
    await region.evaluate((element) => element.scrollTo(element.scrollWidth, 0));
    const [within, row] = await Promise.all([region, name].map((one) => one.boundingBox()));
    assert.ok(Math.abs(row.x - within.x) < 1, `${row.x} and ${within.x}`);
  });
});

test("hostile texts are texts", async () => {
  await visit("hostile", {}, async (page) => {
    await page.locator(".card summary").first().click();
    for (const summary of await page.locator("details > summary").all()) if (await summary.isVisible()) await summary.click();
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.match(await page.locator(".question").textContent(), /<script>/);
    assert.equal(await page.locator("img, iframe, a[href^='javascript']").count(), 0);
  });
  assert.ok((await stat(join(pages, "hostile.html"))).size < 1_000_000, "an answer of 10 MB does not make a page of 10 MB");
});

test("a partial run says so and ranks nothing", async () => {
  await visit("partial", {}, async (page) => {
    assert.match(await page.locator(".partial").textContent(), /did not come to its end/);
    assert.equal(await page.locator(".ranking .rank", { hasText: /[0-9]/ }).count(), 0);
  });
});

/** The browser tells the page of another medium by and by. */
const until = (page, what) => page.waitForFunction(what, null, { timeout: 10_000 });

test("on paper no label stands upon another, and nothing is cut", async () => {
  for (const scene of ["coin", "simulated-geometric"]) {
    // The width of A4.
    await visit(scene, { width: 794 }, async (page) => {
      await page.emulateMedia({ media: "print" });
      await until(page, () => !document.querySelector("details:not([open])"));
      await page.waitForTimeout(100);
      assert.deepEqual(await overlaps(page), []);
      const wide = await page.evaluate(() => document.scrollingElement.scrollWidth);
      assert.ok(wide <= 794, `${scene}: ${wide} px wide`);
      await screenshot(page, `${scene}-paper`);
    });
  }
});

test("on paper everything is open and there are no switches", async () => {
  await visit("coin", {}, async (page) => {
    assert.equal(await page.locator(".card[open]").count(), 0);
    await page.emulateMedia({ media: "print" });
    await until(page, () => !document.querySelector("details:not([open])"));
    assert.equal(await page.locator(".switches").first().isVisible(), false);
    assert.ok(await page.locator(".ranking").isVisible());
    const card = page.locator("#contender-go-gin");
    assert.ok((await card.locator("svg[role=img]").count()) >= 5, "its charts are drawn");
    await page.emulateMedia({ media: "screen" });
    await until(page, () => !document.querySelector(".card[open]"));
    assert.equal(await page.evaluate(() => location.hash), "");
  });
  await visit("simulated-geometric", {}, async (page) => {
    await page.emulateMedia({ media: "print" });
    await until(page, () => document.querySelectorAll("h1").length === 2);
  });
});

test("the page asks for nothing and lets nothing be asked for", async () => {
  const text = await readFile(join(pages, "coin.html"), "utf8");
  assert.match(text, /default-src 'none'/);
  assert.ok(!/<(?:script|link|img)[^>]+(?:src|href)="(?!data:)/.test(text), "no file beside it");
});
