// Panics as traps. A page shows no message of a panic, which is a fault of the simulator and ends the run in any case; the code that
// makes messages, and the places in sources that they name, would be a fortieth of the download.

/** Functions that report and never return, by their names without the marks of compilers. */
const REPORTS = [
  /^core::panicking::/,
  /^std::panicking::/,
  /^(core|alloc|hashbrown|std)\b.*(_fail|_failed|_fail_rt|_overflow)$/,
  /^core::cell::panic_already_/,
  /^core::num::.*_panic$/,
  /^alloc::raw_vec::handle_error$/,
  /^alloc::alloc::handle_alloc_error$/,
  /^std::thread::local::panic_/,
  /^std::alloc::rust_oom$/,
  /^__rustc::rust_/,
];

/** `core[c5930c85]::panicking::assert_failed::<u64, u64>` as `core::panicking::assert_failed`. @param {string} name */
const plain = (name) => name.replace(/^</, "").replace(/\[[0-9a-f]+\]/g, "").replace(/::h[0-9a-f]{16}$/, "").replace(/::<.*>$/, "");

const [CUSTOM, IMPORTS, CODE, DATA] = [0, 2, 10, 11];
const FUNCTION_NAMES = 1;
const [UNREACHABLE, NOP, END, I32_CONST] = [0x00, 0x01, 0x0b, 0x41];

/** Reads a module's numbers and texts, one after the other. */
class Reader {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  get over() {
    return this.at >= this.bytes.length;
  }

  byte() {
    return this.bytes[this.at++];
  }

  /** An unsigned number in LEB128. */
  number() {
    for (let number = 0, scale = 1; ; scale *= 128) {
      const byte = this.byte();
      number += (byte & 0x7f) * scale;
      if (byte < 0x80) return number;
    }
  }

  /** This many bytes, or as many as a number before them says. */
  part(length = this.number()) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  text() {
    return new TextDecoder().decode(this.part());
  }

  /** A list: its length, then its elements. @template T @param {() => T} element @returns {T[]} */
  list(element) {
    return Array.from({ length: this.number() }, element);
  }
}

/** The sections of a module. @param {Uint8Array} module */
function sections(module) {
  const reader = new Reader(module);
  reader.part(8);
  const found = [];
  while (!reader.over) found.push({ kind: reader.byte(), content: reader.part() });
  return found;
}

/** The imports of a module of wasm-bindgen, which are functions. @param {Uint8Array} content */
function importsOf(content) {
  const reader = new Reader(content);
  return reader.list(() => {
    const name = `${reader.text()} ${reader.text()}`;
    if (reader.byte() !== 0) throw new Error(`${name} is imported and no function`);
    return reader.number();
  }).length;
}

/** The names of functions by their numbers. @param {Uint8Array} content */
function namesOf(content) {
  const reader = new Reader(content);
  while (!reader.over) {
    const kind = reader.byte();
    const part = new Reader(reader.part());
    if (kind === FUNCTION_NAMES) return new Map(part.list(() => [part.number(), part.text()]));
  }
  return new Map();
}

/** Makes a function trap, its length unchanged. @param {Uint8Array} body */
function trap(body) {
  body.fill(NOP);
  body.set([0, UNREACHABLE]); // no local variables
  body[body.length - 1] = END;
}

/** The segments of memory: address and bytes. @param {Uint8Array} content */
function segmentsOf(content) {
  const reader = new Reader(content);
  return reader.list(() => {
    const [flags, constant] = [reader.number(), reader.byte()];
    if (flags !== 0 || constant !== I32_CONST) throw new Error("a segment of memory has no constant address");
    const address = reader.number();
    reader.byte();
    return { address, bytes: reader.part() };
  });
}

/**
 * Blanks `core::panic::Location`s: address and length of a file's name, line and column; and the names. They are read by
 * what reports, and by nothing else.
 * @param {{ address: number, bytes: Uint8Array }[]} segments
 */
function blankLocations(segments) {
  const holder = (/** @type {number} */ from, /** @type {number} */ length) =>
    segments.find(({ address, bytes }) => from >= address && from + length <= address + bytes.length);
  const names = new Set();
  for (const { address, bytes } of segments) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = -address & 3; at + 16 <= bytes.length; at += 4) {
      const [from, length, line, column] = [0, 4, 8, 12].map((field) => view.getUint32(at + field, true));
      if (length < 4 || length > 200 || line === 0 || line > 50_000 || column === 0 || column > 500) continue;
      const there = holder(from, length);
      if (!there) continue;
      const name = there.bytes.subarray(from - there.address, from - there.address + length);
      if (!/^[\x21-\x7e]+\.rs$/.test(String.fromCharCode(...name))) continue;
      names.add(name);
      bytes.fill(0, at, at + 16);
    }
  }
  for (const name of names) name.fill(0);
}

/** Changes a module in place; its functions have their names still. @param {Uint8Array} module */
export function panicsAsTraps(module) {
  const [parts, names] = [sections(module), new Map()];
  let imports = 0;
  for (const { kind, content } of parts) {
    if (kind === IMPORTS) imports = importsOf(content);
    if (kind !== CUSTOM) continue;
    const reader = new Reader(content);
    if (reader.text() === "name") for (const [number, name] of namesOf(content.subarray(reader.at))) names.set(number, name);
  }
  let trapped = 0;
  for (const { kind, content } of parts) {
    if (kind === DATA) blankLocations(segmentsOf(content));
    if (kind !== CODE) continue;
    const reader = new Reader(content);
    reader.list(() => reader.part()).forEach((body, index) => {
      const name = plain(names.get(imports + index) ?? "");
      if (!REPORTS.some((report) => report.test(name))) return;
      trap(body);
      trapped += 1;
    });
  }
  if (trapped === 0) throw new Error("no function that reports panics was found: have their names changed?");
}
