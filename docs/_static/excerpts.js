// The excerpts of a search are the text of a page without its tags: cells of a table and items of a list would run together.
addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined" || !Search.htmlToText) return;
  const textOf = Search.htmlToText;
  Search.htmlToText = (html, anchor) => textOf(html.replace(/<\/(?:t[dh]|li|p|h[1-6]|d[td])>/g, " $&"), anchor);
});
