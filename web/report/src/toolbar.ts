// What is shown of the graph, and what its lines and shapes mean.

import type { Link } from "./data";
import { chooser, count, el, percent, svg } from "./dom";
import type { Picture } from "./graph";
import type { State } from "./state";

export function toolbar(state: State, picture: Picture): HTMLElement {
  const { report } = state;
  const bar = el("div", { class: "bar toolbar" });
  if (report.views.length > 1) bar.append(views(state));
  if (report.views.some((view) => view.edges.some((link) => link.confidence != null))) bar.append(slider(state));
  const names = report.variables.map((variable) => variable.name);
  const find = chooser("Find", ["", ...names], 0, (at) => {
    if (at === 0) return state.choose(null);
    state.choose(at - 1);
    if (state.shown.overview) picture.show(at - 1);
  });
  bar.append(find);
  return bar;
}

/** The switch between the best graph and the consensus. */
function views(state: State): HTMLElement {
  const group = el("fieldset", { class: "switch" }, el("legend", {}, "Graph"));
  state.report.views.forEach((view, at) => {
    const input = el("input", { type: "radio", name: "view", value: at, checked: at === state.view });
    input.addEventListener("change", () => state.change(() => {
      state.view = at;
      state.chosen = { variable: state.chosen.variable, edge: null };
    }));
    group.append(el("label", {}, input, el("span", {}, view.name)));
  });
  return group;
}

function slider(state: State): HTMLElement {
  const input = el("input", { type: "range", min: 0, max: 100, step: 1, value: 0 });
  const said = el("output", { class: "quiet" });
  const draw = () => {
    const edges = state.shown.edges;
    const shown = edges.filter((link) => state.shows(link)).length;
    said.textContent = `${percent(state.least)}: ${shown} of ${count(edges.length, "edge")}`;
    input.setAttribute("aria-valuetext", said.textContent);
  };
  input.addEventListener("input", () => state.change(() => (state.least = Number(input.value) / 100)));
  state.listen(draw);
  draw();
  return el("label", { class: "field grow" }, el("span", {}, "Confidence at least"), el("span", { class: "slider" }, input, said));
}

/** What the picture means, as far as it has it. */
export function legend(state: State): HTMLElement {
  const list = el("ul", { class: "legend", "aria-label": "Legend" });
  const draw = () => {
    const { edges, spots } = state.shown;
    list.replaceChildren();
    const has = (test: (link: Link) => boolean) => edges.some(test);
    const entry = (sample: SVGElement, words: string, ...more: Node[]) => list.append(el("li", {}, ...more, sample, el("span", {}, words)));
    const { compared } = state.report;
    if (compared) {
      const parts: [Link["part"], string][] = [["shared", "in both"], ["first", `only in ${compared.graphs[0]}`], ["second", `only in ${compared.graphs[1]}`], ["reversed", "in opposite directions"]];
      for (const [part, words] of parts) {
        if (!has((link) => link.part === part)) continue;
        const box = el("input", { type: "checkbox", checked: !state.hidden.has(part!) });
        box.addEventListener("change", () => state.change(() => (box.checked ? state.hidden.delete(part!) : state.hidden.add(part!))));
        const item = el("label", {}, box, line(part!, "determined"), el("span", {}, words));
        list.append(el("li", {}, item));
      }
    } else {
      if (has((link) => (link.weight ?? -1) >= 0)) entry(line("positive", "undetermined"), "positive weight");
      if (has((link) => (link.weight ?? 1) < 0)) entry(line("negative", "undetermined"), "negative weight");
    }
    const directions = (["determined", "likely", "undetermined"] as const).filter((direction) => has((link) => link.direction === direction));
    if (directions.length > 1 || directions.some((direction) => direction !== "determined")) {
      for (const direction of directions) entry(line("plain", direction), `direction ${direction}`);
    }
    const kinds = new Set(spots.map((spot) => spot.kind));
    if (kinds.size > 1) for (const kind of kinds) entry(shape(kind), kind === "continuous" ? "continuous" : kind === "categorical" ? "levels" : "condition");
    const words = [has((link) => link.strength != null) && edges.length > 1 && "wide: strong", has((link) => link.confidence != null) && "pale: less confidence", state.shown.overview && "size of a dot: number of edges; causes on top"];
    const text = words.filter(Boolean).join("; ");
    if (text) list.append(el("li", { class: "quiet" }, text));
  };
  draw();
  let last = state.view;
  state.listen(() => {
    if (last !== state.view) draw();
    last = state.view;
  });
  return list;
}

function line(kind: string, direction: string): SVGElement {
  const picture = svg("svg", { class: "sample", viewBox: "0 0 28 10", "aria-hidden": "true" });
  const end = direction === "undetermined" ? 27 : 20;
  const group = svg("g", { class: `edge ${kind} ${direction}` }, svg("path", { class: "line", fill: "none", d: `M1 5H${end}`, "stroke-width": 1.6 }));
  if (direction !== "undetermined") group.append(svg("path", { class: "head", d: "M27 5L19.5 8.2L19.5 1.8Z" }));
  picture.append(group);
  return picture;
}

function shape(kind: string): SVGElement {
  const picture = svg("svg", { class: "sample", viewBox: "0 0 28 12", "aria-hidden": "true" });
  const outline = kind === "continuous" ? svg("rect", { class: "shape", x: 2, y: 1, width: 24, height: 10, rx: 4 }) : svg("polygon", { class: "shape", points: "6,1 22,1 26,5 26,7 22,11 6,11 2,7 2,5" });
  picture.append(svg("g", { class: `node ${kind}` }, outline));
  return picture;
}
