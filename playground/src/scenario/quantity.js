// Quantities with units, as scenarios write them: "20 Mbit/s", "35 ms", "7 packets".

/** Factors to the base unit of each dimension. @type {Record<string, [string, number]>} */
const UNITS = {
  "bit/s": ["rate", 1], bps: ["rate", 1],
  "kbit/s": ["rate", 1e3], kbps: ["rate", 1e3],
  "Mbit/s": ["rate", 1e6], Mbps: ["rate", 1e6],
  "Gbit/s": ["rate", 1e9], Gbps: ["rate", 1e9],
  "packets/s": ["packet rate", 1], "packets/ms": ["packet rate", 1e3],
  ns: ["time", 1e-9], us: ["time", 1e-6], "µs": ["time", 1e-6], ms: ["time", 1e-3], s: ["time", 1], min: ["time", 60], h: ["time", 3600],
  packet: ["packets", 1], packets: ["packets", 1],
  "% bdp": ["bdp", 1],
  B: ["bytes", 1], bytes: ["bytes", 1], kB: ["bytes", 1e3], MB: ["bytes", 1e6], GB: ["bytes", 1e9],
  KiB: ["bytes", 1024], MiB: ["bytes", 1024 ** 2], GiB: ["bytes", 1024 ** 3],
};

/** The units to write with, from the smallest. @type {Record<string, string[]>} */
const WRITTEN = {
  rate: ["bit/s", "kbit/s", "Mbit/s", "Gbit/s"],
  "packet rate": ["packets/s"],
  time: ["us", "ms", "s"],
  packets: ["packets"],
  bdp: ["% bdp"],
  bytes: ["bytes", "kB", "MB", "GB"],
};

/**
 * The value in the base unit, and the dimension; null for a text that is no quantity.
 * @param {unknown} text
 * @returns {{ value: number, dimension: string } | null}
 */
export function parse(text) {
  if (typeof text !== "string") return null;
  const found = /^\s*([0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\s*(\S.*?)\s*$/.exec(text);
  if (!found) return null;
  const unit = UNITS[found[2].replace(/^%\s*bdp$/, "% bdp")];
  if (!unit) return null;
  return { value: Number(found[1].replaceAll("_", "")) * unit[1], dimension: unit[0] };
}

/** A number with three significant digits, without an exponent or zeros behind. @param {number} value */
export function digits(value, most = 3) {
  if (value === 0) return "0";
  const places = Math.max(0, most - 1 - Math.floor(Math.log10(Math.abs(value)) + 1e-9));
  const text = value.toFixed(Math.min(places, 12));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/**
 * A quantity with the unit in which it is a plain number.
 * @param {number} value in the base unit
 * @param {string} dimension
 */
export function write(value, dimension, most = 3) {
  const units = WRITTEN[dimension];
  const fits = units.filter((unit) => value >= UNITS[unit][1] * 0.9995);
  const unit = fits.at(-1) ?? units[0];
  const number = digits(value / UNITS[unit][1], most);
  return `${number} ${number === "1" && unit === "packets" ? "packet" : unit}`;
}

/** Seconds as people read them. @param {number} seconds */
export function seconds(seconds) {
  if (!Number.isFinite(seconds)) return "none";
  return write(seconds, "time").replace(/ us$/, " µs");
}
