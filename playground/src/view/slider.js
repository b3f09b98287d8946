// A slider with its name, its meaning, and a field for the exact value.
import { h } from "./dom.js";

/** @typedef {object} SliderOptions
 * @property {string} id
 * @property {string} label
 * @property {string} [help]
 * @property {number} value
 * @property {number} min
 * @property {number} max
 * @property {boolean} [log]
 * @property {boolean} [whole]
 * @property {number} [zero] the slider's left end means this instead of `min`
 * @property {(value: number) => string} text
 * @property {(value: number) => void} input called as the slider moves
 * @property {(text: string) => string | undefined | void} exact called with what was written; says what would be right where that is wrong
 */

const STEPS = 1000;

/** The keys that move a slider by a step, and where. @type {Record<string, number>} */
const STEP_KEYS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };

/** Rounded to what a slider can choose: three significant digits. @param {number} value @param {boolean} whole */
function rounded(value, whole) {
  const round = Number(value.toPrecision(3));
  return whole ? Math.round(round) : round;
}

/** @param {SliderOptions} options */
export function slider(options) {
  const { id, label, help, log = false, whole = false, zero } = options;
  const min = Math.min(options.min, options.value > 0 || !log ? options.value : options.min);
  const max = Math.max(options.max, options.value);
  /** @param {number} value */
  const place = (value) => {
    if (zero !== undefined && value <= zero) return 0;
    const share = log ? Math.log(value / min) / Math.log(max / min) : (value - min) / (max - min);
    return Math.round(Math.max(zero === undefined ? 0 : 1 / STEPS, share) * STEPS);
  };
  /** @param {number} at */
  const valueAt = (at) => {
    if (zero !== undefined && at === 0) return zero;
    if (at === STEPS) return max;
    const share = at / STEPS;
    return rounded(log ? min * (max / min) ** share : min + (max - min) * share, whole);
  };
  const shown = options.text(options.value);
  const field = h("input", {
    id: `${id}-exact`, class: "exact", type: "text", value: shown, "aria-label": `${label}, exact value`, spellcheck: "false", autocomplete: "off",
    // Not at once: Tab moves the focus first, to what is there now.
    onchange: () => setTimeout(() => refuse(options.exact(field.value.trim()) ?? "")),
  });
  const refused = h("p", { class: "refused", id: `${id}-refused`, role: "alert", hidden: true });
  /** @param {string} says why what is written cannot be; nothing where it can */
  const refuse = (says) => {
    refused.textContent = says;
    refused.hidden = says === "";
    field.setAttribute("aria-invalid", String(says !== ""));
    field.setAttribute("aria-describedby", refused.id);
  };
  let current = options.value;
  /** @param {number} value */
  const take = (value) => {
    current = value;
    refuse("");
    field.value = options.text(value);
    range.setAttribute("aria-valuetext", field.value);
    fill();
    options.input(value);
  };
  /** Whole numbers move by one, above a hundred by ten or more: a step of the slider is less than that, or many. @param {KeyboardEvent} event */
  const key = (event) => {
    const step = STEP_KEYS[event.key];
    if (!whole || !step) return;
    event.preventDefault();
    const least = Math.abs(step < 0 ? current - 1 : current);
    const size = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, least))) - 1);
    const value = Math.min(max, Math.max(min, Math.round(current) + step * size));
    range.value = String(place(value));
    take(value);
  };
  const range = h("input", {
    id, type: "range", min: "0", max: String(STEPS), value: String(place(options.value)), "aria-valuetext": shown,
    "aria-describedby": help ? `${id}-help` : undefined, onkeydown: key, oninput: () => take(valueAt(Number(range.value))),
  });
  const fill = () => range.style.setProperty("--at", `${(Number(range.value) / STEPS) * 100}%`);
  fill();
  return h(
    "div", { class: "field" },
    h("label", { for: id }, label), field, range, refused,
    help ? h("p", { class: "help", id: `${id}-help` }, help) : null,
  );
}
