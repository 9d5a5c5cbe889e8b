// The engine, away from the page, so that the page never freezes. To stop it, end the worker.

import { run, InputError, Lost } from "../../engine/run";
import type { Bytes } from "../../engine/wasi";

/** Only workers have it, and the types of pages do not. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

export interface Job {
  id: number;
  request: object;
  file?: File;
}

export type Message =
  | { id: number; progress: { stage: string; done: number; total: number | null } }
  | { id: number; result: unknown }
  | { id: number; error: string; lost: boolean; memory: boolean };

let module: Promise<WebAssembly.Module> | undefined;

async function compiled(): Promise<WebAssembly.Module> {
  const reply = await fetch("nocurl.wasm");
  if (!reply.ok) throw new Error(`nocurl.wasm cannot be read: ${reply.status} ${reply.statusText}`);
  return WebAssembly.compile(await reply.arrayBuffer());
}

/** A file that the user chose, read in slices: no more of it is in memory than is needed now. */
function slices(file: File): Bytes {
  const reader = new FileReaderSync();
  return {
    size: file.size,
    modified: file.lastModified,
    read: (at, length) => new Uint8Array(reader.readAsArrayBuffer(file.slice(at, at + length))),
  };
}

const tell = (message: Message) => self.postMessage(message);

self.addEventListener("message", async ({ data }: MessageEvent<Job>) => {
  const { id, request, file } = data;
  try {
    const files = new Map(file ? [[file.name, slices(file)]] : []);
    const result = run(await (module ??= compiled()), request, files, (progress) => tell({ id, progress }));
    tell({ id, result });
  } catch (error) {
    if (error instanceof InputError) tell({ id, error: error.message, lost: false, memory: false });
    else {
      module = undefined;
      const memory = error instanceof Lost && error.memory;
      tell({ id, error: error instanceof Error ? error.message : String(error), lost: true, memory });
    }
  }
});
