import { checkInteger, checkList } from "../profile/profile_checks.ts";
import type { LogRequest } from "../read/log_request.ts";
import type { RequestPart } from "../read/request_use.ts";
import type { LogCollector } from "./collector.ts";

/** An HTTP status and the number of responses with it. */
export type StatusCount = readonly [status: number, count: number];

/** Counts the responses in a log by HTTP status. Status 0 counts log lines without a status. */
export class StatusCounts implements LogCollector {
  readonly kind = "statuses";
  readonly parts: readonly RequestPart[] = [];
  readonly #counts = new Float64Array(1_000);

  add({ status }: LogRequest): void {
    this.#counts[status]++;
  }

  /**
   * Returns each status with its number of responses, most frequent first. Equally frequent
   * statuses are in ascending order.
   */
  entries(): [status: number, count: number][] {
    return this.#ascending().sort(([, a], [, b]) => b - a);
  }

  data(): readonly StatusCount[] {
    return this.#ascending();
  }

  merge(data: readonly StatusCount[]): void {
    for (const [status, count] of data) this.#counts[status] += count;
  }

  toJson(): unknown {
    return this.#ascending();
  }

  fromJson(json: unknown): readonly StatusCount[] {
    return checkList(json, "`statuses`").map((entry): StatusCount => {
      const [status, count] = checkList(entry, "an element of `statuses`");
      return [
        checkInteger(status, "a status", 999),
        checkInteger(count, "the number of responses with one status"),
      ];
    });
  }

  #ascending(): [status: number, count: number][] {
    return [...this.#counts.entries()].filter(([, count]) => count > 0);
  }
}
