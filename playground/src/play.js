// The playground: one experiment, or two side by side.
import { EXAMPLES } from "./examples.js";
import { MINE } from "./scenario/algorithm.js";
import * as address from "./scenario/address.js";
import { digits } from "./scenario/quantity.js";
import { BEGINNING, prepared } from "./scenario/prepare.js";
import { set } from "./scenario/tree.js";
import { Engine } from "./engine/engine.js";
import { isPython } from "./engine/python.js";
import { Together } from "./view/charts.js";
import { byId, h } from "./view/dom.js";
import { Lane, flowRows } from "./view/lane.js";
import { PacketView } from "./view/packets.js";
import { Panel } from "./view/panel.js";
import { tabs } from "./view/tabs.js";
import { takeAway } from "./view/take-away.js";
import { editor } from "./view/editor.js";
import * as theme from "./view/theme.js";

/** @typedef {import("./types").Tree} Tree */

const together = new Together();
const hooks = { ran, failed, progress };
/** @type {Lane[]} */
const lanes = [new Lane(together, hooks)];
/** The settings, one for each lane. @type {Tree[]} */
const trees = [BEGINNING];
/** The settings as they were loaded. @type {Tree[]} */
const origins = [BEGINNING];
/** The number of the lane that the controls change. */
let active = 0;
/** The built-in scenario it began as. @type {string | null} */
let base = null;
/** The algorithm written in the page. */
let source = EXAMPLES.gentle.source;
let choices = /** @type {{ text: Record<string, string>, prepared: Record<string, Tree>, originals: Record<string, Tree> }} */ ({ text: {}, prepared: {}, originals: {} });
/** @type {Panel} */
let panel;
/** @type {Awaited<ReturnType<typeof takeAway>>} */
let taking;
/** @type {Engine | null} */
let spare = null;
/** Workers in addition to those of the charts, for packets and for digests: a later run would supersede an earlier one of the same. */
const spareEngine = () => (spare ??= new Engine());
/** @type {Engine | null} */
let third = null;
const thirdEngine = () => (third ??= new Engine());
const packets = new PacketView(byId("packets"), spareEngine);

/** From this width on the packets and an editor stand next to the charts. */
const WIDE = matchMedia("(min-width: 80rem)");
const views = [
  { id: "flows", name: "Flows", panel: byId("flows") },
  { id: "packets", name: "Packets", panel: byId("packets") },
  { id: "algorithm", name: "Your algorithm", panel: byId("algorithm") },
  { id: "toml", name: "Scenario", panel: byId("toml") },
  { id: "take", name: "Take it along", panel: byId("take") },
];
/** Up to this width the settings are a sheet over the page. */
const SHEET = matchMedia("(max-width: 60rem)");
/** The tab that is open, where its reader has chosen one. @type {string | null} */
let open = null;

const toml = editor({ id: "toml-text", label: "The scenario as TOML", language: () => "toml", input: debounced(readToml, 350) });
const code = editor({ id: "code", label: "Your algorithm in JavaScript or Python", language: (text) => (isPython(text) ? "python" : "js"), input: debounced(codeChanged, 350) });

/** @template {any[]} A @param {(...values: A) => void} act @param {number} milliseconds @returns {((...values: A) => void) & { cancel: () => void }} */
function debounced(act, milliseconds) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @param {A} values */
  const later = (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...values), milliseconds);
  };
  return Object.assign(later, { cancel: () => clearTimeout(timer) });
}

/** The experiment as addresses hold it. */
function experiment() {
  const uses = trees.some((tree) => JSON.stringify(tree).includes(`${MINE}"`));
  return { base, tree: trees[0], other: trees[1] ?? null, source: uses ? source : null };
}

const keepAddress = debounced(async () => {
  const fragment = await address.write(experiment(), choices.prepared);
  history.replaceState(null, "", `#${fragment}`);
}, 300);

/** Runs the active lane with a changed scenario. @param {Tree} tree */
function changed(tree) {
  byId("error").hidden = true;
  trees[active] = tree;
  lanes[active].request(tree, source);
  keepAddress();
}

