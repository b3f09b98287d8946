// From the tables of a run to charts.
import { marks } from "./events.js";
import { peopleCharts } from "./people.js";
import { digits, seconds } from "./quantity.js";

/** @typedef {import("../types").Results} Results */
/** @typedef {import("../types").Table} Table */
/** @typedef {import("../types").Chart} Chart */

/** The style sheet has this many colours for flows, which people with colour-blindness tell apart (Okabe, Ito; and some more). */
const COLOURS = 10;

/** The colour of a number, as the style sheet knows it. @param {number} index */
export const colour = (index) => `var(--flow-${index % COLOURS})`;

/** @param {number} value */
const known = (value) => (Number.isFinite(value) ? value : null);

/**
 * A table of flows or links over time as a column for each number, with a value for each sample of the run, in the order of the
 * numbers. A flow has none while it does not live.
 * @param {Record<string, Table>} tables @param {"flow" | "link"} key @param {string} column @param {number} factor
 */
function byNumber(tables, key, column, factor = 1) {
  const times = /** @type {number[]} */ (Array.from(tables.network_series.time_s));
  const table = tables[`${key}_series`];
  /** @type {Map<number, (number | null)[]>} */
  const columns = new Map();
  for (let row = 0, sample = 0; row < table.time_s.length; row += 1) {
    while (times[sample] < table.time_s[row]) sample += 1;
    let values = columns.get(table[key][row]);
    if (!values) columns.set(table[key][row], (values = new Array(times.length).fill(null)));
    values[sample] = known(table[column][row] * factor);
  }
  return { times, columns: new Map([...columns].sort(([one], [other]) => one - other)) };
}

/**
 * The link direction with the longest mean queue: where things happen.
 * @param {Table} links
 */
export function busiest(links) {
  let best = 0;
  for (let row = 0; row < links.name.length; row += 1) {
    const better = links.mean_queue_packets[row] - links.mean_queue_packets[best];
    if (better > 0 || (better === 0 && links.utilisation[row] > links.utilisation[best])) best = row;
  }
  return best;
}

/**
 * The charts of a run.
 * @param {Results} results
 * @param {number} link the number of the link direction whose queue is shown
 * @param {(flow: number) => number} colourOf the number of a flow's colour
 * @returns {Chart[]}
 */
export function charts(results, link, colourOf) {
  const { tables } = results;
  const { flows, flow_series: flowSeries, network_series: network } = tables;
  const names = flows.name;
  const each = (flowSeries?.time_s.length ?? 0) > 0;
  /** @param {string} column @param {number} factor */
  const perFlow = (column, factor) => {
    const { times, columns } = byNumber(tables, "flow", column, factor);
    const series = [...columns].map(([flow, values]) => ({ label: names[flow], colour: colour(colourOf(flow)), values }));
    return { times, series };
  };
  /** @param {string} column @param {number} factor @param {string} label */
  const together = (column, factor, label) => ({
    times: /** @type {number[]} */ (Array.from(network.time_s)),
    series: [{ label, colour: colour(0), values: Array.from(network[column], (/** @type {number} */ value) => known(value * factor)) }],
  });
  return [
    ...peopleCharts(tables, (flow) => colour(colourOf(flow)), colour),
    {
      key: "cwnd", title: "Congestion window", unit: "packets",
      ...(each ? perFlow("cwnd_packets", 1) : together("mean_cwnd_packets", 1, "mean of active flows")),
      marks: marks(results, (flow) => colour(colourOf(flow))),
    },
    {
      key: "rtt", title: "Round-trip time", unit: "ms",
      ...(each ? perFlow("rtt_s", 1e3) : together("mean_srtt_s", 1e3, "mean of active flows")),
    },
    withCapacity({
      key: "goodput", title: "Goodput", unit: "Mbit/s",
      ...(each ? perFlow("goodput_bit_per_s", 1e-6) : together("goodput_bit_per_s", 1e-6, "all flows")),
    }, tables, link),
    ...linkCharts(tables, link),
  ];
}

/** A link this many times faster than what goes over it is named and not drawn: its line would press the others flat. */
const FAR_ABOVE = 5;

/** A chart of rates with the rate of the link, where that is one in bits. @param {Chart} chart @param {Record<string, Table>} tables @param {number} link @returns {Chart} */
function withCapacity(chart, tables, link) {
  const { links } = tables;
  const { columns } = byNumber(tables, "link", "capacity_bit_per_s", 1e-6);
  const values = columns.get(link) ?? [];
  if (!values.some((value) => value !== null)) return chart;
  const highest = (/** @type {(number | null)[]} */ all) => all.reduce((/** @type {number} */ top, value) => Math.max(top, value ?? 0), 0);
  const [own, limit] = [Math.max(...chart.series.map((one) => highest(one.values))), highest(values)];
  if (own > 0 && limit > FAR_ABOVE * own) return { ...chart, unit: `${chart.unit}; ${links.name[link]} carries ${digits(limit)}` };
  return { ...chart, series: [...chart.series, { label: `rate of ${links.name[link]}`, colour: "var(--muted)", dash: [2, 4], values }] };
}

/** @param {Record<string, Table>} tables @param {number} link @returns {Chart[]} */
function linkCharts(tables, link) {
  const name = tables.links.name[link] ?? "";
  const queue = byNumber(tables, "link", "queue_packets");
  const drops = byNumber(tables, "link", "drops");
  const [first, second] = drops.times;
  return [
    {
      key: "queue", title: `Queue at ${name}`, unit: "packets", times: queue.times,
      series: [{ label: "queue", colour: colour(2), values: queue.columns.get(link) ?? [] }],
    },
    {
      key: "drops", title: `Drops at ${name}`, unit: `packets in ${seconds(second - first)}`, times: drops.times,
      series: [{ label: "drops", colour: colour(8), values: drops.columns.get(link) ?? [], bars: true }],
    },
  ];
}

/**
 * The payload of all flows from the end of the warm-up on, over the time from there to the end: the span of the links' numbers.
 * @param {Table} flows @param {number} warmUpS @param {number} finishedAtS
 */
export function goodputTogether(flows, warmUpS, finishedAtS) {
  let bits = 0;
  for (let row = 0; row < flows.name.length; row += 1) {
    const own = flows.goodput_bit_per_s[row] * flows.measured_s[row];
    if (Number.isFinite(own)) bits += own;
  }
  return bits / (finishedAtS - warmUpS);
}

/** Jain's index of fairness. @param {number[]} rates */
export function fairness(rates) {
  const sum = rates.reduce((total, rate) => total + rate, 0);
  const squares = rates.reduce((total, rate) => total + rate * rate, 0);
  return squares > 0 ? (sum * sum) / (rates.length * squares) : NaN;
}
