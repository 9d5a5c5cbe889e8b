// What is known of the chosen variable or edge, beside the picture.

import type { Link, Report } from "./data";
import { button, count, el, named, num, sentence } from "./dom";
import { type Picture, edgeWords } from "./graph";
import { histogram, levels, pair } from "./plots";
import { State, relatives } from "./state";

/** Plots shown at once. */
const PLOTS = 4;

/** Coefficients of levels shown for an edge. */
const MOST_COEFFICIENTS = 60;

export function panel(state: State, picture: Picture): HTMLElement {
  const element = el("aside", { class: "panel", "aria-label": "Chosen variable or edge", tabindex: -1 });
  const inside = el("div", { "aria-live": "polite" });
  element.append(inside);
  const draw = () => {
    const { variable, edge } = state.chosen;
    if (edge) inside.replaceChildren(...ofEdge(state, edge));
    else if (variable != null) inside.replaceChildren(...ofVariable(state, variable, picture));
    else inside.replaceChildren(...ofGraph(state));
  };
  draw();
  let last = state.chosen;
  let view = state.view;
  state.listen(() => {
    if (state.chosen !== last || state.view !== view) draw();
    last = state.chosen;
    view = state.view;
  });
  return element;
}

/** What there is to see when nothing is chosen. */
function ofGraph(state: State): Node[] {
  const { report, shown } = state;
  const nodes: Node[] = [el("h3", {}, shown.name), el("p", {}, `${shown.about}.`)];
  report.sentences.forEach((text) => nodes.push(el("p", { class: "quiet" }, sentence(text))));
  const degree = new Map<number, number>();
  for (const link of shown.edges) for (const end of [link.from, link.to]) degree.set(end, (degree.get(end) ?? 0) + 1);
  const hubs = [...degree].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 6);
  if (hubs.length) {
    nodes.push(el("h4", {}, "Most connected"));
    nodes.push(el("p", { class: "chips" }, ...hubs.map(([at, edges]) => chip(state, at, ` ${edges}`))));
  }
  nodes.push(el("p", { class: "hint" }, "Choose a variable or an edge in the picture to see what is known of it."));
  return nodes;
}

function chip(state: State, variable: number, more = ""): HTMLElement {
  const element = el("button", { type: "button", class: "chip" }, named(state.name(variable)), more && el("small", {}, more));
  element.addEventListener("click", () => state.choose(variable));
  return element;
}

function ofVariable(state: State, at: number, picture: Picture): Node[] {
  const { report, shown } = state;
  const variable = report.variables[at]!;
  const found = relatives(shown, at);
  const nodes: Node[] = [el("h3", {}, named(variable.name))];
  const facts = [variable.kind, variable.mean != null && !variable.levels?.length && `mean ${num(variable.mean)}`, variable.deviation != null && `standard deviation ${num(variable.deviation)}`, variable.missing ? count(variable.missing, "missing value") : ""];
  nodes.push(el("p", { class: "quiet" }, facts.filter(Boolean).join(", ")));
  if (variable.histogram) nodes.push(el("div", { class: "wide" }, histogram(variable.histogram, variable.name)));
  else if (variable.levels?.length) nodes.push(levels(variable));
  const groups: [string, number[]][] = [
    ["Parents", found.parents],
    ["Children", found.children],
    ["Neighbours of undetermined direction", found.open],
    ["Markov blanket", [...new Set([...found.parents, ...found.children, ...found.open, ...found.spouses])]],
  ];
  for (const [title, members] of groups) {
    if (title.startsWith("Neighbours") && !members.length) continue;
    nodes.push(el("h4", {}, title));
    nodes.push(members.length ? el("p", { class: "chips" }, ...members.map((other) => chip(state, other))) : el("p", { class: "quiet" }, "none"));
  }
  if (found.open.length) nodes.push(el("p", { class: "hint" }, "Undetermined directions may add to the Markov blanket: parents of children that are not drawn as such."));
  const near = button("Zoom to its neighbourhood", () => picture.show(at));
  const only = button("Hide all others", () => {
    only.setAttribute("aria-pressed", String(picture.toggleOnly()));
  }, { "aria-pressed": "false" });
  nodes.push(el("p", { class: "row" }, near, only, button("Close", () => state.choose(null))));
  nodes.push(...plots(report, found.links));
  return nodes;
}

function plots(report: Report, links: Link[]): Node[] {
  if (!report.sample.length) {
    return [el("p", { class: "hint" }, "This report has no rows of the table, so that there are no scatter plots. A report that is written while learning has some.")];
  }
  const strong = [...links].sort((a, b) => (b.strength ?? 0) - (a.strength ?? 0));
  const figures = (from: number, to: number) => strong.slice(from, to).map((link) => pair(report, link)).filter((plot): plot is HTMLElement => !!plot);
  const box = el("div", { class: "plots" }, ...figures(0, PLOTS));
  if (strong.length <= PLOTS) return [box];
  const rest = strong.length - PLOTS;
  const more = button(`Show ${rest} more ${rest === 1 ? "plot" : "plots"}`, () => {
    box.append(...figures(PLOTS, strong.length));
    more.remove();
  });
  return [box, more];
}

const EVIDENCE: Record<string, string> = {
  independences: "conditional independences",
  "error-shape": "the shape of errors that are not Gaussian",
  variances: "error variances, assumed to be of similar size",
  "nonlinear-effects": "effects that are not linear",
  knowledge: "prior knowledge",
  experiments: "experiments",
};

function ofEdge(state: State, link: Link): Node[] {
  const { report } = state;
  const [title, ...rest] = edgeWords(state, link);
  const nodes: Node[] = [el("h3", {}, title!), el("ul", { class: "plain" }, ...rest.map((line) => el("li", {}, line)))];
  if (link.evidence) nodes.push(el("p", { class: "quiet" }, `Its direction comes from ${EVIDENCE[link.evidence] ?? link.evidence}.`));
  if (link.interval) nodes.push(el("p", { class: "quiet" }, "The range in parentheses is the 95% confidence interval of the weight, if the graph is right."));
  if (link.coefficients?.length) nodes.push(coefficients(state, link));
  nodes.push(el("p", { class: "chips" }, chip(state, link.from), chip(state, link.to)));
  nodes.push(el("p", { class: "row" }, button("Close", () => state.choose(null))));
  const plot = pair(report, link);
  if (plot) nodes.push(el("div", { class: "plots" }, plot));
  return nodes;
}

/** The coefficients of levels; the level of a cause names its base level, as in "male (from female)". */
function coefficients(state: State, link: Link): HTMLElement {
  const [from, to] = [state.name(link.from), state.name(link.to)];
  const rows = link.coefficients!.slice(0, MOST_COEFFICIENTS).map(([cause, effect, value]) => {
    const cell = (name: string, level: string | null) => el("td", {}, named(level == null ? name : `${name} = ${level}`));
    return el("tr", {}, cell(from, cause), cell(to, effect), el("td", { class: "number" }, num(value)));
  });
  const head = el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "cause"), el("th", { scope: "col" }, "effect"), el("th", { scope: "col", class: "number" }, "change")));
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Coefficients of levels" }, el("table", {}, head, el("tbody", {}, ...rows)));
}
