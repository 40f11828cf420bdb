import type { Redactor } from "../../base/redactor.ts";
import type { ErrorStats } from "../summary.ts";
import type { SeriesKey } from "./endpoint.ts";
import type { Fault } from "./request_fault.ts";

/** How often requests failed in which way, with the first message of each. */
export class ErrorLog {
  readonly #errors = new Map<string, { figures: Omit<ErrorStats, "count">; count: number }>();
  readonly #hide: Redactor;

  constructor(hide: Redactor) {
    this.#hide = hide;
  }

  /** Counts a fault of an endpoint. */
  add({ kind, message }: NonNullable<Fault>, { scenario, name }: SeriesKey): void {
    const key = JSON.stringify([kind, scenario, name]);
    const known = this.#errors.get(key);
    if (known) known.count++;
    else {
      const figures = { kind, scenario, name, message: this.#hide(message) };
      this.#errors.set(key, { figures, count: 1 });
    }
  }

  /** What it counted. */
  data(): ErrorStats[] {
    return [...this.#errors.values()].map(({ figures, count }) => ({ ...figures, count }));
  }
}
