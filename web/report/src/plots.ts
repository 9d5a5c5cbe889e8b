// Small pictures of the data: histograms, scatter plots with their fitted line, levels.

import type { Histogram, Link, Report, Variable } from "./data";
import { el, named, num, svg } from "./dom";

const WIDTH = 220;
const HEIGHT = 160;
const LEFT = 40;
const BOTTOM = 24;
const TOP = 8;
const RIGHT = 8;

/** How the values of a variable lie. */
export function histogram({ counts, from, to, range }: Histogram, name: string): SVGElement {
  const most = Math.max(1, ...counts);
  const [width, height] = [120, 28];
  const step = width / counts.length;
  let bars = "";
  counts.forEach((number, at) => {
    const high = number ? Math.max(1, (number / most) * (height - 1)) : 0;
    if (high) bars += `M${(at * step).toFixed(2)} ${height}v${(-high).toFixed(2)}h${(step - 0.6).toFixed(2)}v${high.toFixed(2)}Z`;
  });
  const label = `Histogram of ${name}: from ${num(range[0])} to ${num(range[1])}, most values between ${num(from)} and ${num(to)}`;
  return svg(
    "svg",
    { class: "histogram", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
    svg("path", { class: "bars", d: bars }),
    svg("path", { class: "axis", d: `M0 ${height - 0.5}H${width}` }),
  );
}

/** The shares of levels, one bar each. */
export function levels(variable: Variable): HTMLElement {
  const list = el("ul", { class: "levels" });
  const all = variable.levels ?? [];
  const shown = all.slice(0, 6);
  shown.forEach((level, at) => {
    const share = variable.shares?.[at];
    const bar = el("span", { class: "bar", "aria-hidden": "true" });
    bar.style.width = `${Math.max(1, 100 * (share ?? 0))}%`;
    const words = el("span", { class: "words" }, named(level), share == null ? "" : ` ${Math.round(100 * share)}%`);
    list.append(el("li", {}, share != null && el("span", { class: "track", "aria-hidden": "true" }, bar), words));
  });
  if (all.length > shown.length) list.append(el("li", { class: "more" }, `and ${all.length - shown.length} more`));
  return list;
}

/** Two variables against each other, in the sample of rows. */
export function pair(report: Report, link: Link): HTMLElement | null {
  const [x, y] = [link.from, link.to];
  const [xs, ys] = [report.sample[x], report.sample[y]];
  if (!xs?.length || !ys?.length) return null;
  const [a, b] = [report.variables[x]!, report.variables[y]!];
  const both = a.levels?.length && b.levels?.length;
  const plot = both ? bubbles(a, b, xs, ys) : a.levels?.length ? strips(a, b, xs, ys, false) : b.levels?.length ? strips(b, a, ys, xs, true) : scatter(report, link, xs, ys);
  const caption = el("figcaption", {}, named(b.name), " against ", named(a.name), plot.note ? el("span", { class: "note" }, plot.note) : null);
  plot.picture.setAttribute("role", "img");
  plot.picture.setAttribute("aria-label", `${b.name} against ${a.name} in ${xs.length} rows. ${plot.note}`);
  return el("figure", { class: "plot" }, plot.picture, caption);
}

interface Plot {
  picture: SVGElement;
  note: string;
}

interface Axis {
  low: number;
  high: number;
  at(value: number): number;
}

/** An axis that a few far values do not rule. */
function axis(values: number[], start: number, end: number): Axis {
  const sorted = [...values].sort((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.round(share * (sorted.length - 1))]!;
  const [q1, q3] = [quantile(0.02), quantile(0.98)];
  const reach = (q3 - q1 || 1) * 0.6;
  let [low, high] = [Math.max(sorted[0]!, q1 - reach), Math.min(sorted[sorted.length - 1]!, q3 + reach)];
  if (!(high > low)) [low, high] = [low - 1, high + 1];
  const pad = 0.03 * (high - low);
  [low, high] = [low - pad, high + pad];
  return { low, high, at: (value) => start + ((value - low) / (high - low)) * (end - start) };
}

function frame(x: Axis | null, y: Axis | null): SVGElement {
  const picture = svg("svg", { class: "scatter", viewBox: `0 0 ${WIDTH} ${HEIGHT}` });
  picture.append(svg("path", { class: "axis", d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}` }));
  if (x) {
    for (const value of ticks(x)) picture.append(svg("text", { x: x.at(value), y: HEIGHT - BOTTOM + 13, "text-anchor": "middle" }, num(value)));
  }
  if (y) {
    for (const value of ticks(y)) picture.append(svg("text", { x: LEFT - 4, y: y.at(value), dy: "0.35em", "text-anchor": "end" }, num(value)));
  }
  return picture;
}

/** Two or three round numbers on an axis. */
function ticks({ low, high }: Axis): number[] {
  const raw = (high - low) / 2.5;
  const base = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * base).find((step) => step >= raw) ?? base;
  const all: number[] = [];
  for (let value = Math.ceil(low / step) * step; value <= high + 1e-12 && all.length < 6; value += step) all.push(Number(value.toPrecision(12)));
  return all;
}

function dots(places: [number, number][]): SVGElement {
  return svg("path", { class: "dots", d: places.map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join("") });
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function scatter(report: Report, link: Link, xs: number[], ys: number[]): Plot {
  const x = axis(xs, LEFT, WIDTH - RIGHT);
  const y = axis(ys, HEIGHT - BOTTOM, TOP);
  const picture = frame(x, y);
  const inside = xs.map((_, k) => k).filter((k) => xs[k]! >= x.low && xs[k]! <= x.high && ys[k]! >= y.low && ys[k]! <= y.high);
  picture.append(dots(inside.map((k) => [x.at(xs[k]!), y.at(ys[k]!)])));
  const [mx, my] = [mean(xs), mean(ys)];
  const sxx = xs.reduce((sum, value) => sum + (value - mx) ** 2, 0);
  const sxy = xs.reduce((sum, value, k) => sum + (value - mx) * (ys[k]! - my), 0);
  const slope = sxx > 0 ? sxy / sxx : 0;
  picture.append(line("fit", x, y, slope, mx, my));
  let note = `Line: fit to ${xs.length} rows, slope ${num(slope)}.`;
  if (link.weight != null) {
    const [ax, ay] = [report.variables[link.from]!.mean ?? mx, report.variables[link.to]!.mean ?? my];
    picture.append(line("own", x, y, link.weight, ax, ay));
    note += ` Dashed: the weight of the edge beside other causes, ${num(link.weight)}.`;
  }
  const far = xs.length - inside.length;
  if (far > 0) note += ` ${far} ${far === 1 ? "row lies" : "rows lie"} beyond the axes.`;
  return { picture, note };
}

/** The part inside the axes of a line through a point. */
function line(kind: string, x: Axis, y: Axis, slope: number, mx: number, my: number): SVGElement {
  let [low, high] = [x.low, x.high];
  if (Math.abs(slope) > 1e-300) {
    const ends = [mx + (y.low - my) / slope, mx + (y.high - my) / slope].sort((a, b) => a - b);
    low = Math.max(low, ends[0]!);
    high = Math.min(high, ends[1]!);
  }
  if (!(high > low)) return svg("g");
  const place = (value: number) => `${x.at(value).toFixed(1)} ${y.at(my + slope * (value - mx)).toFixed(1)}`;
  return svg("path", { class: `trend ${kind}`, d: `M${place(low)}L${place(high)}` });
}

/** A number by the levels of a variable: points beside each other, and the means. */
function strips(by: Variable, of: Variable, codes: number[], values: number[], turned: boolean): Plot {
  const all = by.levels!;
  const shown = Math.min(all.length, 8);
  const size = turned ? HEIGHT - TOP - BOTTOM : WIDTH - LEFT - RIGHT;
  const lane = size / shown;
  const value = turned ? axis(values, LEFT, WIDTH - RIGHT) : axis(values, HEIGHT - BOTTOM, TOP);
  const picture = turned ? frame(value, null) : frame(null, value);
  const middle = (code: number) => (turned ? HEIGHT - BOTTOM - (code + 0.5) * lane : LEFT + (code + 0.5) * lane);
  const places: [number, number][] = [];
  codes.forEach((code, k) => {
    const number = values[k]!;
    if (code >= shown || number < value.low || number > value.high) return;
    // Spread by a fixed pattern, so that the same rows give the same picture.
    const aside = middle(code) + (((k * 0.618034) % 1) - 0.5) * 0.7 * lane;
    places.push(turned ? [value.at(number), aside] : [aside, value.at(number)]);
  });
  picture.append(dots(places));
  for (let code = 0; code < shown; code++) {
    const own = values.filter((_, k) => codes[k] === code);
    if (own.length) {
      const at = value.at(Math.min(value.high, Math.max(value.low, mean(own))));
      const [a, b] = [middle(code) - 0.35 * lane, middle(code) + 0.35 * lane];
      picture.append(svg("path", { class: "trend fit", d: turned ? `M${at} ${a}V${b}` : `M${a} ${at}H${b}` }));
    }
    const word = cut(all[code]!, turned ? 6 : Math.max(2, Math.floor(lane / 6)));
    picture.append(turned ? svg("text", { x: LEFT - 4, y: middle(code), dy: "0.35em", "text-anchor": "end" }, word) : svg("text", { x: middle(code), y: HEIGHT - BOTTOM + 13, "text-anchor": "middle" }, word));
  }
  const more = all.length > shown ? ` The first ${shown} of ${all.length} levels.` : "";
  return { picture, note: `Lines: means of ${of.name} by level, in ${codes.length} rows.${more}` };
}

/** Levels against levels: the area of a circle is the number of rows. */
function bubbles(a: Variable, b: Variable, xs: number[], ys: number[]): Plot {
  const [across, up] = [Math.min(8, a.levels!.length), Math.min(8, b.levels!.length)];
  const [lane, row] = [(WIDTH - LEFT - RIGHT) / across, (HEIGHT - TOP - BOTTOM) / up];
  const picture = frame(null, null);
  const counts = new Map<string, number>();
  xs.forEach((code, k) => counts.set(`${code},${ys[k]}`, (counts.get(`${code},${ys[k]}`) ?? 0) + 1));
  const most = Math.max(...counts.values());
  for (let i = 0; i < across; i++) {
    const x = LEFT + (i + 0.5) * lane;
    picture.append(svg("text", { x, y: HEIGHT - BOTTOM + 13, "text-anchor": "middle" }, cut(a.levels![i]!, Math.max(2, Math.floor(lane / 6)))));
    for (let j = 0; j < up; j++) {
      const y = HEIGHT - BOTTOM - (j + 0.5) * row;
      const number = counts.get(`${i},${j}`) ?? 0;
      if (number) picture.append(svg("circle", { class: "bubble", cx: x, cy: y, r: 0.45 * Math.min(lane, row) * Math.sqrt(number / most) }));
      if (i === 0) picture.append(svg("text", { x: LEFT - 4, y, dy: "0.35em", "text-anchor": "end" }, cut(b.levels![j]!, 6)));
    }
  }
  const more = a.levels!.length > across || b.levels!.length > up ? " The first 8 levels of each." : "";
  return { picture, note: `Area: number of rows, of ${xs.length}.${more}` };
}

function cut(text: string, letters: number): string {
  const all = [...text];
  return all.length <= letters ? text : all.slice(0, Math.max(1, letters - 1)).join("") + "…";
}
