// The playground in a real browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { drag, drawn, runs, stage, tile } from "./stage.js";

let here;
before(async () => (here = await stage()));
after(async () => here.close());

/** A page that has drawn its first run; the errors of the page must be none at the end. */
async function opened(path = "index.html", options = {}) {
  const { page, errors } = await here.page(options);
  await page.goto(here.address(path));
  await runs(page);
  return { page, errors };
}

const BOTTLENECK = "topology.dumbbell.bottleneck";

/** Whether the charts are dimmed: those of an earlier run. */
const isStale = (page) => page.$eval(".lane", (lane) => lane.classList.contains("stale"));

test("draws windows, round trips, rates, queues and drops", async () => {
  const { page, errors } = await opened();
  const charts = await page.$$eval(".chart", (all) => all.map((chart) => chart.dataset.key));
  assert.deepEqual(charts, ["cwnd", "rtt", "goodput", "queue", "drops"]);
  const inked = await page.$$eval(".chart canvas", (all) =>
    all.map((canvas) => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((byte) => byte > 0)));
  assert.deepEqual(inked, [true, true, true, true, true]);
  const label = await page.$eval(".chart .canvas", (canvas) => canvas.getAttribute("aria-label"));
  assert.match(label, /Congestion window in packets over 30 s: first from .* second from/);
  assert.deepEqual(errors, []);
  await page.close();
});

test("a slider changes the run as it is dragged, and the zoom stays", async () => {
  const { page, errors } = await opened();
  const rate = parseFloat(await tile(page, "Goodput"));
  await page.focus(".chart .canvas");
  await page.keyboard.press("+");
  assert.equal(await page.$eval("#all", (button) => button.hidden), false);
  const before = await drawn(page);
  await drag(page, `${BOTTLENECK}.rate`, 0.25);
  await runs(page, before + 1);
  const less = parseFloat(await tile(page, "Goodput"));
  assert.ok(less < rate / 4, `${less} Mbit/s after, ${rate} before`);
  assert.equal(await page.$eval("#all", (button) => button.hidden), false);
  assert.deepEqual(errors, []);
  await page.close();
});

