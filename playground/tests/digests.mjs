// Runs scenarios in WebAssembly: a list of JSON scenarios from standard input, a list of digests to standard output.
// `node digests.mjs FOLDER`, the folder of the built playground.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const folder = resolve(process.argv[2]);
const { default: start, Run, Scenario } = await import(pathToFileURL(join(folder, "engine", "engine.js")).href);
await start({ module_or_path: readFileSync(join(folder, "engine", "engine_bg.wasm")) });

/** @param {string} text */
function digest(text) {
  const scenario = Scenario.fromJson(text, []);
  const run = new Run(scenario, [], {});
  while (!run.advance(1_000_000));
  const results = run.finish();
  const found = results.digest();
  results.free();
  scenario.free();
  return found;
}

/** @type {string[]} */
const scenarios = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(scenarios.map(digest)));
