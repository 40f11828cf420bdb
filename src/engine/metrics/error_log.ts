import type { Redactor } from "../../base/redactor.ts";
import type { ErrorStats } from "../summary/flow_stats.ts";
import type { SeriesKey } from "./endpoint.ts";
import type { ErrorKind } from "../../http/sender.ts";

/**
 * Reason why a request failed. Undefined if the request passed or failed only because of its
 * status.
 */
export type Fault = {
  readonly kind: ErrorKind;
  readonly message: string;
  /**
   * Returns details to append to the message, without secrets. Called only for the first error of
   * an endpoint and kind. `hide` removes the secrets of the plan.
   */
  readonly details?: (hide: Redactor) => string;
} | undefined;

/** Counts the errors of each endpoint by kind, and keeps the first message of each kind. */
export class ErrorLog {
  readonly #errors = new Map<string, { error: Omit<ErrorStats, "count">; count: number }>();
  readonly #hide: Redactor;

  constructor(hide: Redactor) {
    this.#hide = hide;
  }

  /** Records an error for an endpoint, with secrets removed from its message. */
  add(
    { kind, message, details }: NonNullable<Fault>,
    { scenario, name }: Pick<SeriesKey, "scenario" | "name">,
  ): void {
    const key = JSON.stringify([kind, scenario, name]);
    const known = this.#errors.get(key);
    if (known) known.count++;
    else {
      const hidden = this.#hide(message) + (details?.(this.#hide) ?? "");
      const error = { kind, scenario, name, message: hidden };
      this.#errors.set(key, { error, count: 1 });
    }
  }

  /** Returns the number of errors for each endpoint and kind. */
  data(): ErrorStats[] {
    return [...this.#errors.values()].map(({ error, count }) => ({ ...error, count }));
  }
}
