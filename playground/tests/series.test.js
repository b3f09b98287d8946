// Charts of flows that begin late and end early: a value for each sample, and none while a flow does not live.
import assert from "node:assert/strict";
import { test } from "node:test";
import { charts, goodputTogether } from "../src/scenario/series.js";

const tables = {
  flows: { name: ["late", "early"], start_s: [2, 0], goodput_bit_per_s: [1, 1] },
  links: { name: ["link"], mean_queue_packets: [1], utilisation: [0.5] },
  network_series: { time_s: [0, 1, 2, 3, 4] },
  flow_series: { time_s: [0, 1, 2, 3], flow: [1, 1, 0, 0], cwnd_packets: [10, 20, 30, 40], rtt_s: [NaN, 1, NaN, 1], goodput_bit_per_s: [0, 1e6, 0, 2e6] },
  link_series: { time_s: [0, 1, 2, 3, 4], link: [0, 0, 0, 0, 0], capacity_bit_per_s: [NaN, 3e6, 3e6, 3e6, 3e6], queue_packets: [0, 1, 2, 3, 4], drops: [0, 0, 0, 0, 0] },
  flow_events: { time_s: [], flow: [], event: [], count: [] },
};

test("a flow has values at the times of its life, and flows have the order of their numbers", () => {
  const { times, series } = charts({ tables, finishedAtS: 4 }, 0, (flow) => flow).find(({ key }) => key === "cwnd");
  assert.deepEqual(times, [0, 1, 2, 3, 4]);
  assert.deepEqual(series.map(({ label, values }) => [label, values]), [
    ["late", [null, null, 30, 40, null]],
    ["early", [10, 20, null, null, null]],
  ]);
});

test("the rate of the link has a value where no flow lives", () => {
  const { series } = charts({ tables, finishedAtS: 4 }, 0, (flow) => flow).find(({ key }) => key === "goodput");
  assert.deepEqual(series[2].values, [null, 3, 3, 3, 3]);
});

test("the goodput of all flows has the span of the links' numbers", () => {
  // 3 Mbit/s in the 30 s of a download, 1 Mbit/s of a call in the 35 s that a warm-up of 5 s leaves; a third has not begun.
  const flows = { name: ["download", "call", "none"], goodput_bit_per_s: [3e6, 1e6, NaN], measured_s: [30, 35, NaN] };
  assert.equal(goodputTogether(flows, 5, 40), (3e6 * 30 + 1e6 * 35) / 35);
});
