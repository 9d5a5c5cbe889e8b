// A run of the module: a request in, a reply out.

import { Exit, imports, wasi, type Bytes } from "./wasi.js";

/** How far the work is. */
export interface Progress {
  stage: string;
  done: number;
  total: number | null;
}

/** What the user can mend: one line, made to be shown. */
export class InputError extends Error {
  override name = "InputError";
}

/** The module has ended without a reply: out of memory, or a mistake in it. */
export class Lost extends Error {
  override name = "Lost";
  constructor(
    readonly memory: boolean,
    readonly reason: string,
  ) {
    super(
      memory
        ? "There is not enough memory here. The program `nocurl` has all memory of the machine: run it on this table."
        : `nocurl failed (${reason}): this is a mistake in nocurl, please report it`,
    );
  }
}

class Stopped {}

/** The work was stopped by whoever watches it. */
export class StoppedError extends Error {
  override name = "StoppedError";
}

/** Runs a call of the module. `watch` gets what it is doing; it stops the work by returning false. */
export function run<T>(module: WebAssembly.Module, request: object, files: Map<string, Bytes>, watch?: (progress: Progress) => boolean | void): T {
  const reply: Uint8Array[] = [];
  let rest = "";
  const notes: string[] = [];
  const decoder = new TextDecoder();
  let memory: WebAssembly.Memory | undefined;
  const host = {
    files,
    input: new TextEncoder().encode(JSON.stringify(request)),
    output: (bytes: Uint8Array) => void reply.push(bytes),
    error: (bytes: Uint8Array) => {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (!line.startsWith("{")) notes.push(line);
        else if (watch?.(JSON.parse(line) as Progress) === false) throw new Stopped();
      }
    },
  };
  try {
    const calls = wasi(host, () => memory!);
    const instance = new WebAssembly.Instance(module, imports(module, calls));
    memory = instance.exports["memory"] as WebAssembly.Memory;
    (instance.exports["_start"] as () => void)();
  } catch (error) {
    if (error instanceof Stopped) throw new StoppedError("the work was stopped");
    if (!(error instanceof Exit)) {
      const said = [...notes, rest].join(" ").trim();
      const outOfMemory = error instanceof RangeError || /memory allocation|out of memory/i.test(said);
      throw new Lost(outOfMemory, said || String(error));
    }
  }
  return parsed<T>(reply);
}

function parsed<T>(reply: Uint8Array[]): T {
  const whole = new Uint8Array(reply.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of reply) {
    whole.set(piece, at);
    at += piece.length;
  }
  let found: { result?: T; error?: string };
  try {
    found = JSON.parse(new TextDecoder().decode(whole));
  } catch {
    throw new Lost(false, "the reply is cut off");
  }
  if (found.error !== undefined) throw new InputError(found.error);
  return found.result as T;
}
