/** Number of responses with the same method, path and status. */
export interface Served {
  readonly method: string;
  /** Route, such as `/products/:id`, or the path if no route matches. */
  readonly path: string;
  readonly status: number;
  readonly count: number;
}

/** Counts of the requests that the demo server has received since it started. */
export interface DemoStats {
  readonly requests: number;
  readonly served: readonly Served[];
}

/**
 * Maximum number of combinations of method, path and status that are counted separately. All others
 * are counted together.
 */
const MAX_PATHS = 10_000;

/** Counts requests by method, route and response status. */
export class Stats {
  readonly #counts = new Map<string, { -readonly [K in keyof Served]: Served[K] }>();
  #requests = 0;

  count(method: string, path: string, status: number): void {
    this.#requests++;
    const key = `${method} ${path} ${status}`;
    const known = this.#counts.get(key);
    if (known) known.count++;
    else if (this.#counts.size < MAX_PATHS) {
      this.#counts.set(key, { method, path, status, count: 1 });
    } else this.#counts.set("rest", this.#rest());
  }

  read(): DemoStats {
    return { requests: this.#requests, served: [...this.#counts.values()].map((s) => ({ ...s })) };
  }

  #rest() {
    const known = this.#counts.get("rest") ?? { method: "*", path: "*", status: 0, count: 0 };
    known.count++;
    return known;
  }
}
