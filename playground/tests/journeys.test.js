// The hops of packets, from a capture worked out by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hops, underWay } from "../src/scenario/journeys.js";

const NAMES = ["a->b", "b->c", "c->b"];

/** @param {[number, number, string, number][]} rows time, link, kind, number */
const capture = (rows) => ({
  time_s: rows.map(([time]) => time),
  link: rows.map(([, link]) => link),
  flow: rows.map(() => 0),
  kind: rows.map(([, , kind]) => kind),
  sequence: rows.map(([, , kind, number]) => (kind === "data" ? number : 0)),
  acknowledgment: rows.map(([, , kind, number]) => (kind === "ack" ? number : 0)),
});

test("what a packet takes beyond the least of its link is the wait in the queue", () => {
  const found = hops(capture([[1, 0, "data", 1], [1.1, 0, "data", 2], [2, 1, "data", 1], [3, 1, "data", 2]]), [], NAMES);
  const [, , first, second] = found;
  assert.deepEqual([first.from, first.start, first.to], [1, 1, 2]);
  assert.deepEqual([second.from, second.start, second.to], [1.1, 2, 3]);
  assert.deepEqual(underWay(found, 1.5).map(({ number }) => number), [1, 2]);
});

test("a retransmission is not taken for the packet that was dropped", () => {
  const rows = [[1, 0, "data", 1], [1.2, 0, "data", 2], [2.2, 1, "data", 2], [5, 0, "data", 1], [6, 1, "data", 1]];
  const found = hops(capture(rows), [{ time: 1.05, link: "b->c", flow: 0, number: 1 }], NAMES);
  assert.deepEqual([found[4].from, found[4].to], [5, 6]);
});

test("duplicate acknowledgments keep their order", () => {
  const found = hops(capture([[1, 1, "data", 9], [1.5, 2, "ack", 7], [1.6, 2, "ack", 7], [1.7, 2, "ack", 7]]), [], NAMES);
  assert.deepEqual(found.map(({ kind }) => kind), ["data", "ack", "ack", "ack"]);
  assert.ok(found.every(({ from, start, to }) => from <= start && start <= to));
});
