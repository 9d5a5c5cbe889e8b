// What the user has set. The page is drawn from it; settings for the engine are made of it.

import type { Inspection, Knowledge, Kind, Learnt, Settings, TableSettings } from "../../engine/types";

export type Choice = "auto" | Kind | "out";
/** Settings of reading that are not about single columns. */
export type Reading = Pick<TableSettings, "na" | "transform" | "header" | "decimal" | "delimiter" | "skip_rows" | "sheet" | "transpose" | "rows">;
export type Pair = [from: string, to: string];

export interface Statement {
  kind: "required" | "forbidden";
  pair: Pair;
}

/** Why a column is left out that the user left out before the table was read. */
const CHOSEN = "your choice";

export class State {
  file: File | undefined;
  table: Inspection | undefined;
  /** What the user says of columns. */
  kinds = new Map<string, Choice>();
  /** The order of the levels of ordinal columns. */
  orders = new Map<string, string[]>();
  reading: Reading = {};
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

  /** Ends all calls back: the elements that wanted them are about to be replaced. */
  unwatch(): void {
    this.#listeners = [];
  }

  /** A new file: settings of the previous one are dropped. */
  choose(file: File): void {
    Object.assign(this, { file, table: undefined, learnt: undefined, used: "", statements: [], tiers: [[], []], kinds: new Map(), orders: new Map(), reading: {}, missing: "auto" });
  }

  /** The table as it was read with the current settings. */
  read(table: Inspection): void {
    const known = new Set(table.columns.map(({ name }) => name));
    const dropped = this.chosen("out").filter((name) => !known.has(name));
    const columns = [...table.columns, ...dropped.map((name) => ({ name, kind: null, left_out: CHOSEN }))];
    Object.assign(this, { table: { ...table, columns }, learnt: undefined, used: "" });
    if (this.missing === "auto" && table.incomplete > 0) this.missing = "drop";
    else if (this.missing === "auto" && table.missing > 0) this.missing = "em";
  }

  /** Names of the columns for which the user chose a kind, or to leave them out. */
  chosen(choice: Choice): string[] {
    return [...this.kinds].filter(([, kind]) => kind === choice).map(([name]) => name);
  }

  /** Chooses a kind for these columns, and for no others. */
  only(choice: Choice, names: string[]): void {
    for (const name of this.chosen(choice)) this.kinds.delete(name);
    for (const name of names) this.kinds.set(name, choice);
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

  /** How the table is read; settings that have their defaults are left out. */
  tableSettings(): TableSettings {
    const settings: TableSettings = { ...this.reading };
    // A column that the engine leaves out by itself need not be named.
    const excluded = (name: string) => this.table?.columns.some((column) => column.name === name && !column.kind && column.left_out !== CHOSEN);
    const drop = this.chosen("out").filter((name) => !excluded(name));
    if (drop.length) settings.drop = drop;
    for (const kind of ["continuous", "categorical"] as const) if (this.chosen(kind).length) settings[kind] = this.chosen(kind);
    const ordinal = this.chosen("ordinal").map((column) => ({ column, ...(this.orders.has(column) ? { levels: this.orders.get(column)! } : {}) }));
    if (ordinal.length) settings.ordinal = ordinal;
    return settings;
  }

  /** What the engine is asked for; settings that have their defaults are left out. */
  settings(): Settings {
    const settings: Settings = this.tableSettings();
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
