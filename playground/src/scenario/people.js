// Charts of what people see: the objects of a page, and the film that a viewer has.

/** @typedef {import("../types").Table} Table */
/** @typedef {import("../types").Chart} Chart */

/** Steps at some times as a column over all times, with nothing outside. @param {number[]} times @param {[number, number][]} steps */
function stepped(times, steps) {
  let next = 0;
  return times.map((time) => {
    while (next < steps.length && steps[next][0] <= time) next += 1;
    return next > 0 && (next < steps.length || time === steps[next - 1][0]) ? steps[next - 1][1] : null;
  });
}

/** The time of a jump, in seconds. */
const INSTANT = 1e-6;

/** Times of several columns, rising, each once. @param {number[][]} columns */
const joined = (columns) => [...new Set(columns.flat().filter(Number.isFinite))].sort((one, other) => one - other);

/**
 * The first page of the first user: a line for each object from its request to its end, in the colour of its connection.
 * @param {Table} objects @param {(index: number) => string} colour @returns {Chart}
 */
function waterfall(objects, colour) {
  const rows = Array.from(objects.user, (_, row) => row).filter((row) => objects.user[row] === objects.user[0] && Number(objects.page[row]) === 0);
  const end = Math.max(...rows.map((row) => objects.finish_s[row]).filter(Number.isFinite));
  const spans = rows.map((row) => [objects.request_s[row], Number.isFinite(objects.finish_s[row]) ? objects.finish_s[row] : end]);
  const times = joined([[objects.page_start_s[rows[0]]], ...spans]);
  const series = rows.map((row, place) => ({
    label: objects.name[row], colour: colour(Number(objects.connection[row])),
    values: times.map((time) => (time >= spans[place][0] && time <= spans[place][1] ? rows.length - place : null)),
  }));
  return { key: "waterfall", title: "A page", unit: "objects from request to end, the document on top", times, series };
}

/** Of each viewer, a column of the segments over time. @param {Table} segments @param {string[]} names @param {(flow: number) => string} colour @param {(row: number) => [number, number][]} of */
function byViewer(segments, names, colour, of) {
  const flows = [...new Set(segments.flow)];
  const steps = flows.map((flow) => Array.from(segments.flow, (_, row) => row).filter((row) => segments.flow[row] === flow).flatMap(of).filter(([time]) => Number.isFinite(time)));
  const times = joined(steps.map((own) => own.map(([time]) => time)));
  return { times, series: flows.map((flow, place) => ({ label: names[flow], colour: colour(flow), values: stepped(times, steps[place]) })) };
}

/**
 * The charts of pages and films, of the tables that are there.
 * @param {Record<string, Table>} tables @param {(flow: number) => string} colour @param {(index: number) => string} plain
 * @returns {Chart[]}
 */
export function peopleCharts({ objects, segments, flows }, colour, plain) {
  const charts = [];
  if (objects?.user?.length > 0) charts.push(waterfall(objects, plain));
  if (segments?.flow?.length > 0) {
    charts.push({
      key: "quality", title: "Quality of the film", unit: "Mbit/s",
      ...byViewer(segments, flows.name, colour, (row) => [[segments.request_s[row], segments.rate_bit_per_s[row] / 1e6], [segments.finish_s[row] - INSTANT, segments.rate_bit_per_s[row] / 1e6]]),
    }, {
      key: "buffer", title: "Film in the buffer", unit: "s",
      ...byViewer(segments, flows.name, colour, (row) => {
        const [request, finish, held] = [segments.request_s[row], segments.finish_s[row], segments.buffer_at_request_s[row]];
        return [[request, held], [finish - INSTANT, Math.max(0, held - (finish - request))], [finish, segments.buffer_s[row]]];
      }),
    });
  }
  return charts;
}

/** The further tables that a scenario's people have. @param {any} tree */
export function tablesOfPeople({ flow = [], trace = {} }) {
  const has = (/** @type {string} */ key) => flow.some((/** @type {any} */ group) => group[key] !== undefined);
  return [...(has("page") && trace.transfers !== false ? ["objects"] : []), ...(has("film") ? ["segments"] : [])];
}
