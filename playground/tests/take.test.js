// What a reader writes and takes away, in a real browser: files, values under the cursor, classes in Python.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { drag, drawn, runs, stage } from "./stage.js";

let here;
let folder;
before(async () => {
  here = await stage();
  folder = mkdtempSync(join(tmpdir(), "playground-"));
});
after(async () => {
  await here.close();
  rmSync(folder, { recursive: true });
});

/** Waits for a file that the page hands over, and reads it. @param {string} name */
async function received(name) {
  const file = join(folder, name);
  for (let wait = 0; wait < 200 && !existsSync(file); wait += 1) await new Promise((resolve) => setTimeout(resolve, 50));
  return readFileSync(file, "utf8");
}

/** Clicks a button by its words. */
const press = (page, words) =>
  page.evaluate((wanted) => [...document.querySelectorAll("button")].find((button) => button.textContent === wanted).click(), words);

test("the scenario, a table and the charts are files", async () => {
  const { page, errors } = await here.page();
  const client = await page.createCDPSession();
  await client.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
  await page.goto(here.address());
  await runs(page);
  const before = await drawn(page);
  await drag(page, "topology.dumbbell.bottleneck.buffer", 0.5);
  await runs(page, before + 1);
  const buffer = await page.$eval('[id="topology.dumbbell.bottleneck.buffer"]', (slider) => slider.getAttribute("aria-valuetext"));
  await page.click("#tab-take");
  await press(page, "Scenario (TOML)");
  assert.match(await received("two-flows.toml"), new RegExp(`buffer = "${buffer}"`));
  await page.select("#table", "flows");
  await press(page, "Download (CSV)");
  const [head, ...rows] = (await received("two-flows-flows.csv")).trim().split("\n");
  assert.match(head, /name,.*goodput_bit_per_s/);
  assert.equal(rows.length, 2);
  await press(page, "Charts (SVG)");
  const drawing = await received("two-flows.svg");
  const found = await page.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    return { broken: parsed.querySelector("parsererror") !== null, charts: parsed.querySelectorAll("g").length };
  }, drawing);
  assert.deepEqual(found, { broken: false, charts: 5 });
  assert.deepEqual(errors, []);
  await page.close();
});

test("values under the cursor stand in the legends of all charts", async () => {
  const { page, errors } = await here.page();
  await page.goto(here.address());
  await runs(page);
  const { x, y, width, height } = await (await page.$('.chart[data-key="cwnd"] .u-over')).boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  const values = await page.$$eval(".chart", (all) => all.map((chart) => [...chart.querySelectorAll(".legend output")].map((output) => output.textContent)));
  assert.equal(values.length, 5);
  assert.deepEqual(values.slice(0, 3).map(({ length }) => length), [2, 2, 3], "two flows, and the rate of the link");
  for (const legend of values.slice(0, 3)) {
    assert.ok(legend.every((value) => parseFloat(value) > 0), String(legend));
  }
  assert.deepEqual(errors, []);
  await page.close();
});

test("a class in Python races, and its errors have a line", async () => {
  const { page, errors } = await here.page();
  await page.goto(here.address());
  await runs(page);
  await page.click("#tab-algorithm");
  await page.select("#example", "python");
  const before = await drawn(page);
  await page.click("#race");
  await runs(page, before + 1);
  assert.equal(await page.$eval("#error", (box) => box.hidden), true);
  assert.match(await page.$eval("#code", (area) => area.value), /def on_ack\(self, ack\):/);
  await page.$eval("#code", (area) => {
    area.value = area.value.replace("counted / self.cwnd", "counted / nothing");
    area.dispatchEvent(new Event("input"));
  });
  await page.waitForFunction(() => !document.getElementById("error").hidden);
  assert.match(await page.$eval("#error", (box) => box.textContent), /line 11: NameError: name 'nothing' is not defined/);
  assert.deepEqual(errors, []);
  await page.close();
});

test("the packets of a graph move on a drawing of it", async () => {
  const { page, errors } = await here.page();
  await page.goto(here.address("index.html#scenario=call-beside-download"));
  await runs(page);
  await page.waitForFunction(() => {
    document.getElementById("step").click();
    return /of flow/.test(document.querySelector("#panel-packets [role=status]").textContent);
  });
  assert.deepEqual(errors, []);
  await page.close();
});
