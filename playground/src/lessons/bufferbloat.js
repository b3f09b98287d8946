import { dumbbell, percent, use, waiting } from "./lesson.js";

/** @type {import("./lesson.js").Lesson} */
export const bufferbloat = {
  key: "bufferbloat",
  title: "Bufferbloat: too much of a good thing",
  text: [
    "A home router with 5 Mbit/s and a buffer of 500 packets. CUBIC fills any buffer that it finds: a game during the upload waits for everything in the queue.",
  ],
  question: "Shrink the buffer until packets wait less than 30 ms in the mean, but keep the link in use for 98 % of the time.",
  hint: "At 5 Mbit/s a packet of 1500 bytes takes 2.4 ms. How many packets are 30 ms?",
  answer: "A full drop-tail buffer is delay and nothing else. Sized by the path, it costs no goodput. But a buffer has one size, and paths and rates differ: that is what active queue management is for, in lesson 8.",
  source: "Gettys and Nichols, 2011",
  tree: {
    name: "bufferbloat", title: "An upload over a home router", duration: "40 s", warm_up: "5 s",
    topology: dumbbell(1, { rate: "5 Mbit/s", delay: "14 ms", buffer: "500 packets" }),
    tcp: { segments_per_ack: 1, algorithm: "cubic" },
    flow: [{ name: "upload" }],
    trace: { interval: "50 ms" },
  },
  controls: [{ path: "topology.dumbbell.bottleneck.buffer", label: "Buffer", writes: "{} packets", min: 1, max: 500, log: true, whole: true }],
  charts: ["rtt", "queue", "goodput"],
  check(results) {
    const [share, wait] = [use(results), waiting(results)];
    const says = `Packets wait ${wait.toFixed(0)} ms in the mean, the link is in use ${percent(share)} of the time.`;
    return { done: wait < 30 && share >= 0.98, says };
  },
  solution: { "topology.dumbbell.bottleneck.buffer": 13 },
};
