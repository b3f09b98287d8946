import { dumbbell } from "./lesson.js";

/** Seconds that a file takes with f = 30; the tests hold it. */
export const USUAL = 0.712;

/** @type {import("./lesson.js").Lesson} */
export const mice = {
  key: "mice",
  title: "Mice in a hurry: Burst TCP",
  text: [
    "Most files are short: over before slow start has found the rate of the path. Burst TCP grows in large steps at first, of (mice - cwnd) / f packets per round trip, and in smaller ones as the window comes near to mice, 32 packets.",
    "Users fetch files of 20 packets over 10 Mbit/s and 100 ms, and think for a second between them. A window begins with 2 packets.",
  ],
  question: "Lower f until a file takes less than 80 % of the time that it takes with f = 30, where Burst TCP adds one packet per round trip.",
  hint: "The time of a file is the number of its round trips, as long as nothing is lost.",
  answer: "A short file is a matter of round trips, not of the rate: whatever saves one or two of them is felt. Burst TCP saves them without a larger window for long flows. Its thesis asks what the bursts do to others when the link is loaded; papers/burst_tcp has that claim by claim.",
  source: "the Burst TCP thesis, 4.2 (papers/burst_tcp)",
  tree: {
    name: "mice", title: "Short files", duration: "60 s", warm_up: "2 s",
    topology: dumbbell(5, { rate: "10 Mbit/s", delay: "49 ms", buffer: "100 packets" }, "0.5 ms"),
    tcp: { segments_per_ack: 1, initial_window: "2 packets" },
    flow: [{ name: "user", count: 5, algorithm: "newreno+btcp(f=30)", size: { constant: "20 packets" }, think: { exponential: { mean: "1 s" } } }],
    trace: { interval: "100 ms" },
  },
  controls: [{ path: "flow.0.algorithm", label: "f", writes: "newreno+btcp(f={})", min: 1, max: 30, whole: true }],
  charts: ["cwnd", "goodput"],
  tables: ["transfer_classes"],
  check({ tables: { transfer_classes: classes } }) {
    const count = Array.from(classes.transfers, Number);
    const total = count.reduce((sum, one) => sum + one, 0);
    const mean = count.reduce((sum, one, row) => sum + (one > 0 ? one * classes.mean_time_s[row] : 0), 0) / total;
    return { done: mean < USUAL * 0.8, says: `A file takes ${(mean * 1e3).toFixed(0)} ms in the mean, ${(USUAL * 1e3).toFixed(0)} ms with f = 30.` };
  },
  solution: { "flow.0.algorithm": 4 },
};
