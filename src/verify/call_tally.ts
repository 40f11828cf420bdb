import type { Counted } from "./verification.ts";

/** Counts equal objects, in the order of their first occurrence. */
export class CallTally<Thing extends object> {
  readonly #counts = new Map<string, { readonly thing: Thing; count: number }>();

  /** Total count. */
  get total(): number {
    return this.list().reduce((sum, { count }) => sum + count, 0);
  }

  /** Adds one occurrence. */
  add(thing: Thing): void {
    const key = JSON.stringify(thing);
    const known = this.#counts.get(key);
    if (known) known.count++;
    else this.#counts.set(key, { thing, count: 1 });
  }

  /** Lists each object with its count. */
  list(): Counted<Thing>[] {
    return [...this.#counts.values()].map(({ thing, count }) => ({ ...thing, count }));
  }
}
