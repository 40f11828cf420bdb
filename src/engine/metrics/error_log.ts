import type { Redactor } from "../../base/redactor.ts";
import type { ErrorFigures } from "../summary.ts";
import type { EndpointKey } from "./endpoint.ts";
import type { Fault } from "./fault.ts";

/** How often requests failed in which way, with the first message of each. */
export class ErrorLog {
  readonly #errors = new Map<string, { figures: Omit<ErrorFigures, "count">; count: number }>();
  readonly #hide: Redactor;

  constructor(hide: Redactor) {
    this.#hide = hide;
  }

  /** Counts a fault of an endpoint. */
  add({ kind, message }: NonNullable<Fault>, { scenario, name }: EndpointKey): void {
    const key = JSON.stringify([kind, scenario, name]);
    const known = this.#errors.get(key);
    if (known) known.count++;
    else {
      const figures = { kind, scenario, name, message: this.#hide(message) };
      this.#errors.set(key, { figures, count: 1 });
    }
  }

  /** What it counted. */
  data(): ErrorFigures[] {
    return [...this.#errors.values()].map(({ figures, count }) => ({ ...figures, count }));
  }
}
