// Tabs, by the pattern of the ARIA practices: arrows move, one panel is there.
import { h } from "./dom.js";

/** @typedef {{ id: string, name: string, panel: HTMLElement }} Tab */

/**
 * @param {HTMLElement} list @param {Tab[]} tabs
 * @param {string} first the tab that is open at first
 * @param {(id: string) => void} shown
 */
export function tabs(list, tabs, first, shown) {
  list.setAttribute("role", "tablist");
  const buttons = tabs.map(({ id, name, panel }) => {
    panel.id = `panel-${id}`;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", `tab-${id}`);
    return h("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": panel.id, onclick: () => choose(id) }, name);
  });
  /** @param {string} chosen */
  function choose(chosen) {
    tabs.forEach(({ id, panel }, index) => {
      const here = id === chosen;
      panel.hidden = !here;
      buttons[index].setAttribute("aria-selected", String(here));
      buttons[index].tabIndex = here ? 0 : -1;
    });
    shown(chosen);
  }
  list.onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const next = (at + step + buttons.length) % buttons.length;
    buttons[next].focus();
    choose(tabs[next].id);
  };
  list.replaceChildren(...buttons);
  choose(first);
  return choose;
}
