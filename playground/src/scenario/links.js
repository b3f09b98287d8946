// The tables of links in a scenario's topology, which sliders change.

/** @typedef {import("../types").Tree} Tree */

/** The tables of each topology, the one that usually limits first. @type {Record<string, [string, string][]>} */
const TABLES = {
  dumbbell: [["bottleneck", "Bottleneck"], ["access", "Access links"], ["exit", "Exit links"]],
  parking_lot: [["link", "Links of the chain"], ["access", "Access links"]],
  star: [["receiver", "Link of the receiver"], ["link", "Links of the hosts"]],
  three_tier: [
    ["access.link", "Links of access routers"], ["pop.link", "Links of points of presence"],
    ["backbone.link", "Backbone links"], ["host.link", "Links of hosts"],
  ],
};

/**
 * The path and the name of each table of links.
 * @param {Tree} tree
 * @returns {{ path: string, name: string }[]}
 */
export function links(tree) {
  const [topology] = Object.keys(tree.topology ?? {});
  if (topology === "graph") {
    return (tree.topology.graph.link ?? []).map((/** @type {Tree} */ link, /** @type {number} */ index) => ({
      path: `topology.graph.link.${index}`,
      name: `${link.from} – ${link.to}`,
    }));
  }
  return (TABLES[topology] ?? [])
    .filter(([key]) => key.split(".").reduce((/** @type {any} */ at, part) => at?.[part], tree.topology[topology]))
    .map(([key, name]) => ({ path: `topology.${topology}.${key}`, name }));
}