test("an algorithm chosen for a flow has the sliders of the catalogue", async () => {
  const { page, errors } = await opened();
  await page.select('[id="flow.1.algorithm"]', "cubic");
  await page.waitForSelector('[id="flow.1.algorithm-beta"]');
  const before = await drawn(page);
  await drag(page, "flow.1.algorithm-beta", 0.3);
  await runs(page, before + 1);
  assert.match(await page.$eval('[id="flow.1.algorithm-text"]', (field) => field.value), /^cubic\(beta=0\.3/);
  assert.equal(await page.$eval("#error", (box) => box.hidden), true, "the scenario is right");
  assert.deepEqual(errors, []);
  await page.close();
});

test("an error of a pasted scenario names the key and the nearest name, which a button takes", async () => {
  const { page } = await opened();
  await page.click("#tab-toml");
  await page.waitForFunction(() => document.getElementById("toml-text").value.includes("bottleneck"));
  await page.$eval("#toml-text", (area) => {
    area.value = area.value.replace("duration", "duraton");
    area.dispatchEvent(new Event("input"));
  });
  await page.waitForFunction(() => !document.getElementById("error").hidden);
  const said = await page.$eval("#error", (box) => box.textContent);
  assert.match(said, /duraton.*unknown key; did you mean "duration"/);
  await page.click("#error button");
  await page.waitForFunction(() => document.getElementById("error").hidden);
  await page.close();
});

test("a class written in the page races, and its errors have a line", async () => {
  const { page } = await opened();
  await page.click("#tab-algorithm");
  const before = await drawn(page);
  await page.click("#race");
  await runs(page, before + 1);
  assert.equal(await page.$eval('[id="flow.0.algorithm"]', (choice) => choice.value), "mine");
  const write = (text) => page.$eval("#code", (area, source) => {
    area.value = source;
    area.dispatchEvent(new Event("input"));
  }, text);
  await write("class Broken {\n  constructor(start) { this.cwnd = start.initial_window; }\n  on_ack(ack) {\n    this.cwnd += nothing;\n  }\n  on_congestion() {}\n}\n");
  await page.waitForFunction(() => !document.getElementById("error").hidden);
  assert.match(await page.$eval("#error", (box) => box.textContent), /line 4: ReferenceError: nothing is not defined/);
  await write("class Silent {\n  constructor() { this.cwnd = -1; }\n  on_ack() {}\n  on_congestion() {}\n}\n");
  await page.waitForFunction(() => document.getElementById("error").textContent.includes("above zero"));
  await write("class Right {\n  constructor() { this.cwnd = 10; }\n  on_ack() {}\n  on_congestion() {}\n}\n");
  await page.waitForFunction(() => document.getElementById("error").hidden, {}, "the error of old code goes when other code runs");
  await page.close();
});

test("an address holds the experiment, the class included", async () => {
  const { page } = await opened("index.html#scenario=single-flow&set=duration%3D60+s");
  assert.equal(await page.$eval("#scenario", (choice) => choice.value), "single-flow");
  await page.click("#tab-algorithm");
  const before = await drawn(page);
  await page.click("#race");
  await runs(page, before + 1);
  await page.click("#tab-take");
  await page.waitForFunction(() => /^[0-9a-f]{16}$/.test(document.getElementById("digest").textContent));
  const digest = await page.$eval("#digest", (output) => output.textContent);
  await page.click("#share");
  await page.waitForFunction(() => location.hash.includes("code="));
  const link = await page.evaluate(() => location.href);
  assert.match(link, /scenario=single-flow.*duration/);
  const { page: other } = await here.page();
  await other.goto(link);
  await runs(other);
  await other.click("#tab-take");
  await other.waitForFunction(() => /^[0-9a-f]{16}$/.test(document.getElementById("digest").textContent));
  assert.equal(await other.$eval("#digest", (output) => output.textContent), digest);
  await other.close();
  await page.close();
});

test("the command for one's own machine names the changes", async () => {
  const { page } = await opened("index.html#scenario=single-flow");
  await drag(page, `${BOTTLENECK}.buffer`, 0.5);
  await page.click("#tab-take");
  await page.waitForFunction(() => document.getElementById("commands").textContent.includes("buffer"));
  const command = await page.$eval("#commands", (text) => text.textContent);
  assert.match(command, /^ackclock run single-flow --set 'topology\.dumbbell\.bottleneck\.buffer=.*'\nackclock digest single-flow /);
  await page.close();
});

test("two settings stand side by side", async () => {
  const { page, errors } = await opened();
  const before = await drawn(page);
  await page.click("#compare");
  await runs(page, before + 1);
  await page.click("#overlay");
  await drag(page, `${BOTTLENECK}.buffer`, 0.9);
  await runs(page, before + 2);
  const queueing = await page.$$eval(".lane", (lanes) => lanes.map((lane) => parseFloat(lane.querySelectorAll("dd")[2].textContent)));
  assert.equal(queueing.length, 2);
  assert.ok(queueing[1] > 2 * queueing[0], `${queueing} ms of queueing`);
  await page.click("#compare");
  assert.equal((await page.$$(".lane")).length, 1);
  assert.deepEqual(errors, []);
  await page.close();
});

test("events are marks on the windows, and the goodput has the rate of the link", async () => {
  const { page, errors } = await opened();
  const label = (key) => page.$eval(`.chart[data-key="${key}"] .canvas`, (canvas) => canvas.getAttribute("aria-label"));
  assert.match(await label("cwnd"), /first: slow start left.*second: recovery/, "what happened to both flows");
  assert.match(await label("goodput"), /rate of left->right from 20 to 20, mean 20/);
  assert.match(await page.$eval('.chart[data-key="cwnd"] .happened', (line) => line.textContent), /L slow start left · .*▾ recovery/);
  await page.focus('.chart[data-key="cwnd"] .canvas');
  for (let press = 0; press < 9; press += 1) await page.keyboard.press("ArrowLeft");
  assert.match(await page.$eval('.chart[data-key="cwnd"] .happened', (line) => line.textContent), /\d s (first|second): /, "the cursor names what is near");
  assert.deepEqual(errors, []);
  await page.close();
});

test("sliders of whole numbers move by one for each key, large ones by ten", async () => {
  const { page } = await opened();
  const value = (id) => page.$eval(`[id="${id}"]`, (slider) => slider.parentElement.querySelector(".exact").value);
  for (const [id, texts] of [["flow.0.count", ["2", "3", "2"]], [`${BOTTLENECK}.buffer`, ["61 packets", "62 packets", "61 packets"]]]) {
    await page.focus(`[id="${id}"]`);
    for (const [at, key] of ["ArrowRight", "ArrowUp", "ArrowLeft"].entries()) {
      await page.keyboard.press(key);
      assert.equal(await value(id), texts[at], id);
    }
  }
  await drag(page, `${BOTTLENECK}.buffer`, 1);
  await page.keyboard.press("ArrowLeft");
  assert.equal(await value(`${BOTTLENECK}.buffer`), "990 packets");
  await page.close();
});

test("a broken address says so until it is read", async () => {
  const { page } = await opened("index.html#tree=broken");
  await page.click('[id="flow.0.count"]');
  await runs(page, 2);
  assert.match(await page.$eval("#notice", (box) => (box.hidden ? "" : box.textContent)), /The address holds no experiment: it is incomplete or damaged\. Here are two flows instead\./);
  await page.click("#read");
  assert.equal(await page.$eval("#notice", (box) => box.hidden), true);
  await page.close();
});

test("an address of an example opens its class, and races it", async () => {
  const { page, errors } = await opened("index.html#example=gentle");
  assert.equal(await page.$eval('[id="flow.0.algorithm"]', (choice) => choice.value), "mine");
  assert.match(await page.$eval("#code", (area) => (area.checkVisibility() ? area.value : "")), /class Gentle/);
  assert.deepEqual(errors, []);
  await page.close();
});

test("a run is stopped, and settings go back to what was loaded", async () => {
  const { page, errors } = await opened();
  const rate = () => page.$eval(`[id="${BOTTLENECK}.rate"]`, (slider) => slider.parentElement.querySelector(".exact").value);
  await drag(page, `${BOTTLENECK}.rate`, 1);
  await drag(page, "duration", 1);
  await page.waitForFunction(() => !document.getElementById("stop").hidden);
  await page.click("#stop");
  assert.equal(await page.$eval("#stop", (button) => button.hidden), true);
  assert.equal(await isStale(page), true, "the pictures are of the run before");
  assert.match(await page.$eval("#said", (line) => line.textContent), /^Stopped. The pictures are those of the run before/);
  assert.equal(await page.evaluate(() => document.activeElement.id), "again");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => !document.getElementById("stop").hidden, {}, "it runs again");
  const before = await drawn(page);
  await page.click("#reset");
  await runs(page, before + 1);
  assert.equal(await rate(), "20 Mbit/s");
  assert.equal(await isStale(page), false);
  assert.equal(await page.$eval("#error", (box) => box.hidden), true);
  assert.deepEqual(errors, []);
  await page.close();
});

