// A browser for the tests: Debian's Chromium, pages from files, nothing from a network.
import { access, mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

/** The folder with a page for each scene: NAME.html. */
export const pages = resolve(process.env.VELO_PAGES ?? "../target/pages");
const screens = join(pages, "screens");
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const axeSource = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

let browser;

export async function start() {
  await access(join(pages, "coin.html"));
  await mkdir(screens, { recursive: true });
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

export async function stop() {
  await browser?.close();
}

/**
 * Opens a scene, does something with it, and fails when the page complained or asked a network for anything.
 * @param {string} scene
 * @param {{width?: number, dark?: boolean, hash?: string}} how
 * @param {(page: import("playwright-core").Page) => Promise<void>} act
 */
export async function visit(scene, how, act) {
  const { width = 1280, dark = false, hash = "" } = how;
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: dark ? "dark" : "light",
    offline: true,
  });
  try {
    const page = await context.newPage();
    const complaints = [];
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(`${error}`));
    page.on("request", (request) => {
      if (!/^(file|data):/.test(request.url())) complaints.push(`asks for ${request.url()}`);
    });
    await page.addInitScript(() => {
      window.shifts = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
      }).observe({ type: "layout-shift", buffered: true });
    });
    await page.goto(`${pathToFileURL(join(pages, `${scene}.html`))}${hash ? `#${hash}` : ""}`);
    await page.waitForSelector("main");
    await act(page);
    if (complaints.length > 0) throw new Error(`${scene}: ${complaints.join("\n")}`);
  } finally {
    await context.close();
  }
}

/** Serious faults of accessibility, in words. */
export async function accessibilityFaults(page) {
  // The pages' own policies allow no script from a file; the debugger is not bound by them.
  await page.evaluate(await readFile(axeSource, "utf8"));
  const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"], preload: false, iframes: false, ancestry: false, xpath: false, selectors: false }));
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
}

/** Texts that stand upon one another, in charts, their axes and what is beside them. */
export function overlaps(page) {
  return page.evaluate(() => {
    const shown = (element) => {
      const style = getComputedStyle(element);
      return style.visibility !== "hidden" && style.opacity !== "0" && element.textContent.trim() !== "";
    };
    const own = [...document.querySelectorAll("svg text, .ranking .rank, .ranking .name, .ranking .value > *, .ranking .tick, .ranking .reason, .ranking .divider span, .caption > span")];
    const boxes = own.filter(shown).map((element) => {
      // Of the text itself: an element may be as wide as its column.
      const range = document.createRange();
      range.selectNodeContents(element);
      return { text: element.textContent, box: element instanceof SVGElement ? element.getBoundingClientRect() : range.getBoundingClientRect() };
    });
    const found = [];
    boxes.forEach((one, index) => {
      for (const other of boxes.slice(index + 1)) {
        const across = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
        const down = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
        // Boxes have room above and below their letters.
        if (across > 1 && down > 4) found.push(`${one.text.slice(0, 40)} | ${other.text.slice(0, 40)} (${across.toFixed(0)} x ${down.toFixed(0)})`);
      }
    });
    return found;
  });
}

export function screenshot(page, name) {
  return page.screenshot({ path: join(screens, `${name}.png`), fullPage: true });
}
