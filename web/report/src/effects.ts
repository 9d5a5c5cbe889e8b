// Effects: of one variable on another, and of setting one on all means. A linear model is followed
// along its weights; the answers of a model with levels are looked up.

import type { Column, Effects, Response, Variable } from "./data";
import { chooser, el, named, num, section, sentence, svg } from "./dom";
import type { State } from "./state";

/** A change of every column when some take one of their own and the others follow their parents. */
export function follow({ columns, order, weights }: Effects, own: Map<number, number>): number[] {
  const into = new Map<number, [number, number][]>();
  for (const [from, to, weight] of weights) {
    const known = into.get(to);
    if (known) known.push([from, weight]);
    else into.set(to, [[from, weight]]);
  }
  const change = columns.map(() => 0);
  for (const at of order) {
    const set = own.get(at);
    change[at] = set ?? (into.get(at) ?? []).reduce((sum, [from, weight]) => sum + weight * change[from]!, 0);
  }
  return change;
}

/** The variables on which the effect of one depends on undetermined directions: those on a path
 * that may be directed and begins with an undetermined edge. */
export function open(state: State, variable: number): Set<number> {
  const known = state.report.effects?.open?.[variable];
  if (known) return new Set(known);
  const edges = state.report.views[0]!.edges;
  const next = new Map<number, number[]>();
  const add = (from: number, to: number) => next.set(from, [...(next.get(from) ?? []), to]);
  const queue: number[] = [];
  for (const { from, to, direction } of edges) {
    add(from, to);
    if (direction === "determined") continue;
    add(to, from);
    if (from === variable) queue.push(to);
    if (to === variable) queue.push(from);
  }
  const found = new Set<number>();
  while (queue.length) {
    const at = queue.pop()!;
    if (at === variable || found.has(at)) continue;
    found.add(at);
    queue.push(...(next.get(at) ?? []));
  }
  return found;
}

export function effects(state: State): HTMLElement | null {
  const known = state.report.effects;
  if (!known || state.report.compared || state.report.variables.length < 2) return null;
  const notes = known.notes.map((text) => el("p", { class: "quiet" }, sentence(text)));
  const basis = known.table
    ? "Effects come from a model fitted to the best graph and take its directions as true."
    : "Effects are linear: sums over the directed paths of the best graph, whose directions are taken as true.";
  const intro = el("p", {}, `${basis} Where a direction is undetermined, other graphs fit equally well and may give other values.`);
  return section("effects", "Effects", intro, ...notes, el("div", { class: "pair" }, one(state, known), setting(state, known)));
}

/** The effects of a column on all columns. */
function effectsOf(known: Effects, cause: number): number[] {
  if (!known.table) return follow(known, new Map([[cause, 1]]));
  const found = known.columns.map(() => 0);
  for (const [from, to, value] of known.table.effects) if (from === cause) found[to] = value;
  return found;
}

/** Columns that act on others, causes before effects where the order is known. */
function causes(known: Effects): number[] {
  const acting = new Set((known.table?.effects ?? known.weights).filter(([, , value]) => value !== 0).map(([from]) => from));
  const order = known.table ? known.columns.keys() : known.order;
  return [...order].filter((at) => acting.has(at));
}

/** The effect of one column on another. */
function one(state: State, known: Effects): HTMLElement {
  const names = known.columns.map((column) => column.name);
  const same = (a: number, b: number) => known.columns[a]!.variable === known.columns[b]!.variable;
  let cause = causes(known)[0] ?? 0;
  let effect = effectsOf(known, cause).findIndex((value, at) => !same(cause, at) && value !== 0);
  if (effect < 0) effect = Math.max(0, names.findIndex((_, at) => !same(cause, at)));
  const answer = el("div", { class: "answer", "aria-live": "polite" });
  const draw = () => answer.replaceChildren(...(same(cause, effect) ? [el("p", {}, "Choose two different variables.")] : answers(state, known, cause, effect)));
  draw();
  return el(
    "div",
    { class: "card", id: "one-effect" },
    el("h3", {}, "Of one on another"),
    el("div", { class: "bar" }, chooser("Cause", names, cause, (at) => ((cause = at), draw())), chooser("Effect", names, effect, (at) => ((effect = at), draw()))),
    answer,
  );
}

function answers(state: State, known: Effects, cause: number, effect: number): Node[] {
  const [a, b] = [known.columns[cause]!, known.columns[effect]!];
  const size = effectsOf(known, cause)[effect]!;
  const nodes: Node[] = [el("p", { class: "figure" }, num(size))];
  const words = size === 0
    ? ["No directed path leads from ", named(a.name), " to ", named(b.name), "."]
    : [...step(state, known, a), " changes ", b.level == null ? "" : "the share of ", named(b.name), ` by ${num(size)}${known.table ? "" : ", summed over all directed paths"}.`];
  nodes.push(el("p", {}, ...words));
  const paths = known.table ? [] : strongest(known, cause, effect);
  if (paths.length > 1) {
    nodes.push(el("h4", {}, "Strongest paths"));
    nodes.push(el("ul", { class: "plain" }, ...paths.map(([way, value]) => {
      const line = el("li", {});
      way.forEach((at, k) => line.append(k ? " → " : "", named(known.columns[at]!.name)));
      line.append(`: ${num(value)}`);
      return line;
    })));
  }
  if (open(state, a.variable).has(b.variable)) nodes.push(undetermined(known, cause, effect));
  return nodes;
}

