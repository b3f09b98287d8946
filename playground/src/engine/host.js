// Congestion controllers written in the page: the objects that the simulator calls by number.
import { AlgorithmError } from "./errors.js";

/** The names of an acknowledgment's facts, in the order of `facts_of` in crates/ackclock-web/src/controller.rs. */
const ACK = [
  "now", "acks", "delivered", "lost", "ce_marked", "in_flight", "rtt", "srtt", "min_rtt", "round", "suspended",
  "advanced", "window_limited", "may_grow", "recovering",
];
const RATE = ["rate", "app_limited", "interval", "delivered", "prior_delivered", "lost", "tx_in_flight"];
const LOSS = ["tx_in_flight", "lost", "app_limited"];
const FLAGS = new Set(["suspended", "advanced", "window_limited", "may_grow", "recovering", "app_limited"]);
const SIGNALS = ["loss", "ecn", "timeout"];

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
    throw asAlgorithmError(error);
  }
}

/** Numbers are never used twice, also not by later hosts: a controller of an earlier run releases nothing of a later one. */
let next = 0;

/** @param {Float64Array} facts @param {number} from @param {string[]} names */
function record(facts, from, names) {
  /** @type {Record<string, unknown>} */
  const object = {};
  names.forEach((name, index) => {
    const value = facts[from + index];
    object[name] = FLAGS.has(name) ? value !== 0 : value;
  });
  return object;
}

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
  make(_name, [initial_window, initial_ssthresh, restart_window]) {
    return this.guarded(() => {
      const object = new this.algorithm({ initial_window, initial_ssthresh, restart_window });
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

  /** @param {number} of @param {Float64Array} facts */
  ack(of, facts) {
    const ack = record(facts, 0, ACK);
    if (Number.isNaN(ack.rtt)) ack.rtt = null;
    ack.rate = Number.isNaN(facts[15]) ? null : record(facts, 15, RATE);
    ack.loss = Number.isNaN(facts[22]) ? null : record(facts, 22, LOSS);
    this.guarded(() => this.objects.get(of).on_ack(ack));
  }

  /** @param {number} of @param {Float64Array} facts */
  congestion(of, [now, signal, flight, restart, repeated]) {
    const event = { now, signal: SIGNALS[signal], flight, restart: restart !== 0, repeated: repeated !== 0 };
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
}
