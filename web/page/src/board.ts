// What is known: a board of tiers between which names are dragged, and statements about edges.
// All of it works by keyboard: arrows move a name, and a form states an edge.

import { button, chooser, el, named } from "../../report/src/dom";
import { menu } from "./menu";
import type { Pair, State } from "./state";

/** Says something to readers of screens. */
export type Say = (words: string) => void;

export function board(state: State, say: Say): HTMLElement {
  const element = el("div", { class: "board" });
  let focused = "";
  const draw = () => {
    element.replaceChildren(lanes(state, say, (name) => (focused = name)), statements(state), form(state));
    if (focused) element.querySelector<HTMLElement>(`[data-name="${CSS.escape(focused)}"]`)?.focus();
    focused = "";
  };
  state.watch(() => state.table && draw());
  draw();
  return element;
}

function lanes(state: State, say: Say, keep: (name: string) => void): HTMLElement {
  const row = el("div", { class: "lanes" });
  const free = state.variables.filter((name) => state.tierOf(name) < 0);
  const all = [free, ...state.tiers.map((tier) => tier.filter((name) => state.variables.includes(name)))];
  all.forEach((names, at) => {
    const title = at === 0 ? "Any time" : at === 1 ? "Tier 1, the earliest" : `Tier ${at}`;
    const lane = el("div", { class: "lane", role: "group", "aria-label": title, "data-tier": at - 1 }, el("h4", {}, title));
    const chips = el("div", { class: "chips" }, ...names.map((name) => chip(state, name, at - 1, say, keep)));
    if (!names.length) chips.append(el("span", { class: "hint" }, at === 0 ? "every column is in a tier" : "drag names here"));
    lane.append(chips);
    accept(lane, (name) => state.move(name, at - 1));
    row.append(lane);
  });
  const more = button("Add a tier", () => {
    state.tiers.push([]);
    state.changed();
  }, { class: "add" });
  row.append(more);
  const filled = all.slice(1).filter((names) => names.length).length;
  return filled === 1 ? el("div", {}, row, el("p", { class: "hint" }, "One tier alone says nothing yet: put those that come later into another.")) : row;
}

const TYPE = "text/x-nocurl-name";

/** Lets names be dropped on an element. */
function accept(element: HTMLElement, act: (name: string) => void): void {
  element.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes(TYPE)) return;
    event.preventDefault();
    event.stopPropagation();
    element.classList.add("over");
  });
  element.addEventListener("dragleave", () => element.classList.remove("over"));
  element.addEventListener("drop", (event) => {
    const name = event.dataTransfer?.getData(TYPE);
    element.classList.remove("over");
    if (!name) return;
    event.preventDefault();
    event.stopPropagation();
    act(name);
  });
}

function chip(state: State, name: string, tier: number, say: Say, keep: (name: string) => void): HTMLElement {
  // No button: some browsers do not drag those.
  const element = el("span", { role: "button", tabindex: 0, class: "chip", draggable: "true", "data-name": name, title: "Drag to a tier, or onto another name; arrows left and right move it" }, named(name));
  element.addEventListener("dragstart", (event) => {
    event.dataTransfer?.setData(TYPE, name);
    if (event.dataTransfer) event.dataTransfer.effectAllowed = "move";
  });
  accept(element, (other) => other !== name && ask(state, [other, name], element));
  const choose = () => menu(element, name, places(state, name, tier, say));
  element.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose();
    }
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const to = Math.max(-1, Math.min(state.tiers.length - 1, tier + step));
    keep(name);
    state.move(name, to);
    say(`${name}: ${to < 0 ? "any time" : `tier ${to + 1}`}`);
  });
  element.addEventListener("click", choose);
  return element;
}

/** Where a name can go. */
function places(state: State, name: string, now: number, say: Say): [string, () => void][] {
  const all: [string, () => void][] = [-1, ...state.tiers.keys()].map((tier) => {
    const words = tier < 0 ? "Any time" : `Tier ${tier + 1}`;
    return [words, () => (state.move(name, tier), say(`${name}: ${words}`))];
  });
  return all.filter((_, at) => at - 1 !== now);
}

/** Asks what is known of a pair, and states it. */
export function ask(state: State, [from, to]: Pair, beside: Element): void {
  menu(beside, `${from} → ${to}`, [
    [`${from} does not act on ${to}`, () => state.state("forbidden", [from, to])],
    [`${from} acts on ${to}`, () => state.state("required", [from, to])],
    ["Neither acts on the other", () => (state.state("forbidden", [from, to]), state.state("forbidden", [to, from]))],
  ]);
}

function statements(state: State): HTMLElement {
  const list = el("ul", { class: "statements", "aria-label": "Statements about edges" });
  for (const { kind, pair } of state.statements) {
    const [from, to] = pair;
    const words = kind === "required" ? " acts on " : " does not act on ";
    const away = button("×", () => (state.unsay(pair), state.changed()), { class: "away", "aria-label": `Take back: ${from}${words}${to}` });
    list.append(el("li", { class: kind }, el("span", {}, named(from), words, named(to)), away));
  }
  return list;
}

/** The same by a form, for keyboards and long lists. */
function form(state: State): HTMLElement {
  const names = state.variables;
  if (names.length < 2) return el("p", { class: "hint" }, "At least two columns are needed.");
  const pair: [number, number] = [0, 1];
  const add = (kind: "required" | "forbidden") => () => {
    if (pair[0] !== pair[1]) state.state(kind, [names[pair[0]]!, names[pair[1]]!]);
  };
  return el(
    "div",
    { class: "bar form" },
    chooser("from", names, 0, (at) => (pair[0] = at)),
    chooser("to", names, 1, (at) => (pair[1] = at)),
    button("Forbid this edge", add("forbidden")),
    button("Require it", add("required")),
  );
}
