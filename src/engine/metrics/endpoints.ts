import type { TagsOf } from "./metrics.ts";
import type { Counts, LiveRow } from "./counts.ts";
import { SeriesRecorder } from "./endpoint_series.ts";
import type { EndpointData } from "./snapshot.ts";

/** Properties that identify an endpoint. */
export type EndpointKey = TagsOf<"scenario" | "group" | "name" | "method">;

/** An endpoint: the requests with the same scenario, group, name and method. */
export interface Endpoint {
  readonly counts: LiveRow<"endpoints">;
  readonly series: SeriesRecorder;
}

/** The endpoints of a run. */
export class Endpoints {
  readonly #counts: Counts;
  readonly #endpoints = new Map<LiveRow<"endpoints">, Endpoint>();

  /** Creates the endpoints, which count in `counts`. */
  constructor(counts: Counts) {
    this.#counts = counts;
  }

  /** Returns an endpoint. Creates it if necessary. */
  find({ scenario, group, name, method }: EndpointKey): Endpoint {
    const counts = this.#counts.row("endpoints", { scenario, group, name, method });
    let endpoint = this.#endpoints.get(counts);
    if (endpoint === undefined) {
      endpoint = { counts, series: new SeriesRecorder() };
      this.#endpoints.set(counts, endpoint);
    }
    return endpoint;
  }

  /** Closes the one-second interval that ends `at` seconds after the start of the run. */
  tick(at: number): void {
    for (const { counts, series } of this.#endpoints.values()) series.tick(at, counts);
  }

  /** Returns the counts of all endpoints with their series over time. */
  data(): EndpointData[] {
    return this.#counts.data("endpoints").map((endpoint) => ({
      ...endpoint,
      series: this.find(endpoint).series.data(),
    }));
  }
}
