import { dumbbell, goodputs } from "./lesson.js";

/** Pauses in milliseconds with which the bursts take a seventh of the link or less, and leave NewReno almost nothing; the tests hold it. */
export const RUINOUS = [900, 1050];

/** @type {import("./lesson.js").Lesson} */
export const lowRateAttack = {
  key: "low-rate-attack",
  title: "Attack and defence: bursts in step with a timer",
  text: [
    "An attacker sends datagrams at twice the rate of the link, for a tenth of a second, and pauses. On average that is little, and hard to notice. For a download over the same 10 Mbit/s it can be ruin.",
    "A sender that loses a whole window waits for its retransmission timer, at least a second, and then sends one packet. If that is lost too, the timer doubles.",
  ],
  question: "Attack: find a pause with which the bursts take no more than a seventh of the link, and NewReno gets less than half a megabit. Then defend: leave the pause, and choose a sender that keeps more than 4 Mbit/s.",
  hint: "The first retransmission should meet the next burst. The timer runs for a second; how long is a burst and its pause?",
  answer: "With a burst every second each retransmission meets one, and the doubled timers meet later ones: with a pause of 900 ms NewReno gets nothing, of a link that is mostly empty. RACK finds losses by the time that has passed since later packets arrived, and probes before the timer expires, so that the timer hardly counts: with it CUBIC keeps 5.2 Mbit/s in the same bursts, and BBR 3 keeps 6.6.",
  source: "Kuzmanovic and Knightly, SIGCOMM 2003; RFC 6298; RFC 8985; docs/attacks",
  tree: {
    name: "low-rate-attack", title: "A download and bursts of datagrams", duration: "60 s", warm_up: "5 s",
    topology: dumbbell(2, { rate: "10 Mbit/s", delay: "18 ms", buffer: "33 packets" }),
    tcp: { segments_per_ack: 1 },
    flow: [{ name: "download", algorithm: "newreno" }],
    udp: [{ name: "bursts", rate: "20 Mbit/s", start: "3 s", on: { constant: "100 ms" }, off: { constant: "1900 ms" } }],
    trace: { interval: "100 ms" },
  },
  controls: [
    { path: "udp.0.off.constant", label: "Pause after each burst", writes: "{} ms", min: 200, max: 2900, whole: true },
    { path: "flow.0.algorithm", label: "Sender", writes: "", choices: [["newreno", "NewReno"], ["sack+cubic", "CUBIC with SACK"], ["rack+cubic", "CUBIC with RACK"], ["bbr3", "BBR 3"]] },
  ],
  charts: ["goodput", "cwnd", "drops"],
  check(results, tree) {
    const [rate, bursts] = goodputs(results);
    const pause = parseFloat(tree.udp[0].off.constant);
    const [from, to] = RUINOUS;
    const says = `The download gets ${rate.toFixed(2)} Mbit/s and waits for its timer ${Number(results.tables.flows.timeouts[0])} times; the bursts take ${bursts.toFixed(1)} Mbit/s.`;
    return { done: tree.flow[0].algorithm !== "newreno" && pause >= from && pause <= to && rate > 4, says };
  },
  solution: { "udp.0.off.constant": 900, "flow.0.algorithm": "rack+cubic" },
};
