// What was learnt: the picture, on which knowledge is edited, the edges, the report, and files.

import { button, copy, count, el, named, num, percent, sentence } from "../../report/src/dom";
import { menu } from "./menu";
import type { Edge } from "../../engine/types";
import type { Pair, State } from "./state";

/** More edges than this are in the report and in the files only. */
const EDGES = 300;

export function result(state: State, again: () => void): HTMLElement {
  const { document: graph, svg, report, command } = state.learnt!;
  const drawn = picture(state, svg, again);
  const edges = edgeTable(state, graph.edges, again);
  const rows = graph.input ? ` from ${count(graph.input.rows, "row")}` : "";
  const summary = `${count(graph.edges.length, "edge")} among ${count(graph.variables.length, "variable")}${rows}, by ${graph.method} in ${graph.elapsed_seconds.toFixed(2)} s`;
  const element = el("div", { class: "result" }, el("p", { class: "summary" }, summary), saves(state), el("div", { class: "stage" }, drawn, edges));
  if (graph.directions) element.append(el("p", {}, sentence(graph.directions)));
  if (graph.warnings.length) element.append(el("ul", { class: "warnings" }, ...graph.warnings.map((words) => el("li", {}, sentence(words)))));
  element.append(repeat(command));
  if (report) element.append(shownReport(report));
  return element;
}

/** The drawing; edges and variables have menus. */
function picture(state: State, text: string, again: () => void): HTMLElement {
  const { document: graph } = state.learnt!;
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const drawing = document.importNode(parsed, true) as unknown as SVGSVGElement;
  drawing.setAttribute("role", "group");
  drawing.classList.add("drawing");
  const dress = (selector: string, act: (at: number, element: Element) => void, label: (at: number) => string) => {
    for (const element of drawing.querySelectorAll(selector)) {
      const at = Number(element.getAttribute("data-index"));
      element.setAttribute("tabindex", "0");
      element.setAttribute("role", "button");
      element.setAttribute("aria-label", label(at));
      element.addEventListener("click", () => act(at, element));
      element.addEventListener("keydown", (event) => {
        const key = (event as KeyboardEvent).key;
        if (key !== "Enter" && key !== " ") return;
        event.preventDefault();
        act(at, element);
      });
    }
  };
  const many = graph.edges.length > EDGES;
  if (!many) dress("g.edge[data-index]", (at, element) => onEdge(state, graph.edges[at]!, element, again), (at) => `Edge from ${graph.edges[at]!.from} to ${graph.edges[at]!.to}`);
  if (!many) dress("g.variable[data-index]", (at, element) => onVariable(state, graph.variables[at]!, element, again), (at) => `Variable ${graph.variables[at]}`);
  const hint = el("p", { class: "hint" }, "Choose an edge or a variable to say what you know of it; the graph is learnt again at once.");
  return el("div", { class: "picture" }, el("div", { class: "canvas" }, drawing), many ? null : hint);
}

function onEdge(state: State, { from, to }: Edge, beside: Element, again: () => void): void {
  const known = (act: () => void) => () => (act(), again());
  const pair: Pair = [from, to];
  const other: Pair = [to, from];
  menu(beside, `${from} → ${to}`, [
    [`It is so: ${from} acts on ${to}`, known(() => state.state("required", pair))],
    [`The other way: ${to} acts on ${from}`, known(() => state.state("required", other))],
    [`${from} does not act on ${to}`, known(() => state.state("forbidden", pair))],
    ["Neither acts on the other", known(() => (state.state("forbidden", pair), state.state("forbidden", other)))],
  ]);
}

function onVariable(state: State, name: string, beside: Element, again: () => void): void {
  const items: [string, () => void][] = state.tiers.map((_, tier) => [`Put it into tier ${tier + 1}`, () => (state.move(name, tier), again())]);
  if (state.tierOf(name) >= 0) items.unshift(["It may be at any time", () => (state.move(name, -1), again())]);
  items.push(["Leave the column out", () => (state.kinds.set(name, "out"), state.changed(), again())]);
  menu(beside, name, items);
}

const HEADS = ["from", "", "to", "strength", "weight", "edge", "direction", ""];

function edgeTable(state: State, edges: Edge[], again: () => void): HTMLElement {
  const body = el("tbody");
  for (const edge of edges.slice(0, EDGES)) {
    const arrow = edge.direction === "undetermined" ? "—" : "→";
    const more = button("…", () => onEdge(state, edge, more, again), { class: "away", "aria-label": `What you know of ${edge.from} and ${edge.to}` });
    const sign = edge.weight === undefined ? "" : edge.weight < 0 ? "negative" : "positive";
    body.append(
      el(
        "tr",
        {},
        el("td", {}, named(edge.from)),
        el("td", { class: "arrow" }, arrow),
        el("td", {}, named(edge.to)),
        el("td", { class: "number" }, edge.strength === undefined ? "–" : edge.strength.toFixed(2)),
        el("td", { class: `number ${sign}` }, num(edge.weight)),
        el("td", { class: "number" }, percent(edge.confidence?.adjacent)),
        el("td", {}, el("span", { class: `direction ${edge.direction}` }, edge.direction)),
        el("td", {}, more),
      ),
    );
  }
  const head = el("thead", {}, el("tr", {}, ...HEADS.map((word) => (word ? el("th", { scope: "col" }, word) : el("td")))));
  const table = el("div", { class: "scroll edges", tabindex: 0, role: "region", "aria-label": "Edges" }, el("table", {}, head, body));
  if (!edges.length) return el("p", {}, "No edges were found: the columns look independent.");
  return edges.length > EDGES ? el("div", {}, table, el("p", { class: "hint" }, `The ${EDGES} strongest of ${edges.length} edges; the report and the files have all.`)) : table;
}

/** Hands a file to the user. */
function save(name: string, type: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = el("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function saves(state: State): HTMLElement {
  const { document: graph, svg, report } = state.learnt!;
  const stem = (state.file?.name ?? "graph").replace(/\..*$/, "") || "graph";
  return el(
    "div",
    { class: "row saves" },
    report ? button("Save report", () => save(`${stem}-report.html`, "text/html", report), { class: "primary" }) : null,
    button("Save JSON", () => save(`${stem}-graph.json`, "application/json", `${JSON.stringify(graph, null, 2)}\n`)),
    button("Save SVG", () => save(`${stem}-graph.svg`, "image/svg+xml", svg)),
  );
}

/** The command that gives the same graph at a terminal. */
function repeat(command: string): HTMLElement {
  const take: HTMLButtonElement = button("Copy", () => void copy(command, take));
  return el("div", { class: "repeat" }, el("h3", {}, "The same at a terminal"), el("pre", { tabindex: 0 }, command), el("div", { class: "row" }, take));
}

/** The report as others will see it, in a frame of its own that can reach nothing. */
function shownReport(report: string): HTMLElement {
  const frame = el("iframe", { class: "report", title: "Report", sandbox: "allow-scripts", loading: "lazy" });
  frame.srcdoc = report;
  return el("div", {}, el("h3", {}, "Report"), frame);
}
