// The edges as a table that can be sorted, filtered and copied.

import type { Link } from "./data";
import { button, copy, count, el, named, num, percent, section } from "./dom";
import { sideArrow } from "./graph";
import type { State } from "./state";

interface Column {
  title: string;
  /** The name in a CSV file. */
  field: string;
  number?: boolean;
  value(link: Link): string | number | null | undefined;
  show?(link: Link): Node | string;
}

/** Rows shown at first. */
const SHOWN = 200;

function columns(state: State): Column[] {
  const { compared } = state.report;
  const name = (of: (link: Link) => number) => ({ value: (link: Link) => state.name(of(link)), show: (link: Link) => named(state.name(of(link))) });
  const from: Column = { title: "from", field: "from", ...name((link) => link.from) };
  const to: Column = { title: "to", field: "to", ...name((link) => link.to) };
  if (compared) {
    const side = (k: number): Column[] => [
      { title: compared.graphs[k]!, field: `edge_${k + 1}`, value: (link) => (link.sides?.[k] ? sideArrow(link.sides[k]!.direction, link.sides[k]!.backward) : "") },
      { title: `weight in ${compared.graphs[k]!}`, field: `weight_${k + 1}`, number: true, value: (link) => link.sides?.[k]?.weight, show: (link) => (link.sides?.[k]?.weight == null ? "" : num(link.sides[k]!.weight)) },
    ];
    const [arrow1, weight1, arrow2, weight2] = [...side(0), ...side(1)] as [Column, Column, Column, Column];
    return [{ title: "part", field: "part", value: (link) => PARTS[link.part ?? "shared"] }, from, arrow1, arrow2, to, weight1, weight2];
  }
  const all: Column[] = [
    from,
    { title: "", field: "edge", value: (link) => (link.direction === "undetermined" ? "--" : "->"), show: (link) => (link.direction === "undetermined" ? "—" : "→") },
    to,
    { title: "strength", field: "strength", number: true, value: (link) => link.strength, show: (link) => num(link.strength) },
    { title: "weight", field: "weight", number: true, value: (link) => link.weight, show: (link) => (link.weight == null && link.coefficients?.length ? "by level" : num(link.weight)) },
    { title: "edge", field: "confidence", number: true, value: (link) => link.confidence, show: (link) => percent(link.confidence) },
    { title: "direction", field: "direction_confidence", number: true, value: (link) => link.direction_confidence, show: (link) => percent(link.direction_confidence) },
    { title: "", field: "direction", value: (link) => link.direction },
    { title: "95% interval", field: "lower", number: true, value: (link) => link.interval?.[0], show: (link) => (link.interval ? `${num(link.interval[0])} to ${num(link.interval[1])}` : "") },
  ];
  const used = (column: Column) => ["from", "to"].includes(column.field) || state.report.views.some((view) => view.edges.some((link) => column.value(link) != null));
  return all.filter(used);
}

const PARTS: Record<string, string> = { shared: "in both", first: "only in the first", second: "only in the second", reversed: "opposite directions" };

export function edges(state: State): HTMLElement {
  const all = columns(state);
  let sorted = -1;
  let upward = false;
  let most = SHOWN;
  const filter = el("input", { type: "search", placeholder: "a name, or a word such as likely", autocomplete: "off" });
  const said = el("span", { class: "quiet", role: "status" });
  const head = el("tr");
  const body = el("tbody");
  const heads = all.map((column, at) => {
    const cell = el("th", { scope: "col", class: column.number ? "number" : null });
    const label = column.title || (column.field === "edge" ? "arrow" : column.field);
    const sort = button(column.title || "↕", () => {
      upward = sorted === at ? !upward : !column.number;
      sorted = at;
      draw();
    }, { class: "sort", "aria-label": `Sort by ${label}` });
    cell.append(sort);
    head.append(cell);
    return cell;
  });
  const chosen = (): Link[] => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const text = (link: Link) => [state.name(link.from), state.name(link.to), link.direction, link.part ? PARTS[link.part] : ""].join(" ").toLowerCase();
    const found = state.shown.edges.filter((link) => state.shows(link) && words.every((word) => text(link).includes(word)));
    const column = all[sorted];
    if (!column) return found;
    const order = (a: Link, b: Link) => {
      const [x, y] = [column.value(a), column.value(b)];
      if (x == null || y == null) return x == null && y == null ? 0 : x == null ? 1 : -1;
      const by = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), "en", { numeric: true });
      return upward ? by : -by;
    };
    return [...found].sort(order);
  };
  const row = (link: Link) => {
    const element = el("tr", {});
    all.forEach((column, at) => {
      const shown = column.show ? column.show(link) : String(column.value(link) ?? "");
      const cell = el("td", { class: column.number ? "number" : null });
      if (column.field === "from") {
        const open = el("button", { type: "button", class: "link", "aria-label": `Show the edge from ${state.name(link.from)} to ${state.name(link.to)}` }, shown);
        open.addEventListener("click", () => {
          state.choose(null, link);
          document.getElementById("graph")?.scrollIntoView();
        });
        cell.append(open);
      } else cell.append(shown);
      if (at === 0) element.classList.toggle("negative", (link.weight ?? 0) < 0);
      element.append(cell);
    });
    return element;
  };
  const rest = button("", () => {
    most = Infinity;
    draw();
  });
  const draw = () => {
    const found = chosen();
    body.replaceChildren(...found.slice(0, most).map(row));
    heads.forEach((cell, at) => {
      if (at === sorted) cell.setAttribute("aria-sort", upward ? "ascending" : "descending");
      else cell.removeAttribute("aria-sort");
    });
    const total = state.shown.edges.length;
    said.textContent = found.length === total ? count(total, "edge") : `${found.length} of ${count(total, "edge")}`;
    rest.hidden = found.length <= most;
    rest.textContent = `Show all ${found.length} edges`;
  };
  filter.addEventListener("input", draw);
  let last = "";
  state.listen(() => {
    const now = `${state.view} ${state.least} ${[...state.hidden].join()}`;
    if (now !== last) draw();
    last = now;
  });
  draw();
  const copier = button("Copy as CSV", () => void copy(csv(all, chosen()), copier));
  const bar = el("div", { class: "bar" }, el("label", { class: "field" }, el("span", {}, "Filter"), filter), copier, said);
  const table = el("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Edges" }, el("table", { class: "edges" }, el("thead", {}, head), body));
  const note = state.report.compared ? "" : "Strength is the share of the effect that the cause explains beside other causes. A weight is the change of the effect per unit of the cause.";
  return section("edges", "Edges", note ? el("p", {}, note) : null, bar, table, el("p", { class: "row" }, rest));
}

/** The edges that are shown, with all digits. */
function csv(all: Column[], links: Link[]): string {
  const quoted = (value: unknown) => {
    const text = value == null ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  const fields = all.flatMap((column) => (column.field === "lower" ? ["lower", "upper"] : [column.field]));
  const rows = links.map((link) => all.flatMap((column) => (column.field === "lower" ? [link.interval?.[0], link.interval?.[1]] : [column.value(link)])));
  return [fields, ...rows].map((row) => row.map(quoted).join(",")).join("\n") + "\n";
}
