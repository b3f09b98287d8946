// One setting on the stage: its engine, its results, its charts, its numbers.
import { Engine, Superseded, TABLES } from "../engine/engine.js";
import { digits, parse, seconds } from "../scenario/quantity.js";
import { tablesOfPeople } from "../scenario/people.js";
import { overlaid } from "./overlay.js";
import { busiest, charts, colour, fairness, goodputTogether } from "../scenario/series.js";
import { ChartView } from "./charts.js";
import { h } from "./dom.js";

/** @typedef {import("../types").Tree} Tree */
/** @typedef {import("../types").Results} Results */

/** A run of more milliseconds is given up for the next. */
const LONG = 600;
/** After this many milliseconds without an answer the page says that it runs, whatever its algorithm does, and dims the run before. */
const SOON = 500;

/** The number of the group of each flow, as far as the scenario says it. @param {Tree} tree */
function groupsOf(tree) {
  const groups = [...(tree.flow ?? []), ...(tree.udp ?? [])];
  return groups.flatMap((group, index) => new Array(Number(group.count ?? 1)).fill(index));
}

/** One of the settings that are compared. */
export class Lane {
  /**
   * @param {import("./charts.js").Together} together
   * @param {{ ran: (lane: Lane) => void, failed: (lane: Lane, error: unknown) => void, progress: (share: number) => void }} hooks
   */
  constructor(together, hooks) {
    this.together = together;
    this.hooks = hooks;
    this.engine = new Engine();
    /** @type {Results | null} */
    this.results = null;
    /** @type {Tree} */
    this.tree = {};
    /** @type {{ tree: Tree, source: string | null } | null} */
    this.next = null;
    this.busy = false;
    this.began = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.later = undefined;
    /** The link direction that is shown, by its name; the busiest where none is chosen. @type {string | null} */
    this.link = null;
    /** The keys of the charts that are shown; all where there is no list. @type {string[] | null} */
    this.shown = null;
    /** Tables that are wanted in addition to the usual ones. @type {string[]} */
    this.tables = [];
    /** Another setting whose lines are drawn over this one's. @type {Lane | null} */
    this.over = null;
    /** @type {ChartView[]} */
    this.views = [];
    this.name = h("h2", { class: "lane-name" });
    this.tiles = h("dl", { class: "tiles" });
    this.plots = h("div", { class: "plots" });
    this.element = h("div", { class: "lane" }, this.name, this.tiles, this.plots);
  }

  /** Whether the pictures are those of an earlier run than the one asked for. */
  get isStale() {
    return this.element.classList.contains("stale");
  }

  set isStale(is) {
    this.element.classList.toggle("stale", is);
  }

  /** Runs a scenario as soon as the one under way is done, or at once where that takes long. @param {Tree} tree @param {string | null} source */
  request(tree, source) {
    this.next = { tree, source: JSON.stringify(tree).includes("mine") ? source : null };
    if (!this.busy) void this.go();
    else this.supersedeLong();
  }

  /** Gives up the run under way for the next request once it takes long. */
  supersedeLong() {
    clearTimeout(this.later);
    const left = LONG - (performance.now() - this.began);
    if (left <= 0) this.supersede();
    else this.later = setTimeout(() => this.busy && this.next && this.supersedeLong(), left);
  }

  /** Stops the run under way; what is drawn stays, dimmed. */
  halt() {
    if (!this.busy) return;
    this.next = null;
    this.isStale = true;
    this.engine.cancel();
    this.busy = false;
    this.hooks.progress(1);
  }

  /** A run under way looks for the next request by itself. */
  supersede() {
    const { next } = this;
    if (!next) return;
    this.next = null;
    void this.perform(next);
  }

  async go() {
    while (this.next) {
      const { next } = this;
      this.next = null;
      await this.perform(next);
    }
  }

  /** @param {{ tree: Tree, source: string | null }} next */
  async perform({ tree, source }) {
    this.busy = true;
    this.began = performance.now();
    let share = 0;
    const progress = (/** @type {number} */ now, /** @type {number} */ end) => this.hooks.progress((share = now / end));
    const soon = setTimeout(() => {
      this.isStale = this.results !== null;
      this.hooks.progress(share);
    }, SOON);
    try {
      const tables = [...TABLES, ...this.tables, ...tablesOfPeople(tree), ...(JSON.stringify(tree).includes("bbr") ? ["gauges"] : [])];
      const results = await this.engine.run(tree, { source, tables, progress });
      this.tree = tree;
      this.results = results;
      this.isStale = false;
      this.draw();
      this.hooks.ran(this);
    } catch (error) {
      if (error instanceof Superseded) return;
      this.isStale = this.results !== null;
      this.hooks.failed(this, error);
    } finally {
      clearTimeout(soon);
    }
    this.busy = false;
    this.hooks.progress(1);
    if (this.next) void this.go();
  }

