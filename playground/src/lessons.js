// The lessons: a text, a question, some sliders, and a run that answers.
import * as address from "./scenario/address.js";
import { exactNumber } from "./scenario/exact.js";
import { digits, write } from "./scenario/quantity.js";
import { get } from "./scenario/tree.js";
import { LESSONS } from "./lessons/all.js";
import { BOTTLENECK } from "./lessons/lesson.js";
import { put, valueOf } from "./lessons/answer.js";
import { Together } from "./view/charts.js";
import { byId, h } from "./view/dom.js";
import { Lane } from "./view/lane.js";
import { slider } from "./view/slider.js";
import * as theme from "./view/theme.js";

/** @typedef {import("./lessons/lesson.js").Lesson} Lesson */
/** @typedef {import("./lessons/lesson.js").Control} Control */
/** @typedef {import("./types").Tree} Tree */

const KEY = "ackclock-lessons";
const finished = new Set((theme.remembered(KEY) ?? "").split(" ").filter(Boolean));

/** @type {Lesson} */
let lesson = LESSONS[0];
/** @type {Tree} */
let tree = lesson.tree;
const together = new Together();
const lane = new Lane(together, { ran, failed, progress: () => {} });

function ran() {
  if (!lane.results || lane.tree !== tree) return;
  byId("error").hidden = true;
  const { done, says } = lesson.check(lane.results, tree);
  const verdict = byId("verdict");
  verdict.classList.toggle("done", done);
  verdict.textContent = done ? `✓ ${says}` : says;
  if (done) finish();
  document.documentElement.dataset.runs = String(Number(document.documentElement.dataset.runs ?? 0) + 1);
}

/** @param {Lane} _lane @param {unknown} error */
function failed(_lane, error) {
  byId("error").textContent = error instanceof Error ? error.message : String(error);
  byId("error").hidden = false;
}

/** The question is answered: the explanation appears, and the contents say so. */
function finish() {
  byId("answer").hidden = false;
  if (finished.has(lesson.key)) return;
  finished.add(lesson.key);
  theme.remember(KEY, [...finished].join(" "));
  showContents();
}

/** @param {Tree} changed */
function run(changed) {
  tree = changed;
  lane.request(tree, null);
  void linkToPlayground();
}

async function linkToPlayground() {
  const fragment = await address.write({ base: null, tree, other: null, source: null }, {});
  byId("open").setAttribute("href", `index.html#${fragment}`);
}

/** @param {Control} control @param {number} index */
function controlOf(control, index) {
  const id = `control-${index}`;
  if (control.choices) {
    const now = get(tree, control.path);
    const choice = h(
      "select", { id, onchange: () => run(put(tree, control, choice.value)) },
      ...control.choices.map(([value, name]) => h("option", { value, selected: value === now }, name)),
    );
    return h("div", { class: "field row" }, h("label", { for: id }, control.label), choice);
  }
  const unit = /^\{\} (\S+)$/.exec(control.writes)?.[1] ?? "";
  const { min = 1, max = 100, log, whole } = control;
  /** @param {string} text */
  const exact = (text) => {
    const found = exactNumber(text.replace(/^1 packet$/, "1"), { min, max, whole, unit });
    if (found.says !== undefined) return found.says;
    run(put(tree, control, found.value));
    showControls();
  };
  return slider({
    id, label: control.label, value: valueOf(tree, control), min, max, log, whole,
    text: (value) => (unit === "packets" ? write(value, "packets") : `${digits(value)}${unit ? ` ${unit}` : ""}`), input: (value) => run(put(tree, control, value)), exact,
  });
}

function showControls() {
  const focused = document.activeElement?.id;
  byId("controls").replaceChildren(...lesson.controls.map(controlOf));
  if (focused?.startsWith("control-")) document.getElementById(focused)?.focus({ preventScroll: true });
}

