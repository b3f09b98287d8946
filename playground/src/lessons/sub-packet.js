import { fairness } from "../scenario/series.js";
import { dumbbell } from "./lesson.js";

/** @type {import("./lesson.js").Lesson} */
export const subPacket = {
  key: "sub-packet",
  title: "Below one packet",
  text: [
    "Where many share a slow and distant link, a fair share can be less than one packet per round trip. TCP's window cannot go below one: what is left to it is to wait for timeouts, which double.",
    "Here are 1 Mbit/s and a round trip of 200 ms, which is 17 packets.",
  ],
  question: "How many flows make a fair share of half a packet per round trip? Look at how unequal they become.",
  hint: "17 packets shared by N flows.",
  answer: "With 34 flows there is half a packet for each. Some flows send on, others are silent for many seconds in repeated timeouts, and over short times fairness collapses. The paper calls it the sub-packet regime; the algorithm subpacket keeps windows below one packet, and paces.",
  source: "Chen, Iyengar, Subramanian and Ford (papers/sub_packet)",
  tree: {
    name: "sub-packet", title: "Many flows on a slow and distant link", duration: "60 s", warm_up: "20 s",
    topology: dumbbell(10, { rate: "1 Mbit/s", delay: "98 ms", buffer: "17 packets" }),
    tcp: { segments_per_ack: 1, algorithm: "sack", rto_min: "200 ms" },
    flow: [{ count: 4, start_jitter: "5 s" }],
    trace: { interval: "200 ms" },
  },
  controls: [{ path: "flow.0.count", label: "Flows", writes: "{}", min: 2, max: 80, log: true, whole: true }],
  charts: ["goodput", "cwnd", "queue"],
  check({ tables: { flows } }, tree) {
    const count = tree.flow[0].count;
    const share = 16.7 / count;
    const timeouts = Array.from(flows.timeouts).reduce((/** @type {number} */ sum, one) => sum + Number(one), 0);
    const equal = fairness(Array.from(flows.goodput_bit_per_s, Number));
    const says = `${count} flows: ${share.toFixed(2)} packets per round trip for each, ${timeouts} timeouts in a minute, fairness ${equal.toFixed(2)}.`;
    return { done: share > 0.45 && share < 0.56, says };
  },
  solution: { "flow.0.count": 34 },
};
