// Sliders for the parameters of a catalogue entry, from its ranges, names and meanings.
import { exactNumber } from "../scenario/exact.js";
import { digits } from "../scenario/quantity.js";
import { h } from "./dom.js";
import { slider } from "./slider.js";

/** @typedef {import("../types").Entry} Entry */
/** @typedef {import("../types").Parameter} Parameter */

/** The range of a slider: that of the parameter, or about the default where that has no end. @param {Parameter} parameter */
function range({ min, max, default: usual }) {
  const low = min ?? 0;
  const high = max ?? Math.max(10 * Math.abs(usual ?? 1), low + 1, 10);
  const log = low > 0 && high / low > 50;
  return { low, high: Math.min(high, Math.max(1e6, low * 10)), log };
}

/**
 * A slider for one parameter.
 * @param {string} id @param {Parameter} parameter @param {number} value @param {(value: number | string) => void} input
 * @param {(text: string) => void} exact
 */
export function parameterSlider(id, parameter, value, input, exact) {
  const { name, unit, meaning, names } = parameter;
  if (names.length) {
    const options = names.map((one, place) => h("option", { value: one, selected: place === value }, one));
    const choice = h("select", { id, onchange: () => input(choice.value) }, ...options);
    return h("div", { class: "field" }, h("label", { for: id }, name), choice, h("p", { class: "help" }, meaning));
  }
  if (unit === "0 or 1") {
    const box = h("input", { id, type: "checkbox", checked: value > 0, onchange: () => input(box.checked ? 1 : 0) });
    return h("div", { class: "field row check" }, box, h("label", { for: id }, name), h("p", { class: "help" }, meaning));
  }
  const { low, high, log } = range(parameter);
  const suffix = unit && unit !== "count" ? ` ${unit}` : "";
  const ends = { min: parameter.min ?? -Infinity, max: parameter.max ?? Infinity, whole: unit === "count", unit: suffix.trim() };
  return slider({
    id, label: name, help: meaning, value: Number.isFinite(value) ? value : high, min: low, max: high, log, whole: unit === "count",
    text: (chosen) => digits(chosen) + suffix, input,
    exact: (text) => {
      const found = exactNumber(text, ends);
      if (found.says !== undefined) return found.says;
      exact(String(found.value));
    },
  });
}

/**
 * The value of a parameter as a number: for a name its place.
 * @param {string | undefined} text @param {Parameter} parameter @param {number} otherwise if it has neither text nor default
 */
export function valueOf(text, parameter, otherwise) {
  const place = text === undefined ? -1 : parameter.names.indexOf(text);
  return place >= 0 ? place : parseFloat(text ?? String(parameter.default ?? otherwise));
}

/** The values in the parentheses of a specification. @param {string} text @returns {Record<string, string>} */
function valuesIn(text) {
  const inner = /\((.*)\)/.exec(text)?.[1] ?? "";
  return Object.fromEntries(inner.split(",").filter((piece) => piece.includes("=")).map((piece) => piece.split("=").map((side) => side.trim())));
}

/**
 * Sliders for all parameters of an entry, folded away; null where it has none.
 * @param {{ show: (tree: any) => void, tree: any }} panel @param {string} path where the specification stands
 * @param {string} text the specification @param {Entry} entry @param {(text: string) => void} put
 */
export function parameterSliders(panel, path, text, entry, put) {
  if (!entry.parameters.length) return null;
  let values = valuesIn(text);
  /** @param {string} key @param {string} value */
  const change = (key, value) => {
    values = { ...values, [key]: value };
    put(`${entry.name}(${Object.entries(values).map(([name, one]) => `${name}=${one}`).join(",")})`);
  };
  const sliders = entry.parameters.map((parameter) => {
    const value = valueOf(values[parameter.name], parameter, parameter.min ?? 0);
    return parameterSlider(
      `${path}-${parameter.name}`, parameter, value,
      (chosen) => change(parameter.name, String(chosen)),
      (exact) => { change(parameter.name, exact); panel.show(panel.tree); },
    );
  });
  return h("details", { id: `${path}-parameters` }, h("summary", {}, `Parameters of ${entry.name}`), h("p", { class: "help" }, `${entry.title} (${entry.source})`), ...sliders);
}
