import type { Counted } from "./verification.ts";

/** Counts equal objects, in the order of their first occurrence. */
export class CallTally<Item extends object> {
  readonly #counts = new Map<string, { readonly item: Item; count: number }>();

  /** Total count. */
  get total(): number {
    return this.list().reduce((sum, { count }) => sum + count, 0);
  }

  /** Adds one occurrence. */
  add(item: Item): void {
    const key = JSON.stringify(item);
    const known = this.#counts.get(key);
    if (known) known.count++;
    else this.#counts.set(key, { item, count: 1 });
  }

  /** Lists each object with its count. */
  list(): Counted<Item>[] {
    return [...this.#counts.values()].map(({ item, count }) => ({ ...item, count }));
  }
}
