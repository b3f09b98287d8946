import { dumbbell, goodputs } from "./lesson.js";

/** A random time in the sender, so that the two do not stay in step. */
const send_overhead = { uniform: { from: "0 ms", to: "0.3 ms" } };

/** @type {import("./lesson.js").Lesson} */
export const cubic = {
  key: "cubic",
  title: "CUBIC: growth by the clock",
  text: [
    "On a path of 100 Mbit/s and 200 ms, Reno needs minutes to come back from one loss: it has a thousand packets to regain, one per round trip. CUBIC grows along a cubic curve of time, and not slower than Reno would.",
    "The two share 50 Mbit/s here.",
  ],
  question: "At which delay does CUBIC begin to get more than twice the goodput of Reno? Find one where the ratio lies between 2 and 3.",
  hint: "With a short round trip CUBIC goes by Reno's rule, and they are nearly equal.",
  answer: "On short paths CUBIC follows Reno (RFC 9438, 4.3), and shares nearly equally. The longer the round trip, the more its clock outruns Reno's round trips. It was made so: by 2004, Reno could not use the links that there were.",
  source: "RFC 9438; Ha, Rhee and Xu, 2008",
  tree: {
    name: "cubic", title: "CUBIC beside Reno", duration: "120 s", warm_up: "20 s",
    topology: dumbbell(2, { rate: "50 Mbit/s", delay: "4 ms", buffer: "100 packets" }),
    tcp: { segments_per_ack: 1 },
    flow: [
      { name: "cubic", algorithm: "cubic", send_overhead },
      { name: "reno", algorithm: "rack+reno", start_jitter: "500 ms", send_overhead },
    ],
    trace: { interval: "200 ms" },
  },
  controls: [{ path: "topology.dumbbell.bottleneck.delay", label: "Delay of the link", writes: "{} ms", min: 1, max: 100, log: true, whole: true }],
  charts: ["cwnd", "goodput", "queue"],
  check(results) {
    const [one, other] = goodputs(results);
    const ratio = one / other;
    return { done: ratio >= 2 && ratio <= 3, says: `CUBIC has ${one.toFixed(1)}, Reno ${other.toFixed(1)} Mbit/s: a ratio of ${ratio.toFixed(1)}.` };
  },
  solution: { "topology.dumbbell.bottleneck.delay": 40 },
};
