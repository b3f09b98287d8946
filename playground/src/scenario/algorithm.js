// Specifications of algorithms: `sack+limited(max_ssthresh=100)+cubic(beta=0.7)`.

/** @typedef {import("../types").Entry} Entry */
/** @typedef {{ name: string, values: Record<string, string> }} Part */
/** @typedef {{ recovery: Part | null, slowStart: Part | null, control: Part }} Algorithm */

/** The name of the algorithm that is written in the page. */
export const MINE = "mine";

/** @param {string} text @returns {Part} */
function part(text) {
  const found = /^([^()]*)(?:\((.*)\))?$/.exec(text.trim());
  const name = found?.[1].trim() ?? text.trim();
  const values = (found?.[2] ?? "").split(",").filter((piece) => piece.includes("="));
  return { name, values: Object.fromEntries(values.map((piece) => piece.split("=").map((side) => side.trim()))) };
}

/**
 * The parts of a specification. Those that are recoveries by themselves (`sack`) grow as Reno does.
 * @param {string} text
 * @param {Entry[]} entries
 * @returns {Algorithm}
 */
export function parse(text, entries) {
  /** @type {Algorithm} */
  const algorithm = { recovery: null, slowStart: null, control: { name: "reno", values: {} } };
  const parts = text.split(/\+(?![^(]*\))/).map(part);
  for (const [index, found] of parts.entries()) {
    const kinds = entries.filter((entry) => entry.name === found.name).map((entry) => entry.kind);
    const isRecovery = kinds.includes("recovery") || kinds.includes("transport");
    if (isRecovery && index === 0 && (parts.length > 1 || found.name !== "vegas")) algorithm.recovery = found;
    else if (kinds.includes("slow start") && index < 2 && !kinds.includes("avoidance")) algorithm.slowStart = found;
    else algorithm.control = found;
  }
  return algorithm;
}

/** @param {Part} part */
function shown({ name, values }) {
  const inner = Object.entries(values).map(([key, value]) => `${key}=${value}`);
  return inner.length ? `${name}(${inner.join(",")})` : name;
}

/**
 * The specification of these parts.
 * @param {Algorithm} algorithm
 * @param {Entry[]} entries
 */
export function write({ recovery, slowStart, control }, entries) {
  const whole = isWhole(control.name, entries);
  // Reno's avoidance is written where its name alone would be Reno's recovery.
  const isPlainReno = control.name === "reno" && !Object.keys(control.values).length;
  const parts = [recovery ?? (control.name === "reno" ? { name: "rack", values: {} } : null)];
  if (!whole) parts.push(slowStart);
  if (!isPlainReno || slowStart === null) parts.push(isPlainReno && recovery ? null : control);
  const texts = parts.filter((one) => one !== null).map(shown);
  return texts.length === 1 && texts[0] === "rack" ? "rack" : texts.join("+");
}

/** Whether an algorithm replaces slow start and avoidance. @param {string} name @param {Entry[]} entries */
export function isWhole(name, entries) {
  return name === MINE || entries.some((entry) => entry.kind === controllerKind(entries) && entry.name === name);
}

/** The kind of whole controllers, as the catalogue calls it. @param {Entry[]} entries */
function controllerKind(entries) {
  return entries.find((entry) => entry.name === "bbr3")?.kind ?? "controller";
}

/** The entry behind a chosen control. @param {string} name @param {Entry[]} entries */
export function controlEntry(name, entries) {
  return entries.find(
    (entry) => entry.name === name && (entry.kind === "avoidance" || entry.kind === controllerKind(entries)),
  );
}

/** All avoidances and whole controllers. @param {Entry[]} entries */
export function controls(entries) {
  return entries.filter((entry) => entry.kind === "avoidance" || entry.kind === controllerKind(entries));
}