test("what is written next to a slider keeps the focus, and is refused with what would be right", async () => {
  const { page, errors } = await opened();
  const field = `[id="${BOTTLENECK}.rate-exact"]`;
  const write = async (text, key) => {
    await page.focus(field);
    await page.$eval(field, (input) => input.select());
    await page.keyboard.type(text);
    await page.keyboard.press(key);
  };
  const focused = () => page.evaluate(() => document.activeElement.id);
  await write("10", "Enter");
  await runs(page, 2);
  assert.equal(await page.$eval(field, (input) => input.value), "10 Mbit/s");
  assert.equal(await focused(), `${BOTTLENECK}.rate-exact`);
  await write("12 Mbit/s", "Tab");
  assert.equal(await focused(), `${BOTTLENECK}.rate`);
  // Its run renews the sliders, with what is said below them.
  await runs(page, 3);
  await write("abc", "Enter");
  // The field says it as soon as the focus has moved.
  await page.waitForFunction((id) => document.getElementById(id).textContent !== "", { timeout: 30_000 }, `${BOTTLENECK}.rate-refused`);
  assert.equal(await page.$eval(`[id="${BOTTLENECK}.rate-refused"]`, (line) => line.textContent), 'found "abc", expected a value with its unit, such as 100 kbit/s to 1 Gbit/s');
  assert.equal(await focused(), `${BOTTLENECK}.rate-exact`);
  await write("5 Mbit/s", "Enter");
  await page.waitForFunction((id) => document.getElementById(id).hidden, { timeout: 30_000 }, `${BOTTLENECK}.rate-refused`);
  assert.deepEqual(errors, []);
  await page.close();
});

