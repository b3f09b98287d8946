import { digits } from "../scenario/quantity.js";
import { dumbbell, goodputs, percent } from "./lesson.js";

/** @type {import("./lesson.js").Lesson} */
export const bbr = {
  key: "bbr",
  title: "BBR: a model instead of a signal",
  text: [
    "CUBIC takes every loss for congestion. BBR measures the rate of delivery and the shortest round trip, and sends by that model; a loss matters only when there are many.",
    "A radio link of 20 Mbit/s, used by one flow, loses packets at random.",
  ],
  question: "Find a loss rate at which CUBIC gets less than a quarter of the link, then let BBR 3 use more than three quarters of the same link.",
  hint: "First leave the algorithm, and drag the loss until CUBIC is below 5 Mbit/s. Then change the algorithm and leave the loss.",
  answer: "CUBIC's rate falls with the loss rate to the power of 3/4, Reno's with its square root. BBR 3 lowers its rate only when more than 2 % of a round trip's packets are lost. What it makes good on radio links, it takes from others where losses do mean congestion.",
  source: "draft-ietf-ccwg-bbr, 5.5.10; RFC 9438, 5.2",
  tree: {
    name: "bbr", title: "One flow over a lossy link", duration: "40 s", warm_up: "5 s",
    topology: dumbbell(1, { rate: "20 Mbit/s", delay: "19 ms", buffer: "60 packets", loss: { bernoulli: 0.0001 } }),
    tcp: { segments_per_ack: 1 },
    flow: [{ name: "flow", algorithm: "cubic" }],
    trace: { interval: "50 ms" },
  },
  controls: [
    { path: "topology.dumbbell.bottleneck.loss", label: "Random loss", writes: "{} %", min: 0.01, max: 5, log: true },
    { path: "flow.0.algorithm", label: "Algorithm", writes: "", choices: [["cubic", "CUBIC"], ["bbr3", "BBR 3"], ["rack+reno", "Reno"]] },
  ],
  charts: ["cwnd", "goodput", "drops"],
  check(results, tree) {
    const [rate] = goodputs(results);
    const loss = tree.topology.dumbbell.bottleneck.loss.bernoulli;
    const share = rate / 20;
    const says = `${tree.flow[0].algorithm} gets ${rate.toFixed(1)} Mbit/s, ${percent(share)} of the link, with ${digits(loss * 100)} % of packets lost.`;
    // From 0.8 % on CUBIC is below a quarter of this link (the tests hold that).
    return { done: tree.flow[0].algorithm === "bbr3" && loss >= 0.008 && share > 0.75, says };
  },
  solution: { "topology.dumbbell.bottleneck.loss": 1, "flow.0.algorithm": "bbr3" },
};
