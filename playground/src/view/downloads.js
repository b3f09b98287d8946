// What a reader takes away: the scenario, the numbers, the pictures.
import { ink } from "./dom.js";

/** @typedef {import("../types").Results} Results */
/** @typedef {import("../types").Table} Table */
/** @typedef {import("../types").Chart} Chart */

/** Hands a file over. @param {string} name @param {Blob} blob */
export function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** @param {unknown} value */
function cell(value) {
  if (typeof value === "number") return Number.isNaN(value) ? "" : String(value);
  const text = String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A table as CSV. @param {Table} table */
export function csv(table) {
  const names = Object.keys(table);
  const columns = Object.values(table);
  const lines = [names.join(",")];
  for (let row = 0; row < (columns[0]?.length ?? 0); row += 1) lines.push(columns.map((column) => cell(column[row])).join(","));
  return `${lines.join("\n")}\n`;
}

/** @param {string} text */
const safe = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** A round step of which about five fit. @param {number} span */
function step(span) {
  const power = 10 ** Math.floor(Math.log10(span / 5));
  return [10, 5, 2, 1].map((factor) => factor * power).find((one) => one <= span / 3) ?? power;
}

const WIDTH = 800;
const HEIGHT = 200;
const LEFT = 60;
const BOTTOM = 24;
const TOP = 26;

/** The lines of one chart. @param {Chart} chart @param {number} top @param {[number, number]} span */
function lines({ times, series }, top, [from, to]) {
  /** @param {number} time */
  const x = (time) => LEFT + ((time - from) / (to - from)) * (WIDTH - LEFT - 12);
  /** @param {number} value */
  const y = (value) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - BOTTOM - TOP);
  return series.map(({ label, colour, values, bars }) => {
    let path = "";
    let drawn = false;
    times.forEach((time, index) => {
      const value = values[index];
      const shown = value !== null && value !== undefined && time >= from && time <= to;
      if (shown && bars) path += value > 0 ? `M${x(time).toFixed(1)} ${y(0).toFixed(1)}V${y(value).toFixed(1)}` : "";
      else if (shown) path += `${drawn ? "L" : "M"}${x(time).toFixed(1)} ${y(value).toFixed(1)}`;
      drawn = shown;
    });
    return `<path d="${path}" fill="none" stroke="${ink(colour)}" stroke-width="1.4"><title>${safe(label)}</title></path>`;
  });
}

/** @param {Chart} chart @param {number} offset @param {[number, number]} span @param {{ text: string, grid: string }} inks */
function drawn(chart, offset, span, { text, grid }) {
  const [from, to] = span;
  const top = Math.max(...chart.series.flatMap(({ values }) => values.map((value) => value ?? 0)), 1e-9) * 1.06;
  const marks = [];
  for (let value = 0; value <= top; value += step(top)) {
    const y = HEIGHT - BOTTOM - (value / top) * (HEIGHT - BOTTOM - TOP);
    marks.push(`<path d="M${LEFT} ${y}H${WIDTH - 12}" stroke="${grid}"/><text x="${LEFT - 6}" y="${y + 4}" text-anchor="end">${Number(value.toPrecision(6))}</text>`);
  }
  for (let time = Math.ceil(from / step(to - from)) * step(to - from); time <= to; time += step(to - from)) {
    const x = LEFT + ((time - from) / (to - from)) * (WIDTH - LEFT - 12);
    marks.push(`<text x="${x}" y="${HEIGHT - 6}" text-anchor="middle">${Number(time.toPrecision(6))} s</text>`);
  }
  const named = chart.series.length <= 6 ? chart.series : [];
  const legend = named.map(({ label, colour }, index) => `<tspan ${index ? 'dx="12"' : ""} fill="${ink(colour)}">${safe(label)}</tspan>`).join("");
  return `<g transform="translate(0 ${offset})" fill="${text}"><text x="${LEFT}" y="16" font-weight="600">${safe(chart.title)} (${safe(chart.unit)})</text><text x="${WIDTH - 12}" y="16" text-anchor="end">${legend}</text>${marks.join("")}${lines(chart, top, span).join("")}</g>`;
}

/** The charts as one drawing. @param {Chart[]} charts @param {[number, number] | null} zoom @param {string} title */
export function svg(charts, zoom, title) {
  const inks = { text: ink("--text"), grid: ink("--grid") };
  const parts = charts.map((chart, index) => {
    const span = /** @type {[number, number]} */ (zoom ?? [chart.times[0] ?? 0, chart.times[chart.times.length - 1] ?? 1]);
    return drawn(chart, 30 + index * HEIGHT, span, inks);
  });
  const height = 30 + charts.length * HEIGHT;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="12"><rect width="100%" height="100%" fill="${ink("--surface")}"/><text x="${LEFT}" y="20" font-size="15" font-weight="600" fill="${inks.text}">${safe(title)}</text>${parts.join("")}</svg>\n`;
}

/** A drawing as PNG, at twice its size. @param {string} drawing @returns {Promise<Blob>} */
export async function png(drawing) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width * 2;
  canvas.height = image.height * 2;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"));
}
