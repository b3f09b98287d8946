import { dumbbell, percent, use, waiting } from "./lesson.js";

/** @type {import("./lesson.js").Lesson} */
export const aqm = {
  key: "aqm",
  title: "Active queues: say no early",
  text: [
    "Four CUBIC flows fill a buffer of 400 packets at 20 Mbit/s. A queue need not wait until it is full to drop: CoDel drops when packets have waited longer than a target for a while, RED and PIE with a probability that grows with the queue.",
  ],
  question: "Choose a discipline with which packets wait less than 15 ms in the mean and the link is in use for 95 % of the time.",
  hint: "Every discipline in the list but the first watches the queue or the wait. Their defaults are those of the RFCs.",
  answer: "A good queue absorbs bursts and is short otherwise. CoDel goes by the time that packets wait, so that it needs no setting for the rate of the link; FQ-CoDel also separates flows.",
  source: "RFC 8289, RFC 8290, RFC 8033, RFC 2309",
  tree: {
    name: "aqm", title: "Four CUBIC flows and their queue", duration: "40 s", warm_up: "5 s",
    topology: dumbbell(4, { rate: "20 Mbit/s", delay: "19 ms", buffer: "400 packets", queue: "droptail" }),
    tcp: { segments_per_ack: 1, algorithm: "cubic" },
    flow: [{ name: "cubic", count: 4, start_jitter: "1 s" }],
    trace: { interval: "50 ms" },
  },
  controls: [
    { path: "topology.dumbbell.bottleneck.queue", label: "Discipline", writes: "", choices: [["droptail", "drop-tail"], ["red(min=20,max=60)", "RED"], ["pie", "PIE"], ["codel", "CoDel"], ["fq-codel", "FQ-CoDel"]] },
  ],
  charts: ["rtt", "queue", "goodput", "drops"],
  check(results) {
    const [share, wait] = [use(results), waiting(results)];
    return { done: wait < 15 && share >= 0.95, says: `Packets wait ${wait.toFixed(1)} ms in the mean, the link is in use ${percent(share)} of the time.` };
  },
  solution: { "topology.dumbbell.bottleneck.queue": "codel" },
};
