// Names of facts that are not there: an error with the nearest one, as Python has it.

/** Letters to change, add or leave out, to make one name of the other. @param {string} one @param {string} other */
function distance(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const above = row;
    row = [at + 1];
    for (let to = 0; to < other.length; to += 1) {
      row.push(Math.min(above[to + 1] + 1, row[to] + 1, above[to] + Number(letter !== other[to])));
    }
  }
  return row[other.length];
}

/** The name that is meant, where one is near. @param {string} wrong @param {string[]} names */
export function nearest(wrong, names) {
  const ranked = names.map((name) => ({ name, far: distance(wrong, name) })).sort((one, other) => one.far - other.far);
  return ranked.length && ranked[0].far <= Math.max(wrong.length > 3 ? 2 : 1, wrong.length / 3) ? ranked[0].name : null;
}

/**
 * The prototype of facts: whoever asks it for a name asks for none of their own. It is asked for nothing else, and costs nothing then.
 * @param {string[]} names of the facts @param {string} of what has them
 */
export function strictly(names, of) {
  return new Proxy(Object.create(null), {
    get(_, name) {
      if (typeof name === "symbol" || name === "toJSON" || name in Object.prototype) return Reflect.get(Object.prototype, name);
      const near = nearest(name, names);
      throw new TypeError(`${of} has no ${name}; ${near ? `did you mean ${near}?` : `it has ${names.join(", ")}`}`);
    },
  });
}
