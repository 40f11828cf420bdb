import type { LogRequest } from "../read/log_request.ts";
import type { RequestCollector } from "../read/request_use.ts";

/** Counts the responses in a log by HTTP status. Status 0 counts log lines without a status. */
export class StatusCounts implements RequestCollector {
  readonly #counts = new Map<number, number>();

  add({ status }: LogRequest): void {
    this.#counts.set(status, (this.#counts.get(status) ?? 0) + 1);
  }

  /** Returns each status with its number of responses, sorted by that number, highest first. */
  entries(): [status: number, count: number][] {
    return [...this.#counts].sort(([, a], [, b]) => b - a);
  }
}
