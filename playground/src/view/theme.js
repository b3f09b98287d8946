// Light or dark: as the system, until the reader chooses.
import { byId, isDark } from "./dom.js";

const KEY = "ackclock-theme";

/** Storage that may be forbidden. @param {string} key */
export function remembered(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string} value */
export function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // A page without storage forgets.
  }
}

/** Makes the button work. @param {() => void} changed called after every change */
export function begin(changed) {
  const button = byId("theme");
  const apply = () => {
    button.setAttribute("aria-pressed", String(isDark()));
    changed();
  };
  const kept = remembered(KEY);
  if (kept) document.documentElement.dataset.theme = kept;
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    remember(KEY, document.documentElement.dataset.theme);
    apply();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
  apply();
}