/** What a change of a cause by one step is. */
function step(state: State, known: Effects, { name, variable, level }: Column): (Node | string)[] {
  if (level == null) return ["One unit more of ", named(name)];
  const others = new Set(known.columns.filter((column) => column.variable === variable).map((column) => column.level));
  const base = state.report.variables[variable]!.levels?.find((_, at) => !others.has(at));
  return base == null ? ["Going from the base level to ", named(name)] : ["Going from the base level ", named(base), " to ", named(name)];
}

/** The strongest paths that a bounded search finds. */
function strongest(known: Effects, cause: number, effect: number): [number[], number][] {
  const out = new Map<number, [number, number][]>();
  for (const [from, to, weight] of known.weights) out.set(from, [...(out.get(from) ?? []), [to, weight]]);
  const found: [number[], number][] = [];
  let steps = 0;
  const walk = (way: number[], value: number) => {
    if (++steps > 20000) return;
    const last = way[way.length - 1]!;
    if (last === effect) {
      found.push([[...way], value]);
      return;
    }
    for (const [to, weight] of out.get(last) ?? []) {
      way.push(to);
      walk(way, value * weight);
      way.pop();
    }
  };
  walk([cause], 1);
  return found.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])).slice(0, 4);
}

function undetermined(known: Effects, cause: number, effect: number): HTMLElement {
  const range = known.ranges.find(([from, to]) => from === cause && to === effect);
  const text = "Undetermined: the value depends on directions that the data do not determine. ";
  return el("p", { class: "open" }, range ? `${text}Over the graphs that fit equally well it lies between ${num(range[2])} and ${num(range[3])}.` : `${text}Other graphs that fit equally well may give another value.`);
}

/** How all means change when one variable is set. */
interface Moved {
  variable: number;
  change: number[];
  /** By how much the variable itself is moved, where effects are proportional to it. */
  by?: number;
}

type Show = (moved: Moved) => void;

/** All means after one variable is set. */
function setting(state: State, known: Effects): HTMLElement {
  const { variables } = state.report;
  const answered = new Set(known.table ? known.table.responses.map(({ variable }) => variable) : known.columns.map(({ variable }) => variable));
  const unknown = new Set(known.columns.filter(({ mean }) => mean == null).map(({ variable }) => variable));
  const usable = [...answered].filter((variable) => !unknown.has(variable));
  if (!usable.length) {
    return el("div", { class: "card" }, el("h3", {}, "Of setting a variable"), el("p", { class: "quiet" }, "The means of the variables are not known."));
  }
  const first = causes(known).map((at) => known.columns[at]!.variable).find((variable) => usable.includes(variable));
  let variable = first ?? usable[0]!;
  const control = el("div", { class: "control" });
  const result = el("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Means after setting" });
  const show: Show = (moved) => result.replaceChildren(changes(state, known, moved));
  const choose = () => {
    const chosen = variables[variable]!;
    if (!known.table) control.replaceChildren(value(known, chosen, known.columns.findIndex((column) => column.variable === variable), show));
    else control.replaceChildren(chosen.levels?.length ? level(known, variable, chosen.levels, show) : grid(known, variable, chosen.name, show));
  };
  choose();
  const names = usable.map((at) => variables[at]!.name);
  const picker = chooser("Set", names, usable.indexOf(variable), (at) => {
    variable = usable[at]!;
    choose();
  });
  return el("div", { class: "card", id: "set-variable" }, el("h3", {}, "Of setting a variable"), el("div", { class: "bar" }, picker, control), result);
}

/** Any value of a number in a linear model. */
function value(known: Effects, variable: Variable, column: number, show: Show): HTMLElement {
  const mean = known.columns[column]!.mean!;
  const spread = variable.deviation || Math.abs(mean) || 1;
  const [low, high] = [mean - 3 * spread, mean + 3 * spread];
  const start = Number((mean + spread).toPrecision(3));
  const range = el("input", { type: "range", min: low, max: high, step: (high - low) / 600, value: start, "aria-label": `Value of ${variable.name}` });
  const number = el("input", { type: "number", step: "any", value: start });
  const set = (to: number) => {
    if (Number.isFinite(to)) show({ variable: known.columns[column]!.variable, change: follow(known, new Map([[column, to - mean]])), by: to - mean });
  };
  range.addEventListener("input", () => {
    number.value = String(Number(Number(range.value).toPrecision(4)));
    set(Number(number.value));
  });
  number.addEventListener("input", () => {
    const to = number.value === "" ? NaN : Number(number.value);
    number.setAttribute("aria-invalid", String(!Number.isFinite(to)));
    range.value = String(to);
    set(to);
  });
  set(start);
  return el("div", { class: "bar" }, el("label", { class: "field" }, el("span", {}, "to"), number), range);
}

