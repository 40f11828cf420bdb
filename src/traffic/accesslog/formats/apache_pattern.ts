import { UsageError } from "../../../base/errors.ts";
import type { LogField } from "../lines/log_fields.ts";
import { expandLayout, isWholeLayout, unknownDirective } from "../lines/time_layout.ts";
import { type Described, parsePieces } from "./log_format_pieces.ts";
import { layoutTime } from "./layout_time.ts";

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

/** What Apache's own words in `%{…}t` are as an strftime layout. */
const TIME_WORDS: Readonly<Record<string, string>> = {
  sec: "%s",
  msec: "%s",
  usec: "%s",
  msec_frac: "%f",
  usec_frac: "%f",
};

const UNITS: Readonly<Record<string, number>> = { s: 1_000, ms: 1, us: 1 / 1_000 };
/** The layout of `%t`, between the brackets that it writes. */
const OWN_LAYOUT = "%d/%b/%Y:%H:%M:%S %z";

/** A directive of the format, or several `%{…}t` with text between them, which are one timestamp. */
interface Part {
  readonly letter: string;
  readonly argument?: string;
  /** The text before it. */
  readonly before: string;
  /** The strftime layout of a timestamp. */
  layout?: string;
}

/**
 * What an Apache `LogFormat` string describes, `\"` or `"` for quotes. Directives that are not known
 * are passed over. Throws UsageError for a `%{…}t` that cannot be read.
 */
export function apachePattern(text: string): Described {
  const { parts, rest } = partsOf(text.replaceAll('\\"', '"').replaceAll("\\t", "\t"));
  const whole = parts.find(({ layout }) => layout !== undefined && isWholeLayout(layout));
  const literals = [""];
  const fields: (LogField | undefined)[] = [];
  let durationUnit = 1_000;
  for (const part of parts) {
    const { letter, argument, before, layout } = part;
    if (letter === "D") durationUnit = UNITS.us;
    if (letter === "T") durationUnit = UNITS[argument ?? "s"] ?? UNITS.s;
    const isBracketed = layout !== undefined && argument === undefined;
    literals[literals.length - 1] += isBracketed ? `${before}[` : before;
    fields.push(layout === undefined || part === whole ? parseField(letter, argument) : undefined);
    literals.push(isBracketed ? "]" : "");
  }
  literals[literals.length - 1] += rest;
  const time = layoutTime(whole?.layout ?? OWN_LAYOUT);
  return { pattern: parsePieces(literals, fields, time), ...time, escapes: "log", durationUnit };
}

/** The directives of a format, and the text after the last one. */
function partsOf(format: string): { parts: readonly Part[]; rest: string } {
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
    // Where it follows another at once, or after text, it is one timestamp with it.
    if (argument !== undefined && layout !== undefined && last?.argument && last.layout) {
      last.layout += before.replaceAll("%", "%%") + layout;
    } else parts.push({ letter, argument, before, layout });
    before = "";
  }
  return { parts, rest: before + format.slice(done) };
}

/** The layout of `%{argument}t`, or of `%t`. */
function parseTimeLayout(argument: string | undefined): string {
  if (argument === undefined) return OWN_LAYOUT;
  const word = argument.replace(/^(?:begin|end):/, "");
  const layout = expandLayout(TIME_WORDS[word] ?? word);
  const unknown = unknownDirective(layout);
  if (unknown === undefined) return layout;
  throw new UsageError(
    `--log-format cannot be read: %{${argument}}t has ${unknown}, which rehearse does not know; ` +
      "use %Y, %m, %d, %H, %M, %S, %b, %z, or sec, msec, usec, msec_frac, usec_frac",
  );
}

function parseField(letter: string, argument: string | undefined): LogField | undefined {
  return letter === "i" ? HEADERS[(argument ?? "").toLowerCase()] : FIELDS[letter];
}