/** @param {Lane} lane */
function ran(lane) {
  byId("error").hidden = true;
  if (lane === lanes[1] && lanes[0].over) lanes[0].draw();
  dim();
  if (lanes.indexOf(lane) === active) showResults(lane);
  document.documentElement.dataset.runs = String(Number(document.documentElement.dataset.runs ?? 0) + 1);
}

/** @param {Lane} lane */
function showResults(lane) {
  const { results } = lane;
  if (!results) return;
  const speed = results.packets / (results.milliseconds / 1e3);
  byId("said").textContent = `${results.packets.toLocaleString("en")} packets in ${digits(results.finishedAtS)} s, simulated in ${digits(results.milliseconds)} ms: ${digits(speed / 1e6, 2)} million per second.`;
  const links = results.tables.links.name;
  const choice = /** @type {HTMLSelectElement} */ (byId("at-link"));
  const shown = links[lane.shownLink()];
  if (choice.options.length !== links.length || choice.value !== shown) {
    choice.replaceChildren(...links.slice(0, 200).map((/** @type {string} */ name) => h("option", { value: name, selected: name === shown }, name)));
  }
  flowTable(lane);
  showPackets();
  void taking.update();
}

/** The packets of the active lane, where they are in view. */
async function showPackets() {
  const lane = lanes[active];
  if (byId("panel-packets").hidden || !lane.results) return;
  const { tree, results } = lane;
  const { sketch, durationS } = await lane.engine.read(JSON.stringify(tree), "json");
  const own = JSON.stringify(tree).includes(`${MINE}"`);
  await packets.show({ tree, source: own ? source : null, colours: lane.colours() }, sketch, results.tables.links.name, durationS);
}

