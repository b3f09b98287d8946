// Builds the playground into a folder: the simulator as WebAssembly, the pages, the plotting library, the scenarios.
// `node build.mjs MODULE.wasm BINDGEN FOLDER`, as `make playground` calls it; prints what a browser downloads.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { buildSync } from "esbuild";
import { panicsAsTraps } from "./panics.mjs";
import { BOOTSTRAP } from "./src/engine/sandbox.js";

const HERE = dirname(fileURLToPath(import.meta.url));
const SCENARIOS = join(HERE, "..", "scenarios");
/**
 * Addresses below 1024 are the last of the stack, which no run comes to; what Rust compiles to checks before it loads or divides, so that
 * neither traps. Functions of like names are alike, and compress well side by side; those that differ in a constant become one.
 */
const SMALLER = ["-Oz", "--merge-similar-functions", "-Oz", "--low-memory-unused", "--ignore-implicit-traps", "--reorder-functions-by-name", "--strip-debug", "--strip-producers"];
const WASM_FEATURES = ["bulk-memory", "mutable-globals", "nontrapping-float-to-int", "reference-types", "multivalue", "sign-ext"];

/** The engine: the module, made smaller and faster, and its JavaScript. */
function engine(module, bindgen, folder) {
  execFileSync(bindgen, [module, folder], { stdio: "inherit" });
  const wasm = join(folder, "engine_bg.wasm");
  const bytes = new Uint8Array(readFileSync(wasm));
  panicsAsTraps(bytes);
  writeFileSync(wasm, bytes);
  const features = WASM_FEATURES.map((feature) => `--enable-${feature}`);
  const optimiser = join(HERE, "node_modules", "binaryen", "bin", "wasm-opt");
  execFileSync(process.execPath, [optimiser, ...SMALLER, ...features, wasm, "-o", wasm], { stdio: "inherit" });
  for (const name of readdirSync(folder)) if (name.endsWith(".d.ts")) rmSync(join(folder, name));
}

/** Python's interpreter as npm has it: its version, and the hash of each file that is needed. */
function pyodide() {
  const folder = join(HERE, "node_modules", "pyodide");
  const hash = (name) => `sha384-${createHash("sha384").update(readFileSync(join(folder, name))).digest("base64")}`;
  const names = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"];
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return { version, files: Object.fromEntries(names.map((name) => [name, hash(name)])) };
}

/**
 * What a page may load: its own files, and the interpreter. Code is evaluated in the frame of `sandbox.js` alone, which inherits this
 * policy and adds its own.
 */
function policy({ version }) {
  const bootstrap = createHash("sha256").update(BOOTSTRAP).digest("base64");
  return [
    "default-src 'none'",
    `script-src 'self' 'unsafe-eval' blob: 'sha256-${bootstrap}'`,
    "worker-src 'self' blob:",
    `connect-src 'self' https://cdn.jsdelivr.net/npm/pyodide@${version}/`,
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** The pages' modules and the plotting library, joined and made small; and the worker in one file, which is handed over as a text. */
function modules(folder, interpreter) {
  const options = {
    outdir: folder, outbase: join(HERE, "src"), bundle: true, minify: true, format: "esm", target: "es2022",
    define: { PYODIDE: JSON.stringify(interpreter) }, logLevel: "warning",
  };
  const entries = (...names) => names.map((name) => join(HERE, "src", name));
  buildSync({ ...options, entryPoints: entries("play.js", "lessons.js"), splitting: true, chunkNames: "engine/[name]-[hash]" });
  // Frames without an origin begin no module.
  buildSync({ ...options, entryPoints: entries("engine/worker.js"), format: "iife" });
}

/** The built-in scenarios by name, as text. */
function scenarios() {
  const files = readdirSync(SCENARIOS).filter((name) => name.endsWith(".toml")).sort();
  return Object.fromEntries(files.map((name) => [basename(name, ".toml"), readFileSync(join(SCENARIOS, name), "utf8")]));
}

function files(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? files(join(folder, entry.name)) : [join(folder, entry.name)],
  );
}

/** The list of files for the service worker, which keeps them for use without a network. */
function offline(folder) {
  const names = files(folder).map((file) => relative(folder, file).replaceAll("\\", "/")).sort();
  const hash = createHash("sha256");
  for (const name of names) hash.update(name).update(readFileSync(join(folder, name)));
  const list = JSON.stringify({ version: hash.digest("hex").slice(0, 16), files: names });
  const worker = join(folder, "offline.js");
  const text = readFileSync(worker, "utf8");
  writeFileSync(worker, text.replace("/* the build's list */ { version: \"\", files: [] }", list));
}

/** What a browser downloads, compressed as servers do, in kB. */
export function sizes(folder) {
  const rows = files(folder).map((file) => {
    const bytes = readFileSync(file);
    const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
    return { name: relative(folder, file), bytes: statSync(file).size, brotli: brotliCompressSync(bytes, options).length };
  });
  return rows.sort((one, other) => other.brotli - one.brotli);
}

function build(module, bindgen, folder) {
  const made = `${folder}.new`;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
  for (const name of ["index.html", "lessons.html", "style.css", "icon.svg", "offline.js"]) cpSync(join(HERE, name), join(made, name));
  const interpreter = pyodide();
  for (const name of ["index.html", "lessons.html"]) {
    const page = join(made, name);
    writeFileSync(page, readFileSync(page, "utf8").replace("the build's policy", policy(interpreter)));
  }
  modules(join(made, "src"), interpreter);
  engine(module, bindgen, join(made, "engine"));
  mkdirSync(join(made, "vendor"));
  cpSync(join(HERE, "node_modules", "uplot", "dist", "uPlot.min.css"), join(made, "vendor", "uPlot.min.css"));
  cpSync(join(HERE, "node_modules", "uplot", "LICENSE"), join(made, "vendor", "LICENSE-uPlot"));
  writeFileSync(join(made, "scenarios.json"), JSON.stringify(scenarios()));
  offline(made);
  rmSync(folder, { recursive: true, force: true });
  renameSync(made, folder);
  const rows = sizes(folder);
  for (const { name, bytes, brotli } of rows.slice(0, 6)) {
    console.log(`${name.padEnd(28)} ${(bytes / 1e3).toFixed(0).padStart(6)} kB, brotli ${(brotli / 1e3).toFixed(0).padStart(4)} kB`);
  }
  const total = rows.reduce((sum, row) => sum + row.brotli, 0);
  console.log(`${"all".padEnd(28)} ${"".padStart(6)}     brotli ${(total / 1e3).toFixed(0).padStart(4)} kB`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [module, bindgen, folder] = process.argv.slice(2).map((path) => resolve(path));
  build(module, bindgen, folder);
}
