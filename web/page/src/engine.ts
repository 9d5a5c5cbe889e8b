// The worker as the page sees it: one call at a time, which can be stopped.

import type { Progress } from "../../engine/run";
import type { Message } from "./worker";

/** Why there is no result. */
export class Failed extends Error {
  constructor(
    message: string,
    /** The worker has gone; there is a new one. */
    readonly lost: boolean,
    readonly memory: boolean,
  ) {
    super(message);
  }
}

export class StoppedByUser extends Error {}

interface Waiting {
  id: number;
  progress: (progress: Progress) => void;
  done: (result: unknown) => void;
  failed: (error: Error) => void;
}

export class Engine {
  #worker = this.#start();
  #waiting: Waiting | undefined;
  #last = 0;

  #start(): Worker {
    const worker = new Worker("worker.js");
    worker.addEventListener("message", ({ data }: MessageEvent<Message>) => this.#told(data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#renew(new Failed(`The part that computes has stopped (${event.message || "no reason given"}). It was started again; nothing you set is lost.`, true, false));
    });
    worker.addEventListener("messageerror", () => this.#renew(new Failed("A reply could not be read. The part that computes was started again.", true, false)));
    return worker;
  }

  #told(message: Message): void {
    const waiting = this.#waiting;
    if (!waiting || waiting.id !== message.id) return;
    if ("progress" in message) return waiting.progress(message.progress);
    if ("result" in message) {
      this.#waiting = undefined;
      return waiting.done(message.result);
    }
    if (message.lost) this.#renew(new Failed(message.error, true, message.memory));
    else {
      this.#waiting = undefined;
      waiting.failed(new Failed(message.error, false, false));
    }
  }

  /** A new worker; whoever waits for the old one is told why. */
  #renew(reason: Error): void {
    this.#worker.terminate();
    this.#worker = this.#start();
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.failed(reason);
  }

  get busy(): boolean {
    return !!this.#waiting;
  }

  /** Asks for something; what was asked for before is stopped. */
  call<T>(request: object, file: File | undefined, progress: (progress: Progress) => void = () => {}): Promise<T> {
    if (this.#waiting) this.stop();
    const id = ++this.#last;
    return new Promise<T>((done, failed) => {
      this.#waiting = { id, progress, done: (result) => done(result as T), failed };
      this.#worker.postMessage({ id, request, file });
    });
  }

  /** Ends the work at once. */
  stop(): void {
    this.#renew(new StoppedByUser("stopped"));
  }
}
