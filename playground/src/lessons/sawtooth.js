import { dumbbell, percent, use } from "./lesson.js";

/** @type {import("./lesson.js").Lesson} */
export const sawtooth = {
  key: "sawtooth",
  title: "The sawtooth, and why links have buffers",
  text: [
    "Reno adds a packet to its window with every round trip until the buffer overflows, then halves it. The window is a sawtooth.",
    "The path holds 33 packets without any queue: 10 Mbit/s times 40 ms. When the window falls below that, the link runs idle.",
  ],
  question: "How small can the buffer be so that the link is still in use for 99 % of the time?",
  hint: "At its top the window is the path and the buffer together. Half of that should still fill the path.",
  answer: "The window halves from path + buffer. That is at least the path if the buffer is as large as the path: one bandwidth-delay product, 33 packets here. Smaller buffers suffice for many flows, whose saws do not move together.",
  source: "Villamizar and Song, 1994; Appenzeller, Keslassy and McKeown, 2004",
  tree: {
    name: "sawtooth", title: "One Reno flow and its buffer", duration: "60 s", warm_up: "10 s",
    topology: dumbbell(1, { rate: "10 Mbit/s", delay: "19 ms", buffer: "5 packets" }, "0.5 ms"),
    tcp: { segments_per_ack: 1, algorithm: "rack+reno", initial_ssthresh: "30 packets" },
    flow: [{ name: "reno" }],
    trace: { interval: "50 ms" },
  },
  controls: [{ path: "topology.dumbbell.bottleneck.buffer", label: "Buffer", writes: "{} packets", min: 1, max: 120, whole: true }],
  charts: ["cwnd", "queue", "goodput"],
  check(results, tree) {
    const share = use(results);
    const buffer = parseInt(tree.topology.dumbbell.bottleneck.buffer, 10);
    if (share < 0.99) return { done: false, says: `The link is in use ${percent(share)} of the time.` };
    // The path holds 33 packets; what is above 40 is more than the sawtooth needs.
    if (buffer > 40) return { done: false, says: `In use ${percent(share)}, and the queue never empties. Less would do.` };
    return { done: true, says: `${buffer} packets keep the link in use ${percent(share)} of the time.` };
  },
  solution: { "topology.dumbbell.bottleneck.buffer": 34 },
};
