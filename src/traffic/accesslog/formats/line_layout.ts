import { UsageError } from "../../../base/errors.ts";
import type { LogField } from "../read/line_splitter.ts";
import { isWholeLayout } from "../read/time_layout.ts";

/** Units that may follow a duration in a format string, in milliseconds. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  "\u00b5s": 1e-3,
  "\u03bcs": 1e-3,
  ms: 1,
  s: 1_000,
  sec: 1_000,
  m: 60_000,
  min: 60_000,
};

/**
 * Matches the word that directly follows a variable, and a word after spaces that is not a label.
 */
const UNIT = /^([\p{L}\p{N}]+)|^ +(\p{L}+)(?![\p{L}\p{N}:=_-])/u;

/**
 * Returns the unit of the durations in milliseconds if the fixed text after the first duration
 * starts with one, such as `ms`. Otherwise, returns `usual`. `literals[i + 1]` is the text after
 * `fields[i]`. Throws `UsageError` if another word directly follows the duration.
 */
export function findDurationUnit(
  literals: readonly string[],
  fields: readonly (LogField | undefined)[],
  usual: number,
): number {
  const after = literals[fields.indexOf("duration") + 1];
  const [, direct, spaced] = fields.includes("duration") ? UNIT.exec(after) ?? [] : [];
  const unit = UNITS[direct ?? spaced];
  if (direct !== undefined && unit === undefined) {
    throw new UsageError(
      `--log-format cannot have ${direct} after the duration: expected a unit (${
        ["ms", "s", "us", "ns", "min"].join(", ")
      }), or text that does not start with a letter or a digit`,
    );
  }
  return unit ?? usual;
}

/**
 * Throws `UsageError` if `layout`, an expanded strftime layout, is not a complete timestamp.
 * `given` is the directive as the user wrote it.
 */
export function refuseIncompleteLayout(layout: string, given: string): void {
  if (isWholeLayout(layout)) return;
  throw new UsageError(
    `--log-format cannot read the time from ${given} alone: expected a date and a time, such as ` +
      "%{%Y-%m-%d %H:%M:%S}t, or Unix seconds (%{sec}t)",
  );
}

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

/** Elements of a Go time layout, each with its strftime directive, longest first. */
const ELEMENTS: readonly (readonly [element: string, directive: string])[] = [
  ["January", "%B"],
  ["Monday", "%A"],
  ["Jan", "%b"],
  ["Mon", "%a"],
  ["MST", "%Z"],
  ["2006", "%Y"],
  ...["Z07:00", "-07:00", "Z0700", "-0700", "Z07", "-07"].map((zone) => [zone, "%z"] as const),
  ["06", "%y"],
  ["01", "%m"],
  ["_2", "%e"],
  ["02", "%d"],
  ["15", "%H"],
  ["03", "%I"],
  ["04", "%M"],
  ["05", "%S"],
  ["PM", "%p"],
  ["pm", "%p"],
  ["2", "%e"],
  ["3", "%l"],
];
/** Matches the fraction of a second in a Go time layout, directly after the seconds. */
const FRACTION = /^([.,])(?:0+|9+)(?!\d)/;

/**
 * Converts a time layout of the Go language, such as `2006-01-02 15:04:05.000`, to an strftime
 * layout. Returns undefined if `text` contains no year, because it is then not a Go layout. Also
 * returns undefined if an element has no counterpart in strftime, such as `1` (month without a
 * leading zero).
 */
export function parseGoLayout(text: string): string | undefined {
  if (!text.includes("06") || text.includes("%")) return undefined;
  let layout = "";
  for (let rest = text; rest !== "";) {
    const fraction = layout.endsWith("%S") ? FRACTION.exec(rest) : null;
    if (fraction !== null) {
      layout += `${fraction[1]}%f`;
      rest = rest.slice(fraction[0].length);
      continue;
    }
    const [element, directive] = ELEMENTS.find(([start]) => rest.startsWith(start)) ?? [];
    if (element === undefined && /^\d/.test(rest)) return undefined;
    layout += directive ?? rest[0];
    rest = rest.slice(element?.length ?? 1);
  }
  return layout;
}
