// The files of Python's interpreter, which the page fetches for a worker that cannot.

/** The version of npm's package, and the SHA-384 of each of its files that is needed; the build puts them here. */
const { version, files } = PYODIDE;

/** A copy next to the pages comes first, so that Python works without a network where there is one. */
const places = () => [new URL("../../vendor/pyodide/", import.meta.url).href, `https://cdn.jsdelivr.net/npm/pyodide@${version}/`];

/** @param {string} folder @param {string} name @param {string} integrity @returns {Promise<ArrayBuffer>} */
async function fetched(folder, name, integrity) {
  const isOwn = new URL(folder).origin === location.origin;
  const answer = await fetch(folder + name, isOwn ? {} : { integrity, referrerPolicy: "no-referrer", credentials: "omit" });
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return answer.arrayBuffer();
}

/** @type {Promise<Record<string, ArrayBuffer>> | null} */
let kept = null;

/** The contents of the files by name, fetched once for all workers of the page. */
export function pyodideFiles() {
  kept ??= fromPlaces().catch((error) => {
    kept = null;
    throw error;
  });
  return kept;
}

/**
 * The files from the first place that has them all. Those from elsewhere are what npm's package has.
 * @returns {Promise<Record<string, ArrayBuffer>>}
 */
async function fromPlaces() {
  for (const folder of places()) {
    try {
      return Object.fromEntries(await Promise.all(Object.entries(files).map(async ([name, hash]) => [name, await fetched(folder, name, hash)])));
    } catch {
      // The next place may have it.
    }
  }
  throw new Error(
    "Python's interpreter (Pyodide, 13 MB) could not be loaded: there is no copy in vendor/pyodide next to this page, and cdn.jsdelivr.net does not answer. JavaScript needs no network",
  );
}
