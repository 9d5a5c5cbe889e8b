// The page: a table in, a graph out, all of it on this machine.

import { button, count, el, named, section, sentence } from "../../report/src/dom";
import type { Inspection, Learnt, Method } from "../../engine/types";
import type { Progress } from "../../engine/run";
import { board } from "./board";
import { columns } from "./columns";
import { Engine, Failed, StoppedByUser } from "./engine";
import { reading, suggestions } from "./reading";
import { result } from "./result";
import { State } from "./state";

const engine = new Engine();
const state = new State();
const said = el("p", { class: "visually-hidden", role: "status" });
const say = (words: string) => (said.textContent = words);
const parts = { table: el("div"), known: el("div"), learn: el("div"), result: el("div") };
let methods: Method[] = [];
let usual = "";
let ready = Promise.resolve();

/** Shows what is going on, with a button that ends it. */
function working(title: string): { element: HTMLElement; show: (progress: Progress) => void } {
  const bar = el("progress", { max: 1, "aria-label": title });
  const words = el("span", {}, title);
  const stop = button("Stop", () => engine.stop(), { class: "stop" });
  let stage = "";
  const show = ({ stage: name, done, total }: Progress) => {
    if (total) bar.value = Math.min(1, done / total);
    else bar.removeAttribute("value");
    words.textContent = total ? `${name}, ${Math.round((100 * done) / total)}%` : name;
    if (stage !== name) say((stage = name));
  };
  return { element: el("div", { class: "working" }, words, bar, stop), show };
}

/** What went wrong, in a line. */
function failure(error: unknown, file?: File): HTMLElement {
  if (error instanceof StoppedByUser) return el("p", { class: "note" }, "Stopped. Nothing you set is lost.");
  const words = error instanceof Error ? error.message : String(error);
  const element = el("div", { class: "wrong", role: "alert" }, ...advice(words));
  const memory = (error instanceof Failed && error.memory) || (file && error instanceof Failed && error.lost && file.size > 1 << 30);
  if (memory && file) element.append(" ", el("code", {}, `nocurl learn '${file.name}'`));
  return element;
}

async function open(file: File): Promise<void> {
  state.choose(file);
  await read();
}

/** Reads the table with the current settings, the first time or again. */
async function read(): Promise<void> {
  const file = state.file!;
  // The engine may have been out of reach when the page was opened.
  if (!methods.length) ready = ready.then(() => (methods.length ? undefined : listed()));
  await ready;
  const { element, show } = working(`Reading ${file.name}`);
  for (const part of [parts.known, parts.learn, parts.result]) part.replaceChildren();
  parts.table.replaceChildren(element);
  state.unwatch();
  try {
    const table = await engine.call<Inspection>({ call: "inspect", file: file.name, settings: state.tableSettings() }, file, show);
    if (state.file !== file) return;
    state.read(table);
    showTable();
  } catch (error) {
    if (state.file === file) parts.table.replaceChildren(unread(error, file));
  }
}

/** A table that cannot be read yet: what is wrong, and the settings that mend it. */
function unread(error: unknown, file: File): HTMLElement {
  return section("columns", "Columns", failure(error, file), reading(state, true, () => void read()));
}

/** A message of the engine, with buttons that set what it recommends. */
function advice(words: string): (Node | null)[] {
  return [sentence(words), suggestions(state, words, () => void read())];
}

function showTable(): void {
  const table = state.table!;
  const size = `${count(table.rows, "row")}, ${count(table.columns.length, "column")}`;
  const head = el("p", { class: "summary" }, named(table.file), `: ${size}`);
  const notes = table.warnings.length ? el("ul", { class: "warnings" }, ...table.warnings.map((words) => el("li", {}, ...advice(words)))) : null;
  parts.table.replaceChildren(section("columns", "Columns", head, notes, columns(state), reading(state, false, () => void read())));
  const why = el("p", { class: "quiet" }, "Optional. Drag names into tiers: nothing in a later tier acts on an earlier one. Drag a name onto another to say whether it acts on it.");
  parts.known.replaceChildren(section("known", "What you know", why, board(state, say)));
  parts.learn.replaceChildren(section("learn", "Learn", learning()));
  parts.table.scrollIntoView({ block: "start" });
}

