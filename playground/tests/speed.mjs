// The least CPU seconds of each scenario of a JSON list from standard input: `node speed.mjs FOLDER RUNS`.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const folder = resolve(process.argv[2]);
const { default: start, Run, Scenario } = await import(pathToFileURL(join(folder, "engine", "engine.js")).href);
await start({ module_or_path: readFileSync(join(folder, "engine", "engine_bg.wasm")) });

/** CPU seconds of one run, its results included. @param {string} text */
function seconds(text) {
  const before = process.cpuUsage().user;
  const scenario = Scenario.fromJson(text, []);
  const run = new Run(scenario, [], {});
  while (!run.advance(1_000_000));
  run.finish().free();
  scenario.free();
  return (process.cpuUsage().user - before) / 1e6;
}

/** @type {string[]} */
const scenarios = JSON.parse(readFileSync(0, "utf8"));
const least = () => scenarios.map((text) => Math.min(...Array.from({ length: Number(process.argv[3]) }, () => seconds(text))));

// The first round is of code that is still being compiled, partly on other threads, whose time counts too.
least();
console.log(JSON.stringify(least()));
