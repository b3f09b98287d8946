// The lessons: no question is answered as it stands, each is by its solution; and one in a real browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { answered } from "../src/lessons/answer.js";
import { LESSONS } from "../src/lessons/all.js";
import { RUINOUS } from "../src/lessons/low-rate-attack.js";
import { USUAL } from "../src/lessons/mice.js";
import { goodputs } from "../src/lessons/lesson.js";
import { seen } from "../src/lessons/slow-link.js";
import { BEGINNING } from "../src/scenario/prepare.js";
import { charts } from "../src/scenario/series.js";
import { set } from "../src/scenario/tree.js";
import { FOLDER, drag, drawn, runs, stage } from "./stage.js";

const engine = await import(pathToFileURL(join(FOLDER, "engine", "engine.js")).href);
await engine.default({ module_or_path: readFileSync(join(FOLDER, "engine", "engine_bg.wasm")) });

/** The results of a scenario, as the page gets them. */
function run(tree) {
  const scenario = engine.Scenario.fromJson(JSON.stringify(tree), []);
  const simulation = new engine.Run(scenario, [], {});
  while (!simulation.advance(1_000_000));
  const results = simulation.finish();
  return { tables: Object.fromEntries(results.tableNames().map((name) => [name, results.table(name)])), finishedAtS: results.finishedAtS() };
}

for (const lesson of LESSONS) {
  test(`${lesson.key}: open at first, answered by its solution`, () => {
    assert.equal(lesson.check(run(lesson.tree), lesson.tree).done, false);
    const tree = answered(lesson, lesson.solution);
    const { done, says } = lesson.check(run(tree), tree);
    assert.equal(done, true, says);
  });
}

test("slow start: one packet less than the solution takes a round trip more", () => {
  const lesson = LESSONS[0];
  const tree = answered(lesson, { "tcp.initial_window": 14 });
  assert.match(lesson.check(run(tree), tree).says, /took 4 round trips/);
});

test("bbr: CUBIC is below a quarter of the link from the loss on that the check asks for", () => {
  const lesson = LESSONS.find(({ key }) => key === "bbr");
  const tree = answered(lesson, { "topology.dumbbell.bottleneck.loss": 0.8, "flow.0.algorithm": "cubic" });
  assert.ok(goodputs(run(tree))[0] < 5);
});

test("mice: a file takes the time said with f = 30", () => {
  const lesson = LESSONS.find(({ key }) => key === "mice");
  assert.match(lesson.check(run(lesson.tree), lesson.tree).says, new RegExp(`takes ${USUAL * 1e3} ms in the mean`));
});

const BUFFER = "topology.dumbbell.bottleneck.buffer";
const GATEWAY = "topology.dumbbell.bottleneck.queue";

/** What a lesson says of an answer. */
function said(key, values) {
  const lesson = LESSONS.find((one) => one.key === key);
  const tree = answered({ ...lesson, controls: lesson.controls.filter(({ path }) => path in values) }, values);
  return lesson.check(run(tree), tree);
}

test("slow link: the hangs and load times that the answer names", () => {
  const lesson = LESSONS.find(({ key }) => key === "slow-link");
  const of = (queue) => seen(run(answered(lesson, { [GATEWAY]: queue })), 60);
  const [plain, classes, codel, pie] = ["droptail", "classes", "codel", "pie"].map(of);
  assert.equal(Math.round(plain.hang), 44);
  assert.equal(Math.round(classes.hang), 37);
  assert.ok(codel.load < classes.load && pie.load < classes.load, "the short queues load half of the pages sooner");
  assert.ok(codel.hang > 55 && pie.hang > 55, "and pay with hangs of a minute");
  const deep = seen(run(set(lesson.tree, BUFFER, "1000 packets")), 60);
  assert.deepEqual([Math.round(deep.hang), Math.round(deep.load / 10) * 10], [16, 80]);
  const done = lesson.controls[0].choices.filter(([queue]) => lesson.check(run(answered(lesson, { [GATEWAY]: queue }))).done).map(([queue]) => queue);
  assert.deepEqual(done, ["classes"]);
});

test("low-rate attack: every pause that is accepted ruins NewReno, for a seventh of the link", () => {
  const lesson = LESSONS.find(({ key }) => key === "low-rate-attack");
  const rates = (pause, algorithm) => goodputs(run(answered(lesson, { "udp.0.off.constant": pause, "flow.0.algorithm": algorithm })));
  const [from, to] = RUINOUS;
  for (let pause = from; pause <= to; pause += 25) {
    const [download, bursts] = rates(pause, "newreno");
    assert.ok(download < 0.5 && bursts < 10 / 7, `${pause} ms: ${download} and ${bursts} Mbit/s`);
  }
  assert.ok(rates(900, "newreno")[0] < 0.01);
  assert.equal(rates(900, "rack+cubic")[0].toFixed(1), "5.2");
  assert.equal(rates(900, "bbr3")[0].toFixed(1), "6.6");
  assert.equal(said("low-rate-attack", { "udp.0.off.constant": 900, "flow.0.algorithm": "newreno" }).done, false, "the attack alone is no answer");
});

test("frozen call: a buffer of more than half a second freezes the picture for as long as it is full", () => {
  const lesson = LESSONS.find(({ key }) => key === "frozen-call");
  const frozen = (packets) => run(answered(lesson, { [BUFFER]: packets })).tables.calls;
  // 0.5 s at 4 Mbit/s are 167 packets of 1500 bytes; the download lasts 30 s.
  assert.ok(Math.abs(0.5 * 4e6 / (1500 * 8) - 167) < 1);
  assert.equal(frozen(250).stall_s[0].toFixed(0), "29");
  assert.equal(frozen(160).stall_s[0].toFixed(1), "0.7");
  assert.equal(frozen(160).frame_delay_p95_s[0].toFixed(1), "0.5");
});

