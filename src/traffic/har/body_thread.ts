import { createRing, RingReader, type SharedRing, stopRing } from "./body_ring.ts";
import type { BodyStart, BodyTask } from "./body_worker.ts";

/** The bodies that a thread searches, and the values and tokens for which it searches them. */
export type BodySearch = Pick<BodyTask, "ranges" | "searches" | "wanted" | "tokens">;

/**
 * Minimum file size, in bytes, for which a second thread saves time. Starting the thread takes 10
 * to 20 ms.
 */
// bench: scripts/bench/har.ts, JSON responses only: -5 % of the elapsed time at 105 MB, -10 % at 524 MB
const SMALLEST_FILE = 64 * 2 ** 20;
/** Maximum time to wait for the thread to load its modules, in milliseconds. */
const PATIENCE_MS = 100;
/** Minimum size of the ring buffer in bytes. */
const SMALLEST_RING = 2 ** 21;
/** Maximum size of the ring buffer in bytes. */
const LARGEST_RING = 2 ** 24;

/**
 * A second thread that reads and searches the bodies of a large recording, while this thread
 * processes the results. Disposing of the object ends the thread.
 */
export class BodyThread implements Disposable {
  readonly #worker: Worker;
  readonly #file: Pick<BodyTask, "path" | "identity">;
  readonly #ready = new Int32Array(new SharedArrayBuffer(4));
  #ring: SharedRing | undefined;
  #isEnded = false;

  /**
   * Starts a thread for the file at `path`, which has `size` bytes and whose `fileIdentity` is
   * `identity`. Returns undefined if a second thread would not save time, or if Deno's permissions
   * do not allow it to load its module.
   */
  static start(path: string, identity: string, size: number): BodyThread | undefined {
    if (size < SMALLEST_FILE || navigator.hardwareConcurrency < 2) return undefined;
    const url = new URL("./body_worker.ts", import.meta.url);
    // Deno would print an error for a worker that has no permission to load the module.
    const mayLoad = url.protocol !== "file:" ||
      Deno.permissions.querySync({ name: "read", path: url }).state === "granted";
    return mayLoad
      ? new BodyThread(new Worker(url, { type: "module" }), { path, identity })
      : undefined;
  }

  private constructor(worker: Worker, file: Pick<BodyTask, "path" | "identity">) {
    this.#worker = worker;
    this.#file = file;
    // This thread then searches the bodies itself.
    worker.onerror = (event) => event.preventDefault();
    worker.postMessage({ ready: this.#ready } satisfies BodyStart);
  }

  /**
   * Starts searching bodies. The returned reader yields the results in the order of the bodies.
   * Returns undefined if the thread has ended, has already searched bodies, or takes too long to
   * start.
   */
  search(task: BodySearch): RingReader | undefined {
    if (this.#isEnded || this.#ring !== undefined) return undefined;
    if (Atomics.load(this.#ready, 0) === 0) {
      Atomics.wait(this.#ready, 0, 0, PATIENCE_MS);
      if (Atomics.load(this.#ready, 0) === 0) return undefined;
    }
    let longest = 0;
    for (let i = 1; i < task.ranges.length; i += 2) longest = Math.max(longest, task.ranges[i]);
    const ring = createRing(Math.min(Math.max(3 * longest, SMALLEST_RING), LARGEST_RING));
    this.#ring = ring;
    this.#worker.postMessage({ ...this.#file, ...task, ring } satisfies BodyTask);
    return new RingReader(ring);
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    if (this.#ring !== undefined) stopRing(this.#ring);
    this.#worker.terminate();
  }
}
