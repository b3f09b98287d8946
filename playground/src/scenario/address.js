// An experiment as the fragment of an address: a built-in scenario with changes, or a whole one, compressed.
import { changes, set, written } from "./tree.js";

/** @typedef {import("../types").Tree} Tree */
/** @typedef {{ base: string | null, tree: Tree, other: Tree | null, source: string | null }} Experiment */

/** @param {string} text @returns {Promise<string>} */
async function packed(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The largest text that an address may unpack to: a scenario is far below. */
const LARGEST = 1_000_000;

/** A text of an address; its errors say what its reader can do. @param {string} letters */
async function unpacked(letters) {
  try {
    return await inflated(letters);
  } catch (error) {
    if (error instanceof TooLarge) throw error;
    throw new Error("it is incomplete or damaged");
  }
}

/** @param {string} letters */
async function treeOf(letters) {
  const text = await unpacked(letters);
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("it is incomplete or damaged");
  }
}

class TooLarge extends Error {}

/** @param {string} letters */
async function inflated(letters) {
  const bytes = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > LARGEST) throw new TooLarge("the scenario in the address is too large");
  }
}

/**
 * The fragment for an experiment.
 * @param {Experiment} experiment
 * @param {Record<string, Tree>} scenarios the built-in ones, as the page prepares them
 */
export async function write({ base, tree, other, source }, scenarios) {
  const fields = new URLSearchParams();
  const known = base === null ? undefined : scenarios[base];
  const changed = known && changes(known, tree);
  if (base !== null && changed) {
    fields.set("scenario", base);
    for (const [path, value] of changed) fields.append("set", `${path}=${written(value)}`);
  } else {
    fields.set("tree", await packed(JSON.stringify(tree)));
  }
  if (other !== null) fields.set("other", await packed(JSON.stringify(other)));
  if (source !== null) fields.set("code", await packed(source));
  return fields.toString();
}

/** A value of `--set`: what TOML would read, as far as addresses hold it. @param {string} text */
function value(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * The experiment of a fragment; null for one that holds none.
 * @param {string} fragment
 * @param {Record<string, Tree>} scenarios
 * @returns {Promise<Experiment | null>}
 */
export async function read(fragment, scenarios) {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const base = fields.get("scenario");
  const letters = fields.get("tree");
  if (base === null && letters === null) return null;
  let tree = letters === null ? scenarios[base ?? ""] : await treeOf(letters);
  if (tree === undefined) throw new Error(`there is no built-in scenario ${JSON.stringify(base)}`);
  for (const change of fields.getAll("set")) {
    const at = change.indexOf("=");
    tree = set(tree, change.slice(0, at), value(change.slice(at + 1)));
  }
  const other = fields.get("other");
  const code = fields.get("code");
  return {
    base: letters === null ? base : null,
    tree,
    other: other === null ? null : await treeOf(other),
    source: code === null ? null : await unpacked(code),
  };
}
