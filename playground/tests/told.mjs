// What a class in JavaScript is told in a run, and what the run comes to: `node told.mjs FOLDER`, a scenario and a source as JSON from
// standard input. The class keeps what it is told in the global `told`.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Host, classOf } from "../src/engine/host.js";

const folder = resolve(process.argv[2]);
const { default: start, Run, Scenario } = await import(pathToFileURL(join(folder, "engine", "engine.js")).href);
await start({ module_or_path: readFileSync(join(folder, "engine", "engine_bg.wasm")) });

const { text, source } = JSON.parse(readFileSync(0, "utf8"));
globalThis.told = [];
const run = new Run(Scenario.fromJson(text, ["mine"]), ["mine"], new Host(classOf(source)));
while (!run.advance(1_000_000));
const digest = run.finish().digest();
// JSON has no infinite numbers.
console.log(JSON.stringify({ told: globalThis.told, digest }, (_, value) => (value === Infinity ? "inf" : value)));
