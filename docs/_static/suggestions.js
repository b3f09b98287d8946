// A search that finds nothing suggests the nearest words of titles, of the index and of the text, if a search for them finds something.
const suggestions = {
  /** The letters to leave out, put in, replace or swap between two words. */
  distance(one, other) {
    const rows = [[], Array.from({ length: other.length + 1 }, (_, column) => column)];
    for (let row = 1; row <= one.length; row++) {
      const [before, last] = rows.splice(0, 2);
      const next = [row];
      for (let column = 1; column <= other.length; column++) {
        const differs = one[row - 1] === other[column - 1] ? 0 : 1;
        next[column] = Math.min(last[column] + 1, next[column - 1] + 1, last[column - 1] + differs);
        if (differs && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]) next[column] = Math.min(next[column], before[column - 2] + 1);
      }
      rows.push(last, next);
    }
    return rows[1][other.length];
  },

  words: (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [],

  /** The query with each word that is not known replaced by the nearest, or else by the nearest stem; empty if none is near. */
  nearest(query, known, stems) {
    const least = (word, words, distance) => {
      let [found, most] = ["", word.length < 5 ? 2 : word.length < 9 ? 3 : 4];
      for (const each of words) {
        const differs = distance(each);
        if (differs < most) [found, most] = [each, differs];
      }
      return found;
    };
    const corrected = suggestions.words(query).map((word) => {
      if (known.has(word)) return word;
      const near = [...known].filter((each) => Math.abs(each.length - word.length) < 4 && !/\p{N}/u.test(each));
      const whole = least(word, near, (each) => suggestions.distance(word, each));
      if (whole) return whole;
      // A stem lacks the end of its words: "starvat".
      const long = stems.filter((each) => each.length > 4 && each.length < word.length && each.length > word.length - 5);
      return least(word, long, (each) => Math.min(...[-1, 0, 1].map((more) => suggestions.distance(word.slice(0, each.length + more), each))) + 1);
    });
    return corrected.every(Boolean) ? corrected.join(" ") : "";
  },

  /** Says it below the message that nothing was found. */
  show(query, nearest, known) {
    const textContent = nearest.replace(/\S+/g, (word) => (known.has(word) ? word : `${word}…`));
    const link = Object.assign(document.createElement("a"), { href: `?q=${encodeURIComponent(nearest)}`, textContent });
    const said = document.createElement("p");
    said.append(`No page has “${query}”. Did you mean `, link, "?");
    Search.status.after(said);
  },
};

// On the document, where it comes before the listener that begins the search.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined" || !Search._performSearch) return;
  const search = Search._performSearch;
  Search._performSearch = (query, ...parsed) => {
    const found = search(query, ...parsed);
    if (!found.length) {
      const { alltitles, indexentries, terms } = Search._index;
      const known = new Set([...Object.keys(alltitles), ...Object.keys(indexentries)].flatMap(suggestions.words));
      const nearest = suggestions.nearest(query, known, Object.keys(terms));
      if (nearest && search(...Search._parseQuery(nearest)).length) suggestions.show(query, nearest, known);
    }
    return found;
  };
});
