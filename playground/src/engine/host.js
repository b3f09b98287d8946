// Congestion controllers written in the page: the objects that the simulator calls by number.
import { AlgorithmError } from "./errors.js";
import { strictly } from "./names.js";

/**
 * @typedef {"flag" | "number" | { oneOf: string[] } | { optional: Kind } | { record: [string, Kind][] }} Kind
 * A kind of fact, as the simulator declares it.
 * @typedef {(next: () => number) => any} Reader Reads a fact from its numbers, which come in the order of the declaration.
 */

/** @param {Kind} kind @param {string} of what has the fact, as an error says it @returns {Reader} */
function readerOf(kind, of) {
  if (kind === "flag") return (next) => next() !== 0;
  if (kind === "number") return (next) => next();
  if ("oneOf" in kind) return (next) => kind.oneOf[next()];
  if ("optional" in kind) {
    const inner = readerOf(kind.optional, of);
    return (next) => (next() === 0 ? null : inner(next));
  }
  const names = kind.record.map(([name]) => name);
  const readers = kind.record.map(([name, inner]) => readerOf(inner, `${of}.${name}`));
  // A literal with all names has its shape at once, and its prototype without a cost for each fact.
  const fields = names.map((name, index) => `${JSON.stringify(name)}: readers[${index}](next)`);
  return new Function("readers", "prototype", `return (next) => ({ __proto__: prototype, ${fields.join(", ")} });`)(readers, strictly(names, of));
}

/** @param {Reader} read @param {Float64Array} numbers */
function readFrom(read, numbers) {
  let at = 0;
  return read(() => numbers[at++]);
}

/** Lines that `new Function` puts before the source. */
const LINES_BEFORE = (() => {
  const stack = String(new Function("return new Error().stack")());
  const found = /<anonymous>:(\d+)/.exec(stack) ?? /Function:(\d+)/.exec(stack);
  return found ? Number(found[1]) - 1 : 0;
})();

/** The line of the source that an error's stack names. @param {unknown} error */
function lineOf(error) {
  const stack = error instanceof Error ? String(error.stack) : "";
  const found = /<anonymous>:(\d+):\d+\)?/.exec(stack) ?? /Function:(\d+):/.exec(stack);
  return found ? Math.max(1, Number(found[1]) - LINES_BEFORE) : null;
}

/** What no source has: a reader that comes to it says something of its own. */
const STRANGE = "1_";

