// Effects along the graph: of a variable on another, and of setting one on all means.

import type { Column, Effects, Variable } from "./data";
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
  const intro = el("p", {}, "Effects are linear and follow the directions of the best graph, which they take for true. Where a direction is undetermined, other graphs fit as well and may give other values.");
  return section("effects", "Effects", intro, ...notes, el("div", { class: "pair" }, one(state, known), setting(state, known)));
}

/** The effect of one column on another. */
function one(state: State, known: Effects): HTMLElement {
  const names = known.columns.map((column) => column.name);
  const targets = new Map<number, number>();
  for (const [from] of known.weights) targets.set(from, (targets.get(from) ?? 0) + 1);
  let cause = known.order.find((at) => targets.has(at)) ?? 0;
  const reached = follow(known, new Map([[cause, 1]]));
  let effect = reached.findIndex((value, at) => at !== cause && value !== 0);
  if (effect < 0) effect = cause === 0 ? 1 : 0;
  const answer = el("div", { class: "answer", "aria-live": "polite" });
  const draw = () => answer.replaceChildren(...(cause === effect ? [el("p", {}, "Choose two different variables.")] : said(state, known, cause, effect)));
  draw();
  return el(
    "div",
    { class: "card", id: "one-effect" },
    el("h3", {}, "Of one on another"),
    el("div", { class: "bar" }, chooser("Cause", names, cause, (at) => ((cause = at), draw())), chooser("Effect", names, effect, (at) => ((effect = at), draw()))),
    answer,
  );
}

function said(state: State, known: Effects, cause: number, effect: number): Node[] {
  const [a, b] = [known.columns[cause]!, known.columns[effect]!];
  const size = follow(known, new Map([[cause, 1]]))[effect]!;
  const nodes: Node[] = [el("p", { class: "figure" }, num(size))];
  const unit = a.level != null ? "Going from the base level to " : "One unit more of ";
  const words = size === 0
    ? [`No directed path leads from `, named(a.name), " to ", named(b.name), "."]
    : [unit, named(a.name), " changes ", named(b.name), ` by ${num(size)}, along all paths.`];
  nodes.push(el("p", {}, ...words));
  const paths = strongest(known, cause, effect);
  if (paths.length > 1) {
    nodes.push(el("h4", {}, "Its strongest paths"));
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

/** The paths that carry most, of those that a bounded search finds. */
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
  const text = "Undetermined: it depends on directions that the data do not determine. ";
  return el("p", { class: "open" }, range ? `${text}Over the graphs that fit as well it lies between ${num(range[2])} and ${num(range[3])}.` : `${text}Other graphs that fit as well may give another value.`);
}

/** All means after one variable is set. */
function setting(state: State, known: Effects): HTMLElement {
  const { variables } = state.report;
  const of = new Map<number, number[]>();
  known.columns.forEach(({ variable }, at) => of.set(variable, [...(of.get(variable) ?? []), at]));
  const usable = [...of.keys()].filter((variable) => of.get(variable)!.every((at) => known.columns[at]!.mean != null));
  if (!usable.length) {
    return el("div", { class: "card" }, el("h3", {}, "Of setting a variable"), el("p", { class: "quiet" }, "The means of the variables are not known."));
  }
  const causes = new Set(known.weights.map(([from]) => known.columns[from]!.variable));
  const first = known.columns[known.order.find((at) => causes.has(known.columns[at]!.variable)) ?? 0]!.variable;
  let variable = usable.includes(first) ? first : usable[0]!;
  const control = el("div", { class: "control" });
  const result = el("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Means after setting" });
  const show = (own: Map<number, number>) => result.replaceChildren(moved(state, known, variable, own));
  const choose = () => {
    const columns = of.get(variable)!;
    const known_ = variables[variable]!;
    control.replaceChildren(known_.levels?.length ? level(known, known_, columns, show) : value(known, known_, columns[0]!, show));
  };
  choose();
  const names = usable.map((at) => variables[at]!.name);
  const picker = chooser("Set", names, usable.indexOf(variable), (at) => {
    variable = usable[at]!;
    choose();
  });
  return el("div", { class: "card", id: "set-variable" }, el("h3", {}, "Of setting a variable"), el("div", { class: "bar" }, picker, control), result);
}

