import type { Counted } from "./verification.ts";

/** Counts things that are alike, in the order in which they first occur. */
export class Tally<Thing extends object> {
  readonly #counts = new Map<string, { readonly thing: Thing; count: number }>();

  /** Counts it once more, or so many times. */
  add(thing: Thing, count = 1): void {
    const key = JSON.stringify(thing);
    const known = this.#counts.get(key);
    if (known) known.count += count;
    else this.#counts.set(key, { thing, count });
  }

  /** Each thing with its count. */
  list(): Counted<Thing>[] {
    return [...this.#counts.values()].map(({ thing, count }) => ({ ...thing, count }));
  }
}
