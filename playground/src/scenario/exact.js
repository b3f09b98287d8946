// What is written into the field next to a slider: its value, or a sentence that says what would be right.
import { digits, parse, write } from "./quantity.js";

const NUMBER = /^[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;

/** @param {string} text @param {string} right @returns {{ says: string }} */
const refused = (text, right) => ({ says: `found "${text}", expected ${right}` });

/**
 * A number in a range, with its unit or without.
 * @param {string} text @param {{ min: number, max: number, whole?: boolean, unit?: string }} range
 * @returns {{ value: number, says?: undefined } | { says: string }}
 */
export function exactNumber(text, { min, max, whole = false, unit = "" }) {
  const bare = unit && text.endsWith(unit) ? text.slice(0, -unit.length).trim() : text;
  const value = NUMBER.test(bare) ? Number(bare.replaceAll("_", "")) : NaN;
  if (value >= min && value <= max && (!whole || Number.isInteger(value))) return { value };
  const from = min === -Infinity ? "" : ` from ${digits(min)}`;
  const to = max === Infinity ? "" : ` to ${digits(max)}`;
  return refused(text, `${whole ? "a whole number" : "a number"}${from}${to}${unit && ` ${unit}`}`);
}

/**
 * A quantity as scenarios write it; a number alone has the unit that the field has shown. The slider's range is only a proposal.
 * @param {string} text @param {string} shown @param {string} dimension @param {number} min @param {number} max
 * @returns {{ value: string, says?: undefined } | { says: string }}
 */
export function exactQuantity(text, shown, dimension, min, max) {
  const value = NUMBER.test(text) ? `${text} ${shown.replace(/^\S+\s*/, "")}` : text;
  return parse(value) ? { value } : refused(text, `a value with its unit, such as ${write(min, dimension)} to ${write(max, dimension)}`);
}