  /** The number of the link direction whose queue is shown. */
  shownLink() {
    const links = /** @type {Results} */ (this.results).tables.links;
    const chosen = this.link === null ? -1 : links.name.indexOf(this.link);
    return chosen >= 0 ? chosen : busiest(links);
  }

  /** The colour of a flow: its group's, where there are several groups. */
  colours() {
    const groups = groupsOf(this.tree);
    const several = new Set(groups).size > 1;
    return (/** @type {number} */ flow) => (several ? (groups[flow] ?? flow) : flow);
  }

  draw() {
    if (!this.results) return;
    const { shown } = this;
    const own = charts(this.results, this.shownLink(), this.colours());
    const over = this.over?.results ? charts(this.over.results, this.over.shownLink(), this.over.colours()) : null;
    const all = (over ? own.map((chart) => overlaid(chart, over.find(({ key }) => key === chart.key))) : own).filter(({ key }) => shown === null || shown.includes(key));
    while (this.views.length > all.length) this.views.pop()?.remove();
    while (this.views.length < all.length) {
      const view = new ChartView(this.together);
      this.views.push(view);
      this.plots.append(view.element);
    }
    // Scales are common: the tops of all charts must be known before any is drawn.
    all.forEach((chart, index) => this.views[index].update(chart));
    for (const view of this.together.views) view.showZoom();
    const others = this.over?.results ? numbers(this.over) : [];
    this.tiles.replaceChildren(...numbers(this).map((number, index) => tile(number, others[index])));
  }

  /** Draws anew, with other colours. */
  redraw() {
    for (const view of this.views) view.make();
  }

  remove() {
    this.engine.worker.terminate();
    for (const view of this.views) view.remove();
    this.element.remove();
  }
}

/** @typedef {{ name: string, value: string, title?: string }} Shown */

/** A number, and the same of the setting that is drawn over this one. @param {Shown} shown @param {Shown} [other] */
function tile({ name, value, title }, other) {
  const marked = (/** @type {string} */ side, /** @type {string} */ text) => h("dd", {}, h("span", { class: "side" }, `${side} `), text);
  return h("div", { title }, h("dt", {}, name), ...(other ? [marked("A", value), marked("B", other.value)] : [h("dd", {}, value)]));
}

/** The numbers above the charts, all from the end of the warm-up on. @param {Lane} lane @returns {Shown[]} */
function numbers(lane) {
  const { tables, finishedAtS } = /** @type {Results} */ (lane.results);
  const { flows, links } = tables;
  const link = lane.shownLink();
  const warmUp = parse(lane.tree.warm_up)?.value ?? 0;
  const span = warmUp > 0 ? `, from ${seconds(warmUp)} on (the warm-up does not count)` : "";
  const total = goodputTogether(flows, warmUp, finishedAtS);
  const rates = Array.from(flows.goodput_bit_per_s).filter((/** @type {any} */ rate) => Number.isFinite(rate)).map(Number);
  const dropped = links.dropped_queue[link] + links.dropped_early[link] + links.pushed_out[link] + links.dropped_loss[link];
  const share = links.packets_offered[link] > 0 ? dropped / links.packets_offered[link] : 0;
  return [
    { name: "Goodput", value: `${digits(total / 1e6)} Mbit/s`, title: `payload of all flows${span || " over the whole run"}` },
    { name: "Utilisation", value: `${digits(links.utilisation[link] * 100)} %`, title: `of ${links.name[link]}${span}` },
    { name: "Queueing delay", value: seconds(links.mean_queueing_delay_s[link]), title: `mean time that a packet waits there${span}` },
    { name: "Loss rate", value: `${digits(share * 100, 2)} %`, title: `of the packets offered to this link${span}` },
    // A call next to a download does not want as much.
    ...(new Set(flows.kind).size > 1 ? [] : [{ name: "Fairness", value: rates.length > 1 ? digits(fairness(rates)) : "one flow", title: `Jain's index of the goodputs${span}: 1 is equal` }]),
  ];
}

/** The rows of the table of flows. @param {Results} results @param {(flow: number) => number} colourOf */
export function flowRows({ tables: { flows } }, colourOf, most = 50) {
  const rows = [];
  for (let row = 0; row < Math.min(flows.name.length, most); row += 1) {
    const rtt = flows.mean_rtt_s[row];
    rows.push(h(
      "tr", {},
      h("th", { scope: "row" }, h("i", { style: `background:${colour(colourOf(row))}` }), flows.name[row]),
      h("td", {}, flows.algorithm[row]),
      h("td", {}, digits(flows.goodput_bit_per_s[row] / 1e6)),
      h("td", {}, Number.isFinite(rtt) ? digits(rtt * 1e3) : "–"),
      h("td", {}, String(flows.packets_delivered[row])),
      h("td", {}, String(flows.packets_lost[row])),
      h("td", {}, String(flows.timeouts[row])),
    ));
  }
  return rows;
}
