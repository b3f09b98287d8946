// A small editor: a text area over coloured text, with Tab to indent and Escape to leave.
import { h } from "./dom.js";

const TOKENS = {
  js: /(?<comment>\/\/.*|\/\*[\s\S]*?\*\/)|(?<text>"[^"\n]*"|'[^'\n]*'|`[^`]*`)|(?<word>\b(?:class|constructor|if|else|return|const|let|new|this|for|while|of|null|true|false|Math|Infinity)\b)|(?<number>\b\d[\d_.]*(?:e-?\d+)?\b)/g,
  python: /(?<comment>#.*)|(?<text>"[^"\n]*"|'[^'\n]*')|(?<word>\b(?:class|def|if|elif|else|return|self|for|while|in|and|or|not|None|True|False|import|from|lambda)\b)|(?<number>\b\d[\d_.]*(?:e-?\d+)?\b)/g,
  toml: /(?<comment>#.*)|(?<text>"""[\s\S]*?"""|"[^"\n]*")|(?<word>^\s*\[.*\]|\b(?:true|false)\b)|(?<number>\b\d[\d_.]*\b)/gm,
};

/** @typedef {"js" | "python" | "toml"} Language */

/** @param {string} source @param {Language} language */
function coloured(source, language) {
  const nodes = [];
  let from = 0;
  for (const found of source.matchAll(TOKENS[language])) {
    const kind = Object.entries(found.groups ?? {}).find(([, text]) => text !== undefined)?.[0];
    nodes.push(source.slice(from, found.index), h("span", { class: `token-${kind}` }, found[0]));
    from = found.index + found[0].length;
  }
  // A last line without letters has no height of its own.
  nodes.push(`${source.slice(from)}\n`);
  return nodes;
}

/**
 * @param {{ id: string, label: string, language: (text: string) => Language, input: (text: string) => void }} options
 */
export function editor({ id, label, language, input }) {
  const shown = h("pre", { "aria-hidden": "true" });
  const area = h("textarea", {
    id, "aria-label": label, "aria-description": "Tab indents, Escape leaves the editor", spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off",
    oninput: () => { paint(); input(area.value); },
    onscroll: () => { shown.scrollTop = area.scrollTop; shown.scrollLeft = area.scrollLeft; },
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape") area.blur();
      if (event.key !== "Tab" || event.shiftKey) return;
      event.preventDefault();
      area.setRangeText(language(area.value) === "python" ? "    " : "  ", area.selectionStart, area.selectionEnd, "end");
      area.dispatchEvent(new Event("input"));
    },
  });
  const paint = () => shown.replaceChildren(...coloured(area.value, language(area.value)));
  const element = h("div", { class: "editor" }, shown, area);
  return {
    element,
    /** @param {string} text */
    set(text) {
      if (text === area.value) return;
      area.value = text;
      paint();
    },
    get: () => area.value,
  };
}
