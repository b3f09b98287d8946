// The simulator, in a thread without a network: the page hands over the engine, and the files of Python's interpreter.
import { AlgorithmError } from "./errors.js";
import { Host, classOf } from "./host.js";
import { interpreterOf, isPython, pythonClass } from "./python.js";

/** The name of the algorithm that is written in the page. */
const MINE = "mine";
/** Events of one step, fewer with an algorithm of the page's, which may be slow; and the milliseconds after which the worker looks for messages. */
const EVENTS_PER_STEP = 20_000;
const EVENTS_PER_OWN_STEP = 500;
const PATIENCE_MS = 25;

/** Leads to the page. @type {MessagePort} */
let page;
/** @type {Promise<typeof import("../../engine/engine.js")>} */
let ready;

/** The engine from its text and its module. @param {string} text @param {ArrayBuffer} wasm */
async function engineOf(text, wasm) {
  const engine = await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  await engine.default({ module_or_path: wasm });
  return engine;
}

/** Python's interpreter, once the page has been asked for it. @type {Promise<any> | null} */
let interpreter = null;
/** @type {(files: Record<string, ArrayBuffer>) => void} */
let take = () => {};
/** @type {(error: Error) => void} */
let refuse = () => {};

/** The interpreter; the page is asked for its files once, and again where they could not be had. */
function python() {
  interpreter ??= new Promise((resolve, reject) => {
    take = (files) => resolve(interpreterOf(files));
    refuse = (error) => {
      interpreter = null;
      reject(error);
    };
    page.postMessage({ kind: "python" });
  });
  return interpreter;
}

/** The request under way; a later one supersedes it. */
let latest = 0;

/** Lets messages come in. */
function pause() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(undefined);
    port2.postMessage(0);
  });
}

/** @param {unknown} thrown the reader's error is a text of JSON */
function errorOf(thrown) {
  if (typeof thrown === "string") return { kind: "scenario", ...JSON.parse(thrown) };
  if (thrown instanceof AlgorithmError) return { kind: "algorithm", message: thrown.message, line: thrown.line };
  return { kind: "internal", message: thrown instanceof Error ? thrown.message : String(thrown) };
}

/** The rows of a table from a time on. @param {Record<string, any>} table @param {number} since */
function later(table, since) {
  const first = table.time_s.findIndex((/** @type {number} */ time) => time >= since);
  if (first <= 0 && table.time_s[0] >= since) return table;
  const from = first < 0 ? table.time_s.length : first;
  return Object.fromEntries(Object.entries(table).map(([name, column]) => [name, column.slice(from)]));
}

/**
 * The class of a source. The interpreter of Python takes its time, in which nothing is watched: its machine may be slow.
 * @param {number} id @param {string} source
 */
async function algorithmOf(id, source) {
  const loaded = isPython(source) ? await python() : null;
  // From here on the page watches for a loop without an end.
  page.postMessage({ id, kind: "begun" });
  return loaded === null ? classOf(source) : pythonClass(source, loaded);
}

/** @param {{ text: string, format: string }} request */
async function read({ text, format }) {
  const { Scenario } = await ready;
  const scenario = format === "toml" ? Scenario.fromToml(text, [MINE]) : Scenario.fromJson(text, [MINE]);
  const answer = {
    tree: JSON.parse(scenario.toJson()),
    toml: scenario.toToml(),
    sketch: JSON.parse(scenario.sketch()),
    durationS: scenario.durationS,
    flowCount: scenario.flowCount,
  };
  scenario.free();
  return answer;
}

/**
 * @param {number} id
 * @param {{ scenario: string, source: string | null, tables: string[], since: number, until: number | null, digest: boolean }} request
 */
async function run(id, { scenario: text, source, tables: wanted, since, until, digest }) {
  const algorithm = source === null ? class {} : await algorithmOf(id, source);
  if (id !== latest) {
    page.postMessage({ id, kind: "superseded" });
    return;
  }
  const { Run, Scenario } = await ready;
  const scenario = Scenario.fromJson(text, [MINE]);
  const began = performance.now();
  const host = new Host(algorithm);
  const simulation = new Run(scenario, [MINE], host);
  const end = Math.min(until ?? Infinity, scenario.durationS);
  let looked = began;
  const whole = source === null ? EVENTS_PER_STEP : EVENTS_PER_OWN_STEP;
  const step = until === null ? whole : 200;
  while (!simulation.advance(step) && simulation.now < end) {
    if (performance.now() - looked > PATIENCE_MS) {
      page.postMessage({ id, kind: "progress", now: simulation.now, end });
      await pause();
      if (id !== latest) {
        simulation.free();
        scenario.free();
        page.postMessage({ id, kind: "superseded" });
        return;
      }
      looked = performance.now();
    }
  }
  const events = simulation.events;
  const results = simulation.finish();
  const milliseconds = performance.now() - began;
  /** @type {Record<string, Record<string, Float64Array | Uint32Array | string[]>>} */
  const tables = {};
  /** @type {ArrayBufferLike[]} */
  const buffers = [];
  for (const name of wanted) {
    const table = results.table(name);
    // Without series of flows there is none, nor rows of drops and events.
    if (!table) continue;
    tables[name] = name === "packets" ? later(table, since) : table;
    for (const column of Object.values(tables[name])) if (!Array.isArray(column)) buffers.push(column.buffer);
  }
  const answer = {
    id,
    kind: "done",
    tables,
    events,
    milliseconds,
    packets: results.packetsDelivered(),
    finishedAtS: results.finishedAtS(),
    digest: digest ? results.digest() : null,
  };
  results.free();
  scenario.free();
  page.postMessage(answer, { transfer: /** @type {ArrayBuffer[]} */ (buffers) });
}

/** @param {MessageEvent} event */
async function asked({ data: { id, kind, request, files, error } }) {
  if (kind === "python") return files ? take(files) : refuse(new AlgorithmError(error));
  try {
    const { catalogue, version } = await ready;
    if (kind === "read") page.postMessage({ id, kind: "done", ...(await read(request)) });
    if (kind === "catalogue") page.postMessage({ id, kind: "done", entries: JSON.parse(catalogue()), version: version() });
    if (kind === "run") {
      latest = id;
      await run(id, request);
    }
  } catch (thrown) {
    page.postMessage({ id, kind: "error", error: errorOf(thrown) });
  }
}

onmessage = ({ data: { engine, wasm }, ports }) => {
  ready = engineOf(engine, wasm);
  [page] = ports;
  page.onmessage = asked;
};
