// The built playground on a server of its own, and a browser that looks at it.
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";

/** The folder of the built playground. */
export const FOLDER = process.env.PLAYGROUND ?? fileURLToPath(new URL("../../python/ackclock/data/playground", import.meta.url));
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".json": "application/json", ".svg": "image/svg+xml" };

/** Where a laboratory puts npm's package, and where npm has put it. */
const PYODIDE = ["/vendor/pyodide/", fileURLToPath(new URL("../node_modules/pyodide/", import.meta.url))];

/** Serves the folder, and Pyodide next to it, on a free port of localhost; `seen` gets the paths that were asked for. */
export function serve(seen = []) {
  const server = createServer((request, response) => {
    seen.push(request.url);
    const path = normalize(new URL(request.url ?? "/", "http://localhost").pathname);
    const [folder, name] = path.startsWith(PYODIDE[0]) ? [PYODIDE[1], path.slice(PYODIDE[0].length)] : [FOLDER, path === "/" ? "index.html" : path];
    const file = join(folder, name);
    if (!file.startsWith(folder) || !existsSync(file) || !statSync(file).isFile()) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

/** A browser, its server, and pages in it that fail the test on any error. */
export async function stage() {
  const seen = [];
  const server = await serve(seen);
  const browser = await puppeteer.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  const { port } = server.address();
  return {
    seen,
    /** 127.0.0.1 has no service worker, localhost has one. */
    address: (path = "index.html", host = "127.0.0.1") => `http://${host}:${port}/${path}`,
    async page({ width = 1280, height = 900, dark = false } = {}) {
      const page = await browser.newPage();
      const errors = [];
      page.on("pageerror", (error) => errors.push(String(error)));
      page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
      await page.setViewport({ width, height });
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }]);
      return { page, errors };
    },
    /** A page of a profile of its own, with nothing kept. */
    async alone() {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      await page.setViewport({ width: 1280, height: 900 });
      return { page, close: () => context.close() };
    },
    async close() {
      await browser.close();
      server.close();
    },
  };
}

/** Waits until this many runs are drawn. */
export async function runs(page, number = 1) {
  await page.waitForFunction((least) => Number(document.documentElement.dataset.runs) >= least, { timeout: 30_000 }, number);
}

/** The number of runs drawn so far. */
export const drawn = (page) => page.evaluate(() => Number(document.documentElement.dataset.runs ?? 0));

/**
 * Moves a slider to a share of its way, as a finger does, once it is there.
 * Its id is a key of the scenario: the dots in it would be classes in `#id`.
 */
export async function drag(page, id, share) {
  await page.waitForSelector(`[id="${id}"]`);
  await page.evaluate((name, at) => {
    const slider = document.getElementById(name);
    slider.value = String(at * 1000);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }, id, share);
}

/** The number shown in a tile. */
export const tile = (page, name) =>
  page.evaluate((wanted) => {
    const found = [...document.querySelectorAll(".tiles > div")].find((one) => one.querySelector("dt").textContent === wanted);
    return found.querySelector("dd").textContent;
  }, name);
