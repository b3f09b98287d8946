// Two settings in one chart.
import uPlot from "uplot";

/** @typedef {import("../types").Chart} Chart */

/** The second setting is dashed. */
const DASH = [6, 4];

/**
 * A chart with the lines of another over it, at the times of both.
 * @param {Chart} chart @param {Chart} [other] @returns {Chart}
 */
export function overlaid(chart, other) {
  if (!other) return chart;
  /** @param {Chart} one @returns {any} */
  const columns = ({ times, series }) => [times, ...series.map(({ values }) => values)];
  const joined = uPlot.join([columns(chart), columns(other)]);
  const named = [...chart.series.map((one) => ({ ...one, name: one.label, label: `${one.label} A` })), ...other.series.map((one) => ({ ...one, name: one.label, label: `${one.label} B`, dash: DASH }))];
  const series = named.map((one, index) => ({ ...one, gaps: true, values: Array.from(joined[index + 1], (value) => value ?? null) }));
  return { ...chart, times: Array.from(joined[0]), series, marks: [...(chart.marks ?? []), ...(other.marks ?? [])] };
}
