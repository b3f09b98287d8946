// The settings of one scenario as controls: network, flows, run.
import { links } from "../scenario/links.js";
import { exactNumber, exactQuantity } from "../scenario/exact.js";
import { digits, parse, write } from "../scenario/quantity.js";
import { get, set } from "../scenario/tree.js";
import { h } from "./dom.js";
import { flowCard, udpCard } from "./flows.js";
import { parameterSliders } from "./parameters.js";
import { slider } from "./slider.js";

/** @typedef {import("../types").Tree} Tree */
/** @typedef {import("../types").Entry} Entry */
/** @typedef {{ change: (tree: Tree, structural: boolean) => void, entries: Entry[], only?: string[] }} Context */

/** The settings of one scenario. */
export class Panel {
  /** @param {HTMLElement} element @param {Entry[]} entries @param {(tree: Tree) => void} changed */
  constructor(element, entries, changed) {
    this.element = element;
    this.entries = entries;
    this.changed = changed;
    /** @type {Tree} */
    this.tree = {};
    /** The table of links that the sliders change, by its path. @type {string | null} */
    this.link = null;
  }

  /** @param {string} path @param {any} value @param {boolean} structural whether other controls appear or go */
  set(path, value, structural = false) {
    this.replace(set(this.tree, path, value), structural);
  }

  /** @param {Tree} tree */
  replace(tree, structural = true) {
    this.tree = tree;
    if (structural) this.show(tree);
    this.changed(tree);
  }

  /**
   * Takes what was written into the field of a quantity, or says what would be right.
   * @param {string} path @param {string} text @param {string} shown @param {string} dimension @param {number} min @param {number} max
   */
  write(path, text, shown, dimension, min, max) {
    const found = exactQuantity(text, shown, dimension, min, max);
    if (found.says !== undefined) return found.says;
    this.set(path, found.value, true);
  }

  /** Builds the controls anew. @param {Tree} tree */
  show(tree) {
    this.tree = tree;
    const focused = document.activeElement?.id;
    const open = new Set([...this.element.querySelectorAll("details[open]")].map((details) => details.id));
    this.element.replaceChildren(this.network(), this.flows(), this.run());
    for (const id of open) document.getElementById(id)?.setAttribute("open", "");
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }

  network() {
    const tables = links(this.tree);
    if (!tables.some(({ path }) => path === this.link)) this.link = tables[0]?.path ?? null;
    const choice = h(
      "select", { id: "link", onchange: () => ((this.link = choice.value), this.show(this.tree)) },
      ...tables.map(({ path, name }) => h("option", { value: path, selected: path === this.link }, name)),
    );
    const chosen = tables.length > 1 ? [h("div", { class: "field row" }, h("label", { for: "link" }, "Link"), choice)] : [];
    return h(
      "section", { class: "card" }, h("h2", {}, "Network"), ...chosen,
      ...(this.link === null ? [] : linkFields(this, this.link)),
    );
  }

  flows() {
    const groups = (this.tree.flow ?? []).map((/** @type {Tree} */ _, /** @type {number} */ index) => flowCard(this, index));
    const sources = (this.tree.udp ?? []).map((/** @type {Tree} */ _, /** @type {number} */ index) => udpCard(this, index));
    const add = () => {
      const number = (this.tree.flow ?? []).length + 1;
      const like = this.tree.flow?.at(-1) ?? {};
      const { count: _, ...group } = like;
      this.replace(set(this.tree, `flow.${number - 1}`, { ...group, name: `flow${number}`, algorithm: like.algorithm ?? "cubic" }));
    };
    return h(
      "section", { class: "card" }, h("h2", {}, "Flows"), ...groups, ...sources,
      h("button", { type: "button", id: "add-flow", class: "quiet", onclick: add }, "+ Add a flow"),
    );
  }

  run() {
    const seed = h("input", {
      id: "seed", type: "number", min: "0", step: "1", value: String(this.tree.seed ?? 1),
      onchange: () => this.set("seed", Math.max(0, Math.round(Number(seed.value)))),
    });
    const duration = parse(this.tree.duration);
    return h(
      "section", { class: "card" }, h("h2", {}, "Run"),
      duration && slider({
        id: "duration", label: "Duration", value: duration.value, min: 1, max: 300, log: true, text: (value) => write(value, "time"),
        input: (value) => this.set("duration", write(value, "time")), exact: (text) => this.write("duration", text, "1 s", "time", 1, 300),
      }),
      h("div", { class: "field row" }, h("label", { for: "seed" }, "Seed of randomness"), seed,
        h("button", { type: "button", class: "quiet", onclick: () => { seed.value = String(Number(seed.value) + 1); this.set("seed", Number(seed.value)); } }, "Next")),
    );
  }
}

/**
 * A slider for a quantity of a scenario.
 * @param {Panel} panel @param {string} path @param {string} label @param {number} min @param {number} max @param {string} [help]
 */
export function quantityField(panel, path, label, min, max, help) {
  const text = get(panel.tree, path);
  const quantity = parse(text);
  if (!quantity) return null;
  return slider({
    id: path, label, help, value: quantity.value, min, max, log: true, whole: quantity.dimension === "packets",
    text: (value) => write(value, quantity.dimension),
    input: (value) => panel.set(path, write(value, quantity.dimension)),
    exact: (exact) => panel.write(path, exact, write(quantity.value, quantity.dimension), quantity.dimension, min, max),
  });
}