test("of two settings the second is drawn over the first", async () => {
  const { page, errors } = await opened();
  const before = await drawn(page);
  await page.click("#compare");
  await runs(page, before + 1);
  const named = () => page.$eval('.lane:not([hidden]) .chart[data-key="cwnd"] .canvas', (canvas) => canvas.getAttribute("aria-label").match(/(first|second) [AB](?= from)/g));
  assert.deepEqual(await named(), ["first A", "second A", "first B", "second B"]);
  assert.equal(await page.$$eval('.lane:not([hidden]) .chart[data-key="cwnd"] .legend li', (rows) => rows.length), 2, "a flow has one name");
  assert.equal(await page.$$eval(".lane:not([hidden])", (lanes) => lanes.length), 1);
  // Another duration has other times.
  await drag(page, "duration", 0.4);
  await runs(page, before + 2);
  assert.deepEqual(await named(), ["first A", "second A", "first B", "second B"]);
  await drag(page, `${BOTTLENECK}.rate`, 0.25);
  await runs(page, before + 3);
  const rates = await page.$eval(".lane:not([hidden]) .tiles > div", (first) => [...first.querySelectorAll("dd")].map((dd) => dd.textContent));
  const [, own, other] = /^A ([\d.]+) Mbit\/s,B ([\d.]+) Mbit\/s$/.exec(rates.join(","));
  assert.ok(Number(other) < Number(own) / 4, rates.join(", "));
  await page.click("#overlay");
  assert.equal(await page.$$eval(".lane:not([hidden])", (lanes) => lanes.length), 2);
  assert.deepEqual(errors, []);
  await page.close();
});

test("code without an end is stopped, and a page that is loaded again draws something", async () => {
  const { page } = await opened();
  await page.click("#tab-algorithm");
  const write = (text) => page.$eval("#code", (area, source) => {
    area.value = source;
    area.dispatchEvent(new Event("input"));
  }, text);
  await page.click("#race");
  await runs(page, 2);
  const endless = "class Endless {\n  constructor() { this.cwnd = 1; }\n  on_ack() { for (;;); }\n  on_congestion() {}\n}\n";
  const right = await page.$eval("#code", (area) => area.value);
  const before = await drawn(page);
  await write(endless);
  await page.waitForFunction(() => !document.getElementById("stop").hidden, {}, "it can be stopped before");
  assert.equal(await isStale(page), true, "the pictures are of the run before");
  await write(right.replace("7", "6"));
  await runs(page, before + 1);
  assert.equal(await page.$eval("#error", (box) => box.hidden), true, "corrected code runs in the place of the loop");
  await write(endless);
  await page.waitForFunction(() => /8 seconds/.test(document.getElementById("error").textContent));
  assert.equal(await isStale(page), true);
  assert.equal(await page.evaluate(() => location.hash), "");
  await page.reload();
  await runs(page);
  assert.equal(await page.$eval("#code", (area) => area.value), endless, "the code is there, and does not run");
  await page.close();
});

