const MAX_GROWTH = 1.1;

/** Samples of the memory in use: the heap of this thread after a garbage collection. */
export class Memory {
  readonly #heap: number[] = [];

  /**
   * Collects garbage and adds a sample. Collects it twice, because finalizers may free more memory.
   * Needs `--expose-gc`.
   */
  sample(): void {
    const { gc } = globalThis as unknown as { gc(): void };
    gc();
    gc();
    const { heapUsed, external } = Deno.memoryUsage();
    this.#heap.push(heapUsed + external);
  }

  /**
   * Throws if the heap still grows: if the median of the last quarter of at least eight samples is
   * more than 10% above that of the second quarter. Earlier samples grow, because caches fill and
   * code is compiled.
   */
  assertIsBounded(): void {
    const quarter = Math.floor(this.#heap.length / 4);
    if (quarter < 2) return;
    const second = median(this.#heap.slice(quarter, 2 * quarter));
    if (median(this.#heap.slice(-quarter)) <= MAX_GROWTH * second) return;
    throw new Error(
      `memory grows, in MB: ${this.#heap.map((b) => (b / 1e6).toFixed(1)).join(" ")}`,
    );
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
