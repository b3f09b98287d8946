import { dumbbell, goodputs, percent } from "./lesson.js";

/** @type {import("./lesson.js").Lesson} */
export const delayOrLoss = {
  key: "delay-or-loss",
  title: "By delay or by loss: who gives way",
  text: [
    "Vegas keeps a few packets in the queue and steps back when the round trip grows. Reno steps back when a packet is lost. Alone, Vegas is the better neighbour: no loss, a short queue.",
    "Here they share 10 Mbit/s.",
  ],
  question: "Choose the buffer so that Vegas gets at least 40 % of the goodput.",
  hint: "Vegas yields to every packet that Reno can put into the queue.",
  answer: "In a large buffer Reno fills the queue long before it loses a packet, and Vegas yields. Only where the buffer holds hardly more than what Vegas wants there do the two have the same signal. That is why delay-based algorithms that share links with others carry a second, competitive mode, as Copa does.",
  source: "Brakmo and Peterson, 1995; Mo, La, Anantharam and Walrand, 1999",
  tree: {
    name: "delay-or-loss", title: "Vegas beside Reno", duration: "60 s", warm_up: "10 s",
    topology: dumbbell(2, { rate: "10 Mbit/s", delay: "19 ms", buffer: "100 packets" }, "0.5 ms"),
    tcp: { segments_per_ack: 1 },
    flow: [{ name: "vegas", algorithm: "rack+vegas" }, { name: "reno", algorithm: "rack+reno", start_jitter: "500 ms" }],
    trace: { interval: "100 ms" },
  },
  controls: [{ path: "topology.dumbbell.bottleneck.buffer", label: "Buffer", writes: "{} packets", min: 2, max: 200, log: true, whole: true }],
  charts: ["cwnd", "goodput", "queue"],
  check(results) {
    const [vegas, reno] = goodputs(results);
    const share = vegas / (vegas + reno);
    return { done: share >= 0.4, says: `Vegas gets ${percent(share)} of the goodput.` };
  },
  solution: { "topology.dumbbell.bottleneck.buffer": 6 },
};
