// Places in a scenario's tree, named as `--set` names them: "topology.dumbbell.bottleneck.rate", "flow.0.algorithm".

/** @typedef {import("../types").Tree} Tree */

/** @param {string} path */
const keys = (path) => path.split(".").map((key) => (/^\d+$/.test(key) ? Number(key) : key));

/** The value at a path; undefined where there is none. @param {Tree} tree @param {string} path @returns {any} */
export function get(tree, path) {
  return keys(path).reduce((/** @type {any} */ at, key) => at?.[key], tree);
}

/**
 * A copy with one value replaced, or removed where it is undefined.
 * @param {Tree} tree @param {string} path @param {any} value
 */
export function set(tree, path, value) {
  const copy = structuredClone(tree);
  const all = keys(path);
  const last = /** @type {string | number} */ (all.pop());
  const at = all.reduce((/** @type {any} */ node, key) => (node[key] ??= {}), copy);
  if (value !== undefined) at[last] = value;
  else if (Array.isArray(at)) at.splice(Number(last), 1);
  else delete at[last];
  return copy;
}

/** @param {unknown} value @returns {value is Record<string, any>} */
const isTable = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The changes that make one tree into another, as paths and values; null where values would have to be removed.
 * @param {any} from @param {any} to
 * @returns {[string, any][] | null}
 */
export function changes(from, to, path = "") {
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  const lists = Array.isArray(from) && Array.isArray(to) && from.length === to.length && from.every(isTable);
  if (!lists && !(isTable(from) && isTable(to))) return to === undefined || !path ? null : [[path, to]];
  if (Object.keys(from).some((key) => !(key in to))) return null;
  /** @type {[string, any][]} */
  const all = [];
  for (const key of Object.keys(to)) {
    const below = changes(/** @type {any} */ (from)[key], /** @type {any} */ (to)[key], path ? `${path}.${key}` : key);
    if (below === null) return null;
    all.push(...below);
  }
  return all;
}

/** A value as `--set` reads it: a text as it stands, anything else as TOML. @param {any} value @returns {string} */
export function written(value) {
  return typeof value === "string" ? value : toml(value);
}

/** @param {any} value @returns {string} */
function toml(value) {
  if (Array.isArray(value)) return `[${value.map(toml).join(", ")}]`;
  if (isTable(value)) {
    return `{ ${Object.entries(value).map(([key, inner]) => `${key} = ${toml(inner)}`).join(", ")} }`;
  }
  return JSON.stringify(value);
}
