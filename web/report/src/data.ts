// What the program has put into the page; `crates/nocurl-report/src/report.rs` writes it.

export type Direction = "determined" | "likely" | "undetermined";
export type Part = "shared" | "first" | "second" | "reversed";

export interface Histogram {
  range: [number, number];
  from: number;
  to: number;
  counts: number[];
}

export interface Variable {
  name: string;
  kind: string;
  levels?: string[];
  shares?: number[];
  mean: number | null;
  deviation: number | null;
  missing: number | null;
  histogram: Histogram | null;
}

export interface Spot {
  x: number;
  y: number;
  w: number;
  h: number;
  lines: string[];
  label?: [number, number];
  kind: "continuous" | "categorical" | "context";
  shown: boolean;
}

export interface Route {
  points: number[];
  width: number;
  opacity: number;
  label?: [number, number, string];
}

export interface Side {
  weight: number | null;
  direction: Direction;
  backward: boolean;
}

export interface Link {
  from: number;
  to: number;
  direction: Direction;
  weight?: number;
  standardized?: number;
  strength?: number;
  confidence?: number;
  direction_confidence?: number;
  interval?: [number, number];
  coefficients?: [string | null, string | null, number][];
  evidence?: string;
  part?: Part;
  sides?: (Side | null)[];
  route: Route;
}

export interface View {
  name: string;
  about: string;
  width: number;
  height: number;
  overview: boolean;
  spots: Spot[];
  edges: Link[];
}

export interface Column {
  name: string;
  variable: number;
  /** Position of the level that the column stands for. */
  level?: number;
  mean: number | null;
}

/** Means of all columns after one variable is set to a number or to the position of a level. */
export interface Response {
  variable: number;
  value: number;
  means: number[];
}

/** Answers of a model with levels: its effects are not sums over paths. */
export interface Table {
  /** From a column, to a column, value; from a column of a level, the change from the base level. */
  effects: [number, number, number][];
  responses: Response[];
}

export interface Effects {
  columns: Column[];
  /** Empty where there is a table. */
  order: number[];
  /** Empty where there is a table. */
  weights: [number, number, number][];
  ranges: [number, number, number, number][];
  notes: string[];
  table?: Table;
  /** By variable, those on which its effect depends on undetermined directions. */
  open?: number[][];
}

export interface Check {
  check: string;
  verdict: string;
  sentence: string;
  numbers: Record<string, unknown> | null;
}

export interface Report {
  title: string;
  summary: string;
  sentences: string[];
  warnings: string[];
  variables: Variable[];
  views: View[];
  resampled: [number, number] | null;
  sample: number[][];
  effects: Effects | null;
  checks: Check[];
  facts: [string, string][];
  command: string | null;
  settings: unknown;
  compared: { graphs: [string, string]; only: [string[], string[]] } | null;
}

/** The data in the page. */
export function load(): Report {
  return JSON.parse(document.getElementById("data")?.textContent ?? "{}") as Report;
}
