// The same experiment on one's own machine: the commands of a shell.
import { changes, written } from "./tree.js";

/** @typedef {import("../types").Tree} Tree */

/** A word of a shell's command. @param {string} text */
function quoted(text) {
  return /^[\w.=+/:%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * What follows the command: the scenario and its changes, or the name of the file that holds it.
 * @param {string | null} base @param {Tree} tree @param {Record<string, Tree>} originals the built-in scenarios as published
 * @returns {{ argument: string, isFile: boolean }}
 */
export function scenarioArgument(base, tree, originals) {
  const known = base === null ? undefined : originals[base];
  // An empty table or list has no spelling as a change.
  const changed = known && changes(known, tree);
  if (base === null || !changed) return { argument: `${tree.name}.toml`, isFile: true };
  const settings = changed.map(([path, value]) => ` --set ${quoted(`${path}=${written(value)}`)}`);
  return { argument: base + settings.join(""), isFile: false };
}
