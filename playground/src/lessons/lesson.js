// What a lesson is: a text, a scenario, some sliders, a question, and a check of the answer by the tables of a run.

/** @typedef {import("../types").Tree} Tree */
/** @typedef {import("../types").Results} Results */

/**
 * @typedef {object} Control a slider, or a choice where there are `choices`
 * @property {string} path what it changes, as `--set` names it; `{}` in `writes` stands for the number
 * @property {string} label
 * @property {string} writes
 * @property {number} [min]
 * @property {number} [max]
 * @property {boolean} [log]
 * @property {boolean} [whole]
 * @property {[string, string][]} [choices] values and their names
 */

/**
 * @typedef {object} Lesson @property {string} key @property {string} title @property {string[]}
 * text @property {string} question @property {string} hint @property {string} answer what is to be
 * understood, shown once the question is answered @property {string} source @property {Tree} tree
 * @property {Control[]} controls @property {string[]} charts the keys of the charts that are shown
 * @property {string[]} [tables] tables that the check needs in addition to the usual ones @property
 * {(results: Results, tree: Tree) => { done: boolean, says: string }} check @property
 * {Record<string, number | string>} solution an answer by the paths of the controls, for the tests
 */

/** A dumbbell of this many pairs. @param {number} pairs @param {Tree} bottleneck @param {string} access its delay */
export function dumbbell(pairs, bottleneck, access = "1 ms") {
  return { dumbbell: { pairs, bottleneck, access: { rate: "1 Gbit/s", delay: access } } };
}

/** The link direction that a dumbbell is about. */
export const BOTTLENECK = "left->right";

/** The row of the first table whose name fits. @param {Results} results @param {string} link */
export function linkRow({ tables: { links } }, link = BOTTLENECK) {
  return Math.max(0, links.name.indexOf(link));
}

/** The share of time in which the bottleneck sends. @param {Results} results */
export const use = (results) => results.tables.links.utilisation[linkRow(results)];

/** Milliseconds that packets wait there, in the mean. @param {Results} results */
export const waiting = (results) => results.tables.links.mean_queueing_delay_s[linkRow(results)] * 1e3;

/** Goodputs of the flows, in Mbit/s. @param {Results} results @returns {number[]} */
export const goodputs = ({ tables: { flows } }) => Array.from(flows.goodput_bit_per_s, (rate) => Number(rate) / 1e6);

/** @param {number} share */
export const percent = (share) => `${(share * 100).toFixed(share > 0.1 ? 0 : 1)} %`;
