// The network, and packets moving on it: slowly, or one event at a time.
import { exactNumber, exactQuantity } from "../scenario/exact.js";
import { digits, parse, seconds } from "../scenario/quantity.js";
import { ends, hops, LONGEST, underWay } from "../scenario/journeys.js";
import { colour } from "../scenario/series.js";
import { set } from "../scenario/tree.js";
import { h, ink } from "./dom.js";
import { slider } from "./slider.js";

/** @typedef {import("../types").Tree} Tree */
/** @typedef {import("../types").Sketch} Sketch */
/** @typedef {import("../scenario/journeys.js").Hop} Hop */
/** @typedef {{ tree: Tree, source: string | null, colours: (flow: number) => number }} Shown */

/** Simulated seconds that are captured at a time, and the most links. */
const SPAN = 4;
const MOST_LINKS = 24;

export class PacketView {
  /** @param {HTMLElement} element @param {() => import("../engine/engine.js").Engine} engine one of its own */
  constructor(element, engine) {
    this.element = element;
    this.engine = engine;
    /** @type {Shown | null} */
    this.shown = null;
    /** @type {Sketch} */
    this.sketch = { nodes: [], links: [] };
    /** @type {Hop[]} */
    this.hops = [];
    /** @type {{ time: number, link: string, flow: number, number: number }[]} */
    this.drops = [];
    this.names = /** @type {string[]} */ ([]);
    this.time = 0;
    this.captured = [0, 0];
    this.duration = 1;
    /** Seconds of the clock for a simulated second. */
    this.slowness = 50;
    this.playing = false;
    this.asked = 0;
    this.answered = 0;
    this.canvas = h("canvas", { class: "network", role: "img", "aria-label": "The network with its packets" });
    this.clock = h("output", { class: "clock" });
    this.event = h("p", { class: "muted", role: "status" });
    this.play = h("button", { type: "button", id: "play", class: "primary", onclick: () => this.toggle() }, "Play");
    this.place = h("div", { class: "fields" });
    element.append(
      h("div", { class: "actions" },
        h("button", { type: "button", id: "step-back", "aria-label": "One event back", onclick: () => this.step(-1) }, "◀"), this.play,
        h("button", { type: "button", id: "step", "aria-label": "One event on", onclick: () => this.step(1) }, "▶"), this.clock),
      this.canvas, this.event, this.place,
      h("p", { class: "help" }, "Filled: data. Hollow: acknowledgments. Next to a node: the queue of its link. A red cross: a drop."),
    );
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  /** Shows a scenario from now on. @param {Shown} shown @param {Sketch} sketch @param {string[]} links all link directions @param {number} duration in seconds */
  async show(shown, sketch, links, duration) {
    const isFirst = this.shown === null;
    this.shown = shown;
    this.sketch = sketch;
    this.duration = duration;
    const drawn = new Set(sketch.nodes.filter(({ role }) => role !== "text").map(({ name }) => name));
    this.names = links.filter((name) => ends(name).every((end) => drawn.has(end))).slice(0, MOST_LINKS);
    // At first somewhere in the run, where packets are under way.
    this.time = isFirst ? Math.min(duration / 3, 10) : Math.min(this.time, duration);
    this.controls();
    // At first there is nothing to draw before the packets.
    if (!isFirst) this.draw();
    await this.capture(this.time);
  }

  controls() {
    const focused = document.activeElement?.id;
    this.place.replaceChildren(
      slider({
        id: "packet-time", label: "Time", value: this.time, min: 0, max: this.duration, text: (value) => (value === 0 ? "0 s" : seconds(value)),
        input: (value) => this.seek(value),
        exact: (text) => {
          const found = exactQuantity(text, "0 s", "time", 0, this.duration);
          if (found.says !== undefined) return found.says;
          this.seek(parse(found.value)?.value ?? 0);
          this.controls();
        },
      }),
      slider({
        id: "packet-speed", label: "A simulated second takes", value: this.slowness, min: 1, max: 2000, log: true, text: (value) => `${digits(value)} s`,
        input: (value) => (this.slowness = value),
        exact: (text) => {
          const found = exactNumber(text, { min: 0.1, max: 1e5, unit: "s" });
          if (found.says !== undefined) return found.says;
          this.slowness = found.value;
          this.controls();
        },
      }),
    );
    if (focused?.startsWith("packet-")) document.getElementById(focused)?.focus({ preventScroll: true });
  }

  /** @param {number} time */
  seek(time) {
    if (!Number.isFinite(time)) return;
    this.time = Math.max(0, Math.min(time, this.duration));
    if (this.time < this.captured[0] || this.time > this.captured[1]) void this.capture(this.time);
    this.draw();
  }

  /** Runs the scenario with its packets captured, from a little before a time to a little after. @param {number} time */
  async capture(time) {
    if (!this.shown) return;
    const { tree, source } = this.shown;
    this.asked += 1;
    const mine = this.asked;
    const since = Math.max(0, time - LONGEST);
    const until = Math.min(this.duration, time + SPAN);
    this.captured = [time, until];
    const captured = set(tree, "trace.packets", this.names);
    try {
      const { tables } = await this.engine().run(captured, { source, tables: ["packets", "links", "drops"], since, until: until + 0.5 });
      if (mine !== this.asked) return;
      const names = tables.links.name;
      const { time_s: times, link, flow, sequence_bytes: sequences } = tables.drops ?? {};
      const drops = Array.from(times ?? [], (/** @type {any} */ at, row) => ({ time: Number(at), link: names[link[row]], flow: flow[row], number: sequences[row] }));
      this.drops = drops.filter((drop) => drop.time >= since);
      this.hops = hops(tables.packets, this.drops, names);
      this.captured = [since === 0 ? 0 : since + 1, until];
      this.draw();
    } catch {
      // A later request, or an error that the charts show.
    } finally {
      if (mine === this.asked) this.answered = mine;
    }
  }

  toggle() {
    this.playing = !this.playing;
    this.play.textContent = this.playing ? "Pause" : "Play";
    if (!this.playing) return;
    let before = performance.now();
    const frame = (/** @type {number} */ now) => {
      if (!this.playing || this.element.hidden) return;
      const next = this.time + Math.min(0.1, (now - before) / 1e3) / this.slowness;
      before = now;
      if (next < this.captured[1]) this.time = next;
      else if (next >= this.duration) return this.toggle();
      else if (this.captured[0] < this.time) void this.capture(this.time);
      this.draw();
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  /** To the next or the previous arrival or drop. @param {1 | -1} way */
  step(way) {
    if (this.playing) this.toggle();
    // Packets of another time are shown until those of this one come.
    if (this.answered !== this.asked) return;
    const times = [...this.hops.map((hop) => hop.to), ...this.drops.map((drop) => drop.time)];
    const ahead = times.filter((time) => (way > 0 ? time > this.time + 1e-9 : time < this.time - 1e-9));
    if (!ahead.length) return;
    const next = ahead.reduce((best, time) => (way > 0 ? Math.min(best, time) : Math.max(best, time)));
    if (next > this.captured[1] || next < this.captured[0]) void this.capture(next);
    this.time = next;
    this.draw();
    this.event.textContent = this.happens(next);
  }

  /** What happens at a time, in words. @param {number} time */
  happens(time) {
    const at = `${digits(time, 7)} s: `;
    const drop = this.drops.find((one) => Math.abs(one.time - time) < 1e-9);
    if (drop) return `${at}a packet of flow ${drop.flow + 1} is dropped at ${drop.link}`;
    const hop = this.hops.find((one) => Math.abs(one.to - time) < 1e-9);
    return hop ? `${at}${hop.kind} ${hop.number} of flow ${hop.flow + 1} arrives over ${hop.link}` : at;
  }

  draw() {
    if (this.element.hidden) return;
    this.clock.textContent = `${this.time.toFixed(4)} s`;
    const range = /** @type {HTMLInputElement | null} */ (document.getElementById("packet-time"));
    if (range && document.activeElement !== range) range.value = String((this.time / this.duration) * 1000);
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const scale = devicePixelRatio;
    this.canvas.width = width * scale;
    this.canvas.height = height * scale;
    const pen = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    pen.scale(scale, scale);
    const rows = this.sketch.nodes.reduce((most, { y }) => Math.max(most, y), 0);
    // A single row lies low: its queues grow above it.
    const spots = this.sketch.nodes.map(({ x, y }) => ({ x: 50 + x * (width - 100), y: 34 + (rows ? y / rows : 0.75) * (height - 74) }));
    this.network(pen, spots);
    // Names that several nodes have, as those of a tier, are no places of packets.
    const names = this.sketch.nodes.map(({ name }) => name);
    this.traffic(pen, new Map(spots.map((spot, index) => /** @type {const} */ ([names[index], spot])).filter(([name]) => names.indexOf(name) === names.lastIndexOf(name))));
  }

  /** @param {CanvasRenderingContext2D} pen @param {{ x: number, y: number }[]} spots */
  network(pen, spots) {
    const { nodes, links } = this.sketch;
    pen.font = "12px system-ui, sans-serif";
    pen.textAlign = "center";
    for (const { from, to, trunk, label } of links) {
      const [one, other] = [spots[from], spots[to]];
      pen.strokeStyle = ink(trunk ? "--accent" : "--line");
      pen.lineWidth = trunk ? 4 : 2.5;
      pen.beginPath();
      pen.moveTo(one.x, one.y);
      pen.lineTo(other.x, other.y);
      pen.stroke();
      pen.fillStyle = ink("--muted");
      if (trunk) label.slice(0, 2).forEach((text, line) => pen.fillText(text, (one.x + other.x) / 2, (one.y + other.y) / 2 + 38 + line * 16));
    }
    nodes.forEach(({ name, role, note }, index) => {
      const place = spots[index];
      pen.fillStyle = ink(role === "router" ? "--accent" : "--surface");
      pen.strokeStyle = ink("--muted");
      pen.lineWidth = 1.5;
      pen.beginPath();
      if (role === "router") pen.roundRect(place.x - 8, place.y - 8, 16, 16, 4);
      else if (role === "host") pen.arc(place.x, place.y, 7, 0, 2 * Math.PI);
      pen.fill();
      if (role !== "text") pen.stroke();
      pen.fillStyle = ink("--text");
      pen.fillText(name || note, place.x, place.y - 14);
    });
  }

  /** @param {CanvasRenderingContext2D} pen @param {Map<string, { x: number, y: number }>} places */
  traffic(pen, places) {
    /** @type {Map<string, number>} */
    const queued = new Map();
    const colours = this.shown?.colours ?? ((/** @type {number} */ flow) => flow);
    for (const hop of underWay(this.hops, this.time)) {
      const [from, to] = ends(hop.link).map((end) => places.get(end));
      if (!from || !to) continue;
      const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
      const [ux, uy] = [(to.x - from.x) / length, (to.y - from.y) / length];
      // Each direction keeps to its right.
      const [sx, sy] = [-uy * 6, ux * 6];
      pen.fillStyle = pen.strokeStyle = ink(colour(colours(hop.flow)));
      pen.lineWidth = 1.5;
      pen.beginPath();
      if (this.time < hop.start) {
        const place = queued.get(hop.link) ?? 0;
        queued.set(hop.link, place + 1);
        // Queues grow away from the link, in rows of ten, above the node.
        pen.rect(from.x + ux * 12 + (place % 10) * 5 - 25, from.y - 30 - Math.floor(place / 10) * 6, 4, 5);
      } else {
        const way = (this.time - hop.start) / (hop.to - hop.start);
        pen.arc(from.x + ux * length * way + sx, from.y + uy * length * way + sy, hop.kind === "data" || hop.kind === "udp" ? 3.6 : 2.6, 0, 2 * Math.PI);
      }
      if (hop.kind === "data" || hop.kind === "udp") pen.fill();
      else pen.stroke();
    }
    this.crosses(pen, places);
  }

  /** Drops of the last moment. @param {CanvasRenderingContext2D} pen @param {Map<string, { x: number, y: number }>} places */
  crosses(pen, places) {
    const moment = 1.5 / this.slowness;
    pen.strokeStyle = ink("--bad");
    pen.lineWidth = 2.5;
    for (const { time, link } of this.drops) {
      const age = (this.time - time) / moment;
      const from = places.get(ends(link)[0]);
      if (age < -1e-6 || age > 1 || !from) continue;
      const y = from.y + 16 + age * 30;
      pen.globalAlpha = 1 - age * 0.8;
      pen.beginPath();
      pen.moveTo(from.x - 5, y - 5);
      pen.lineTo(from.x + 5, y + 5);
      pen.moveTo(from.x + 5, y - 5);
      pen.lineTo(from.x - 5, y + 5);
      pen.stroke();
      pen.globalAlpha = 1;
    }
  }
}