function value(known: Effects, variable: Variable, column: number, show: (own: Map<number, number>) => void): HTMLElement {
  const mean = known.columns[column]!.mean!;
  const spread = variable.deviation || Math.abs(mean) || 1;
  const [low, high] = [mean - 3 * spread, mean + 3 * spread];
  const start = Number((mean + spread).toPrecision(3));
  const range = el("input", { type: "range", min: low, max: high, step: (high - low) / 600, value: start, "aria-label": `Value of ${variable.name}` });
  const number = el("input", { type: "number", step: "any", value: start });
  const set = (to: number) => Number.isFinite(to) && show(new Map([[column, to - mean]]));
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

function level(known: Effects, variable: Variable, columns: number[], show: (own: Map<number, number>) => void): HTMLElement {
  const set = (at: number) => {
    const own = new Map<number, number>();
    for (const column of columns) {
      const { level, mean } = known.columns[column]!;
      // One column of positions, or an indicator for each level but the base.
      own.set(column, (level == null ? at : level === at ? 1 : 0) - mean!);
    }
    show(own);
  };
  const last = Math.max(0, variable.levels!.length - 1);
  set(last);
  return chooser("to", variable.levels!, last, set);
}

/** The table of means before and after. */
function moved(state: State, known: Effects, variable: number, own: Map<number, number>): HTMLElement {
  const change = follow(known, own);
  const unsure = open(state, variable);
  const deviation = ({ variable, mean }: Column) => {
    const of = state.report.variables[variable]!;
    return of.levels?.length ? Math.sqrt(Math.max(1e-9, (mean ?? 0.5) * (1 - (mean ?? 0.5)))) || 1 : of.deviation || 0;
  };
  const size = (at: number) => Math.abs(change[at]!) / (deviation(known.columns[at]!) || Infinity) || Math.abs(change[at]!) * 1e-12;
  const shown = known.columns
    .map((_, at) => at)
    .filter((at) => own.has(at) || change[at] !== 0 || unsure.has(known.columns[at]!.variable))
    .sort((a, b) => Number(own.has(b)) - Number(own.has(a)) || size(b) - size(a));
  const body = el("tbody");
  const single = own.size === 1 ? [...own][0]! : null;
  for (const at of shown) {
    const column = known.columns[at]!;
    const before = column.mean;
    const delta = change[at]!;
    const open = !own.has(at) && unsure.has(column.variable);
    const range = open && single ? known.ranges.find(([from, to]) => from === single[0] && to === at) : undefined;
    const ends = range && before != null ? [before + range[2] * single![1], before + range[3] * single![1]].sort((a, b) => a - b) : null;
    const remark = own.has(at) ? "set" : open ? (ends ? `undetermined: ${num(ends[0])} to ${num(ends[1])}` : "undetermined") : "";
    body.append(
      el(
        "tr",
        { class: own.has(at) ? "set" : null },
        el("th", { scope: "row" }, named(column.name)),
        el("td", { class: "number" }, num(before)),
        el("td", { class: "number" }, before == null ? "" : num(before + delta)),
        el("td", {}, bar(delta, deviation(column))),
        el("td", { class: "open" }, remark),
      ),
    );
  }
  const quiet = known.columns.length - shown.length;
  const head = ["variable", "mean", "after", "change", ""].map((title, at) => el("th", { scope: "col", class: at === 1 || at === 2 ? "number" : null }, title));
  const caption = quiet ? quiet === 1 ? "1 other does not move. " : `${quiet} others do not move. ` : "";
  return el("table", { class: "moved" }, el("caption", {}, `${caption}Bars: change in standard deviations, to 3.`), el("thead", {}, el("tr", {}, ...head)), body);
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

