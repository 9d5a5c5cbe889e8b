// How the run is repeated.

import { button, copy, el, section } from "./dom";
import type { State } from "./state";

export function run(state: State): HTMLElement {
  const { facts, command, settings } = state.report;
  const element = section("run", "How to repeat it");
  if (command) {
    const copier = button("Copy", () => void copy(command, copier));
    element.append(el("pre", { tabindex: 0, role: "region", "aria-label": "Command" }, el("code", {}, command)), el("p", { class: "row" }, copier));
  }
  const list = el("dl", { class: "facts" });
  for (const [name, value] of facts) list.append(el("div", {}, el("dt", {}, name), el("dd", {}, el("bdi", {}, value))));
  if (facts.length) element.append(list);
  const rows = settings && typeof settings === "object" ? Object.entries(settings) : [];
  if (rows.length) {
    const body = rows.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, el("code", {}, JSON.stringify(value)))));
    const table = el("table", { class: "settings" }, el("tbody", {}, ...body));
    element.append(el("details", {}, el("summary", {}, "All settings"), el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Settings" }, table)));
  }
  return element;
}
