// The few system calls that the module makes: standard streams, one folder with files to read, clocks
// and random numbers. Everything else is refused, so that a module cannot do more than this.

/** Bytes that are read where they are. */
export interface Bytes {
  readonly size: number;
  /** Time of the last change, in milliseconds. */
  readonly modified?: number;
  /** Up to `length` bytes from a place on; throws when they cannot be read any more. */
  read(at: number, length: number): Uint8Array;
}

export interface Host {
  /** Files of the folder that the module sees. */
  files: Map<string, Bytes>;
  input: Uint8Array;
  output(bytes: Uint8Array): void;
  error(bytes: Uint8Array): void;
}

/** The module has ended by itself. */
export class Exit {
  constructor(readonly code: number) {}
}

const OK = 0;
const [BADF, IO, NOENT, NOSYS, NOTCAPABLE] = [8, 29, 44, 52, 76];
const [FOLDER, FIRST_FREE] = [3, 4];
const [DIRECTORY, REGULAR, CHARACTERS] = [3, 4, 2];

interface Open {
  bytes: Bytes;
  at: number;
}

/** What a module imports from `wasi_snapshot_preview1`; memory is known once it is there. */
export function wasi(host: Host, memory: () => WebAssembly.Memory): Record<string, (...args: never[]) => unknown> {
  const opened = new Map<number, Open>();
  let next = FIRST_FREE;
  let typed = 0;
  const view = () => new DataView(memory().buffer);
  const bytes = (at: number, length: number) => new Uint8Array(memory().buffer, at >>> 0, length >>> 0);
  const text = (at: number, length: number) => new TextDecoder().decode(bytes(at, length).slice());

  /** The pieces of memory of a scattered read or write. */
  function pieces(at: number, count: number): [number, number][] {
    const data = view();
    return Array.from({ length: count }, (_, k) => [data.getUint32(at + 8 * k, true), data.getUint32(at + 8 * k + 4, true)]);
  }

  function copy(from: (length: number) => Uint8Array, at: number, count: number, total: number): number {
    let done = 0;
    for (const [start, length] of pieces(at, count)) {
      const found = from(length);
      bytes(start, length).set(found);
      done += found.length;
      if (found.length < length) break;
    }
    view().setUint32(total, done, true);
    return OK;
  }

  function status(at: number, kind: number, size: number, modified = 0): number {
    const data = view();
    bytes(at, 64).fill(0);
    data.setUint8(at + 16, kind);
    data.setBigUint64(at + 24, 1n, true);
    data.setBigUint64(at + 32, BigInt(size), true);
    for (const place of [40, 48, 56]) data.setBigUint64(at + place, BigInt(Math.round(modified)) * 1000000n, true);
    return OK;
  }

  /** A file by its path in the folder. */
  const find = (at: number, length: number) => host.files.get(text(at, length).replace(/^(\.\/)+/, ""));
  const isFolder = (at: number, length: number) => /^(\.\/?)*$/.test(text(at, length));

  function input(length: number): Uint8Array {
    const found = host.input.subarray(typed, typed + length);
    typed += found.length;
    return found;
  }

  function taken(file: Open, length: number, from: number): Uint8Array {
    return file.bytes.read(from, Math.max(0, Math.min(length, file.bytes.size - from)));
  }

  /** Reading fails when the file has gone or has changed: the module is told so. */
  function reading(work: () => number): number {
    try {
      return work();
    } catch {
      return IO;
    }
  }

  return {
    args_sizes_get: (count: number, size: number) => (view().setUint32(count, 0, true), view().setUint32(size, 0, true), OK),
    args_get: () => OK,
    environ_sizes_get: (count: number, size: number) => (view().setUint32(count, 0, true), view().setUint32(size, 0, true), OK),
    environ_get: () => OK,
    clock_time_get: (clock: number, _precision: bigint, at: number) => {
      const now = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(at, BigInt(Math.round(now * 1e6)), true);
      return OK;
    },
    clock_res_get: (_clock: number, at: number) => (view().setBigUint64(at, 1000n, true), OK),
    random_get: (at: number, length: number) => {
      for (let from = 0; from < length; from += 65536) crypto.getRandomValues(bytes(at + from, Math.min(65536, length - from)));
      return OK;
    },
    sched_yield: () => OK,
    proc_exit: (code: number) => {
      throw new Exit(code);
    },
    fd_prestat_get: (fd: number, at: number) => {
      if (fd !== FOLDER) return BADF;
      view().setUint32(at, 0, true);
      view().setUint32(at + 4, 1, true);
      return OK;
    },
    fd_prestat_dir_name: (fd: number, at: number, length: number) => {
      if (fd !== FOLDER || length < 1) return BADF;
      bytes(at, 1).set([0x2e]);
      return OK;
    },
    fd_fdstat_get: (fd: number, at: number) => {
      if (fd > FOLDER && !opened.has(fd)) return BADF;
      bytes(at, 24).fill(0);
      view().setUint8(at, fd < FOLDER ? CHARACTERS : fd === FOLDER ? DIRECTORY : REGULAR);
      // Read, seek, tell, open and look at: nothing that changes a file.
      const rights = fd < FOLDER ? 0x42n : (1n << 1n) | (1n << 2n) | (1n << 5n) | (1n << 13n) | (1n << 18n) | (1n << 21n);
      view().setBigUint64(at + 8, rights, true);
      view().setBigUint64(at + 16, rights, true);
      return OK;
    },
    fd_filestat_get: (fd: number, at: number) => {
      const file = opened.get(fd);
      if (file) return status(at, REGULAR, file.bytes.size, file.bytes.modified);
      return fd <= FOLDER ? status(at, fd === FOLDER ? DIRECTORY : CHARACTERS, 0) : BADF;
    },
    path_filestat_get: (_fd: number, _flags: number, path: number, length: number, at: number) => {
      const file = find(path, length);
      if (file) return status(at, REGULAR, file.size, file.modified);
      return isFolder(path, length) ? status(at, DIRECTORY, 0) : NOENT;
    },
    path_open: (_fd: number, _look: number, path: number, length: number, creates: number, _rights: bigint, _more: bigint, _flags: number, at: number) => {
      if (creates & 0b1101) return NOTCAPABLE;
      const found = find(path, length);
      if (!found) return NOENT;
      opened.set(next, { bytes: found, at: 0 });
      view().setUint32(at, next++, true);
      return OK;
    },
    fd_close: (fd: number) => (opened.delete(fd) ? OK : BADF),
    fd_read: (fd: number, at: number, count: number, total: number) => {
      if (fd === 0) return copy(input, at, count, total);
      const file = opened.get(fd);
      if (!file) return BADF;
      const some = (length: number) => {
        const found = taken(file, length, file.at);
        file.at += found.length;
        return found;
      };
      return reading(() => copy(some, at, count, total));
    },
    fd_pread: (fd: number, at: number, count: number, from: bigint, total: number) => {
      const file = opened.get(fd);
      if (!file) return BADF;
      let place = Number(from);
      const some = (length: number) => {
        const found = taken(file, length, place);
        place += found.length;
        return found;
      };
      return reading(() => copy(some, at, count, total));
    },
    fd_seek: (fd: number, by: bigint, whence: number, at: number) => {
      const file = opened.get(fd);
      if (!file) return BADF;
      const start = whence === 0 ? 0 : whence === 1 ? file.at : file.bytes.size;
      file.at = start + Number(by);
      view().setBigUint64(at, BigInt(file.at), true);
      return OK;
    },
    fd_tell: (fd: number, at: number) => {
      const file = opened.get(fd);
      if (!file) return BADF;
      view().setBigUint64(at, BigInt(file.at), true);
      return OK;
    },
    fd_write: (fd: number, at: number, count: number, total: number) => {
      if (fd !== 1 && fd !== 2) return BADF;
      let done = 0;
      for (const [start, length] of pieces(at, count)) {
        // A copy: memory moves when it grows.
        (fd === 1 ? host.output : host.error)(bytes(start, length).slice());
        done += length;
      }
      view().setUint32(total, done, true);
      return OK;
    },
  };
}

/** The imports of a module; what is not known above says that there is no such call. */
export function imports(module: WebAssembly.Module, calls: Record<string, unknown>): WebAssembly.Imports {
  const all: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    if (kind !== "function" || from !== "wasi_snapshot_preview1") throw new Error(`the module asks for ${from}.${name}`);
    (all[from] ??= {})[name] = (calls[name] ?? (() => NOSYS)) as WebAssembly.ImportValue;
  }
  return all;
}
