import type { LogRequest } from "./lines/log_request.ts";
import type { RequestCollector } from "./lines/request_use.ts";

/** How often each status was answered with; 0 where the log has none. */
export class StatusCounts implements RequestCollector {
  readonly #counts = new Map<number, number>();

  /** Counts the answer to a request. */
  add({ status }: LogRequest): void {
    this.#counts.set(status, (this.#counts.get(status) ?? 0) + 1);
  }

  /** Statuses and how often each came, the most frequent first. */
  entries(): [status: number, count: number][] {
    return [...this.#counts].sort(([, a], [, b]) => b - a);
  }
}
