// The columns with their kinds.

import { count, el, named, num } from "../../report/src/dom";
import type { Column } from "../../engine/types";
import type { Choice, State } from "./state";

const CHOICES: [Choice, string][] = [
  ["auto", "as found"],
  ["continuous", "continuous"],
  ["categorical", "categorical"],
  ["ordinal", "ordinal"],
  ["out", "leave out"],
];

const MISSING: [State["missing"], string][] = [
  ["auto", "auto: leave out incomplete rows if they are at most 5%"],
  ["drop", "drop: leave out all incomplete rows"],
  ["em", "em: estimate from all rows (numbers, Gaussian)"],
  ["error", "error: stop and report where they are"],
];

/** More rows than this are shown on demand. */
const SHOWN = 60;

/** A table of columns, and what to do about missing values. */
export function columns(state: State): HTMLElement {
  const table = state.table!;
  const body = el("tbody");
  const add = (from: number, to: number) => table.columns.slice(from, to).forEach((column) => body.append(row(state, column)));
  add(0, SHOWN);
  const head = el("thead", {}, el("tr", {}, ...["column", "found", "values", "use as"].map((word) => el("th", { scope: "col" }, word))));
  const whole = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Columns of the table" }, el("table", { class: "columns" }, head, body));
  const element = el("div", {}, whole);
  if (table.columns.length > SHOWN) {
    const more = el("button", { type: "button" }, `Show all ${table.columns.length} columns`);
    more.addEventListener("click", () => (add(SHOWN, table.columns.length), more.remove()));
    element.append(more);
  }
  if (table.incomplete > 0 || table.missing > 0 || state.missing !== "auto") element.append(missing(state));
  return element;
}

function missing(state: State): HTMLElement {
  const select = el("select", { id: "missing" });
  for (const [value, words] of MISSING) select.append(el("option", { value, selected: state.missing === value }, words));
  select.addEventListener("change", () => {
    state.missing = select.value as State["missing"];
    state.changed();
  });
  const { incomplete, missing } = state.table!;
  const where = incomplete > 0 ? `in ${count(incomplete, "row")}` : missing > 0 ? "in all rows" : "none";
  return el("label", { class: "field wide" }, el("span", {}, `Missing values (${where}):`), select);
}

function row(state: State, column: Column): HTMLElement {
  const select = el("select", { "aria-label": `Use ${column.name} as` });
  const now = state.kinds.get(column.name) ?? (column.kind ? "auto" : "out");
  for (const [value, words] of CHOICES) {
    if (value === "auto" && !column.kind && !state.kinds.has(column.name)) continue;
    select.append(el("option", { value, selected: value === now }, words));
  }
  const element = el("tr", {}, el("th", { scope: "row" }, named(column.name)), el("td", {}, el("span", { class: `kind ${column.kind ?? "none"}` }, column.kind ?? `left out: ${column.left_out}`)), el("td", { class: "values" }, values(column)), el("td", {}, select));
  element.classList.toggle("out", now === "out");
  select.addEventListener("change", () => {
    const choice = select.value as Choice;
    // A column that was left out before the table was read has no kind yet.
    if (choice === "auto" && column.kind) state.kinds.delete(column.name);
    else state.kinds.set(column.name, choice);
    element.classList.toggle("out", choice === "out");
    state.changed();
  });
  return element;
}

function values(column: Column): HTMLElement {
  const bars = histogram(column.histogram ?? []);
  if (column.levels) {
    const more = (column.distinct ?? 0) - 4;
    const words = el("span", { class: "some-levels" });
    column.levels.slice(0, 4).forEach((level, at) => words.append(at ? ", " : "", named(level)));
    if (more > 0) words.append(` and ${more} more`);
    return el("span", { class: "both" }, bars, words);
  }
  const range = column.least === undefined ? "" : `${num(column.least)} to ${num(column.greatest)}`;
  return el("span", { class: "both" }, bars, el("span", {}, range));
}

/** Bars as an SVG whose meaning stands beside it. */
function histogram(counts: number[]): Element {
  const NS = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(NS, "svg");
  svg.setAttribute("viewBox", "0 0 64 20");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "bars");
  const most = Math.max(1, ...counts);
  const width = 64 / Math.max(1, counts.length);
  counts.forEach((number, at) => {
    const bar = document.createElementNS(NS, "rect");
    const height = Math.max(number ? 1 : 0, (19 * number) / most);
    for (const [name, value] of Object.entries({ x: at * width, y: 20 - height, width: Math.max(1, width - 1), height })) bar.setAttribute(name, String(value));
    svg.append(bar);
  });
  return svg;
}