/** The message of an error that a source makes as it is read, or null. @param {string} source */
function refusal(source) {
  try {
    new Function(`"use strict"; ${source}`);
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  return null;
}

/**
 * The line at which a source is no JavaScript. Engines that name none refuse it too as soon as its lines up to there are read: before
 * what is strange after them, or within a text or a comment that they leave open.
 * @param {string} source
 */
export function lineOfSyntaxError(source) {
  const lines = source.trimEnd().split("\n");
  const goesOn = [refusal(STRANGE), refusal(`\`${STRANGE}`), refusal("/*")];
  const illegal = refusal('"');
  /** @type {(text: string) => boolean} */
  const isWrong = refusal(source) === illegal
    // What is strange would hide a text that its line does not close; a comment of several lines is none.
    ? (text) => refusal(text) === illegal && refusal(`${text}\n*/`) === illegal
    : (text) => !goesOn.includes(refusal(`${text}\n${STRANGE}`));
  const wrong = lines.findIndex((_, index) => isWrong(lines.slice(0, index + 1).join("\n")));
  return wrong < 0 ? lines.length : wrong + 1;
}

/** @param {unknown} error */
function asAlgorithmError(error) {
  if (error instanceof AlgorithmError) return error;
  return new AlgorithmError(error instanceof Error ? `${error.name}: ${error.message}` : String(error), lineOf(error));
}

/**
 * The class that a source text declares: the last one, whatever its name.
 * @param {string} source
 */
export function classOf(source) {
  const names = [...source.matchAll(/^\s*class\s+([A-Za-z_$][\w$]*)/gm)].map((found) => found[1]);
  const name = names.at(-1);
  if (!name) throw new AlgorithmError("there is no class: write `class Mine { on_ack(ack) { … } }`");
  try {
    return new Function(`"use strict"; ${source}\nreturn ${name};`)();
  } catch (error) {
    if (error instanceof SyntaxError && refusal(source) !== null) {
      throw new AlgorithmError(`${error.name}: ${error.message}`, lineOfSyntaxError(source));
    }
    throw asAlgorithmError(error);
  }
}

/** Numbers are never used twice, also not by later hosts: a controller of an earlier run releases nothing of a later one. */
let next = 0;

/** @param {any} object @param {string} name */
function number(object, name) {
  const value = object[name];
  return typeof value === "function" ? value.call(object) : value;
}

/** What the simulator calls. */
export class Host {
  /** @param {any} algorithm the class */
  constructor(algorithm = null) {
    this.algorithm = algorithm;
    /** @type {Map<number, any>} */
    this.objects = new Map();
    /** @type {Record<string, Reader>} readers of a start, an acknowledgment and a congestion signal */
    this.read = {};
  }

  /** Takes the declared facts. @param {string} facts */
  declare(facts) {
    for (const [name, kind] of Object.entries(JSON.parse(facts))) this.read[name] = readerOf(kind, name === "congestion" ? "event" : name);
  }

  /** @template T @param {() => T} act @returns {T} */
  guarded(act) {
    try {
      return act();
    } catch (error) {
      throw asAlgorithmError(error);
    }
  }

  /** @param {any} object */
  keep(object) {
    next += 1;
    this.objects.set(next, object);
    return next;
  }

  /** @param {string} _name @param {Float64Array} start */
  make(_name, start) {
    return this.guarded(() => {
      const object = new this.algorithm(readFrom(this.read.start, start));
      if (typeof object.on_ack !== "function") throw new AlgorithmError("the class has no method on_ack(ack)");
      if (typeof object.on_congestion !== "function") {
        throw new AlgorithmError("the class has no method on_congestion(event)");
      }
      return this.keep(object);
    });
  }

  /** @param {number} of */
  copy(of) {
    const object = this.objects.get(of);
    if (typeof object.duplicate === "function") return this.guarded(() => this.keep(object.duplicate()));
    return this.guarded(() =>
      this.keep(Object.assign(Object.create(Object.getPrototypeOf(object)), structuredClone({ ...object }))),
    );
  }

  /** @param {number} of */
  release(of) {
    this.objects.get(of)?.release?.();
    this.objects.delete(of);
  }

  /** Whether a controller states a need. @param {number} of @param {string} name */
  needs(of, name) {
    return this.guarded(() => Boolean(this.objects.get(of)[name]));
  }

  /** @param {number} of @param {Float64Array} facts */
  ack(of, facts) {
    const ack = readFrom(this.read.ack, facts);
    this.guarded(() => this.objects.get(of).on_ack(ack));
  }

  /** @param {number} of @param {Float64Array} facts */
  congestion(of, facts) {
    const event = readFrom(this.read.congestion, facts);
    this.guarded(() => this.objects.get(of).on_congestion(event));
  }

  /** @param {number} of @param {string} name @param {Float64Array} facts */
  event(of, name, facts) {
    const object = this.objects.get(of);
    if (typeof object[name] === "function") this.guarded(() => object[name](...facts));
  }

  /** @param {number} of */
  cwnd(of) {
    const cwnd = this.guarded(() => number(this.objects.get(of), "cwnd"));
    if (!(Number.isFinite(cwnd) && cwnd > 0)) {
      throw new AlgorithmError(`cwnd is ${cwnd}; it must be a number of packets, finite and above zero`);
    }
    return cwnd;
  }

  /** @param {number} of */
  pacing_rate(of) {
    const rate = this.guarded(() => number(this.objects.get(of), "pacing_rate"));
    if (rate === null || rate === undefined || rate === Infinity) return NaN;
    if (!(rate > 0)) throw new AlgorithmError(`pacing_rate is ${rate}; it must be above zero, or null`);
    return rate;
  }

  /** @param {number} of */
  wake(of) {
    return this.guarded(() => number(this.objects.get(of), "wake")) ?? NaN;
  }

  /** @param {number} of */
  ssthresh(of) {
    return this.guarded(() => number(this.objects.get(of), "ssthresh")) ?? Infinity;
  }

  /** The gauges of a controller, names and numbers by turns. @param {number} of */
  observe(of) {
    const object = this.objects.get(of);
    if (typeof object.observe !== "function") return [];
    return this.guarded(() => Object.entries(object.observe())).flat();
  }
}