test("packets move one event at a time, and play", async () => {
  const { page, errors } = await opened();
  await drag(page, "packet-time", 0.2);
  await page.waitForFunction(() => {
    document.getElementById("step").click();
    return /data \d+ of flow|ack \d+ of flow/.test(document.querySelector("#panel-packets [role=status]").textContent);
  });
  const clock = () => page.$eval("#panel-packets .clock", (output) => parseFloat(output.textContent));
  const stepped = await clock();
  assert.ok(stepped >= 6 && stepped < 6.1, `${stepped} s`);
  await drag(page, "packet-speed", 0.1);
  await page.click("#play");
  await page.waitForFunction((before) => parseFloat(document.querySelector("#panel-packets .clock").textContent) > before + 0.05, {}, stepped);
  await page.click("#play");
  assert.deepEqual(errors, []);
  await page.close();
});

/** The parts of the page that are in view from top to bottom and from left to right, without those that are not. */
const inView = (page, ...selectors) => page.evaluate((all) => all.filter((one) => {
  const { top, bottom, left, right, height } = document.querySelector(one).getBoundingClientRect();
  return height > 0 && top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
}), selectors);

for (const [width, height] of [[1280, 800], [1920, 1080]]) {
  test(`charts, packets and an editor are in one view of ${width} by ${height} pixels, and an edit shows in all`, async () => {
    const { page, errors } = await opened("index.html", { width, height });
    const parts = ["cwnd", "rtt", "goodput", "queue", "drops"].map((key) => `.chart[data-key="${key}"] canvas`);
    parts.push(".tiles", "canvas.network", "#play", "#toml-text");
    await page.waitForFunction(() => document.getElementById("toml-text").value.includes("20 Mbit/s"));
    assert.deepEqual(await inView(page, ...parts), parts);
    await page.waitForFunction(() => document.querySelector("#panel-packets .clock").textContent === "10.0000 s");
    const picture = () => page.$eval("canvas.network", (canvas) => canvas.toDataURL());
    const before = await picture();
    await page.$eval("#toml-text", (area) => {
      area.value = area.value.replace(/rate = "20 Mbit\/s"/, `rate = "5 Mbit/s"`);
      area.dispatchEvent(new Event("input"));
    });
    await page.waitForFunction((old) => document.querySelector("canvas.network").toDataURL() !== old, {}, before);
    assert.ok(parseFloat(await tile(page, "Goodput")) < 5);
    assert.equal(await page.$eval(`[id="${BOTTLENECK}.rate"]`, (slider) => slider.parentElement.querySelector(".exact").value), "5 Mbit/s");
    await drag(page, `${BOTTLENECK}.rate`, 1);
    await page.waitForFunction(() => document.getElementById("toml-text").value.includes("1 Gbit/s"), {}, "the text follows the slider");
    assert.deepEqual(errors, []);
    await page.close();
  });
}

test("code has the height of the packets, until they are wanted", async () => {
  const { page, errors } = await opened();
  await page.click("#tab-algorithm");
  const lines = await page.$eval("#code", (area) => area.clientHeight / parseFloat(getComputedStyle(area).lineHeight));
  assert.ok(lines > 18, `${lines} lines`);
  assert.equal(await page.$eval("#panel-packets", (panel) => panel.hidden), true);
  await page.click("#taller");
  assert.deepEqual(await inView(page, "canvas.network"), ["canvas.network"]);
  await page.click("#tab-toml");
  assert.deepEqual(await inView(page, "canvas.network"), ["canvas.network"], "as it was chosen");
  assert.deepEqual(errors, []);
  await page.close();
});

