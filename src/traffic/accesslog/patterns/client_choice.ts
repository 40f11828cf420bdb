import { UsageError } from "../../../base/errors.ts";
import type { LogField } from "../read/log_fields.ts";

/** The variable of a format string that identifies the client, as given with `--client`. */
export class ClientChoice {
  readonly #name: string;

  /**
   * Chooses `client`, one of the `names` of variables or headers in a format string, in any letter
   * case, and with or without its delimiters, such as `$http_x_client` or `%{X-Client}i`. Throws
   * `UsageError` if it is not one of them.
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

  /** Returns the field of the variable `name`, which otherwise has the field `field`. */
  fieldOf(name: string | undefined, field: LogField | undefined): LogField | undefined {
    if (name !== undefined && bare(name) === this.#name) return "forwarded";
    return field === "forwarded" ? undefined : field;
  }
}

function bare(name: string): string {
  return name.replace(/^(?:\$|%)\{?|\}[a-z]?$/g, "").toLowerCase();
}
