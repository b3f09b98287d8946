declare global {
  /** What the build says of Python's interpreter. */
  const PYODIDE: { version: string; files: Record<string, string> };
}

/** A scenario as a tree of values, as TOML and JSON have it. */
export type Tree = Record<string, any>;

export interface Parameter {
  name: string;
  unit: string;
  default: number | null;
  min: number | null;
  max: number | null;
  meaning: string;
  names: string[];
}

export interface Entry {
  kind: string;
  name: string;
  title: string;
  source: string;
  parameters: Parameter[];
  table: string;
  keys: { name: string; meaning: string; example: string; required: boolean }[];
}

export interface Sketch {
  nodes: { name: string; role: "host" | "router" | "text"; x: number; y: number; note: string }[];
  links: { from: number; to: number; trunk: boolean; label: string[] }[];
}

export interface ReadScenario {
  tree: Tree;
  toml: string;
  sketch: Sketch;
  durationS: number;
  flowCount: number;
}

/** Numbers as typed arrays, names as texts; the columns differ from table to table. */
export type Table = Record<string, any>;

export interface Results {
  tables: Record<string, Table>;
  events: number;
  milliseconds: number;
  packets: number;
  finishedAtS: number;
  digest: string | null;
}

/** One of the series of a chart. */
export interface Series {
  label: string;
  /** What it has in common with the line of another setting. */
  name?: string;
  colour: string;
  values: (number | null)[];
  dash?: number[];
  bars?: boolean;
  /** Times between its own have no values. */
  gaps?: boolean;
}

/** An event of a flow: a mark on a chart. */
export interface Mark {
  time: number;
  colour: string;
  /** A letter for its kind; none for the plain ones. */
  letter: string;
  text: string;
}

export interface Chart {
  key: string;
  title: string;
  unit: string;
  times: number[];
  series: Series[];
  marks?: Mark[];
}

/** What the page shows, and what an address holds. */
export interface Setting {
  /** The name of the built-in scenario it began as; none for the reader's own. */
  base: string | null;
  tree: Tree;
}