test("slow start: the link of a gigabit leaves the file's goodput to be seen", () => {
  const results = run(LESSONS[0].tree);
  const goodput = charts(results, results.tables.links.name.indexOf("left->right"), (flow) => flow).find(({ key }) => key === "goodput");
  assert.deepEqual(goodput.series.map(({ label }) => label), ["file"]);
  assert.equal(goodput.unit, "Mbit/s; left->right carries 1000");
});

test("a flow that begins later has no window before", () => {
  const [cwnd] = charts(run(BEGINNING), 0, (flow) => flow);
  const [first, second] = cwnd.series.map(({ values }) => cwnd.times.filter((_, at) => values[at] !== null)[0]);
  assert.ok(first < 0.1 && second >= 5 && second < 5.1, `${first} s and ${second} s`);
});

test("far page: no rate loads it within 2 s, half of the delay does", () => {
  const lesson = LESSONS.find(({ key }) => key === "far-page");
  const load = (values) => run(answered(lesson, { "topology.graph.link.0.rate": 10, "topology.graph.link.0.delay": 100, "flow.0.http": "2", ...values })).tables.pages.finish_s[0].toFixed(1);
  assert.equal(load({}), "3.0");
  assert.equal(load({ "topology.graph.link.0.rate": 1000 }), "2.4");
  assert.equal(load({ "topology.graph.link.0.rate": 1000, "flow.0.http": "1.1" }), "3.2");
  assert.equal(load({ "topology.graph.link.0.delay": 40 }), "1.9");
});

test("stopped film: the rate alone stops it with any buffer, the buffer does not", () => {
  const lesson = LESSONS.find(({ key }) => key === "stopped-film");
  const film = (adaptation, buffer) => run(answered(lesson, { "flow.0.film.adaptation": adaptation, "flow.0.film.buffer": buffer })).tables.films;
  assert.equal(film("rate", 30).stall_s[0].toFixed(1), "3.8");
  assert.equal(film("rate", 60).stall_s[0].toFixed(1), "3.8");
  for (const adaptation of ["bba-0", "bola", "robust-mpc"]) assert.equal(film(adaptation, 30).stall_s[0], 0);
});

let here;
before(async () => (here = await stage()));
after(async () => here.close());

test("a lesson is answered by dragging, and remembered", async () => {
  const { page, errors } = await here.page();
  await page.goto(here.address("lessons.html#bufferbloat"));
  await runs(page);
  assert.match(await page.$eval("#verdict", (verdict) => verdict.textContent), /Packets wait \d{3,} ms/);
  assert.equal(await page.$eval("#answer", (answer) => answer.hidden), true);
  const before = await drawn(page);
  await drag(page, "control-0", 0.4);
  await runs(page, before + 1);
  assert.match(await page.$eval("#verdict", (verdict) => verdict.textContent), /^✓/);
  assert.equal(await page.$eval("#answer", (answer) => answer.hidden), false);
  await page.reload();
  await runs(page);
  assert.equal(await page.$eval("#contents .done", (item) => item.textContent), "Bufferbloat: too much of a good thing, answered");
  await page.click("#next");
  await page.waitForFunction(() => document.title.startsWith("Near and far"));
  const link = await page.$eval("#open", (anchor) => anchor.href);
  await page.goto(link);
  await runs(page);
  assert.equal(await page.$eval("#title", (title) => title.textContent), "A near and a far flow");
  assert.equal(await page.$eval("#scenario", (choice) => choice.selectedOptions[0].textContent), "round-trips (own)");
  assert.deepEqual(errors, []);
  await page.close();
});

for (const [width, height, keys] of [[390, 844, LESSONS.map(({ key }) => key)], [768, 1024, ["mice"]], [1280, 800, ["mice"]]]) {
  test(`a lesson has a chart and its slider in view together, ${width} pixels wide, and its button`, async () => {
    const { page, errors } = await here.page({ width, height });
    await page.goto(here.address("lessons.html"));
    await runs(page);
    for (const [at, key] of keys.entries()) {
      await page.evaluate((name) => (location.hash = name), key);
      await runs(page, at + 2);
      const { chart, controls, button, above } = await page.evaluate(() => {
        const place = document.getElementById("try");
        const box = (/** @type {string} */ one) => document.querySelector(one).getBoundingClientRect().toJSON();
        scrollTo(0, 0);
        // As far as its reader scrolls to see the first chart whole.
        const isSticky = getComputedStyle(place).position === "sticky";
        if (isSticky) scrollBy(0, Math.max(0, box(".chart").bottom - box("#try").top));
        return { chart: box(".chart canvas"), controls: box("#controls"), button: box("#contents [aria-current]"), above: isSticky ? box("#try").top : innerHeight };
      });
      const seen = JSON.stringify({ chart, controls });
      assert.ok(chart.height > 40 && chart.top >= 0 && chart.bottom <= Math.min(height, above) + 1, `${key}: ${seen}`);
      assert.ok(controls.height > 20 && controls.top >= 0 && controls.bottom <= height, `${key}: ${seen}`);
      assert.ok(button.left >= 0 && button.right <= width, `${key}: its button`);
    }
    assert.deepEqual(errors, []);
    await page.close();
  });
}
