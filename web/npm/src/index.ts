/**
 * nocurl in Node and in browsers: causal graphs from tables, without a server.
 *
 * Work is done on the thread that calls, one call after the other; in a page use a worker.
 */
import { run, InputError, Lost, StoppedError, type Progress } from "../../engine/run.js";
import type { Bytes } from "../../engine/wasi.js";
import type { GraphDocument, Inspection, Learnt, Method, Settings, TableSettings } from "../../engine/types.js";

export { InputError, Lost, StoppedError, type Progress };
export type * from "../../engine/types.js";

/** A table: the path of a file (Node), text or bytes of one with its name, or a `File` of a page's worker. */
export type Table = string | { name: string; text: string } | { name: string; bytes: Uint8Array } | { name: string; read: Bytes };

/** Called from time to time; returning `false` stops the work with a {@link StoppedError}. */
export type Watch = (progress: Progress) => boolean | void;

export interface Nocurl {
  /** What a table is: columns, kinds, what is missing. */
  inspect(table: Table, settings?: TableSettings, watch?: Watch): Inspection;
  /** Learns a graph. */
  learn(table: Table, settings?: Settings, watch?: Watch): Learnt;
  /** Draws a graph, or what is around some variables. */
  draw(document: GraphDocument, part?: { around?: string[]; depth?: number; min_confidence?: number }): { document: GraphDocument; svg: string };
  /** A graph in a format by the ending of its files: "json", "dot", "graphml", "gml", "csv", "svg", "html" and others. */
  write(document: GraphDocument, format: string): string;
  /** The methods there are. */
  methods(): Method[];
}

/** Makes the functions ready. Without an argument the module that comes with the package is taken. */
export async function load(module?: WebAssembly.Module | BufferSource): Promise<Nocurl> {
  const compiled = module instanceof WebAssembly.Module ? module : await WebAssembly.compile(module ?? (await own()));
  const fs = await nodeFiles();
  const call = <T>(request: object, table?: Table, watch?: Watch): T => {
    if (table === undefined) return run<T>(compiled, request, new Map(), watch);
    const [name, bytes, close] = opened(table, fs);
    try {
      return run<T>(compiled, { ...request, file: name }, new Map([[name, bytes]]), watch);
    } finally {
      close();
    }
  };
  return {
    inspect: (table, settings = {}, watch) => call({ call: "inspect", settings }, table, watch),
    learn: (table, settings = {}, watch) => call({ call: "learn", settings }, table, watch),
    draw: (document, part = {}) => call({ call: "draw", document, ...part }),
    write: (document, format) => call({ call: "write", document, format }),
    methods: () => call<{ methods: Method[] }>({ call: "methods" }).methods,
  };
}

/** The part of Node's `fs` that is used. */
interface Files {
  openSync(path: string, flags: string): number;
  closeSync(file: number): void;
  readSync(file: number, buffer: Uint8Array, offset: number, length: number, position: number): number;
  fstatSync(file: number): { size: number; mtimeMs: number; isFile(): boolean };
  readFileSync(path: URL): Uint8Array;
}

async function nodeFiles(): Promise<Files | undefined> {
  const process = (globalThis as { process?: { versions?: { node?: string } } }).process;
  if (!process?.versions?.node) return undefined;
  return (await import(/* webpackIgnore: true */ "node:fs" as string)) as Files;
}

async function own(): Promise<BufferSource> {
  const url = new URL("./nocurl.wasm", import.meta.url);
  const fs = url.protocol === "file:" ? await nodeFiles() : undefined;
  if (fs) return new Uint8Array(fs.readFileSync(url));
  const reply = await fetch(url);
  if (!reply.ok) throw new Error(`${url}: ${reply.status} ${reply.statusText}`);
  return reply.arrayBuffer();
}

/** The name of a table, its bytes, and what is to be done at the end. */
function opened(table: Table, fs: Files | undefined): [string, Bytes, () => void] {
  const nothing = () => {};
  if (typeof table !== "string") {
    if ("read" in table) return [table.name, table.read, nothing];
    return [table.name, inMemory("text" in table ? new TextEncoder().encode(table.text) : table.bytes), nothing];
  }
  if (!fs) throw new InputError("paths are for Node; in a browser give { name, bytes } or { name, text }");
  const name = table.split(/[\\/]/).pop() || table;
  let file: number;
  try {
    file = fs.openSync(table, "r");
  } catch (error) {
    throw new InputError(`cannot read \`${table}\`: ${(error as Error).message}`);
  }
  const { size, mtimeMs } = fs.fstatSync(file);
  const read = (at: number, length: number) => {
    const buffer = new Uint8Array(length);
    return buffer.subarray(0, fs.readSync(file, buffer, 0, length, at));
  };
  return [name, { size, modified: mtimeMs, read }, () => fs.closeSync(file)];
}

function inMemory(bytes: Uint8Array): Bytes {
  return { size: bytes.length, read: (at, length) => bytes.subarray(at, at + length) };
}
