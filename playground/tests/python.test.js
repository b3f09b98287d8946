// Classes in Python, by the interpreter that npm installs, on the simulator in node: no browser is needed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { EXAMPLES } from "../src/examples.js";
import { AlgorithmError } from "../src/engine/errors.js";
import { Host, classOf } from "../src/engine/host.js";
import { isPython, pythonClass } from "../src/engine/python.js";

const FOLDER = process.env.PLAYGROUND ?? fileURLToPath(new URL("../../python/ackclock/data/playground", import.meta.url));
const PYODIDE = fileURLToPath(new URL("../node_modules/pyodide/", import.meta.url));
const { default: start, Run, Scenario } = await import(pathToFileURL(join(FOLDER, "engine", "engine.js")).href);
await start({ module_or_path: readFileSync(join(FOLDER, "engine", "engine_bg.wasm")) });

const SCENARIO = `
name = "python"
duration = "10 s"
[topology.dumbbell]
pairs = 1
bottleneck = { rate = "5 Mbit/s", delay = "20 ms", buffer = "20 packets", loss = { bernoulli = 0.003 } }
access = { rate = "100 Mbit/s", delay = "1 ms" }
[tcp]
algorithm = "mine"
[[flow]]
[trace]
interval = "100 ms"
`;

/** @param {any} algorithm */
function digest(algorithm) {
  const scenario = Scenario.fromToml(SCENARIO, ["mine"]);
  const run = new Run(scenario, ["mine"], new Host(algorithm));
  while (!run.advance(100_000));
  return run.finish().digest();
}

const { loadPyodide } = await import(pathToFileURL(join(PYODIDE, "pyodide.mjs")).href);
const interpreter = await loadPyodide({ indexURL: PYODIDE });

/** @param {string} source */
const python = (source) => pythonClass(source, interpreter);

test("a class in Python computes the bytes of the same class in JavaScript", async () => {
  const [script, source] = [EXAMPLES.gentle.source, EXAMPLES.python.source];
  assert.deepEqual([isPython(script), isPython(source)], [false, true]);
  const expected = digest(classOf(script));
  assert.equal(digest(python(source)), expected);
  assert.notEqual(digest(classOf(EXAMPLES.reno.source)), expected);
});

test("an error of Python has its line and its last words", async () => {
  const broken = EXAMPLES.python.source.replace("counted / self.cwnd", "counted / nothing");
  const algorithm = python(broken);
  assert.throws(() => digest(algorithm), (error) => error instanceof AlgorithmError && error.line === 11 && /NameError: name 'nothing' is not defined/.test(error.message));
  assert.throws(() => python("class Broken:\n  def"), (error) => error instanceof AlgorithmError && /SyntaxError/.test(error.message));
});
