// A search shows what holds its words whole before what holds their letters within other words.
var Scorer = {
  score([, title, , , score, , kind]) {
    const words = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
    const sought = words(new URLSearchParams(location.search).get("q") ?? "");
    const held = new Set(words(title));
    const isWhole = sought.some((word) => held.has(word));
    return score + (isWhole ? 3 : 0) - (kind === "object" && !isWhole ? 20 : 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 3,
  term: 5,
  partialTerm: 1,
};
