import { checkInteger, checkList, checkText } from "../profile/profile_checks.ts";
import { ByteIndex } from "../../../base/byte_index.ts";
import type { LogRequest } from "../read/log_request.ts";
import type { RequestPart } from "../read/request_use.ts";
import type { LogCollector } from "./collector.ts";

/** Number of status classes: none, and 1xx to 5xx. */
const CLASSES = 6;

/**
 * An endpoint and its number of responses in each status class. Index 2 counts the statuses 200 to
 * 299.
 */
export type ClassRow = readonly [endpoint: string, counts: readonly number[]];

/** Counts the responses from each endpoint in a log by status class. */
export class StatusClassTotals implements LogCollector {
  readonly kind = "status-classes";
  readonly parts: readonly RequestPart[] = [];
  readonly #endpoints = new ByteIndex();
  readonly #counts: number[][] = [];

  add({ status, key: { route } }: LogRequest): void {
    const number = this.#endpoints.number(route.bytes, route.start, route.start + route.length);
    const counts = this.#counts[number] ??= new Array(CLASSES).fill(0);
    counts[statusClass(status)]++;
  }

  /**
   * Returns the counts, keyed by endpoint as `METHOD route`. Index 0 counts responses without a
   * status.
   */
  byEndpoint(): Map<string, readonly number[]> {
    return new Map(this.data());
  }

  data(): ClassRow[] {
    const decoder = new TextDecoder();
    return this.#counts.map((counts, i): ClassRow => [
      decoder.decode(this.#endpoints.at(i).slice()),
      counts,
    ]);
  }

  merge(data: readonly ClassRow[]): void {
    const encoder = new TextEncoder();
    for (const [endpoint, more] of data) {
      const number = this.#endpoints.number(encoder.encode(endpoint));
      const counts = this.#counts[number] ??= new Array(CLASSES).fill(0);
      more.forEach((count, i) => counts[i] += count);
    }
  }

  toJson(): unknown {
    return this.data().sort(([a], [b]) => a < b ? -1 : 1);
  }

  fromJson(json: unknown): ClassRow[] {
    return checkList(json, "`status-classes`").map((row): ClassRow => {
      const [endpoint, counts] = checkList(row, "an element of `status-classes`");
      const list = checkList(counts, "`counts` in `status-classes`").slice(0, CLASSES);
      return [
        checkText(endpoint, "an endpoint"),
        list.map((count) => checkInteger(count, "the number of responses in a status class")),
      ];
    });
  }
}

/** Returns the class of a status: 2 for 200 to 299, 0 for no status. */
export function statusClass(status: number): number {
  return status >= 100 && status < 600 ? Math.floor(status / 100) : 0;
}
