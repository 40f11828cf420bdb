/**
 * Maximum number of events queued for one browser. If the queue is full, new events are dropped.
 */
const QUEUED = 4;
const MAX_VIEWERS = 50;

interface Viewer {
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  /** True if the browser missed the last event because its queue was full. */
  isSlow: boolean;
}

/**
 * Browsers that show the live view. A slow browser never delays the run. Instead, it misses events,
 * and receives the whole state as soon as it reads again.
 */
export class Viewers {
  readonly #viewers = new Set<Viewer>();
  readonly #encoder = new TextEncoder();

  /**
   * Adds a browser and returns its event stream, which starts with `first`. Returns undefined if 50
   * browsers are already connected.
   */
  add(first: string | undefined): ReadableStream<Uint8Array> | undefined {
    if (this.#viewers.size >= MAX_VIEWERS) return undefined;
    let viewer: Viewer;
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        viewer = { controller, isSlow: false };
        this.#viewers.add(viewer);
        // Browsers report the connection as open only after the first bytes.
        controller.enqueue(this.#encoder.encode(first ?? ": hello\n\n"));
      },
      cancel: () => void this.#viewers.delete(viewer),
    }, { highWaterMark: QUEUED });
  }

  /**
   * Sends `event` to browsers that received the previous event, and `all`, the whole state, to
   * browsers that missed it. Calls each of the two functions at most once, and only if a browser
   * needs its result.
   */
  send(event: () => string, all: () => string): void {
    const [one, whole] = [this.#once(event), this.#once(all)];
    for (const viewer of this.#viewers) {
      const { controller, isSlow } = viewer;
      viewer.isSlow = controller.desiredSize! <= 0;
      if (!viewer.isSlow) controller.enqueue(isSlow ? whole() : one());
    }
  }

  /** Sends the last event to all browsers and closes their streams. */
  end(event: () => string): void {
    const last = this.#once(event);
    for (const { controller } of this.#viewers) {
      controller.enqueue(last());
      controller.close();
    }
    this.#viewers.clear();
  }

  #once(text: () => string): () => Uint8Array {
    let bytes: Uint8Array | undefined;
    return () => bytes ??= this.#encoder.encode(text());
  }
}
