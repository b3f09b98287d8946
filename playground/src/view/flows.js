// The controls of one group of flows.
import { MINE, controlEntry, controls, isWhole, parse, write } from "../scenario/algorithm.js";
import { exactNumber } from "../scenario/exact.js";
import { parse as quantity, write as writeQuantity } from "../scenario/quantity.js";
import { colour } from "../scenario/series.js";
import { get } from "../scenario/tree.js";
import { h } from "./dom.js";
import { parameterSlider, valueOf } from "./parameters.js";
import { slider } from "./slider.js";

/** @typedef {import("./panel.js").Panel} Panel */
/** @typedef {import("../types").Entry} Entry */

/** The most flows that a group of this page may have. */
const MOST_FLOWS = 10_000;

/** @param {Panel} panel @param {number} index */
export function flowCard(panel, index) {
  const at = `flow.${index}`;
  const group = get(panel.tree, at);
  const count = group.count ?? 1;
  const isFixed = group.arrivals !== undefined || group.algorithms !== undefined;
  const remove = h("button", { type: "button", class: "quiet", "aria-label": `Remove ${group.name ?? "tcp"}`, onclick: () => panel.set(at, undefined, true) }, "×");
  return h(
    "fieldset", { class: "flow" },
    h("legend", {}, h("i", { style: `background:${colour(index)}` }), group.name ?? "tcp"),
    panel.tree.flow.length > 1 ? remove : null,
    group.algorithms === undefined ? algorithmFields(panel, at) : h("p", { class: "muted" }, "a mixture of algorithms"),
    isFixed ? null : slider({
      id: `${at}.count`, label: "Flows", value: count, min: 1, max: 50, log: true, whole: true, text: String,
      input: (value) => panel.set(`${at}.count`, value),
      exact: (text) => {
        const found = exactNumber(text, { min: 1, max: MOST_FLOWS, whole: true });
        if (found.says !== undefined) return found.says;
        panel.set(`${at}.count`, found.value, true);
      },
    }),
    startField(panel, at),
  );
}

/** @param {Panel} panel @param {string} at */
function startField(panel, at) {
  const start = quantity(get(panel.tree, `${at}.start`) ?? "0 s");
  const end = quantity(panel.tree.duration);
  if (!start || !end) return null;
  /** @param {number} value */
  const put = (value) => panel.set(`${at}.start`, value > 0 ? writeQuantity(value, "time") : undefined);
  return slider({
    id: `${at}.start`, label: "Start", value: start.value, min: 0, max: end.value * 0.9, text: (value) => (value === 0 ? "0 s" : writeQuantity(value, "time")),
    input: put, exact: (text) => panel.write(`${at}.start`, text, "0 s", "time", 0, end.value * 0.9),
  });
}

/** @param {Panel} panel @param {string} at */
function algorithmFields(panel, at) {
  const entries = panel.entries;
  const path = `${at}.algorithm`;
  const text = get(panel.tree, path) ?? get(panel.tree, `${at}.tcp.algorithm`) ?? get(panel.tree, "tcp.algorithm") ?? "newreno";
  const algorithm = parse(text, entries);
  const { control } = algorithm;
  /** @param {Partial<import("../scenario/algorithm.js").Algorithm>} change */
  const put = (change, structural = true) => {
    Object.assign(algorithm, change);
    panel.set(path, write(algorithm, entries), structural);
  };
  const kinds = [...new Set(controls(entries).map((entry) => entry.kind))];
  const choice = h(
    "select", { id: path, onchange: () => put({ control: { name: choice.value, values: {} }, slowStart: isWhole(choice.value, entries) ? null : algorithm.slowStart }) },
    h("optgroup", { label: "yours" }, h("option", { value: MINE, selected: control.name === MINE }, "mine")),
    ...kinds.map((kind) =>
      h("optgroup", { label: kind }, ...controls(entries).filter((entry) => entry.kind === kind).map((entry) =>
        h("option", { value: entry.name, selected: entry.name === control.name, title: entry.title }, entry.name)))),
  );
  const entry = controlEntry(control.name, entries);
  return h(
    "div", {},
    h("div", { class: "field row" }, h("label", { for: path }, "Algorithm"), choice),
    entry ? h("p", { class: "help" }, entry.title) : null,
    more(panel, path, text, algorithm, put, entry),
  );
}

/**
 * Parameters, slow start, recovery and the specification itself, folded away.
 * @param {Panel} panel @param {string} path @param {string} text @param {import("../scenario/algorithm.js").Algorithm} algorithm
 * @param {(change: object, structural?: boolean) => void} put @param {Entry | undefined} entry
 */
function more(panel, path, text, algorithm, put, entry) {
  const { entries } = panel;
  const { control, slowStart, recovery } = algorithm;
  const field = h("input", { id: `${path}-text`, type: "text", value: text, spellcheck: "false", onchange: () => panel.set(path, field.value.trim(), true) });
  const sliders = (entry?.parameters ?? []).map((parameter) => {
    const value = valueOf(control.values[parameter.name], parameter, Infinity);
    /** @param {string} exact */
    const change = (exact, structural = false) => {
      const values = { ...algorithm.control.values, [parameter.name]: exact };
      put({ control: { name: control.name, values } }, structural);
      field.value = get(panel.tree, path);
    };
    return parameterSlider(`${path}-${parameter.name}`, parameter, value, (chosen) => change(String(chosen)), (exact) => change(exact, true));
  });
  const hasSlowStart = !isWhole(control.name, entries);
  return h(
    "details", { id: `${path}-more` }, h("summary", {}, "Parameters and parts"),
    ...sliders,
    hasSlowStart ? part(`${path}-slow-start`, "Slow start", "slow start", slowStart?.name, entries, (name) => put({ slowStart: name ? { name, values: {} } : null })) : null,
    part(`${path}-recovery`, "Recovery", "recovery", recovery?.name, entries, (name) => put({ recovery: name ? { name, values: {} } : null })),
    h("div", { class: "field" }, h("label", { for: `${path}-text` }, "As written in scenarios"), field),
  );
}

/**
 * @param {string} id @param {string} label @param {string} kind @param {string | undefined} name @param {Entry[]} entries
 * @param {(name: string) => void} put
 */
function part(id, label, kind, name, entries, put) {
  const choice = h(
    "select", { id, onchange: () => put(choice.value) }, h("option", { value: "", selected: !name }, "its usual one"),
    ...entries.filter((entry) => entry.kind === kind).map((entry) => h("option", { value: entry.name, selected: entry.name === name, title: entry.title }, entry.name)),
  );
  return h("div", { class: "field row" }, h("label", { for: id }, label), choice);
}

/** @param {Panel} panel @param {number} index */
export function udpCard(panel, index) {
  const at = `udp.${index}`;
  const group = get(panel.tree, at);
  const rate = quantity(group.rate);
  return h(
    "fieldset", { class: "flow" },
    h("legend", {}, h("i", { style: `background:${colour((panel.tree.flow ?? []).length + index)}` }), `${group.name ?? "udp"} (UDP)`),
    rate && slider({
      id: `${at}.rate`, label: "Rate", value: rate.value, min: 1e4, max: 1e9, log: true, text: (value) => writeQuantity(value, "rate"),
      input: (value) => panel.set(`${at}.rate`, writeQuantity(value, "rate")), exact: (text) => panel.write(`${at}.rate`, text, writeQuantity(rate.value, "rate"), "rate", 1e4, 1e9),
    }),
  );
}
