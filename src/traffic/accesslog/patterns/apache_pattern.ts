import { UsageError } from "../../../base/errors.ts";
import type { LogField } from "../read/log_fields.ts";
import { findNotation } from "../read/times/notations.ts";
import { expandLayout, findUnknownDirective, isWholeLayout } from "../read/times/time_layout.ts";
import {
  ClientChoice,
  type DescribedFormat,
  findDurationUnit,
  parseGoLayout,
  parsePieces,
  refuseIncompleteLayout,
} from "./line_layout.ts";
import type { LogFormat } from "../read/log_format.ts";

const DIRECTIVE = /%[!0-9,<>]*(?:\{([^}]*)\})?([A-Za-z%]|\^[A-Za-z]{2})/g;

const FIELDS: Readonly<Record<string, LogField>> = {
  h: "client",
  a: "client",
  t: "time",
  r: "request",
  m: "method",
  U: "path",
  q: "query",
  s: "status",
  b: "bytes",
  B: "bytes",
  O: "bytes",
  D: "duration",
  T: "duration",
  v: "host",
  V: "host",
};

const HEADERS: Readonly<Record<string, LogField>> = {
  referer: "referer",
  "user-agent": "agent",
  host: "host",
  "x-forwarded-for": "forwarded",
  "x-real-ip": "forwarded",
  "cf-connecting-ip": "forwarded",
  "true-client-ip": "forwarded",
};

/** strftime layouts for the keywords that Apache accepts in `%{…}t`. */
const TIME_WORDS: Readonly<Record<string, string>> = {
  sec: "%s",
  msec: "%s",
  usec: "%s",
  msec_frac: "%f",
  usec_frac: "%f",
};

const UNITS: Readonly<Record<string, number>> = { s: 1_000, ms: 1, us: 1 / 1_000 };
/** strftime layout of Apache's `%t`, without its brackets. */
const DEFAULT_LAYOUT = "%d/%b/%Y:%H:%M:%S %z";

/**
 * A directive in a `LogFormat` string. Consecutive `%{…}t` directives and the text between them
 * form one timestamp, so they are one part.
 */
interface Part {
  readonly letter: string;
  readonly argument?: string;
  /** Fixed text before the directive. */
  readonly before: string;
  /** Expanded strftime layout; absent if the part is not a timestamp. */
  layout?: string;
}

/**
 * Parses an Apache `LogFormat` string. Quotes in it may be escaped as `\"`. The parsed format skips
 * the values of unknown directives. If `client` is given, it is the header or the directive that
 * identifies the client. Throws `UsageError` if the string does not contain this header or
 * directive, or if a `%{…}t` directive has an unsupported layout.
 */
export function parseApachePattern(text: string, client?: string): DescribedFormat {
  const { parts, rest } = splitDirectives(text.replaceAll('\\"', '"').replaceAll("\\t", "\t"));
  const whole = parts.find(({ layout }) => layout !== undefined && isWholeLayout(layout));
  const partial = parts.find(({ layout }) => layout !== undefined);
  if (whole === undefined && partial?.layout !== undefined) {
    refuseIncompleteLayout(partial.layout, `%{${partial.argument}}t`);
  }
  const literals = [""];
  const fields: (LogField | undefined)[] = [];
  const unusedNames: string[] = [];
  // `%T` has whole seconds, so of several durations, the one with the smallest unit is used.
  const durations = parts.filter(({ letter }) => letter === "D" || letter === "T");
  const usualUnit = Math.min(UNITS.s, ...durations.map(unitOf));
  const duration = durations.find((part) => unitOf(part) === usualUnit);
  const choice = client === undefined
    ? undefined
    : new ClientChoice(client, parts.map(({ letter, argument }) => argument ?? letter));
  for (const part of parts) {
    const { letter, argument, before, layout } = part;
    const isBracketed = layout !== undefined && argument === undefined;
    literals[literals.length - 1] += isBracketed ? `${before}[` : before;
    const isOther = layout === undefined
      ? durations.includes(part) && part !== duration
      : part !== whole;
    const field = isOther ? undefined : parseField(letter, argument);
    const used = choice === undefined ? field : choice.fieldOf(argument ?? letter, field);
    fields.push(used);
    if (used === undefined && layout === undefined) {
      unusedNames.push(argument === undefined ? `%${letter}` : `%{${argument}}${letter}`);
    }
    literals.push(isBracketed ? "]" : "");
  }
  literals[literals.length - 1] += rest;
  const time = chooseNotation(whole?.layout ?? DEFAULT_LAYOUT);
  return {
    pattern: parsePieces(literals, fields, time),
    ...time,
    escapes: "log",
    durationUnit: findDurationUnit(literals, fields, usualUnit),
    unusedNames,
  };
}

/**
 * Splits an Apache `LogFormat` string into its directives (`parts`) and the text after the last one
 * (`rest`). Throws `UsageError` if a `%{…}t` directive has an unsupported layout.
 */
function splitDirectives(format: string): { parts: readonly Part[]; rest: string } {
  const parts: Part[] = [];
  let before = "";
  let done = 0;
  for (const { 0: all, 1: argument, 2: letter, index } of format.matchAll(DIRECTIVE)) {
    before += format.slice(done, index);
    done = index + all.length;
    if (letter === "%") {
      before += "%";
      continue;
    }
    const layout = letter === "t" ? parseTimeLayout(argument) : undefined;
    const last = parts.at(-1);
    // A `%{…}t` that follows another one continues the same timestamp, with or without text between
    // them.
    if (argument !== undefined && layout !== undefined && last?.argument && last.layout) {
      last.layout += before.replaceAll("%", "%%") + layout;
    } else parts.push({ letter, argument, before, layout });
    before = "";
  }
  return { parts, rest: before + format.slice(done) };
}

/**
 * Returns the expanded strftime layout of `%{argument}t`, or of `%t` if `argument` is undefined.
 * The argument is an strftime layout, a Go time layout or one of Apache's keywords. Throws
 * `UsageError` if the layout contains an unsupported directive.
 */
export function parseTimeLayout(argument: string | undefined): string {
  if (argument === undefined) return DEFAULT_LAYOUT;
  const word = argument.replace(/^(?:begin|end):/, "");
  const layout = expandLayout(TIME_WORDS[word] ?? parseGoLayout(word) ?? word);
  const unknown = findUnknownDirective(layout);
  if (unknown === undefined) return layout;
  throw new UsageError(
    `--log-format cannot have %{${argument}}t: rehearse does not support ${unknown} in it; ` +
      "use %Y, %m, %d, %H, %M, %S, %b, %z, or sec, msec, usec, msec_frac, usec_frac, or a Go layout " +
      "such as 2006-01-02 15:04:05",
  );
}

/** Returns the unit of the duration `%D` or `%{argument}T` in milliseconds. */
function unitOf({ letter, argument }: Part): number {
  return letter === "D" ? UNITS.us : UNITS[argument ?? "s"] ?? UNITS.s;
}

function parseField(letter: string, argument: string | undefined): LogField | undefined {
  return letter === "i" ? HEADERS[(argument ?? "").toLowerCase()] : FIELDS[letter];
}

/**
 * Returns the notation for timestamps with this expanded strftime layout. If no specific notation
 * covers it, returns the notation `layout` and the layout itself.
 */
export function chooseNotation(layout: string): Pick<LogFormat, "time" | "layout"> {
  const time = findNotation(layout);
  return time === "layout" ? { time, layout } : { time };
}
