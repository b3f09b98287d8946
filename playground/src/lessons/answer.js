// A lesson's scenario with the values of its controls.
import { parse } from "../scenario/quantity.js";
import { get, set } from "../scenario/tree.js";

/** @typedef {import("./lesson.js").Lesson} Lesson */
/** @typedef {import("./lesson.js").Control} Control */
/** @typedef {import("../types").Tree} Tree */

/** A tree with a control at a value. @param {Tree} tree @param {Control} control @param {number | string} value */
export function put(tree, { path, writes }, value) {
  if (writes === "{} %") return set(tree, path, { bernoulli: Number(value) / 100 });
  const text = writes.replace("{}", String(value));
  // A count has no unit, and is a number.
  return set(tree, path, typeof value === "number" && writes === "{}" ? value : text || value);
}

/** The value of a control in a tree. @param {Tree} tree @param {Control} control @returns {number} */
export function valueOf(tree, { path, writes }) {
  const value = get(tree, path);
  if (typeof value === "number") return value;
  if (writes === "{} %") return value.bernoulli * 100;
  if (writes.includes("(")) return parseFloat(/=([\d.]+)/.exec(value)?.[1] ?? "0");
  // In the unit that the control writes, and without the rounding errors of a quotient.
  const unit = parse(writes.replace("{}", "1"))?.value ?? 1;
  return Number(((parse(value)?.value ?? 0) / unit).toPrecision(12));
}

/** The scenario of an answer. @param {Lesson} lesson @param {Record<string, number | string>} values by the paths of the controls */
export function answered({ tree, controls }, values) {
  return controls.reduce((so, control) => put(so, control, values[control.path]), tree);
}
