// How the table is read: the settings that messages recommend, under the names that messages use.

import { button, el } from "../../report/src/dom";
import type { Choice, Reading, State } from "./state";

interface Field {
  /** The name in messages. */
  name: string;
  about: string;
  example?: string;
  /** Values to choose from, with their words. */
  choices?: [string, string][];
  /** Sign between the items of a list; recommended items are added to those that are there. */
  list?: "," | ";";
  read(state: State): string;
  write(state: State, text: string): void;
}

/** Splits text at a sign outside of double quotes. */
function split(text: string, sign: string): string[] {
  const parts = [""];
  let quoted = false;
  for (const letter of text) {
    if (letter === '"') quoted = !quoted;
    if (letter === sign && !quoted) parts.push("");
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim()).filter(Boolean);
}

/** A list with commas, with or without the brackets that messages put around lists. */
function items(text: string): string[] {
  const inside = /^\s*\[(.*)\]\s*$/s.exec(text)?.[1] ?? text;
  return split(inside, ",").map((item) => /^"(.*)"$/s.exec(item)?.[1]?.replaceAll('""', '"') ?? item);
}

function listed(names: string[]): string {
  return names.map((name) => (/[",;]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(", ");
}

/** A setting of the reader; empty text means its default. */
function setting<Name extends keyof Reading>(name: Name, about: string, of: (text: string) => Reading[Name], to: (value: NonNullable<Reading[Name]>) => string, more: Partial<Field> = {}): Field {
  return {
    name,
    about,
    read: ({ reading }) => (reading[name] == null ? "" : to(reading[name]!)),
    write: ({ reading }, text) => {
      if (text.trim()) reading[name] = of(text);
      else delete reading[name];
    },
    ...more,
  };
}

function kind(name: string, choice: Choice, about: string): Field {
  return { name, about, list: ",", example: "names of columns", read: (state) => listed(state.chosen(choice)), write: (state, text) => state.only(choice, items(text)) };
}

const whole = (text: string) => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new Error("a whole number is expected");
  return value;
};

const ORDINAL: Field = {
  name: "ordinal",
  list: ";",
  about: "ordered categories, the lowest level first; columns are separated by semicolons",
  example: "size=small,medium,large; score",
  read: (state) => state.chosen("ordinal").map((name) => (state.orders.has(name) ? `${listed([name])}=${listed(state.orders.get(name)!)}` : listed([name]))).join("; "),
  write: (state, text) => {
    state.orders.clear();
    const names: string[] = [];
    for (const part of split(/^\s*\[(.*)\]\s*$/s.exec(text)?.[1] ?? text, ";")) {
      const at = part.indexOf("=");
      if (at < 0) names.push(...items(part));
      else {
        const [name] = items(part.slice(0, at));
        if (!name) continue;
        names.push(name);
        state.orders.set(name, items(part.slice(at + 1)));
      }
    }
    state.only("ordinal", names);
  },
};

const FIELDS: Field[] = [
  setting("na", "words or numbers that stand for missing values, besides the usual ones", items, listed, { list: ",", example: "?, -99, unknown" }),
  kind("categorical", "categorical", "columns of categories"),
  kind("continuous", "continuous", "columns of numbers"),
  ORDINAL,
  kind("leave out", "out", "columns to leave out"),
  setting("transform", "functions of columns of numbers, separated by semicolons", (text) => split(text, ";"), (rules) => rules.join("; "), { example: "auto, or log:dose,age" }),
  setting("decimal", "decimal sign", (text) => text, String, { choices: [["", "detect"], [".", "point"], [",", "comma"]] }),
  setting("delimiter", "sign between cells", (text) => text, String, { choices: [["", "detect"], [",", "comma"], [";", "semicolon"], ["\t", "tab"], [" ", "blanks"], ["|", "bar"]] }),
  setting("header", "whether the first line holds names", (text) => text as "yes" | "no", String, { choices: [["", "detect"], ["yes", "yes"], ["no", "no"]] }),
  setting("skip_rows", "lines to skip at the start", whole, String, { example: "0" }),
  setting("sheet", "sheet of a workbook, or file of an archive", (text) => text.trim(), String, { example: "the first" }),
  setting("transpose", "which way the table lies", () => true, () => "yes", { choices: [["", "variables are columns"], ["yes", "variables are rows"]] }),
  setting("rows", "for a covariance matrix: how many rows it comes from", whole, String, { example: "not a covariance matrix" }),
];

/** "skip_rows" as messages write it. */
const spoken = (name: string) => name.replaceAll("_", " ");

/** Fields of all settings, and a button that reads the table with them. */
export function reading(state: State, isOpen: boolean, again: () => void): HTMLElement {
  const grid = el("div", { class: "settings" }, ...FIELDS.map((field) => control(state, field)));
  const form = el("form", {}, el("p", { class: "hint" }, "Messages name these settings. Lists have commas between their items; put names that contain commas in double quotes."), grid, el("div", { class: "row" }, el("button", { type: "submit", class: "primary" }, "Read the table again")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!form.querySelector("[aria-invalid=true]")) again();
  });
  const used = FIELDS.some((field) => field.read(state));
  return el("details", { class: "reading", id: "reading", open: isOpen || used }, el("summary", {}, "Advanced: reading the table"), form);
}

function control(state: State, field: Field): HTMLElement {
  const id = `reading-${field.name.replace(/\W/g, "-")}`;
  const about = el("span", { class: "hint", id: `${id}-about` }, field.about);
  const input = field.choices ? el("select", { id }) : el("input", { id, type: "search", autocomplete: "off", spellcheck: "false", placeholder: field.example });
  input.setAttribute("aria-describedby", about.id);
  for (const [value, words] of field.choices ?? []) input.append(el("option", { value }, words));
  const show = () => (input.value = field.read(state));
  show();
  input.addEventListener("change", () => {
    try {
      field.write(state, input.value);
      input.removeAttribute("aria-invalid");
      state.changed();
    } catch {
      input.setAttribute("aria-invalid", "true");
    }
  });
  state.watch(() => input.hasAttribute("aria-invalid") || show());
  return el("div", { class: "setting" }, el("label", { for: id }, spoken(field.name)), input, about);
}

/** Buttons for the settings that a message recommends, as in `“na” set to [?,unknown]`. */
export function suggestions(state: State, message: string, again: () => void): HTMLElement | null {
  const missing: Field = { name: "missing", about: "", read: (state) => state.missing, write: (state, text) => (state.missing = text as State["missing"]) };
  const all: HTMLElement[] = [];
  for (const [, name, list, text, plain, on] of message.matchAll(/“([a-z ]+)” (?:set to (?:\[([^\]]*)\]|“([^”]*)”|(\d+))|(turned on))/g)) {
    const field = [...FIELDS, missing].find((field) => spoken(field.name) === name);
    const value = list ?? text ?? plain ?? (on && "yes");
    if (!field || !value || field.read(state) === value) continue;
    const act = () => {
      const before = field.list ? field.read(state) : "";
      field.write(state, before ? `${before}${field.list} ${value}` : value);
      again();
    };
    all.push(button(on ? `Turn on “${name}”` : `Set “${name}” to ${value}`, act, { class: "suggestion" }));
  }
  return all.length ? el("div", { class: "row" }, ...all) : null;
}