function learning(): HTMLElement {
  const method = el("select", { id: "method" });
  for (const { name } of methods) method.append(el("option", { value: name, selected: name === (state.method || usual) }, name));
  const about = el("p", { class: "hint" });
  const tell = () => (about.textContent = methods.find(({ name }) => name === method.value)?.summary ?? "");
  method.addEventListener("change", () => {
    state.method = method.value === usual ? "" : method.value;
    tell();
    state.changed();
  });
  tell();
  const sure = el("input", { type: "checkbox", checked: state.confidence });
  sure.addEventListener("change", () => {
    state.confidence = sure.checked;
    state.changed();
  });
  const go = button("Learn the graph", () => void learn(), { class: "primary large" });
  state.watch(() => (go.textContent = state.learnt ? (state.stale ? "Learn again" : "Learn once more") : "Learn the graph"));
  return el("div", {}, el("div", { class: "bar" }, el("label", { class: "field" }, el("span", {}, "method"), method), el("label", { class: "option" }, sure, " measure how sure it is"), go), about);
}

async function learn(): Promise<void> {
  const { file } = state;
  if (!file) return;
  const settings = state.settings();
  const { element, show } = working("Learning");
  const old = [...parts.result.childNodes];
  parts.result.prepend(element);
  parts.result.querySelectorAll(".wrong, .note").forEach((note) => note.remove());
  try {
    const learnt = await engine.call<Learnt>({ call: "learn", file: file.name, settings }, file, show);
    state.learnt = learnt;
    state.used = JSON.stringify(settings);
    parts.result.replaceChildren(section("graph", "Graph", result(state, () => void learn())));
    say(`Learnt: ${count(learnt.document.edges.length, "edge")}`);
    state.changed();
    if (!old.length) parts.result.scrollIntoView({ block: "start" });
  } catch (error) {
    element.replaceWith(failure(error, file));
  }
}

/** Where a table is dropped. */
function entrance(): HTMLElement {
  const input = el("input", { type: "file", id: "file", class: "visually-hidden", accept: ".csv,.tsv,.tab,.txt,.dat,.gz,.bz2,.zst,.parquet,.arrow,.feather,.npy,.npz,.jsonl,.ndjson,.xlsx,.ods,.zip" });
  input.addEventListener("change", () => input.files?.[0] && void open(input.files[0]));
  const example = button("Try an example: eleven proteins in 7466 cells", () => void sample(), { class: "link" });
  const choose = el("label", { for: "file", class: "primary large" }, "Choose a table");
  const words = el("p", { class: "big" }, "Drop a table here");
  const zone = el("div", { class: "drop" }, words, el("div", { class: "row" }, input, choose), el("p", { class: "hint" }, "CSV and TSV, .xlsx, .ods, JSON lines, NumPy, also packed. One column for each variable, one row for each case."), example);
  for (const name of ["dragenter", "dragover"] as const) {
    addEventListener(name, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      zone.classList.add("over");
    });
  }
  addEventListener("dragleave", (event) => event.relatedTarget === null && zone.classList.remove("over"));
  addEventListener("drop", (event) => {
    zone.classList.remove("over");
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    void open(file);
  });
  return zone;
}

async function sample(): Promise<void> {
  const reply = await fetch("sachs.csv");
  await open(new File([await reply.blob()], "sachs.csv"));
}

/** Light, dark, or as the system has it. */
function theme(): HTMLElement {
  const order = ["auto", "light", "dark"];
  let at = 0;
  const element = button("Theme: auto", () => {
    at = (at + 1) % order.length;
    if (at === 0) document.documentElement.removeAttribute("data-theme");
    else document.documentElement.setAttribute("data-theme", order[at]!);
    element.textContent = `Theme: ${order[at]}`;
  }, { class: "quiet-button" });
  return element;
}

function start(): void {
  const title = el("div", { class: "title" }, el("h1", {}, "nocurl"), el("p", {}, "Learn which variable acts on which, from a table. All of it happens in this page: your data never leave this machine."));
  const foot = el("footer", {}, "A graph is a hypothesis: it is causal only if no common cause is missing from the table and the assumptions of the method hold. The page works without a network; larger tables are for the program ", el("code", {}, "nocurl"), ".");
  document.getElementById("page")!.replaceChildren(el("header", {}, title, theme()), el("main", {}, entrance(), parts.table, parts.known, parts.learn, parts.result), foot, said);
  ready = listed();
}

/** Asks for the methods; whatever the user does waits for it. */
async function listed(): Promise<void> {
  try {
    ({ methods, usual } = await engine.call<{ methods: Method[]; usual: string }>({ call: "methods" }, undefined));
  } catch (error) {
    parts.table.replaceChildren(failure(error));
  }
}

start();
