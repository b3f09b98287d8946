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

/** This many ticks may an own algorithm compute without an answer: eight seconds, or half a second where a later run waits for it. */
const TICK_MS = 100;
const MOST_TICKS = 80;
const OVERTAKEN_TICKS = 5;

/**
 * @typedef {object} Asked
 * @property {{ id: number, kind: string, request: object }} message
 * @property {(answer: any) => void} resolve
 * @property {(error: Error) => void} reject
 * @property {(now: number, end: number) => void} [progress]
 * @property {boolean} [isWatched] whether it is an own algorithm that has begun
 */

/** The tables that charts and numbers are made from. */
export const TABLES = ["flows", "links", "flow_series", "link_series", "network_series", "drops", "flow_events"];

/** One worker, which does one thing at a time. */
export class Engine {
  constructor() {
    /** @type {Map<number, Asked>} */
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

  /** @param {any} data @param {Asked} asked */
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
      const isOvertaken = this.runs().some(({ isWatched }) => !isWatched);
      if (ticks >= (isOvertaken ? OVERTAKEN_TICKS : MOST_TICKS)) this.endSilent(isOvertaken);
    }, TICK_MS);
  }

  /** The runs that are asked for and not answered, from the earliest. */
  runs() {
    return [...this.waiting.values()].filter(({ message }) => message.kind === "run");
  }

  /** Ends the runs that have begun. The last of them has no end, unless a later run takes its place. @param {boolean} isOvertaken */
  endSilent(isOvertaken) {
    const last = this.runs().findLast(({ isWatched }) => isWatched);
    const endless = { kind: "endless", message: "no answer for 8 seconds: is there a loop without an end? It was stopped" };
    this.restart((asked) => {
      if (!asked.isWatched) return null;
      return asked === last && !isOvertaken ? new ShownError(endless) : new Superseded();
    });
  }

  /** @param {string} message */
  fail(message) {
    for (const { reject } of this.waiting.values()) reject(new ShownError({ kind: "internal", message }));
    this.waiting.clear();
  }

  /**
   * Ends the worker whatever it does, and asks a new one for what has no error now.
   * @param {(asked: Asked) => Error | null} errorOf
   */
  restart(errorOf) {
    clearInterval(this.watch);
    this.worker.terminate();
    this.worker = this.begin();
    for (const [id, asked] of this.waiting) {
      const error = errorOf(asked);
      if (error === null) this.worker.postMessage(asked.message);
      else if (this.waiting.delete(id)) asked.reject(error);
    }
  }

  /** Gives up the runs under way. */
  cancel() {
    this.restart(({ message }) => (message.kind === "run" ? new Superseded() : null));
  }

  /**
   * @param {string} kind @param {object} request
   * @param {(now: number, end: number) => void} [progress]
   * @returns {Promise<any>}
   */
  ask(kind, request, progress) {
    this.number += 1;
    const message = { id: this.number, kind, request };
    return new Promise((resolve, reject) => {
      this.waiting.set(message.id, { message, resolve, reject, progress });
      this.worker.postMessage(message);
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
