// What is looked at: the same for the picture, the panel and the tables.

import type { Link, Report, View } from "./data";

export interface Chosen {
  variable: number | null;
  edge: Link | null;
}

type Listener = () => void;

export class State {
  view = 0;
  least = 0;
  chosen: Chosen = { variable: null, edge: null };
  /** Parts of a comparison that are not shown. */
  readonly hidden = new Set<string>();
  private readonly listeners: Listener[] = [];

  constructor(readonly report: Report) {}

  get shown(): View {
    return this.report.views[this.view]!;
  }

  /** Whether an edge is sure enough to be shown. */
  shows(link: Link): boolean {
    if (link.part && this.hidden.has(link.part)) return false;
    return link.confidence == null || link.confidence >= this.least - 1e-9;
  }

  name(variable: number): string {
    return this.report.variables[variable]?.name ?? "";
  }

  listen(listener: Listener): void {
    this.listeners.push(listener);
  }

  change(act: () => void): void {
    act();
    this.listeners.forEach((listener) => listener());
  }

  choose(variable: number | null, edge: Link | null = null): void {
    this.change(() => (this.chosen = { variable, edge }));
  }
}

/** The relatives of a variable in a graph, by positions. */
export function relatives(view: View, variable: number): Relatives {
  const found: Relatives = { parents: [], children: [], open: [], spouses: [], links: [] };
  for (const link of view.edges) {
    if (link.from !== variable && link.to !== variable) continue;
    found.links.push(link);
    const other = link.from === variable ? link.to : link.from;
    if (link.direction === "undetermined") found.open.push(other);
    else if (link.to === variable) found.parents.push(other);
    else found.children.push(other);
  }
  const children = new Set(found.children);
  const near = new Set([variable, ...found.parents, ...found.children, ...found.open]);
  const spouses = new Set<number>();
  for (const link of view.edges) {
    if (link.direction !== "undetermined" && children.has(link.to) && !near.has(link.from)) spouses.add(link.from);
  }
  found.spouses = [...spouses];
  return found;
}

export interface Relatives {
  parents: number[];
  children: number[];
  open: number[];
  /** Other parents of the children. */
  spouses: number[];
  links: Link[];
}
