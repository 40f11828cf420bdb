/** A map that drops its oldest entries, so that load on the shop cannot exhaust memory. */
export class BoundedMap<T> {
  readonly #entries = new Map<string, T>();
  readonly #limit: number;

  /** Creates a map with at most `limit` entries. */
  constructor(limit: number = 20_000) {
    this.#limit = limit;
  }

  get(key: string): T | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: T): T {
    this.#entries.set(key, value);
    if (this.#entries.size > this.#limit) {
      this.#entries.delete(this.#entries.keys().next().value!);
    }
    return value;
  }

  /**
   * Removes the entry of `key` and returns its value, or undefined if there is none. Use it for
   * single-use values.
   */
  take(key: string): T | undefined {
    const value = this.#entries.get(key);
    this.#entries.delete(key);
    return value;
  }
}
