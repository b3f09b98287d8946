// What happened to flows, as marks on the charts.

/** @typedef {import("../types").Results} Results */
/** @typedef {import("../types").Mark} Mark */

/** The letter of each kind of event; the plain ones, of which there are many, have a tick alone. @type {Record<string, string>} */
const LETTERS = { "SYN sent again": "S", timeout: "T", "slow start left": "L", ProbeRTT: "P" };

/** The gauges of controllers that say when they probe for the round-trip time, and the value that says so. @type {Record<string, number>} */
const PROBING = { bbr1_state: 3, bbr3_state: 6 };

/**
 * The events of all flows, in order; what happened in the interval before a sample stands at the sample.
 * @param {Results} results @param {(flow: number) => string} colourOf @returns {Mark[]}
 */
export function marks({ tables }, colourOf) {
  const { flows, flow_events: events, gauges } = tables;
  /** @type {Mark[]} */
  const found = [];
  /** @param {number} time @param {number} flow @param {string} event @param {number} count */
  const add = (time, flow, event, count) =>
    found.push({ time, colour: colourOf(flow), letter: LETTERS[event] ?? "", text: `${flows.name[flow]}: ${event}${count > 1 ? ` × ${count}` : ""}` });
  for (let row = 0; row < (events?.time_s.length ?? 0); row += 1) add(events.time_s[row], events.flow[row], events.event[row], events.count[row]);
  /** @type {Map<number, boolean>} */
  const probing = new Map();
  for (let row = 0; row < (gauges?.time_s.length ?? 0); row += 1) {
    const value = PROBING[gauges.name[row]];
    if (value === undefined) continue;
    const flow = gauges.flow[row];
    const probes = gauges.value[row] === value;
    if (probes && !probing.get(flow)) add(gauges.time_s[row], flow, "ProbeRTT", 1);
    probing.set(flow, probes);
  }
  return found.sort((one, other) => one.time - other.time);
}

/** The letters that marks have, with their meanings. @param {Mark[]} shown */
export function meanings(shown) {
  const letters = new Set(shown.map(({ letter }) => letter));
  const named = Object.entries(LETTERS).filter(([, letter]) => letters.has(letter)).map(([event, letter]) => `${letter} ${event}`);
  return [...named, ...(letters.has("") ? ["▾ recovery"] : [])].join(" · ");
}
