import { UsageError } from "../../../base/errors.ts";
import type { LogField } from "../read/log_fields.ts";

/** Selector for the variable or header that identifies the client (`--client`). */
export class ClientChoice {
  readonly #name: string;

  /**
   * Selects the variable or header `client`. `names` lists the variables and headers in the format
   * string. Comparing names ignores letter case and the delimiters around a name, as in `${name}`
   * and `%{name}i`. Throws `UsageError` if `names` does not contain `client`.
   */
  constructor(client: string, names: readonly (string | undefined)[]) {
    this.#name = bare(client);
    const known = names.filter((name) => name !== undefined);
    if (known.some((name) => bare(name) === this.#name)) return;
    throw new UsageError(
      `--client cannot be ${client}: the log format has no such field; its fields are ${
        known.join(", ")
      }`,
    );
  }

  /**
   * Returns the log field for the variable or header `name`, whose usual field is `field`. Returns
   * `forwarded` if `name` identifies the client. Returns undefined for any other name whose usual
   * field is `forwarded`, so that only one value identifies the client.
   */
  fieldOf(name: string | undefined, field: LogField | undefined): LogField | undefined {
    if (name !== undefined && bare(name) === this.#name) return "forwarded";
    return field === "forwarded" ? undefined : field;
  }
}

function bare(name: string): string {
  return name.replace(/^(?:\$|%)\{?|\}[a-z]?$/g, "").toLowerCase();
}
