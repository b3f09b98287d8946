// Code of somebody else's address, in a real browser: it is asked about, and reaches nothing.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { write } from "../src/scenario/address.js";
import { BEGINNING } from "../src/scenario/prepare.js";
import { set } from "../src/scenario/tree.js";
import { EXAMPLES } from "../src/examples.js";
import { drawn, runs, stage } from "./stage.js";

let here;
before(async () => (here = await stage()));
after(async () => here.close());

/** An address with this code, which a flow runs. */
async function address(source) {
  const tree = set(BEGINNING, "flow.0.algorithm", "mine");
  return here.address(`index.html#${await write({ base: null, tree, other: null, source }, {})}`);
}

const GENTLE = EXAMPLES.gentle.source.replace("class Gentle", "class Theirs");

test("code of an address is shown, and runs only when it is told to", async () => {
  const { page, errors } = await here.page();
  await page.goto(await address(GENTLE));
  await page.waitForSelector("#run-code");
  assert.equal(await page.$eval("#ask pre", (text) => text.textContent), GENTLE);
  assert.equal(await drawn(page), 0);
  assert.equal(await page.evaluate(() => document.activeElement.id), "leave-code", "Enter runs nothing");
  await page.click("#run-code");
  await runs(page);
  assert.equal(await page.$eval('[id="flow.0.algorithm"]', (choice) => choice.value), "mine");
  await page.reload();
  await runs(page);
  assert.equal(await page.$eval("#ask", (box) => box.hidden), true, "once accepted, it is not asked about again in this tab");
  assert.deepEqual(errors, []);
  await page.close();
});

test("what is left alone never runs", async () => {
  const { page } = await here.page();
  await page.goto(await address(GENTLE));
  await page.waitForSelector("#leave-code");
  await page.click("#leave-code");
  await runs(page);
  assert.equal(await page.$eval('[id="flow.0.algorithm"]', (choice) => choice.value), "cubic");
  assert.doesNotMatch(await page.evaluate(() => location.hash), /code=/);
  assert.match(await page.$eval("#notice", (box) => (box.hidden ? "" : box.textContent)), /does not run.*two flows instead/);
  await page.close();
});

test("code that runs reaches no network, no storage and no page", async () => {
  const { page } = await here.page();
  const probes = {
    xhr: 'const x = new XMLHttpRequest(); x.open("GET", ADDRESS, false); x.send();',
    script: "importScripts(ADDRESS);",
    worker: 'new Worker(ADDRESS);',
    caches: "caches.open.name;",
    origin: 'if (self.origin !== "null") throw null; return "opaque";',
    page: 'if (typeof document === "undefined" && typeof parent === "undefined") throw 0;',
  };
  const tried = Object.entries(probes).map(([name, probe]) => `said.${name} = (() => { try { ${probe} return "reached"; } catch (error) { return "refused"; } })();`);
  const source = `class Spy { constructor(start) { const ADDRESS = ${JSON.stringify(here.address("stolen"))}; const said = {}; fetch(ADDRESS).catch(() => {}); import(ADDRESS).catch(() => {}); try { new WebSocket(ADDRESS.replace("http", "ws")); } catch {} ${tried.join(" ")} throw new Error(JSON.stringify(said)); } on_ack() {} on_congestion() {} }`;
  await page.goto(await address(source));
  await page.waitForSelector("#run-code");
  await page.click("#run-code");
  await page.waitForFunction(() => !document.getElementById("error").hidden);
  const said = JSON.parse(/\{.*\}/.exec(await page.$eval("#error", (box) => box.textContent))[0]);
  assert.equal(said.xhr, "refused");
  assert.equal(said.script, "refused");
  assert.equal(said.caches, "refused");
  assert.equal(said.origin, "opaque");
  assert.equal(said.page, "refused");
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.deepEqual(here.seen.filter((path) => path.includes("stolen")), []);
  await page.close();
});

test("a page refuses scripts that it does not know", async () => {
  const { page } = await here.page();
  for (const path of ["index.html", "lessons.html"]) {
    await page.goto(here.address(path));
    await runs(page);
    const ran = await page.evaluate(async () => {
      const script = document.createElement("script");
      script.textContent = "window.foreign = true";
      document.body.append(script);
      const image = new Image();
      const failed = new Promise((resolve) => (image.onerror = () => resolve("refused")));
      image.src = "http://127.0.0.1:9/picture.png";
      return [window.foreign ?? false, await failed];
    });
    assert.deepEqual(ran, [false, "refused"]);
  }
  await page.close();
});

/** A page whose interpreter comes from elsewhere: npm's files, or others. */
async function fromElsewhere(change) {
  const { page } = await here.page();
  await page.setBypassServiceWorker(true);
  await page.setRequestInterception(true);
  const asked = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.pathname.startsWith("/vendor/pyodide/")) return void request.respond({ status: 404 });
    if (url.hostname !== "cdn.jsdelivr.net") return void request.continue();
    const name = url.pathname.split("/").at(-1);
    asked.push(url.href);
    const body = readFileSync(fileURLToPath(new URL(`../node_modules/pyodide/${name}`, import.meta.url)));
    return void request.respond({ status: 200, headers: { "access-control-allow-origin": "*" }, body: name === change ? Buffer.concat([body, Buffer.from(" ")]) : body });
  });
  await page.goto(here.address());
  await runs(page);
  await page.click("#tab-algorithm");
  await page.select("#example", "python");
  await page.click("#race");
  return { page, asked };
}

test("an interpreter from elsewhere is that of npm's package, or does not run", async () => {
  const { page, asked } = await fromElsewhere(null);
  await page.waitForFunction(() => document.querySelector('[id="flow.0.algorithm"]').value === "mine" && Number(document.documentElement.dataset.runs) >= 2, { timeout: 60_000 });
  assert.equal(await page.$eval("#error", (box) => box.hidden), true);
  assert.equal(asked.length, 5);
  assert.ok(asked.every((url) => url.startsWith("https://cdn.jsdelivr.net/npm/pyodide@")), asked[0]);
  await page.close();
  const { page: other } = await fromElsewhere("pyodide.asm.mjs");
  await other.waitForFunction(() => /could not be loaded/.test(document.getElementById("error").textContent), { timeout: 60_000 });
  await other.close();
});
