// What was read: kinds, gaps, how values lie.

import { count, el, named, num, section } from "./dom";
import { histogram, levels } from "./plots";
import type { State } from "./state";

/** Rows shown at first. */
const SHOWN = 60;

export function variables(state: State): HTMLElement {
  const all = state.report.variables;
  const has = (of: (variable: (typeof all)[number]) => unknown) => all.some((variable) => of(variable) != null && of(variable) !== "");
  const [kinds, means, deviations, gaps, shapes] = [has((v) => v.kind), has((v) => v.mean), has((v) => v.deviation), has((v) => v.missing), has((v) => v.histogram) || all.some((v) => v.levels?.length)];
  const column = (title: string, number = false) => el("th", { scope: "col", class: number ? "number" : null }, title);
  const head = el("tr", {}, column("variable"), kinds && column("kind"), shapes && column("values"), means && column("mean", true), deviations && column("standard deviation", true), gaps && column("missing", true));
  const body = el("tbody");
  const row = (at: number) => {
    const variable = all[at]!;
    const name = el("button", { type: "button", class: "link" }, named(variable.name));
    name.addEventListener("click", () => {
      state.choose(at);
      document.getElementById("graph")?.scrollIntoView();
    });
    const shape = variable.levels?.length ? levels(variable) : variable.histogram ? histogram(variable.histogram, variable.name) : null;
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, name),
      kinds && el("td", {}, variable.kind),
      shapes && el("td", { class: "shape" }, shape),
      means && el("td", { class: "number" }, variable.levels?.length && variable.kind === "categorical" ? "" : num(variable.mean)),
      deviations && el("td", { class: "number" }, variable.deviation == null ? "" : num(variable.deviation)),
      gaps && el("td", { class: "number" }, variable.missing == null ? "" : variable.missing.toLocaleString("en")),
    );
  };
  all.slice(0, SHOWN).forEach((_, at) => body.append(row(at)));
  const table = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Variables" }, el("table", { class: "variables" }, el("thead", {}, head), body));
  const kindsOf = new Map<string, number>();
  all.forEach(({ kind }) => kindsOf.set(kind, (kindsOf.get(kind) ?? 0) + 1));
  const summary = kinds ? [...kindsOf].map(([kind, number]) => `${number} ${kind}`).join(", ") : "";
  const missing = all.filter((variable) => variable.missing).length;
  const words = [`${count(all.length, "variable")}${summary ? `: ${summary}` : ""}.`, gaps && (missing ? `${count(missing, "column")} with missing values.` : "No missing values."), shapes && "Histograms and levels are of the rows that were kept to look at; means are of all rows."];
  const element = section("variables", "What was read", el("p", {}, words.filter(Boolean).join(" ")), table);
  if (all.length > SHOWN) {
    const more = el("button", { type: "button" }, `Show all ${all.length} variables`);
    more.addEventListener("click", () => {
      for (let at = SHOWN; at < all.length; at++) body.append(row(at));
      more.remove();
    });
    element.append(el("p", { class: "row" }, more));
  }
  return element;
}