/** What stands in for a slider where a value is no constant. @param {Panel} panel @param {string} path @param {string} label @param {string} constant */
function varying(panel, path, label, constant) {
  const at = path.slice(0, path.lastIndexOf("."));
  const whose = get(panel.tree, path) !== undefined ? "varies over time" : get(panel.tree, `${at}.path`) ? `as on the path ${get(panel.tree, `${at}.path`)}` : "none";
  return h(
    "div", { class: "field row" }, h("span", { class: "name" }, label), h("span", { class: "muted" }, whose),
    h("button", { type: "button", class: "quiet", onclick: () => panel.set(path, constant, true), "aria-label": `Set a constant ${label.toLowerCase()}` }, "Set"),
  );
}

/** The ends of sliders, by dimension. @type {Record<string, [number, number]>} */
const RATES = { rate: [1e5, 1e9], "packet rate": [10, 1e5] };
/** @type {Record<string, [number, number]>} */
const BUFFERS = { packets: [1, 1000], bdp: [1, 1000], bytes: [1500, 1e7] };

/** @param {Panel} panel @param {string} at */
function linkFields(panel, at) {
  const rate = parse(get(panel.tree, `${at}.rate`));
  const [slowest, fastest] = RATES[rate?.dimension ?? ""] ?? [];
  return [
    rate && slowest ? quantityField(panel, `${at}.rate`, "Rate", slowest, fastest) : varying(panel, `${at}.rate`, "Rate", "20 Mbit/s"),
    quantityField(panel, `${at}.delay`, "Delay, one way", 1e-4, 0.5) ?? varying(panel, `${at}.delay`, "Delay, one way", "20 ms"),
    ...buffer(panel, `${at}.buffer`),
    ...queue(panel, `${at}.queue`),
    loss(panel, `${at}.loss`),
  ];
}

/** @param {Panel} panel @param {string} path */
function buffer(panel, path) {
  const text = get(panel.tree, path) ?? "unlimited";
  const quantity = parse(text);
  const unit = quantity?.dimension ?? "unlimited";
  /** @type {Record<string, string>} */
  const names = { packets: "packets", bdp: "% of BDP", bytes: "bytes", unlimited: "unlimited" };
  /** @type {Record<string, string>} */
  const first = { packets: "60 packets", bdp: "100 % bdp", bytes: "100 kB", unlimited: "unlimited" };
  const id = `${path}-unit`;
  const choice = h(
    "select", { id, onchange: () => panel.set(path, first[choice.value], true) },
    ...Object.entries(names).map(([key, name]) => h("option", { value: key, selected: key === unit }, name)),
  );
  const [least, most] = BUFFERS[unit] ?? [];
  return [
    least ? quantityField(panel, path, "Buffer", least, most) : null,
    h("div", { class: "field row" }, h("label", { for: id }, "Buffer in"), choice),
  ];
}

/** @param {Panel} panel @param {string} path */
function queue(panel, path) {
  const value = get(panel.tree, path) ?? "droptail";
  const entries = panel.entries.filter((entry) => entry.kind === "queue");
  const name = typeof value === "string" ? value.split("(")[0].trim() : Object.keys(value)[0];
  const entry = entries.find((known) => known.name === name);
  const choice = h(
    "select", { id: path, onchange: () => panel.set(path, withRequired(choice.value), true) },
    ...entries.map((known) => h("option", { value: known.name, selected: known === entry, title: known.title }, known.name)),
  );
  /** A discipline with the values that it must have. @param {string} chosen */
  const withRequired = (chosen) => {
    const required = entries.find((known) => known.name === chosen)?.parameters.filter((parameter) => parameter.default === null) ?? [];
    const values = required.map(({ name: key, min, unit }, index) => `${key}=${unit === "packets" ? 5 * 3 ** index : (min ?? 1)}`);
    return values.length ? `${chosen}(${values.join(",")})` : chosen;
  };
  const sliders = entry && typeof value === "string" ? parameterSliders(panel, path, value, entry, (text) => panel.set(path, text)) : null;
  return [h("div", { class: "field row" }, h("label", { for: path, title: entry?.title }, "Queue"), choice), sliders];
}

/** @param {Panel} panel @param {string} path */
function loss(panel, path) {
  const value = get(panel.tree, path);
  const share = value === undefined ? 0 : value.bernoulli;
  if (typeof share !== "number") return h("div", { class: "field row" }, h("span", { class: "name" }, "Random loss"), h("span", { class: "muted" }, Object.keys(value).join(", ")));
  /** @param {number} chosen */
  const put = (chosen) => panel.set(path, chosen > 0 ? { bernoulli: chosen } : undefined);
  return slider({
    id: path, label: "Random loss", value: share, min: 1e-5, max: 0.2, log: true, zero: 0,
    text: (chosen) => (chosen === 0 ? "none" : `${digits(chosen * 100)} %`), input: put,
    exact: (text) => {
      const found = text === "none" ? { value: 0 } : exactNumber(text, { min: 0, max: 100, unit: "%" });
      if (found.says !== undefined) return found.says;
      put(found.value / 100);
      panel.show(panel.tree);
    },
  });
}
