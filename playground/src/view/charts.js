// Charts over time that zoom and show values together.
import uPlot from "uplot";
import { meanings } from "../scenario/events.js";
import { digits } from "../scenario/quantity.js";
import { h, ink } from "./dom.js";

/** @typedef {import("../types").Chart} Chart */
/** @typedef {import("../types").Series} Series */

/** More series than this have no legend. */
const MOST_NAMED = 6;

/** What the charts of one page share: the zoom, the place of the cursor, and the tops of the scales. */
export class Together {
  constructor() {
    /** @type {Set<ChartView>} */
    this.views = new Set();
    /** @type {[number, number] | null} */
    this.zoom = null;
    /** @type {(() => void)[]} */
    this.listeners = [];
    this.changing = false;
  }

  /** @param {[number, number] | null} zoom */
  setZoom(zoom) {
    if (this.changing) return;
    this.changing = true;
    this.zoom = zoom;
    for (const view of this.views) view.showZoom();
    this.changing = false;
    for (const listener of this.listeners) listener();
  }

  /** The largest value of all charts with this key. @param {string} key */
  top(key) {
    let top = 0;
    for (const view of this.views) if (view.chart?.key === key) top = Math.max(top, view.highest);
    return top;
  }
}

/** One chart. */
export class ChartView {
  /** @param {Together} together */
  constructor(together) {
    this.together = together;
    /** @type {Chart | null} */
    this.chart = null;
    /** @type {any} */
    this.plot = null;
    this.highest = 0;
    this.shape = "";
    this.title = h("h3");
    this.unit = h("span", { class: "unit" });
    this.legend = h("ul", { class: "legend", "aria-hidden": "true" });
    this.happened = h("p", { class: "happened" });
    this.canvas = h("div", { class: "canvas", tabindex: "0", role: "img", onkeydown: this.key.bind(this) });
    this.element = h("figure", { class: "chart" }, h("figcaption", {}, this.title, this.unit, this.legend, this.happened), this.canvas);
    together.views.add(this);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.canvas);
  }

  remove() {
    this.observer.disconnect();
    this.together.views.delete(this);
    this.plot?.destroy();
    this.element.remove();
  }

  size() {
    return { width: Math.max(120, this.canvas.clientWidth), height: Math.max(40, this.canvas.clientHeight) };
  }

  resize() {
    if (!this.plot) return;
    const { width, height } = this.size();
    if (width !== this.plot.width || height !== this.plot.height) this.plot.setSize({ width, height });
  }

  /** Shows new values. @param {Chart} chart */
  update(chart) {
    this.chart = chart;
    this.highest = chart.series.reduce(
      (top, { values }) => values.reduce((/** @type {number} */ high, value) => (value !== null && value > high ? value : high), top), 0,
    );
    this.title.textContent = chart.title;
    this.unit.textContent = chart.unit;
    this.element.dataset.key = chart.key;
    this.canvas.setAttribute("aria-label", summary(chart));
    const shape = JSON.stringify(chart.series.map(({ label, colour, bars, dash }) => [label, colour, bars, dash]));
    if (this.plot && shape === this.shape) {
      this.plot.setData(this.data(), false);
      this.showZoom();
    } else {
      this.shape = shape;
      this.make();
    }
    this.showValues(null);
  }

  /** Draws anew with the colours of the theme. */
  make() {
    if (!this.chart) return;
    this.plot?.destroy();
    this.canvas.replaceChildren();
    this.plot = new uPlot(this.options(this.chart), this.data(), this.canvas);
    this.showZoom();
    this.makeLegend();
  }

  /** @returns {import("uplot").AlignedData} */
  data() {
    const { times, series } = /** @type {Chart} */ (this.chart);
    return /** @type {any} */ ([times, ...series.map(({ values }) => values)]);
  }

  /** @param {Chart} chart @returns {uPlot.Options} */
  options(chart) {
    const grid = { stroke: ink("--grid"), width: 1 };
    const axis = { stroke: ink("--muted"), grid, ticks: { ...grid, size: 4 }, font: "11px system-ui, sans-serif" };
    return {
      ...this.size(),
      pxAlign: 0,
      legend: { show: false },
      padding: [6, 16, 0, 0],
      cursor: { sync: { key: "ackclock", setSeries: false }, drag: { x: true, y: false, setScale: false }, points: { size: 6 } },
      scales: { x: { time: false, auto: false }, y: { auto: false } },
      axes: [
        { ...axis, size: 22, values: (/** @type {any} */ _, /** @type {number[]} */ splits) => splits.map((split) => `${digits(split, 6)} s`) },
        { ...axis, size: 46, space: 20 },
      ],
      series: [{}, ...chart.series.map((series) => this.line(series))],
      hooks: {
        setCursor: [(/** @type {any} */ plot) => this.showValues(plot.cursor.idx ?? null)],
        setSelect: [(/** @type {any} */ plot) => this.selected(plot)],
        draw: [(/** @type {any} */ plot) => this.drawMarks(plot)],
      },
    };
  }

  /** @param {Series} series */
  line({ label, colour, dash, bars, gaps }) {
    const paths = bars ? uPlot.paths.bars?.({ size: [1, 12], align: 1 }) : uPlot.paths.linear?.();
    const stroke = ink(colour);
    return { label, stroke, width: bars ? 1 : 1.6, dash, paths, fill: bars ? stroke : undefined, points: { show: false }, spanGaps: gaps ?? false };
  }

  /** A tick in the colour of its flow for each event, and the letter of its kind where there is room. @param {any} plot */
  drawMarks(plot) {
    const { ctx, bbox } = plot;
    const unit = devicePixelRatio;
    let free = -Infinity;
    ctx.save();
    ctx.font = `600 ${11 * unit}px system-ui, sans-serif`;
    ctx.textAlign = "center";
    ctx.textBaseline = "top";
    for (const { time, colour, letter } of this.chart?.marks ?? []) {
      const x = plot.valToPos(time, "x", true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.fillStyle = ink(colour);
      ctx.beginPath();
      ctx.moveTo(x - 3 * unit, bbox.top);
      ctx.lineTo(x + 3 * unit, bbox.top);
      ctx.lineTo(x, bbox.top + 6 * unit);
      ctx.fill();
      if (letter === "" || x < free) continue;
      ctx.fillText(letter, x, bbox.top + 7 * unit);
      free = x + 11 * unit;
    }
    ctx.restore();
  }

  /** What happened near a time, or else what the marks mean. @param {number | null} index */
  showHappened(index) {
    const all = this.chart?.marks ?? [];
    const at = index === null ? null : this.chart?.times[index];
    const [min, max] = this.together.zoom ?? this.extent();
    const near = at === null || at === undefined ? [] : all.filter(({ time }) => Math.abs(time - at) <= (max - min) / 80);
    this.happened.textContent = near.length ? near.slice(0, 3).map(({ time, text }) => `${digits(time, 4)} s ${text}`).join(" · ") : meanings(all);
  }

  /** @param {any} plot */
  selected(plot) {
    const { left, width } = plot.select;
    if (width > 4) this.together.setZoom([plot.posToVal(left, "x"), plot.posToVal(left + width, "x")]);
    plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
  }

  extent() {
    const times = this.chart?.times ?? [];
    return [times[0] ?? 0, times[times.length - 1] ?? 1];
  }

  showZoom() {
    const [min, max] = this.together.zoom ?? this.extent();
    this.plot?.batch(() => {
      this.plot.setScale("x", { min, max: Math.max(max, min + 1e-9) });
      this.plot.setScale("y", { min: 0, max: this.together.top(this.chart?.key ?? "") * 1.06 || 1 });
    });
  }

  makeLegend() {
    const series = this.chart?.series ?? [];
    const named = new Set(series.map(({ name, label }) => name ?? label)).size > MOST_NAMED || (series.length === 1 && series[0].label === this.chart?.key) ? [] : series;
    this.values = named.map(() => h("output"));
    // The same line of two settings has one name, and a value for each.
    const names = [...new Set(named.map(({ name, label }) => name ?? label))];
    const rows = names.map((name) => {
      const places = named.flatMap((series, index) => ((series.name ?? series.label) === name ? [index] : []));
      return h("li", {}, h("i", { style: `background:${named[places[0]].colour}` }), `${name} `, ...places.map((index) => this.values?.[index]));
    });
    this.legend.replaceChildren(...rows);
  }

  /** The values at a sample, or none. @param {number | null} index */
  showValues(index) {
    this.showHappened(index);
    this.values?.forEach((output, place) => {
      const value = index === null ? null : this.chart?.series[place]?.values[index];
      output.textContent = value === null || value === undefined ? "" : digits(value);
    });
  }

  /** Arrows move the cursor, + and - zoom, Escape shows everything. @param {KeyboardEvent} event */
  key(event) {
    const plot = this.plot;
    if (!plot) return;
    const [first, last] = this.extent();
    const [min, max] = this.together.zoom ?? [first, last];
    const at = plot.cursor.idx === null || plot.cursor.idx === undefined ? (min + max) / 2 : plot.data[0][plot.cursor.idx];
    const step = (max - min) / 50;
    const zoomed = (/** @type {number} */ factor) => {
      const half = ((max - min) / 2) * factor;
      const low = Math.max(first, at - half);
      const high = Math.min(last, at + half);
      this.together.setZoom(low <= first && high >= last ? null : [low, high]);
    };
    const acts = /** @type {Record<string, () => void>} */ ({
      ArrowRight: () => this.moveCursor(Math.min(max, at + step)),
      ArrowLeft: () => this.moveCursor(Math.max(min, at - step)),
      "+": () => zoomed(0.5),
      "-": () => zoomed(2),
      Escape: () => this.together.setZoom(null),
    });
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** @param {number} time */
  moveCursor(time) {
    const plot = this.plot;
    plot.setCursor({ left: plot.valToPos(time, "x"), top: plot.bbox.height / (2 * devicePixelRatio) }, true);
    const values = this.chart?.series.slice(0, MOST_NAMED).map(({ label, values }) => {
      const value = values[plot.cursor.idx];
      return `${label} ${value === null || value === undefined ? "none" : digits(value)}`;
    });
    const live = document.getElementById("live");
    if (live) live.textContent = `${digits(time)} s: ${values?.join(", ")} ${this.chart?.unit}`;
  }
}

/** What a chart shows, in a sentence. @param {Chart} chart */
function summary({ title, unit, times, series, marks = [] }) {
  const parts = series.slice(0, MOST_NAMED).map(({ label, values }) => {
    const there = /** @type {number[]} */ (values.filter((value) => value !== null));
    if (!there.length) return `${label} has no values`;
    const [low, high] = there.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [Infinity, -Infinity]);
    const mean = there.reduce((sum, value) => sum + value, 0) / there.length;
    return `${label} from ${digits(low)} to ${digits(high)}, mean ${digits(mean)}`;
  });
  const more = series.length > MOST_NAMED ? ` and ${series.length - MOST_NAMED} more` : "";
  return `${title} in ${unit} over ${digits(times[times.length - 1] ?? 0)} s: ${parts.join("; ")}${more}. ${marks.slice(0, 12).map(({ time, text }) => `${digits(time, 4)} s, ${text}. `).join("")}Arrow keys read values, plus and minus zoom.`;
}
