import { goodputs } from "./lesson.js";

/** @param {string} from @param {string} to @param {string} delay @param {string} rate @param {string} buffer */
const link = (from, to, delay, rate = "1 Gbit/s", buffer = "1000 packets") => ({ from, to, rate, delay, buffer });

const send_overhead = { uniform: { from: "0 ms", to: "1 ms" } };

/** @type {import("./lesson.js").Lesson} */
export const roundTrips = {
  key: "round-trips",
  title: "Near and far: round-trip unfairness",
  text: [
    "Two Reno flows share a link of 10 Mbit/s. One comes from nearby, the other from far away. Both add one packet with every round trip of their own, so the near one grows faster.",
  ],
  question: "How far must the far sender be so that the near one gets three times its goodput?",
  hint: "Watch the slopes of the two windows as you drag. The ratio is not that of the delays: the queue, too, is part of both round trips.",
  answer: "The window grows by 1 per round trip, and it is sent once per round trip: the rate grows with the square of 1/RTT, and goodputs differ by about the ratio of the round trips to the power 1 to 2. CUBIC grows by the clock, to be less unfair.",
  source: "Floyd, 1991; Lakshman and Madhow, 1997",
  tree: {
    name: "round-trips", title: "A near and a far flow", duration: "120 s", warm_up: "10 s",
    topology: { graph: { link: [
      link("near", "left", "5 ms"), link("far", "left", "5 ms"),
      { ...link("left", "right", "5 ms", "10 Mbit/s", "20 packets") }, link("right", "home", "1 ms"),
    ] } },
    tcp: { segments_per_ack: 1, algorithm: "rack+reno" },
    // Packets leave hosts after a random time: two flows in step would lose by the phase of their packets, not by their rates.
    flow: ["near", "far"].map((name) => ({ name, from: name, to: "home", start_jitter: "500 ms", send_overhead })),
    trace: { interval: "200 ms" },
  },
  controls: [{ path: "topology.graph.link.1.delay", label: "Delay of the far sender", writes: "{} ms", min: 5, max: 150, whole: true }],
  charts: ["cwnd", "goodput", "rtt"],
  check(results) {
    const [near, far] = goodputs(results);
    const ratio = near / far;
    return { done: ratio > 2.6 && ratio < 3.4, says: `The near flow has ${near.toFixed(1)}, the far one ${far.toFixed(1)} Mbit/s: a ratio of ${ratio.toFixed(1)}.` };
  },
  solution: { "topology.graph.link.1.delay": 25 },
};
