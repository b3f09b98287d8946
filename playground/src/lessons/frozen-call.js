import { dumbbell, goodputs } from "./lesson.js";

/** @type {import("./lesson.js").Lesson} */
export const frozenCall = {
  key: "frozen-call",
  title: "Why your call froze",
  text: [
    "A video call runs over a home link of 4 Mbit/s. After ten seconds somebody starts a download, whose CUBIC fills whatever buffer the router has: 500 packets.",
    "The call's packets wait in the same queue. Its receiver holds a frame back for half a second at most; a frame that comes later is not shown.",
  ],
  question: "Shrink the buffer until the picture stands still for less than a second in all and is less than 300 ms late, but leave the download 3 Mbit/s.",
  hint: "At 4 Mbit/s a packet of 1500 bytes takes 3 ms. How many packets are half a second?",
  answer: "A full buffer of 167 packets is half a second of waiting, all that the receiver bears. With 250 the picture stands still for 29 s, as long as the queue is full; with 160 it freezes for 0.7 s, and is half a second late. What a call needs is a short queue, and its own congestion control cannot keep it short while a download fills it. FQ-CoDel gives each flow a queue of its own.",
  source: "RFC 8867, 5.6; RFC 8698; docs/calls",
  tree: {
    name: "frozen-call", title: "A call beside a download", duration: "40 s", warm_up: "5 s",
    topology: dumbbell(2, { rate: "4 Mbit/s", delay: "24 ms", buffer: "500 packets" }),
    tcp: { segments_per_ack: 1, algorithm: "rack+cubic" },
    flow: [{ name: "download", start: "10 s" }],
    call: [{ name: "call", algorithm: "nada" }],
    trace: { interval: "100 ms" },
  },
  controls: [{ path: "topology.dumbbell.bottleneck.buffer", label: "Buffer", writes: "{} packets", min: 5, max: 500, log: true, whole: true }],
  charts: ["goodput", "queue", "rtt"],
  tables: ["calls"],
  check(results) {
    const { stalls, stall_s: frozen, frame_delay_p95_s: late } = results.tables.calls;
    const [download] = goodputs(results);
    const stands = Number(stalls[0]) === 0 ? "The picture never freezes" : `The picture stands still for ${frozen[0].toFixed(1)} s in all`;
    const unseen = frozen[0] < 1 ? "" : " (later ones than half a second are not shown)";
    const says = `${stands}; 95 % of the frames shown are at most ${(late[0] * 1e3).toFixed(0)} ms late${unseen}, and the download has ${download.toFixed(1)} Mbit/s in its own 30 s.`;
    return { done: frozen[0] < 1 && late[0] < 0.3 && download >= 3, says };
  },
  solution: { "topology.dumbbell.bottleneck.buffer": 50 },
};
