import { percent } from "./lesson.js";

/** @typedef {import("../types").Results} Results */

/** @param {number[]} values */
const median = (values) => values.sort((one, other) => one - other)[Math.floor(values.length / 2)];

/** What the median user sees: the longest hang, the load time of half of all requested pages, and how many of them came. @param {Results} results @param {number} since */
export function seen({ tables: { users, pages } }, since) {
  const isAsked = (/** @type {number} */ row) => pages.start_s[row] >= since;
  const asked = Array.from(pages.start_s, (_, row) => row).filter(isAsked);
  // A page that never came took longer than any other.
  const times = asked.map((row) => (Number.isFinite(pages.finish_s[row]) && Number(pages.failed_objects[row]) === 0 ? pages.finish_s[row] - pages.start_s[row] : Infinity));
  return { hang: median(Array.from(users.longest_stall_s, Number)), load: median([...times]), share: times.filter(Number.isFinite).length / times.length };
}

/** @type {import("./lesson.js").Lesson} */
export const slowLink = {
  key: "slow-link",
  title: "A slow link: which gateway?",
  text: [
    "You run the link of a school: 512 kbit/s, a round trip of 200 ms, and 60 users who read the web. A page has some 60 kB; a user fetches it over up to four connections, and thinks for ten seconds before the next.",
    "The link is enough for 11 of them. All 60 at once have less than a packet per round trip for each connection, and whoever is unlucky sees nothing new for a minute: TCP waits for timers that double.",
  ],
  question: "Choose the gateway with which the median user's longest hang is below 40 s, while half of all pages still load within 40 s.",
  hint: "A queue that drops early is short, and loads pages fast for those whom it does not hit. What should a gateway know about a flow before it drops its packet?",
  answer: "CoDel and PIE load half of the pages a little sooner, and pay with hangs of a minute. The paper's service classes drop packets of flows that can recover from it, so that fewer run into doubled timers: 37 s instead of 44 s with drop-tail. A buffer of 1000 packets would cut the hangs to 16 s and make half of the pages take 80 s. No gateway makes this link fast; it decides how the waiting is spread.",
  source: "Chen, Iyengar, Subramanian and Ford (papers/sub_packet); docs/slow-link",
  tree: {
    name: "slow-link", title: "60 users behind 512 kbit/s", duration: "300 s", warm_up: "60 s",
    topology: {
      dumbbell: {
        pairs: 20, access: { rate: "100 Mbit/s", delay: "1 ms" },
        bottleneck: { rate: "512 kbit/s", delay: "98 ms", queue: "droptail", buffer: "43 packets", reverse: { queue: "droptail", buffer: "1000 packets" } },
      },
    },
    flow: [{
      name: "user", count: 60, size: { lognormal: { median: "2.84 packets", sigma: 1 } }, think: { exponential: { mean: "10 s" } }, start_jitter: "30 s",
      send_overhead: { uniform: { from: "0 ms", to: "5 ms" } }, pool: { connections: 4, objects: { uniform: { from: "0 objects", to: "15 objects" } } },
    }],
    trace: { interval: "1 s", flows: false },
  },
  controls: [
    { path: "topology.dumbbell.bottleneck.queue", label: "Gateway", writes: "", choices: [["droptail", "drop-tail"], ["codel", "CoDel"], ["pie", "PIE"], ["fq-codel", "FQ-CoDel"], ["protect", "retransmissions first"], ["classes", "service classes"]] },
  ],
  charts: ["queue", "drops", "goodput", "rtt"],
  tables: ["users", "pages"],
  check(results) {
    const { hang, load, share } = seen(results, 60);
    return { done: hang < 40 && load < 40, says: `The median user once sees nothing new for ${hang.toFixed(0)} s; half of all pages load within ${load.toFixed(0)} s, and ${percent(share)} of them come at all.` };
  },
  solution: { "topology.dumbbell.bottleneck.queue": "classes" },
};
