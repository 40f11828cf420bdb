const MAX_GROWTH = 1.1;
const POINTS = 10;

/** Samples of the memory in use: the heap after a garbage collection, and the resident memory. */
export class Memory {
  readonly #heap: number[] = [];
  readonly #resident: number[] = [];

  /**
   * Collects garbage and adds a sample. Collects it twice, because finalizers may free more memory.
   * Needs `--expose-gc`.
   */
  async sample(): Promise<void> {
    for (let i = 0; i < 2; i++) {
      (globalThis as unknown as { gc(): void }).gc();
      await new Promise((resolve) => setTimeout(resolve));
    }
    const { heapUsed, external, rss } = Deno.memoryUsage();
    this.#heap.push(heapUsed + external);
    this.#resident.push(rss);
  }

  /**
   * Reports whether the heap has stopped growing: the median of the last quarter of the samples is
   * at most 10% above that of the second quarter. Earlier samples grow, because caches fill and
   * code is compiled.
   */
  isBounded(): boolean {
    const quarter = Math.ceil(this.#heap.length / 4);
    const second = median(this.#heap.slice(quarter, 2 * quarter));
    return median(this.#heap.slice(-quarter)) <= MAX_GROWTH * second;
  }

  toString(): string {
    return `\n  MB in use: ${points(this.#heap)}\n  MB resident: ${points(this.#resident)}`;
  }
}

function points(bytes: readonly number[]): string {
  const last = bytes.length - 1;
  const count = Math.min(POINTS, bytes.length);
  const at = Array.from({ length: count }, (_, i) => Math.round(i * last / Math.max(1, count - 1)));
  return at.map((i) => (bytes[i] / 1e6).toFixed(1)).join(" ");
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
