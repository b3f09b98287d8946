// The bytes that a browser downloads for the built playground, compressed by brotli, of the simulator and in all, as JSON: `node sizes.mjs FOLDER`.
import { sizes } from "../build.mjs";

const rows = sizes(process.argv[2]);
const simulator = rows.find(({ name }) => name.endsWith(".wasm"))?.brotli;
console.log(JSON.stringify({ simulator, all: rows.reduce((sum, { brotli }) => sum + brotli, 0) }));
