/** Events that may wait for one browser; more are not kept. */
const QUEUED = 4;
const MOST = 50;

interface Viewer {
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  /** It has missed an event. */
  isSlow: boolean;
}

/**
 * The browsers that look on. None can hold anything up: whoever takes no events misses them, and gets
 * all that is known as soon as it takes any again.
 */
export class Viewers {
  readonly #viewers = new Set<Viewer>();
  readonly #encoder = new TextEncoder();

  /** The events for one more, from `first` on, if there is one; undefined when there are too many. */
  add(first: string | undefined): ReadableStream<Uint8Array> | undefined {
    if (this.#viewers.size >= MOST) return undefined;
    let viewer: Viewer;
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        viewer = { controller, isSlow: false };
        this.#viewers.add(viewer);
        // What a browser waits for before it says that it is connected.
        controller.enqueue(this.#encoder.encode(first ?? ": hello\n\n"));
      },
      cancel: () => void this.#viewers.delete(viewer),
    }, { highWaterMark: QUEUED });
  }

  /**
   * Sends an event to all; to those that missed something `all`, which holds what came before too.
   * Neither is made unless somebody takes it.
   */
  send(event: () => string, all: () => string): void {
    const [one, whole] = [this.#once(event), this.#once(all)];
    for (const viewer of this.#viewers) {
      const { controller, isSlow } = viewer;
      viewer.isSlow = controller.desiredSize! <= 0;
      if (!viewer.isSlow) controller.enqueue(isSlow ? whole() : one());
    }
  }

  /** Sends the last event to all, and says that no more will come. */
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