/** The precomputed answers about a variable, by increasing value. */
function responses(known: Effects, variable: number): Response[] {
  return known.table!.responses.filter((response) => response.variable === variable).sort((a, b) => a.value - b.value);
}

function answer(known: Effects, { variable, means }: Response): Moved {
  return { variable, change: means.map((mean, at) => mean - (known.columns[at]!.mean ?? NaN)) };
}

/** The values of a number for which there are answers: one step of the slider each. */
function grid(known: Effects, variable: number, name: string, show: Show): HTMLElement {
  const all = responses(known, variable);
  // The grid is centred on the mean, in steps of half a standard deviation.
  const start = Math.min(all.length - 1, Math.floor(all.length / 2) + 2);
  const range = el("input", { type: "range", min: 0, max: all.length - 1, step: 1, value: start, "aria-label": `Value of ${name}` });
  const shown = el("output", {});
  const set = () => {
    const chosen = all[Number(range.value)]!;
    shown.textContent = `to ${num(chosen.value)}`;
    range.setAttribute("aria-valuetext", num(chosen.value));
    show(answer(known, chosen));
  };
  range.addEventListener("input", set);
  set();
  return el("div", { class: "bar" }, shown, range);
}

/** All levels of a variable, the base level among them. */
function level(known: Effects, variable: number, names: string[], show: Show): HTMLElement {
  const all = responses(known, variable);
  const last = all.length - 1;
  show(answer(known, all[last]!));
  return chooser("to", all.map(({ value }) => names[value] ?? num(value)), last, (at) => show(answer(known, all[at]!)));
}

/** The table of means before and after. */
function changes(state: State, known: Effects, { variable, change, by }: Moved): HTMLElement {
  const unsure = open(state, variable);
  const set = (at: number) => known.columns[at]!.variable === variable;
  const deviation = ({ variable, level, mean }: Column) => {
    if (level == null) return state.report.variables[variable]!.deviation || 0;
    return mean == null ? 0 : Math.sqrt(Math.max(1e-9, mean * (1 - mean)));
  };
  // Answers of a table carry rounding errors where nothing moves.
  const moves = (at: number) => Math.abs(change[at]!) > (known.table ? 1e-9 * Math.max(Math.abs(known.columns[at]!.mean ?? 0), deviation(known.columns[at]!)) : 0);
  const size = (at: number) => Math.abs(change[at]!) / (deviation(known.columns[at]!) || Infinity) || Math.abs(change[at]!) * 1e-12;
  const shown = known.columns
    .map((_, at) => at)
    .filter((at) => set(at) || moves(at) || unsure.has(known.columns[at]!.variable))
    .sort((a, b) => Number(set(b)) - Number(set(a)) || size(b) - size(a));
  const body = el("tbody");
  const from = known.columns.findIndex((column) => column.variable === variable);
  for (const at of shown) {
    const column = known.columns[at]!;
    const before = column.mean;
    const delta = moves(at) ? change[at]! : 0;
    const open = !set(at) && unsure.has(column.variable);
    const range = open && by != null ? known.ranges.find(([cause, effect]) => cause === from && effect === at) : undefined;
    const ends = range && before != null ? [before + range[2] * by!, before + range[3] * by!].sort((a, b) => a - b) : null;
    const remark = set(at) ? "set" : open ? (ends ? `undetermined: ${num(ends[0])} to ${num(ends[1])}` : "undetermined") : "";
    body.append(
      el(
        "tr",
        { class: set(at) ? "set" : null },
        el("th", { scope: "row" }, named(column.name)),
        el("td", { class: "number" }, num(before)),
        el("td", { class: "number" }, before == null ? "" : num(before + delta)),
        el("td", {}, bar(delta, deviation(column))),
        el("td", { class: "open" }, remark),
      ),
    );
  }
  const quiet = known.columns.length - shown.length;
  const head = ["variable", known.columns.some(({ level }) => level != null) ? "mean or share" : "mean", "after", "change", ""].map((title, at) => el("th", { scope: "col", class: at === 1 || at === 2 ? "number" : null }, title));
  const caption = quiet ? quiet === 1 ? "1 other does not change. " : `${quiet} others do not change. ` : "";
  return el("table", { class: "moved" }, el("caption", {}, `${caption}Bars show the change in standard deviations, up to 3.`), el("thead", {}, el("tr", {}, ...head)), body);
}

/** A change in standard deviations as a bar to the left or right. */
function bar(delta: number, deviation: number): SVGElement {
  const share = deviation ? Math.max(-1, Math.min(1, delta / deviation / 3)) : 0;
  const [middle, width] = [40, 40 * Math.abs(share)];
  const label = deviation ? `${num(delta)}, ${num(delta / deviation)} standard deviations` : num(delta);
  return svg(
    "svg",
    { class: `change ${delta < 0 ? "negative" : "positive"}`, viewBox: "0 0 80 12", role: "img", "aria-label": label },
    svg("path", { class: "axis", d: "M40 0V12" }),
    svg("rect", { x: delta < 0 ? middle - width : middle, y: 2, width: Math.max(width, deviation && delta ? 0.8 : 0), height: 8 }),
  );
}

