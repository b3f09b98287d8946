// Packets on their way, from the arrivals at the far ends of links: for each link that a packet crossed, the time at which it
// came to the link's queue, and the time at which it left the link.

/** @typedef {import("../types").Table} Table */

/**
 * @typedef {object} Hop
 * @property {string} link
 * @property {number} flow
 * @property {string} kind "data", "ack" and the like
 * @property {number} number the sequence or the acknowledgment number
 * @property {number} from when it came to the queue
 * @property {number} start when its transmission began
 * @property {number} to when it arrived at the far end
 */

/** @param {string} link @returns {[string, string]} */
export const ends = (link) => /** @type {[string, string]} */ (link.split("->"));

/** The name of a packet at a node: packets of one name keep their order. @param {number} flow @param {string} kind @param {number} number @param {string} node */
const key = (flow, kind, number, node) => `${flow} ${kind} ${number} ${node}`;

/**
 * The hops of captured packets, in the order of arrival. What a packet takes on an empty link is the least that any took;
 * on the first link of its way, where no earlier arrival is known, that of the way back.
 * @param {Table} packets @param {{ time: number, link: string, flow: number, number: number }[]} drops @param {string[]} names of links by their numbers
 * @returns {Hop[]}
 */
export function hops(packets, drops, names) {
  /** When packets came to each node that have not left it. @type {Map<string, number[]>} */
  const there = new Map();
  /** @type {Map<string, number>} */
  const least = new Map();
  /** @type {Hop[]} */
  const all = [];
  let dropped = 0;
  for (let row = 0; row < packets.time_s.length; row += 1) {
    const time = packets.time_s[row];
    for (; dropped < drops.length && drops[dropped].time < time; dropped += 1) {
      const { flow, number, link } = drops[dropped];
      there.get(key(flow, "data", number, ends(link)[0]))?.pop();
    }
    const link = names[packets.link[row]];
    const [from, to] = ends(link);
    const [flow, kind] = [packets.flow[row], packets.kind[row]];
    const number = kind === "ack" ? packets.acknowledgment[row] : packets.sequence[row];
    const before = there.get(key(flow, kind, number, from))?.shift();
    const here = key(flow, kind, number, to);
    if (!there.has(here)) there.set(here, []);
    there.get(here)?.push(time);
    if (before !== undefined) least.set(link, Math.min(least.get(link) ?? Infinity, time - before));
    all.push({ link, flow, kind, number, from: before ?? NaN, start: NaN, to: time });
  }
  for (const hop of all) {
    const [from, to] = ends(hop.link);
    hop.start = hop.to - (least.get(hop.link) ?? least.get(`${to}->${from}`) ?? 0.001);
    if (Number.isNaN(hop.from)) hop.from = hop.start;
  }
  return all;
}

/**
 * The hops that are under way at a time.
 * @param {Hop[]} all @param {number} time
 */
export function underWay(all, time) {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (all[middle].to < time) low = middle + 1;
    else high = middle;
  }
  const found = [];
  // Nothing is longer on a link than what the captured time holds; beyond that nobody looks.
  for (let row = low; row < all.length && all[row].to < time + LONGEST; row += 1) if (all[row].from <= time) found.push(all[row]);
  return found;
}

/** Seconds that a packet may wait and travel on one link, to be drawn. */
export const LONGEST = 3;
