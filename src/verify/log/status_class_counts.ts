import type { LogRequest } from "../../traffic/accesslog/lines/log_request.ts";
import type { RequestCollector } from "../../traffic/accesslog/lines/request_use.ts";

/** How many answers there were of each hundred: `[2]` counts 200 to 299, `[0]` those without a status. */
export type StatusClassCounts = readonly number[];

/** Counts the answers of each endpoint of a log, by the hundred of their status. */
export class StatusClassTotals implements RequestCollector {
  /** By `METHOD route`. */
  readonly byEndpoint: Map<string, number[]> = new Map();
  readonly #decoder = new TextDecoder();

  /** See `RequestCollector`. */
  add({ status, key: { route } }: LogRequest): void {
    const { buffer, byteOffset } = route.view;
    const bytes = new Uint8Array(buffer, byteOffset + route.start, route.length);
    const key = this.#decoder.decode(bytes);
    let counts = this.byEndpoint.get(key);
    if (counts === undefined) this.byEndpoint.set(key, counts = noAnswers());
    counts[hundred(status)]++;
  }
}

/** Adds answers by status up by the hundred. */
export function countByClass(statuses: Readonly<Record<string, number>>): number[] {
  const counts = noAnswers();
  for (const [status, count] of Object.entries(statuses)) counts[hundred(Number(status))] += count;
  return counts;
}

/** The answers of several endpoints together. */
export function sumCounts(answers: Iterable<StatusClassCounts>): number[] {
  const sum = noAnswers();
  for (const counts of answers) counts.forEach((count, i) => sum[i] += count);
  return sum;
}

function noAnswers(): number[] {
  return [0, 0, 0, 0, 0, 0];
}

function hundred(status: number): number {
  return status >= 100 && status < 600 ? Math.floor(status / 100) : 0;
}
