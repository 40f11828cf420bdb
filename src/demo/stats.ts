/** Number of times that an endpoint responded with a status. */
export interface Served {
  readonly method: string;
  /** The route (`/products/:id`), or the path if no route matches. */
  readonly path: string;
  readonly status: number;
  readonly count: number;
}

/** Requests that the server has served since it started. */
export interface DemoStats {
  readonly requests: number;
  readonly served: readonly Served[];
}

/**
 * Maximum number of distinct unmatched paths to count separately. All further paths are counted
 * together.
 */
const MAX_PATHS = 10_000;

/** Counts the requests served. */
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
