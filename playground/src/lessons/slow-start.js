import { dumbbell } from "./lesson.js";

/** @type {import("./lesson.js").Lesson} */
export const slowStart = {
  key: "slow-start",
  title: "Slow start: doubling in the dark",
  text: [
    "A sender that has just begun knows nothing of the path. It sends an initial window, waits for the acknowledgments, and for each of them sends two packets: the window doubles with every round trip.",
    "Here a file of 100 packets goes over a fast link with a round trip of 100 ms. Only the doubling takes time.",
  ],
  question: "What is the smallest initial window with which the file arrives within three round trips of data?",
  hint: "In three round trips a window w sends w, then 2w, then 4w packets.",
  answer: "w + 2w + 4w = 7w must be at least 100, so w = 15. RFC 6928 chose 10, with which such a file takes four round trips; halving a round trip helps a short file more than any rate.",
  source: "RFC 5681, 3.1; RFC 6928",
  tree: {
    name: "slow-start", title: "A file of 100 packets", duration: "2 s",
    topology: dumbbell(1, { rate: "1 Gbit/s", delay: "49 ms", buffer: "1000 packets" }, "0.5 ms"),
    tcp: { segments_per_ack: 1, algorithm: "rack+reno", initial_window: "4 packets" },
    flow: [{ name: "file", packets: 100 }],
    trace: { interval: "10 ms" },
  },
  controls: [{ path: "tcp.initial_window", label: "Initial window", writes: "{} packets", min: 1, max: 40, whole: true }],
  charts: ["cwnd", "goodput"],
  check({ tables: { flows } }, tree) {
    const rounds = Math.round((flows.finish_s[0] - flows.established_s[0]) / 0.1);
    const window = parseInt(tree.tcp.initial_window, 10);
    if (rounds > 3) return { done: false, says: `The file took ${rounds} round trips.` };
    // 7 w packets fit into three round trips, and 7 · 14 = 98 are too few.
    if (window > 15) return { done: false, says: `${rounds} round trips. Would a smaller window do as well?` };
    return { done: true, says: `Three round trips with ${window} packets.` };
  },
  solution: { "tcp.initial_window": 15 },
};
