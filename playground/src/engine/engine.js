// The page's side of the worker: questions with promises for answers.

import { pyodideFiles } from "./pyodide.js";
import { Sandbox } from "./sandbox.js";

/** @typedef {import("../types").Results} Results */
/** @typedef {import("../types").ReadScenario} ReadScenario */
/** @typedef {import("../types").Entry} Entry */
/** @typedef {import("../types").Tree} Tree */

/** An error to show: the reader's, an own algorithm's, or one of the page. */
export class ShownError extends Error {
  /** @param {{ kind: string, message: string, key?: string | null, nearest?: string | null, line?: number | null }} facts */
  constructor({ kind, message, key = null, nearest = null, line = null }) {
    super(message);
    this.name = "ShownError";
    this.kind = kind;
    this.key = key;
    this.nearest = nearest;
    this.line = line;
  }
}

/** A later run took this one's place. */
export class Superseded extends Error {}

/** This many ticks may an own algorithm compute without an answer: eight seconds. */
const TICK_MS = 100;
const MOST_TICKS = 80;

/** The tables that charts and numbers are made from. */
export const TABLES = ["flows", "links", "flow_series", "link_series", "network_series", "drops", "flow_events"];

/** One worker, which does one thing at a time. */
export class Engine {
  constructor() {
    /** @type {Map<number, { resolve: (answer: any) => void, reject: (error: Error) => void,
     *    progress?: (now: number, end: number) => void, isWatched?: boolean }>} */
    this.waiting = new Map();
    this.number = 0;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.watch = undefined;
    this.worker = this.begin();
  }

  begin() {
    const worker = new Sandbox();
    worker.onmessage = ({ data }) => this.heard(data);
    worker.onerror = (message) => this.fail(`the simulator could not be loaded: ${message}`);
    return worker;
  }

  /** Hands the worker the interpreter that it has asked for. @param {Sandbox} worker */
  async bringPython(worker) {
    try {
      worker.postMessage({ kind: "python", files: await pyodideFiles() });
    } catch (error) {
      worker.postMessage({ kind: "python", error: error instanceof Error ? error.message : String(error) });
    }
  }

  /** @param {any} data */
  heard(data) {
    if (data.kind === "python") return void this.bringPython(this.worker);
    const asked = this.waiting.get(data.id);
    if (!asked) return;
    if (data.kind === "begun") asked.isWatched = true;
    else if (data.kind === "progress") asked.progress?.(data.now, data.end);
    else this.answered(data, asked);
    this.watchOver();
  }

  /** @param {any} data @param {{ resolve: (answer: any) => void, reject: (error: Error) => void }} asked */
  answered(data, asked) {
    this.waiting.delete(data.id);
    if (data.kind === "error") asked.reject(new ShownError(data.error));
    else if (data.kind === "superseded") asked.reject(new Superseded());
    else asked.resolve(data);
  }

  /**
   * Waits for the next word of an own algorithm that runs. Only ticks that come in time are counted: where the page itself has to wait for
   * the machine, or sleeps, its worker does too.
   */
  watchOver() {
    clearInterval(this.watch);
    if (![...this.waiting.values()].some(({ isWatched }) => isWatched)) return;
    let ticks = 0;
    let before = performance.now();
    this.watch = setInterval(() => {
      const now = performance.now();
      if (now - before < 2 * TICK_MS) ticks += 1;
      before = now;
      if (ticks < MOST_TICKS) return;
      this.stop();
      this.fail("no answer for 8 seconds: is there a loop without an end? It was stopped", "endless");
    }, TICK_MS);
  }

  /** @param {string} message @param {string} kind */
  fail(message, kind = "internal") {
    for (const { reject } of this.waiting.values()) reject(new ShownError({ kind, message }));
    this.waiting.clear();
  }

  /** Ends the worker whatever it does, and begins a new one. */
  stop() {
    clearInterval(this.watch);
    this.worker.terminate();
    this.worker = this.begin();
  }

  /** Gives up what is under way. */
  cancel() {
    this.stop();
    for (const { reject } of this.waiting.values()) reject(new Superseded());
    this.waiting.clear();
  }

  /**
   * @param {string} kind @param {object} request
   * @param {(now: number, end: number) => void} [progress]
   * @returns {Promise<any>}
   */
  ask(kind, request, progress) {
    this.number += 1;
    const id = this.number;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, progress });
      this.worker.postMessage({ id, kind, request });
    });
  }

  /** The catalogue of algorithms, queues and the like. @returns {Promise<{ entries: Entry[], version: string }>} */
  catalogue() {
    return this.ask("catalogue", {});
  }

  /** A scenario's tree, its TOML and its drawing. @param {string} text @param {"toml" | "json"} format @returns {Promise<ReadScenario>} */
  read(text, format) {
    return this.ask("read", { text, format });
  }

  /**
   * Runs a scenario. A later run supersedes it.
   * @param {Tree} tree
   * @param {{ source?: string | null, tables?: string[], since?: number, until?: number | null, digest?: boolean,
   *   progress?: (now: number, end: number) => void }} [options]
   * @returns {Promise<Results>}
   */
  run(tree, { source = null, tables = TABLES, since = 0, until = null, digest = false, progress } = {}) {
    const scenario = JSON.stringify(tree);
    return this.ask("run", { scenario, source, tables, since, until, digest }, progress);
  }
}
