// A browser for the tests: Debian's Chromium, pages from files, nothing from a network.
import { access, mkdir } from "node:fs/promises";
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
  await page.addScriptTag({ path: axeSource }).catch(async () => {
    // The page's own policy allows no script from a file; the debugger is not bound by it.
    const { readFile } = await import("node:fs/promises");
    await page.evaluate(await readFile(axeSource, "utf8"));
  });
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
}

export function screenshot(page, name) {
  return page.screenshot({ path: join(screens, `${name}.png`), fullPage: true });
}
