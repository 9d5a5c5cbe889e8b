// The report: puts its parts together.

import { checks } from "./checks";
import { load } from "./data";
import { button, el, named, section } from "./dom";
import { edges } from "./edges";
import { effects } from "./effects";
import { Picture } from "./graph";
import { panel } from "./panel";
import { run } from "./run";
import { State } from "./state";
import { legend, toolbar } from "./toolbar";
import { variables } from "./variables";

const state = new State(load());
const { report } = state;

/** Light, dark, or as the system has it. */
function theme(): HTMLElement {
  const order = ["auto", "light", "dark"];
  let at = 0;
  const element = button("", () => {
    at = (at + 1) % order.length;
    show();
  }, { class: "tool wide" });
  const show = () => {
    if (at === 0) document.documentElement.removeAttribute("data-theme");
    else document.documentElement.setAttribute("data-theme", order[at]!);
    element.textContent = `Theme: ${order[at]}`;
  };
  show();
  return element;
}

function graph(): HTMLElement {
  const picture = new Picture(state);
  const stage = el("div", { class: "stage" }, el("div", { class: "left" }, picture.element, legend(state), picture.help), panel(state, picture));
  const element = section("graph", report.compared ? "Both graphs" : "Graph", toolbar(state, picture), stage);
  if (report.compared) {
    report.compared.only.forEach((names, k) => {
      if (!names.length) return;
      const words = el("p", { class: "quiet" }, `Only in ${report.compared!.graphs[k]}: `);
      names.slice(0, 20).forEach((name, at) => words.append(at ? ", " : "", named(name)));
      if (names.length > 20) words.append(` and ${names.length - 20} more`);
      element.append(words);
    });
  }
  return element;
}

/** The graph is painted first; what stands below it follows in the next moment. */
function start(): void {
  const root = document.getElementById("report")!;
  const head = el("header", {}, el("div", { class: "title" }, el("h1", {}, named(report.title)), el("p", {}, report.summary)), el("div", { class: "made" }, theme()));
  const nav = el("nav", { "aria-label": "Parts of the report" });
  const main = el("main", {}, graph());
  root.replaceChildren(el("a", { class: "skip", href: "#graph" }, "Skip to the graph"), head, nav, main);
  requestAnimationFrame(() => setTimeout(() => rest(root, nav, main)));
  // A page that is not looked at has no frames.
  setTimeout(() => rest(root, nav, main), 500);
}

function rest(root: HTMLElement, nav: HTMLElement, main: HTMLElement): void {
  if (nav.childElementCount) return;
  const read = report.variables.some((variable) => variable.kind || variable.mean != null) ? variables(state) : null;
  const parts = [edges(state), effects(state), checks(state), read, run(state)].filter((part): part is HTMLElement => !!part);
  main.append(...parts);
  main.querySelectorAll(":scope > section").forEach((part) => nav.append(el("a", { href: `#${part.id}` }, part.querySelector("h2")!.textContent ?? "")));
  root.append(el("footer", {}, "Made by nocurl. A graph is a hypothesis: it is causal only if no common cause is missing from the table and the assumptions of the method hold."));
  // Everything is on paper, also what is folded.
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((element) => (element.open = true)));
  document.documentElement.setAttribute("data-ready", "");
}

start();