function showContents() {
  byId("contents").replaceChildren(...LESSONS.map(({ key, title }) =>
    h("li", { class: finished.has(key) ? "done" : undefined },
      h("a", { href: `#${key}`, "aria-current": key === lesson.key ? "true" : undefined }, title, finished.has(key) ? h("span", { class: "visually-hidden" }, ", answered") : null))));
}

/** A source as text and links: RFCs, and pages of the documentation, which stands next to these pages or in the repository. @param {string} source */
function linked(source) {
  const { docs = "" } = document.documentElement.dataset;
  return source.split(/(RFC \d+|docs\/[\w-]+)/).map((part, index) => {
    if (index % 2 === 0) return part;
    const page = `${docs}${part.slice(5)}${docs.startsWith("https:") ? ".md" : ".html"}`;
    return h("a", { href: part.startsWith("RFC") ? `https://www.rfc-editor.org/rfc/rfc${part.slice(4)}` : page }, part);
  });
}

/** The button of the lesson in view, where the contents are a strip, or longer than their panel. */
function showPlace() {
  const list = byId("contents");
  const panel = /** @type {HTMLElement} */ (list.closest(".contents"));
  const place = /** @type {HTMLElement} */ (list.querySelector("[aria-current]")).getBoundingClientRect();
  const strip = list.getBoundingClientRect();
  const frame = panel.getBoundingClientRect();
  list.scrollLeft += place.left + place.width / 2 - strip.left - strip.width / 2;
  panel.scrollTop += Math.max(0, place.bottom + 8 - frame.bottom) - Math.max(0, frame.top - place.top);
}

/** @param {Lesson} chosen */
function show(chosen) {
  lesson = chosen;
  const number = LESSONS.indexOf(lesson);
  document.title = `${lesson.title} – Ackclock lessons`;
  byId("place").textContent = `Lesson ${number + 1} of ${LESSONS.length}`;
  byId("title").textContent = lesson.title;
  byId("text").replaceChildren(...lesson.text.map((paragraph) => h("p", {}, paragraph)));
  byId("question").textContent = lesson.question;
  const hint = /** @type {HTMLDetailsElement} */ (byId("hint"));
  hint.open = false;
  /** @type {HTMLElement} */ (hint.lastElementChild).textContent = lesson.hint;
  const [, answer, source] = byId("answer").children;
  answer.textContent = lesson.answer;
  source.replaceChildren(...linked(lesson.source));
  byId("answer").hidden = true;
  byId("verdict").textContent = "";
  byId("verdict").classList.remove("done");
  /** @type {HTMLButtonElement} */ (byId("before")).disabled = number === 0;
  const isLast = number === LESSONS.length - 1;
  byId("next").hidden = isLast;
  byId("course").hidden = !isLast;
  lane.shown = lesson.charts;
  lane.tables = lesson.tables ?? [];
  lane.link = BOTTLENECK;
  together.zoom = null;
  showContents();
  showPlace();
  tree = lesson.tree;
  showControls();
  run(lesson.tree);
}

const chosen = () => LESSONS.find(({ key }) => key === location.hash.slice(1)) ?? LESSONS[0];
const go = (/** @type {number} */ step) => {
  location.hash = LESSONS[LESSONS.indexOf(lesson) + step].key;
  byId("stage").focus({ preventScroll: true });
  scrollTo(0, 0);
};
// On a slide its lecturer chooses the lesson.
document.documentElement.toggleAttribute("data-framed", self !== top);
byId("before").addEventListener("click", () => go(-1));
byId("next").addEventListener("click", () => go(1));
addEventListener("hashchange", () => show(chosen()));
byId("lanes").append(lane.element);
/** From this width on the charts stand next to the lesson; below, in it, above the slider that stays in view with them. */
const WIDE = matchMedia("(min-width: 80rem)");
const arrange = () => (WIDE.matches ? byId("live").before(byId("lanes")) : byId("try").before(byId("lanes")));
arrange();
WIDE.addEventListener("change", arrange);
theme.begin(() => lane.redraw());
show(chosen());
