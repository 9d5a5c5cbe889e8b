// What the user has set. The page is drawn from it; settings for the engine are made of it.

import type { Inspection, Knowledge, Kind, Learnt, Settings } from "../../engine/types";

export type Choice = "auto" | Kind | "out";
export type Pair = [from: string, to: string];

export interface Statement {
  kind: "required" | "forbidden";
  pair: Pair;
}

export class State {
  file: File | undefined;
  table: Inspection | undefined;
  /** What the user says of columns. */
  kinds = new Map<string, Choice>();
  missing: "auto" | "error" | "drop" | "em" = "auto";
  /** Tiers of names, the earliest first; who is in none is free. */
  tiers: string[][] = [[], []];
  statements: Statement[] = [];
  method = "";
  confidence = true;
  learnt: Learnt | undefined;
  /** The settings that `learnt` came from. */
  used = "";
  #listeners: (() => void)[] = [];

  /** Calls back after each change. */
  watch(act: () => void): void {
    this.#listeners.push(act);
  }

  changed(): void {
    for (const act of this.#listeners) act();
  }

  /** A new table: nothing said of the old one stays. */
  open(file: File, table: Inspection): void {
    Object.assign(this, { file, table, learnt: undefined, used: "", statements: [], tiers: [[], []], kinds: new Map() });
    this.missing = table.incomplete > 0 ? "drop" : "auto";
    this.changed();
  }

  /** Names of the columns that take part. */
  get variables(): string[] {
    const columns = this.table?.columns ?? [];
    return columns.filter(({ name, kind }) => (this.kinds.get(name) ?? (kind ? "auto" : "out")) !== "out").map(({ name }) => name);
  }

  tierOf(name: string): number {
    return this.tiers.findIndex((tier) => tier.includes(name));
  }

  /** Puts a variable into a tier; -1 for none. */
  move(name: string, tier: number): void {
    this.tiers = this.tiers.map((names) => names.filter((other) => other !== name));
    while (this.tiers.length <= tier) this.tiers.push([]);
    if (tier >= 0) this.tiers[tier]!.push(name);
    this.changed();
  }

  /** States something of a pair; what was said of it before, either way round, goes. */
  state(kind: Statement["kind"], [from, to]: Pair): void {
    this.unsay([from, to], kind === "required");
    this.statements.push({ kind, pair: [from, to] });
    this.changed();
  }

  /** Takes back what was said of a pair. */
  unsay([from, to]: Pair, alsoReversed = false): void {
    this.statements = this.statements.filter(({ kind, pair: [a, b] }) => {
      const same = a === from && b === to;
      return !same && !(alsoReversed && kind === "required" && a === to && b === from);
    });
  }

  /** What the engine is asked for; nothing that has its default is said. */
  settings(): Settings {
    const settings: Settings = {};
    const chosen = (choice: Choice) => [...this.kinds].filter(([, kind]) => kind === choice).map(([name]) => name);
    const drop = chosen("out").filter((name) => this.table?.columns.some((column) => column.name === name && column.kind));
    if (drop.length) settings.drop = drop;
    if (chosen("continuous").length) settings.continuous = chosen("continuous");
    if (chosen("categorical").length) settings.categorical = chosen("categorical");
    if (chosen("ordinal").length) settings.ordinal = chosen("ordinal").map((column) => ({ column }));
    if (this.missing !== "auto") settings.missing = this.missing;
    if (this.method) settings.method = this.method;
    if (!this.confidence) settings.confidence = false;
    const knowledge = this.knowledge();
    if (Object.keys(knowledge).length) settings.knowledge = knowledge;
    return settings;
  }

  knowledge(): Knowledge {
    const known = new Set(this.variables);
    const knowledge: Knowledge = {};
    for (const kind of ["required", "forbidden"] as const) {
      const pairs = this.statements.filter((one) => one.kind === kind && one.pair.every((name) => known.has(name)));
      if (pairs.length) knowledge[kind] = pairs.map(({ pair }) => pair);
    }
    const tiers = this.tiers.map((tier) => tier.filter((name) => known.has(name))).filter((tier) => tier.length);
    if (tiers.length > 1) knowledge.tiers = tiers.map((variables) => ({ variables }));
    return knowledge;
  }

  /** Whether something was changed since the graph was learnt. */
  get stale(): boolean {
    return !!this.learnt && this.used !== JSON.stringify(this.settings());
  }
}