test("a window that becomes narrow has the packets in a tab", async () => {
  const { page, errors } = await opened();
  assert.equal(await page.$("#tab-packets"), null);
  await page.setViewport({ width: 700, height: 900 });
  await page.waitForSelector("#tab-packets");
  assert.equal(await page.$eval("#panel-packets", (panel) => panel.hidden), true);
  await page.click("#tab-packets");
  assert.equal(await page.$eval("#panel-packets", (panel) => panel.hidden), false);
  await page.setViewport({ width: 1300, height: 900 });
  await page.waitForFunction(() => !document.getElementById("tab-packets"));
  assert.deepEqual(await inView(page, "canvas.network", "#toml-text"), ["canvas.network", "#toml-text"]);
  assert.deepEqual(errors, []);
  await page.close();
});

for (const [path, width] of [["index.html", 1280], ["index.html", 768], ["index.html", 390], ["lessons.html", 1280], ["lessons.html", 768], ["lessons.html", 390]]) {
  test(`nothing scrolls sideways and no letter is below 11 pixels in ${path}, ${width} pixels wide`, async () => {
    const { page } = await opened(path, { width, height: 844 });
    const tabs = await page.$$eval('[role="tab"]', (all) => all.map(({ id }) => id));
    for (const tab of [null, ...tabs]) {
      if (tab) await page.click(`#${tab}`);
      const { wide, least } = await page.evaluate(() => {
        const written = [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility() && [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim()));
        return { wide: document.documentElement.scrollWidth, least: Math.min(...written.map((one) => parseFloat(getComputedStyle(one).fontSize))) };
      });
      assert.ok(wide <= width, `${tab}: ${wide} pixels`);
      assert.ok(least >= 11, `${tab}: letters of ${least} pixels`);
    }
    await page.close();
  });
}

test("works without a network once it was seen", async () => {
  const { page } = await here.page();
  const foreign = [];
  page.on("request", (request) => !request.url().startsWith(here.address("", "localhost")) && !request.url().startsWith("blob:") && !request.url().startsWith("data:") && foreign.push(request.url()));
  await page.goto(here.address("index.html", "localhost"));
  await runs(page);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  assert.deepEqual(foreign, [], "nothing comes from elsewhere");
  await page.setOfflineMode(true);
  await page.reload();
  await runs(page);
  await page.close();
});

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
for (const [path, width, dark, tab] of [
  ["index.html", 1280, false, "take"], ["index.html", 390, true, "packets"], ["index.html", 1280, true, "algorithm"], ["index.html", 390, false, "toml"],
  ["lessons.html", 1440, false, null], ["lessons.html", 390, true, null],
]) {
  test(`axe finds nothing serious in ${path}, ${dark ? "dark" : "light"}, ${width} pixels wide`, async () => {
    const { page } = await opened(path, { width, dark });
    if (tab) await page.click(`#tab-${tab}`);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run());
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    assert.deepEqual(serious.map(({ id, nodes }) => [id, nodes[0].html]), []);
    await page.close();
  });
}

test("sliders with long names stay in their card", async () => {
  const { page, errors } = await opened();
  await page.$eval('[id="flow.1.algorithm-more"]', (details) => (details.open = true));
  const over = await page.$$eval("#controls .flow", (cards) =>
    cards.flatMap((card) => [...card.querySelectorAll("input, select")].filter((one) => one.getBoundingClientRect().right > card.getBoundingClientRect().right).map(({ id }) => id)));
  assert.deepEqual(over, []);
  assert.deepEqual(errors, []);
  await page.close();
});

test("an editor on a phone is not under the settings", async () => {
  const { page, errors } = await opened("index.html", { width: 390, height: 844 });
  assert.equal(await page.$eval("#settings", (settings) => settings.hidden), false);
  await page.click("#tab-algorithm");
  assert.equal(await page.$eval("#settings", (settings) => settings.hidden), true);
  assert.deepEqual(errors, []);
  await page.close();
});
