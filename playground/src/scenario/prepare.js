// What the page adds to a scenario so that there is something to draw. It is part of the scenario from then on, and of its digest.
import { parse, write } from "./quantity.js";
import { get, set } from "./tree.js";

/** @typedef {import("../types").Tree} Tree */

/** Samples that a series has at least, and flows above which they have no series of their own. */
const SAMPLES = 500;
const MANY_FLOWS = 60;

/** A round interval for samples of a run of this many seconds. @param {number} duration */
function interval(duration) {
  const wanted = duration / SAMPLES;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = [5, 2, 1].find((factor) => factor * power <= wanted * 1.0001) ?? 1;
  return write(step * power, "time");
}

/** @param {Tree} tree @param {number} flowCount */
export function prepared(tree, flowCount) {
  let result = tree;
  const duration = parse(tree.duration)?.value;
  if (get(tree, "trace.interval") === undefined && duration) {
    result = set(result, "trace.interval", interval(duration));
  }
  if (flowCount > MANY_FLOWS && get(tree, "trace.flows") === undefined) result = set(result, "trace.flows", false);
  return result;
}

/** The scenario that the page begins with. @type {Tree} */
export const BEGINNING = {
  name: "two-flows",
  title: "Two flows share 20 Mbit/s",
  description: "A flow is joined by another after five seconds, on a link of 20 Mbit/s with a round trip of 40 ms.",
  duration: "30 s",
  topology: {
    dumbbell: {
      pairs: 2,
      bottleneck: { rate: "20 Mbit/s", delay: "18 ms", buffer: "60 packets" },
      access: { rate: "1 Gbit/s", delay: "1 ms" },
    },
  },
  tcp: { segments_per_ack: 1 },
  flow: [
    { name: "first", algorithm: "cubic" },
    { name: "second", algorithm: "bbr3", start: "5 s" },
  ],
  trace: { interval: "50 ms" },
};
