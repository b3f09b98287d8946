// "Take it along": files, and the same experiment on one's own machine.
import { MINE } from "../scenario/algorithm.js";
import { scenarioArgument } from "../scenario/command.js";
import { charts } from "../scenario/series.js";
import { h } from "./dom.js";
import { csv, png, save, svg } from "./downloads.js";

/** @typedef {import("../types").Tree} Tree */
/** @typedef {import("./lane.js").Lane} Lane */
/** @typedef {{ base: string | null, tree: Tree, source: string, lane: Lane, zoom: [number, number] | null, originals: Record<string, Tree> }} Now */

/** @param {HTMLElement} element @param {() => Now} now @param {() => import("../engine/engine.js").Engine} engine one in addition to those of the charts */
export async function takeAway(element, now, engine) {
  const commands = h("pre", { class: "command", tabindex: "0", id: "commands" });
  const digest = h("output", { id: "digest" }, "…");
  const note = h("p", { class: "help" });

  /** The charts of the active lane, as a drawing. */
  const drawing = () => {
    const { lane, tree, zoom } = now();
    if (!lane.results) return "";
    return svg(charts(lane.results, lane.shownLink(), lane.colours()), zoom, tree.title || tree.name);
  };
  const scenario = async () => {
    const { lane, tree } = now();
    return (await lane.engine.read(JSON.stringify(tree), "json")).toml;
  };
  const table = h("select", { id: "table" }, ...["flow_series", "link_series", "network_series", "flows", "links", "drops"].map((name) => h("option", {}, name)));
  /** @type {Record<string, () => Promise<void> | void>} */
  const files = {
    "Scenario (TOML)": async () => save(`${now().tree.name}.toml`, new Blob([await scenario()], { type: "application/toml" })),
    "Charts (SVG)": () => save(`${now().tree.name}.svg`, new Blob([drawing()], { type: "image/svg+xml" })),
    "Charts (PNG)": async () => save(`${now().tree.name}.png`, await png(drawing())),
  };
  const numbers = () => {
    const { lane, tree } = now();
    if (lane.results) save(`${tree.name}-${table.value}.csv`, new Blob([csv(lane.results.tables[table.value] ?? {})], { type: "text/csv" }));
  };
  element.append(
    h("h2", {}, "Files"),
    h("div", { class: "actions" }, ...Object.entries(files).map(([name, act]) => h("button", { type: "button", onclick: () => void act() }, name))),
    h("div", { class: "actions" }, h("label", { for: "table" }, "Table"), table, h("button", { type: "button", onclick: numbers }, "Download (CSV)")),
    h("h2", {}, "The same on your machine"), commands,
    h("p", {}, "Digest of all tables: ", digest), note,
  );

  let asked = 0;
  return {
    async update() {
      if (element.hidden) return;
      asked += 1;
      const mine = asked;
      const { base, tree, source, originals } = now();
      const { argument, isFile } = scenarioArgument(base, tree, originals);
      // The class has its name in the editor; a class in Python is written with the same.
      const name = /\bclass\s+(\w+)/.exec(source)?.[1] ?? "Mine";
      const own = JSON.stringify(tree).includes(`"${MINE}"`);
      commands.textContent = own
        ? `# In Python, where mine.py has the class with the same names\npython -c "import ackclock, mine; print(ackclock.run('${argument}', algorithms={'mine': mine.${name}}).flows)"`
        : `ackclock run ${argument}\nackclock digest ${argument}`;
      note.textContent = own
        ? "An algorithm written here runs on your machine as a Python class with the same names."
        : `${isFile ? `${argument} is the scenario above. ` : ""}The command prints the same digest as this page: the simulator computes the same bytes everywhere.`;
      digest.textContent = "…";
      const results = await engine().run(tree, { source: own ? source : null, tables: [], digest: true }).catch(() => null);
      if (mine === asked) digest.textContent = results?.digest ?? "none";
    },
  };
}