/** @param {Lane} lane */
function flowTable(lane) {
  if (byId("panel-flows").hidden || !lane.results) return;
  const names = ["Flow", "Algorithm", "Goodput, Mbit/s", "Mean round trip, ms", "Packets delivered", "Lost", "Timeouts"];
  const table = h("table", {}, h("thead", {}, h("tr", {}, ...names.map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, ...flowRows(lane.results, lane.colours())));
  byId("panel-flows").replaceChildren(
    h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Flows" }, table),
    h("p", { class: "help" }, "A goodput is the mean over a flow's own time: those of flows that begin or end at different times add up to more than the link carries."),
  );
}

/** Says what stays until it is read. @param {string} text */
function note(text) {
  const box = byId("notice");
  box.replaceChildren(text, h("button", { type: "button", id: "read", onclick: () => (box.hidden = true) }, "Close"));
  box.hidden = false;
}

/** The drawing of the packets is that of the active lane. */
function dim() {
  packets.element.classList.toggle("stale", lanes[active].isStale);
}

/** Stops what runs, and says whose pictures are there. */
function stopRuns() {
  for (const lane of lanes) lane.halt();
  dim();
  const again = h("button", { type: "button", id: "again", class: "quiet", onclick: () => lanes.forEach((lane, index) => lane.isStale && lane.request(trees[index], source)) }, "Run again");
  byId("said").replaceChildren(lanes[active].results ? "Stopped. The pictures are those of the run before." : "Stopped.", again);
  again.focus();
}

/** @param {Lane} lane @param {any} error */
function failed(lane, error) {
  dim();
  if (byId("said").querySelector("#again")) {
    // What was stopped is over: a later run has failed.
    byId("said").replaceChildren(lane.results ? "The pictures are those of the run before." : "");
  }
  if (error.kind === "endless") forget();
  const isOwn = error.kind === "algorithm" || error.kind === "endless";
  if (error.kind === "endless" && !lane.results) {
    // Something is drawn in any case.
    note(`The algorithm in the address: ${error.message}`);
    return begun();
  }
  const box = byId("error");
  const place = error.line ? `Your algorithm, line ${error.line}: ` : isOwn ? "Your algorithm: " : "";
  const key = error.key ? [h("code", {}, error.key), ": "] : [];
  const mend = error.nearest && error.key ? h("button", { type: "button", onclick: () => mendName(error) }, `Use ${error.nearest}`) : null;
  box.replaceChildren(place, ...key, error.message, mend ?? "");
  box.hidden = false;
}

/** Puts the nearest name where a name is wrong. @param {{ key: string, nearest: string, found?: string }} error */
function mendName(error) {
  const text = toml.get();
  const wrong = String(error.found ?? error.key.split(".").at(-1));
  toml.set(text.replaceAll(new RegExp(`(?<![\\w-])${wrong.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w-])`, "g"), error.nearest));
  readToml(toml.get());
}

/** @param {number} share */
function progress(share) {
  dim();
  const bar = byId("progress");
  bar.hidden = share >= 1;
  byId("stop").hidden = share >= 1;
  bar.setAttribute("aria-valuenow", String(Math.round(share * 100)));
  /** @type {HTMLElement} */ (bar.firstElementChild).style.width = `${share * 100}%`;
}

/** Shows another scenario. @param {Tree} tree */
function load(tree) {
  origins[active] = tree;
  trees[active] = tree;
  together.zoom = null;
  byId("all").hidden = true;
  byId("title").textContent = tree.title || tree.name;
  byId("description").textContent = tree.description ?? "";
  panel.show(tree);
  changed(tree);
  void showToml();
  showChoice(tree);
}

/** The choice of scenarios names what is shown: one of its own, the beginning, or another that was written or comes from an address. @param {Tree} tree */
function showChoice(tree) {
  const choice = /** @type {HTMLSelectElement} */ (byId("scenario"));
  choice.querySelector('[value="own"]')?.remove();
  const isOwn = base === null && tree.name !== BEGINNING.name;
  if (isOwn) choice.prepend(h("option", { value: "own" }, `${tree.name} (own)`));
  choice.value = base ?? (isOwn ? "own" : "");
}

async function showToml() {
  if (byId("panel-toml").hidden) return;
  const tree = trees[active];
  const read = await lanes[0].engine.read(JSON.stringify(tree), "json").catch(() => null);
  // What cannot be read, the run says. A later change has a text of its own.
  if (read && tree === trees[active]) toml.set(read.toml);
}
const tomlSoon = debounced(showToml, 150);

/** What the controls have changed: the text of the scenario follows. @param {Tree} tree */
function controlled(tree) {
  changed(tree);
  tomlSoon();
}

/** @param {boolean} away */
function fold(away) {
  byId("settings").hidden = away;
  byId("fold").setAttribute("aria-expanded", String(!away));
}

/** The tabs of what does not stand next to the charts. */
function arrange() {
  const { panel: network } = views[1];
  if (WIDE.matches) {
    network.id = "panel-packets";
    network.setAttribute("role", "region");
    network.setAttribute("aria-label", "Packets");
    network.removeAttribute("aria-labelledby");
    network.hidden = false;
    byId("tab-row").before(network);
  } else {
    network.removeAttribute("aria-label");
    byId("tab-row").after(network);
  }
  // Taller, an editor has the place of the packets.
  byId("taller").hidden = !WIDE.matches;
  const tabbed = WIDE.matches ? views.filter(({ panel }) => panel !== network) : views;
  const first = tabbed.find(({ id }) => id === open)?.id ?? (WIDE.matches ? "toml" : "flows");
  chooseTab = tabs(byId("tabs"), tabbed, first, (id) => {
    open = id;
    // Where the settings are a sheet, it covers half of the screen, and of an editor all.
    if (SHEET.matches && ["algorithm", "toml"].includes(id)) fold(true);
    makeTaller(isTaller ?? id === "algorithm");
    if (id === "flows") flowTable(lanes[active]);
    if (id === "toml") void showToml();
    if (id === "packets") void showPackets();
    if (id === "take") void taking.update();
  });
  void showPackets();
}
/** @type {(id: string) => void} */
let chooseTab = () => {};
/** Whether an editor has the place of the packets next to the charts, where its reader has chosen; else code has. @type {boolean | null} */
let isTaller = null;

/** @param {boolean} is */
function makeTaller(is) {
  byId("taller").setAttribute("aria-pressed", String(is));
  if (!WIDE.matches) return;
  views[1].panel.hidden = is;
  if (!is) void showPackets();
}

/** A scenario that was written or pasted. @param {string} text */
async function readToml(text) {
  try {
    const read = await lanes[0].engine.read(text, "toml");
    if (text !== toml.get()) return;
    base = null;
    const tree = prepared(read.tree, read.flowCount);
    showChoice(tree);
    byId("title").textContent = tree.title || tree.name;
    byId("description").textContent = tree.description ?? "";
    panel.show(tree);
    changed(tree);
  } catch (error) {
    failed(lanes[active], error);
  }
}

/** @param {string} text */
function codeChanged(text) {
  source = text;
  recall(text);
  for (const [index, lane] of lanes.entries()) {
    if (!JSON.stringify(trees[index]).includes(`${MINE}"`)) continue;
    byId("error").hidden = true;
    lane.request(trees[index], source);
  }
  keepAddress();
}

/** Lets the algorithm of the page run in the first group of flows. */
function race() {
  if (JSON.stringify(trees[active]).includes(`"${MINE}"`)) return changed(trees[active]);
  const tree = set(trees[active], "flow.0.algorithm", MINE);
  panel.show(tree);
  changed(tree);
}

function showSides() {
  const sides = byId("sides");
  sides.hidden = lanes.length < 2;
  const radio = (/** @type {number} */ index) =>
    h("label", {}, h("input", { type: "radio", name: "side", checked: index === active, onchange: () => choose(index) }), `Setting ${"AB"[index]}`);
  sides.replaceChildren(...lanes.map((_, index) => radio(index)));
  byId("over").hidden = lanes.length < 2;
  overlay();
}

/** Draws the second setting over the first, or next to it. */
function overlay() {
  const box = /** @type {HTMLInputElement} */ (byId("overlay"));
  const isOver = box.checked && lanes.length > 1;
  lanes[0].over = isOver ? lanes[1] : null;
  lanes.forEach((lane, index) => (lane.name.textContent = lanes.length > 1 ? `Setting ${"AB"[index]}${isOver ? ", and B dashed" : ""}` : ""));
  if (lanes.length > 1) lanes[1].element.hidden = isOver;
  lanes[0].draw();
}

/** @param {number} index */
function choose(index) {
  active = index;
  panel.show(trees[active]);
  showResults(lanes[active]);
  void showToml();
}

/** A second setting next to the first, or one alone again. @param {Tree | null} other */
function compare(other) {
  if (lanes.length > 1) {
    lanes.pop()?.remove();
    trees.pop();
    origins.length = 1;
    active = 0;
    panel.show(trees[0]);
    lanes[0].draw();
  } else {
    lanes.push(new Lane(together, hooks));
    trees.push(other ?? structuredClone(trees[0]));
    origins.push(trees[1]);
    byId("lanes").append(lanes[1].element);
    active = 1;
    panel.show(trees[1]);
    lanes[1].request(trees[1], source);
  }
  byId("compare").setAttribute("aria-pressed", String(lanes.length > 1));
  showSides();
  keepAddress();
}

async function share() {
  const fragment = await address.write(experiment(), choices.prepared);
  const link = `${location.origin}${location.pathname}#${fragment}`;
  history.replaceState(null, "", `#${fragment}`);
  const said = byId("share");
  try {
    await navigator.clipboard.writeText(link);
    said.textContent = "Copied";
  } catch {
    said.textContent = "In the address";
  }
  setTimeout(() => (said.textContent = "Share"), 1800);
}

/** The names and titles of the built-in scenarios. */
async function loadChoices() {
  choices.text = await (await fetch("scenarios.json")).json();
  const choice = /** @type {HTMLSelectElement} */ (byId("scenario"));
  const options = Object.entries(choices.text).map(([name, text]) => h("option", { value: name, title: /^title = "(.*)"/m.exec(text)?.[1] }, name));
  choice.replaceChildren(h("option", { value: "" }, "Two flows"), ...options);
  choice.addEventListener("change", async () => {
    base = choice.value || null;
    load(base === null ? BEGINNING : await builtIn(base));
  });
  showChoice(trees[active]);
}

/** A built-in scenario as the page shows it. @param {string} name */
async function builtIn(name) {
  if (choices.text[name] === undefined) throw new Error(`there is no built-in scenario ${JSON.stringify(name)}`);
  if (!choices.prepared[name]) {
    const read = await lanes[0].engine.read(choices.text[name], "toml");
    choices.originals[name] = read.tree;
    choices.prepared[name] = prepared(read.tree, read.flowCount);
  }
  return choices.prepared[name];
}

function algorithmTab() {
  const example = h(
    "select", { id: "example", onchange: () => { code.set(EXAMPLES[example.value].source); codeChanged(code.get()); } },
    ...Object.entries(EXAMPLES).map(([name, { title }]) => h("option", { value: name }, title)),
  );
  code.set(source);
  byId("algorithm").append(
    h("div", { class: "actions" }, h("label", { class: "pair" }, "Begin with", example), h("button", { type: "button", class: "primary", id: "race", onclick: race }, "Race it")),
    code.element,
    h("p", { class: "help" }, "The class is called for every acknowledgment, in packets and seconds; it has the names of Python classes, so that it can be copied line by line into one. Choose “mine” for a flow to let it run. Tab indents, Escape leaves the editor."),
    h("p", { class: "help" }, "Python needs its interpreter (Pyodide, 13 MB), which is loaded with the first class: from vendor/pyodide next to this page, or from cdn.jsdelivr.net, by its checksum. On your machine the same file runs as it is: ackclock compare cubic mine.py:Mine."),
  );
}

/** The name under which the browser's tab keeps the code that its user has written or accepted. */
const OWN_CODE = "ackclock-code";

/**
 * Whether code of an address may run: that of the examples, and what its user has written or accepted; other code is shown, and asked
 * about.
 * @param {string} found @returns {Promise<boolean>}
 */
async function accepted(found) {
  const isKnown = Object.values(EXAMPLES).some((example) => example.source === found) || recalled() === found;
  if (isKnown) return true;
  const ask = byId("ask");
  const answer = await new Promise((resolve) => {
    const run = h("button", { type: "button", id: "run-code", onclick: () => resolve(true) }, "Run it");
    const leave = h("button", { type: "button", id: "leave-code", class: "primary", onclick: () => resolve(false) }, "Do not run it");
    ask.replaceChildren(
      h("h2", {}, "This address holds code"),
      h("p", {}, "An algorithm that somebody wrote. It runs in this browser, cut off from this page and from the network. Look at it first:"),
      h("pre", { tabindex: "0", "aria-label": "The code" }, found),
      h("div", { class: "actions" }, leave, run),
    );
    ask.hidden = false;
    leave.focus();
  });
  ask.hidden = true;
  ask.replaceChildren();
  if (answer) recall(found);
  return answer;
}

function recalled() {
  try {
    return sessionStorage.getItem(OWN_CODE);
  } catch {
    return null;
  }
}

/** Code that was stopped before the page was loaded again. */
function stopped() {
  try {
    return sessionStorage.getItem(STOPPED);
  } catch {
    return null;
  }
}

/** @param {string} text */
function recall(text) {
  try {
    sessionStorage.removeItem(STOPPED);
    sessionStorage.setItem(OWN_CODE, text);
  } catch {
    // A browser that keeps nothing asks again.
  }
}

/** The name under which the tab keeps code that was stopped: it is shown again, and does not run by itself. */
const STOPPED = "ackclock-stopped";

/** Code without an end: the address holds it no more, so that to load the page again does not run it. */
function forget() {
  try {
    sessionStorage.removeItem(OWN_CODE);
    sessionStorage.setItem(STOPPED, source);
  } catch {
    // A browser that keeps nothing asks again.
  }
  keepAddress.cancel();
  history.replaceState(null, "", location.pathname + location.search);
}

/** The scenario of the beginning. */
function begun() {
  base = null;
  load(BEGINNING);
}

/** The example that an address names, as `#example=gentle`: a page that leads to the editor has no code of its own. @param {string} fragment */
function exampleOf(fragment) {
  const name = new URLSearchParams(fragment.slice(1)).get("example");
  return name !== null && Object.hasOwn(EXAMPLES, name) ? EXAMPLES[name].source : null;
}

/** What the address holds, or the beginning. */
async function restore() {
  byId("notice").hidden = true;
  try {
    const named = new URLSearchParams(location.hash.slice(1)).get("scenario");
    if (named !== null) await builtIn(named);
    const example = exampleOf(location.hash);
    if (example !== null) {
      base = null;
      source = example;
      code.set(source);
      load(set(BEGINNING, "flow.0.algorithm", MINE));
      return chooseTab("algorithm");
    }
    const found = await address.read(location.hash, choices.prepared);
    if (found === null) return begun();
    if (found.source !== null && !(await accepted(found.source))) {
      // What is left alone leaves the address, too: to load the page again asks for nothing.
      history.replaceState(null, "", location.pathname + location.search);
      note("The code of the address does not run, and is no longer in it. Here are two flows instead.");
      return begun();
    }
    base = found.base;
    if (found.source !== null) source = found.source;
    code.set(source);
    load(found.tree);
    if (found.other !== null && lanes.length < 2) compare(found.other);
  } catch (error) {
    note(`The address holds no experiment: ${error instanceof Error ? error.message : error}. Here are two flows instead.`);
    begun();
  }
}

async function begin() {
  byId("lanes").append(lanes[0].element);
  theme.begin(() => {
    lanes.forEach((lane) => lane.redraw());
    packets.draw();
  });
  const { entries, version } = await lanes[0].engine.catalogue();
  byId("version").textContent = `Ackclock ${version}`;
  panel = new Panel(byId("controls"), entries, controlled);
  source = stopped() ?? source;
  algorithmTab();
  byId("toml").append(toml.element, h("p", { class: "help" }, "Change it, or paste a scenario of your own: it is read by the same reader as on the command line. Tab indents, Escape leaves the editor."));
  taking = await takeAway(byId("take"), () => ({ base, tree: trees[active], source, lane: lanes[active], zoom: together.zoom, originals: choices.originals }), thirdEngine);
  arrange();
  WIDE.addEventListener("change", arrange);
  // The first picture needs no list of scenarios, unless the address names one.
  const listed = loadChoices();
  if (new URLSearchParams(location.hash.slice(1)).has("scenario")) await listed;
  await restore();
  await listed;
  // Code that is in the address, or was stopped, is what its reader has come for.
  if (WIDE.matches && (experiment().source !== null || stopped() !== null)) chooseTab("algorithm");
  addEventListener("hashchange", () => void restore());
}

byId("compare").addEventListener("click", () => compare(null));
byId("share").addEventListener("click", () => void share());
byId("stop").addEventListener("click", stopRuns);
byId("reset").addEventListener("click", () => {
  base = Object.keys(choices.prepared).find((name) => choices.prepared[name] === origins[active]) ?? base;
  load(origins[active]);
});
byId("taller").addEventListener("click", () => makeTaller((isTaller = byId("taller").getAttribute("aria-pressed") !== "true")));
byId("overlay").addEventListener("change", overlay);
byId("all").addEventListener("click", () => together.setZoom(null));
byId("fold").addEventListener("click", () => fold(!byId("settings").hidden));
byId("at-link").addEventListener("change", (event) => {
  lanes[active].link = /** @type {HTMLSelectElement} */ (event.target).value;
  lanes[active].draw();
});
together.listeners.push(() => (byId("all").hidden = together.zoom === null));
begin().catch((error) => failed(lanes[0], error));
if ("serviceWorker" in navigator && isSecureContext) navigator.serviceWorker.register("offline.js").catch(() => {});
