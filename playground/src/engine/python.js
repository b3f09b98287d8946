// Algorithms in Python: the interpreter Pyodide, loaded with the first of them, and classes as the host calls them.
import { AlgorithmError } from "./errors.js";

/** A copy next to the pages comes first, so that Python works without a network where there is one. */
const LOCAL = new URL("../../vendor/pyodide/", import.meta.url).href;
const PUBLISHED = "https://cdn.jsdelivr.net/pyodide/v314.0.7/full/";

/** Whether a source is Python: a class whose line ends in a colon. @param {string} source */
export const isPython = (source) => /^class\s+\w+[^{\n]*:\s*(#.*)?$/m.test(source);

/** @type {Promise<any> | null} */
let interpreter = null;

/** @param {string[]} places */
async function load(places) {
  for (const folder of places) {
    try {
      const { loadPyodide } = await import(`${folder}pyodide.mjs`);
      return await loadPyodide({ indexURL: folder });
    } catch {
      // The next place may have it.
    }
  }
  interpreter = null;
  throw new AlgorithmError(
    "Python's interpreter (Pyodide, 13 MB) could not be loaded: there is no copy in vendor/pyodide next to this page, and cdn.jsdelivr.net does not answer. JavaScript needs no network",
  );
}

/** The line of the source and the last line of a traceback. @param {unknown} error */
function asAlgorithmError(error) {
  const text = error instanceof Error ? error.message : String(error);
  const lines = [...text.matchAll(/File "<exec>", line (\d+)/g)];
  const line = lines.length ? Number(lines[lines.length - 1][1]) : null;
  return new AlgorithmError(text.trim().split("\n").at(-1) ?? text, line);
}

/** @template T @param {() => T} act @returns {T} */
function guarded(act) {
  try {
    return act();
  } catch (error) {
    throw asAlgorithmError(error);
  }
}

/** Python's None is undefined here; null would be another value. @param {Record<string, unknown>} facts */
function withNone(facts) {
  for (const [name, value] of Object.entries(facts)) if (value === null) facts[name] = undefined;
  return facts;
}

/**
 * The interpreter, once it is loaded. @param {string[]} places where it may be
 * @returns {Promise<any>}
 */
export const loaded = (places = [LOCAL, PUBLISHED]) => (interpreter ??= load(places));

/**
 * What else the host looks for: a window, a need, the method that takes an event.
 * @param {any} inner @param {string | symbol} name
 */
function attribute(inner, name) {
  const value = guarded(() => inner[name]);
  return typeof value === "function" ? (/** @type {unknown[]} */ ...facts) => guarded(() => value(...facts)) : value;
}

/**
 * A class for the host around the last class that a source text declares.
 * @param {string} source @param {string[]} [places] where the interpreter may be
 */
export async function pythonClass(source, places) {
  const python = await loaded(places);
  const scope = python.toPy({});
  guarded(() => python.runPython(source, { globals: scope, filename: "<exec>" }));
  const name = [...source.matchAll(/^class\s+(\w+)/gm)].at(-1)?.[1] ?? "";
  const made = scope.get(name);
  const deepcopy = python.pyimport("copy").deepcopy;

  class Algorithm {
    /** @type {any} */ inner;
    /** @type {Record<string, any>} */ methods = {};

    /** @param {any} start */
    constructor(start) {
      return this.adopt(guarded(() => made(start)));
    }

    /** Methods are fetched once: each fetch makes an object. @param {any} inner */
    adopt(inner) {
      this.inner = inner;
      this.methods = { on_ack: inner.on_ack, on_congestion: inner.on_congestion };
      if (!this.methods.on_ack) throw new AlgorithmError("the class has no method on_ack(self, ack)");
      if (!this.methods.on_congestion) throw new AlgorithmError("the class has no method on_congestion(self, event)");
      return new Proxy(this, { get: (target, name) => (name in target ? Reflect.get(target, name) : attribute(inner, name)) });
    }

    /** @param {any} ack */
    on_ack(ack) {
      guarded(() => this.methods.on_ack(withNone(ack)));
    }

    /** @param {any} event */
    on_congestion(event) {
      guarded(() => this.methods.on_congestion(withNone(event)));
    }

    observe() {
      const gauges = guarded(() => this.inner.observe?.());
      return gauges ? gauges.toJs({ dict_converter: Object.fromEntries }) : {};
    }

    duplicate() {
      return Object.create(Algorithm.prototype).adopt(guarded(() => deepcopy(this.inner)));
    }

    release() {
      for (const method of Object.values(this.methods)) method.destroy();
      this.inner.destroy();
    }
  }

  return Algorithm;
}
