// Algorithms in Python: the interpreter Pyodide, and classes as the host calls them.
import { AlgorithmError } from "./errors.js";

/** Whether a source is Python: a class whose line ends in a colon. @param {string} source */
export const isPython = (source) => /^class\s+\w+[^{\n]*:\s*(#.*)?$/m.test(source);

/**
 * The interpreter from the contents of its files. What it fetches while it begins is handed to it.
 * @param {Record<string, ArrayBuffer>} files @returns {Promise<any>}
 */
export async function interpreterOf(files) {
  /** @param {string} name */
  const module = (name) => import(URL.createObjectURL(new Blob([files[name]], { type: "text/javascript" })));
  const { default: createPyodideModule } = await module("pyodide.asm.mjs");
  const { loadPyodide } = await module("pyodide.mjs");
  const lockFileContents = JSON.parse(new TextDecoder().decode(files["pyodide-lock.json"]));
  globalThis.fetch = async (address) => {
    const name = String(address).split("/").at(-1) ?? "";
    if (!(name in files)) throw new TypeError(`${name} cannot be fetched here`);
    return new Response(files[name], { headers: { "content-type": name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream" } });
  };
  return loadPyodide({ indexURL: "https://pyodide.invalid/", lockFileContents, createPyodideModule });
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
 * What else the host looks for: a window, a need, the method that takes an event.
 * @param {any} inner @param {string | symbol} name
 */
function attribute(inner, name) {
  const value = guarded(() => inner[name]);
  return typeof value === "function" ? (/** @type {unknown[]} */ ...facts) => guarded(() => value(...facts)) : value;
}

/**
 * A class for the host around the last class that a source text declares.
 * @param {string} source @param {any} python the interpreter
 */
export function pythonClass(source, python) {
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
