// The bytes that a browser downloads for the built playground, compressed by brotli: `node sizes.mjs FOLDER`.
import { sizes } from "../build.mjs";

console.log(sizes(process.argv[2]).reduce((sum, { brotli }) => sum + brotli, 0));
