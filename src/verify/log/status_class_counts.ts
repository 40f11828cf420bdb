import type { LogRequest } from "../../traffic/accesslog/read/log_request.ts";
import type { RequestCollector } from "../../traffic/accesslog/read/request_use.ts";

/**
 * Number of responses per status class. Index 2 counts the statuses 200 to 299, and index 0 the
 * responses without a status.
 */
export type StatusClassCounts = readonly number[];

/** Counts the responses of each endpoint of a log by status class. */
export class StatusClassTotals implements RequestCollector {
  /** Counts, keyed by endpoint as `METHOD route`. */
  readonly byEndpoint: Map<string, number[]> = new Map();
  readonly #decoder = new TextDecoder();

  add({ status, key: { route } }: LogRequest): void {
    const { buffer, byteOffset } = route.view;
    const bytes = new Uint8Array(buffer, byteOffset + route.start, route.length);
    const key = this.#decoder.decode(bytes);
    let counts = this.byEndpoint.get(key);
    if (counts === undefined) this.byEndpoint.set(key, counts = noResponses());
    counts[hundred(status)]++;
  }
}

/** Adds up responses by status class. */
export function countByClass(statuses: Readonly<Record<string, number>>): number[] {
  const counts = noResponses();
  for (const [status, count] of Object.entries(statuses)) counts[hundred(Number(status))] += count;
  return counts;
}

/** Adds up the responses of several endpoints. */
export function sumCounts(responses: Iterable<StatusClassCounts>): number[] {
  const sum = noResponses();
  for (const counts of responses) counts.forEach((count, i) => sum[i] += count);
  return sum;
}

function noResponses(): number[] {
  return [0, 0, 0, 0, 0, 0];
}

function hundred(status: number): number {
  return status >= 100 && status < 600 ? Math.floor(status / 100) : 0;
}
