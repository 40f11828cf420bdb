import type { Counted } from "./verification.ts";

/** Counts things that are alike, in the order in which they first occur. */
export class CallTally<Thing extends object> {
  readonly #counts = new Map<string, { readonly thing: Thing; count: number }>();

  /** How many were counted. */
  get total(): number {
    return this.list().reduce((sum, { count }) => sum + count, 0);
  }

  /** Counts it once more. */
  add(thing: Thing): void {
    const key = JSON.stringify(thing);
    const known = this.#counts.get(key);
    if (known) known.count++;
    else this.#counts.set(key, { thing, count: 1 });
  }

  /** Each thing with its count. */
  list(): Counted<Thing>[] {
    return [...this.#counts.values()].map(({ thing, count }) => ({ ...thing, count }));
  }
}
