import { UsageError } from "../../../base/errors.ts";
import { didYouMean } from "../../../base/nearest.ts";
import { parsePieces } from "../read/text_splitters.ts";
import type { LineShape, LogField, LogFormat } from "../read/log_format.ts";
import { findNotation, type TimeNotation } from "../read/notations.ts";
import { expandLayout, findUnknownDirective, isWholeLayout } from "../read/time_layout.ts";
import type { Variant } from "./named_formats.ts";

/** A log format parsed from a `--log-format` value in nginx or Apache syntax. */
export type DescribedFormat = Variant & { readonly lines: { readonly pattern: LineShape } };

const NGINX_FIELDS: Readonly<Record<string, LogField>> = {
  remote_addr: "client",
  time_local: "time",
  time_iso8601: "time",
  msec: "time",
  request: "request",
  request_method: "method",
  request_uri: "target",
  uri: "path",
  document_uri: "path",
  args: "query",
  query_string: "query",
  status: "status",
  body_bytes_sent: "bytes",
  bytes_sent: "bytes",
  request_time: "duration",
  http_referer: "referer",
  http_user_agent: "agent",
  host: "host",
  http_host: "host",
  server_name: "host",
  http_x_forwarded_for: "forwarded",
  http_x_real_ip: "forwarded",
  http_cf_connecting_ip: "forwarded",
  http_true_client_ip: "forwarded",
};

const TIMES: Readonly<Record<string, TimeNotation>> = {
  time_local: "clf",
  time_iso8601: "iso",
  msec: "epoch",
};

/** Matches a format string, after the beginning of a directive and the kind of escapes, if any. */
const VALUE = /^(\s*log_format\s+\S+\s+)?(?:escape=(default|json|none)\s+)?(.*)$/s;
/** Matches a string of a directive, or of a value with several lines. */
const STRING = /(['"])((?:\\.|(?!\1).)*)\1/gs;

/** Matches the beginning of a whole URL. Without it, the URL is a target in absolute form. */
const ORIGIN =
  /\$scheme:\/\/\$(?:host|http_host|server_name)(?::\$server_port)?(?=\$(?:request_)?uri)/g;

/** Matches a variable, such as `$status` or `${status}`, or a timestamp with a layout, `%{…}t`. */
const VARIABLE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))|%\{([^}]+)\}t/g;

/**
 * Parses a `log_format` of nginx, with all its lines, or its value without quotes, which may start
 * with `escape=json`. As an extension, `%{LAYOUT}t` is a timestamp. Skips unknown variables.
 * `client` is the variable of the client. Throws `UsageError`.
 */
export function parseNginxPattern(text: string, client?: string): DescribedFormat {
  const [, directive, escape, rest] = VALUE.exec(text)!;
  const written = directive === undefined && !rest.trim().includes("\n")
    ? rest
    : Array.from(rest.replace(/^\s*#.*$/gm, "").matchAll(STRING), ([, , part]) => part).join("");
  const format = written.replace(ORIGIN, "")
    .replace(/\\(["'\\t])/g, (_, char) => char === "t" ? "\t" : char);
  const variables = [...format.matchAll(VARIABLE)];
  const names = variables.map(([, inBraces, bare]) => inBraces ?? bare);
  const literals = [""];
  let done = 0;
  for (const { 0: variable, index } of variables) {
    literals[literals.length - 1] = format.slice(done, index);
    literals.push("");
    done = index + variable.length;
  }
  literals[literals.length - 1] = format.slice(done);
  const layout = variables.find(([, , , layout]) => layout !== undefined)?.[3];
  const whole = layout === undefined ? undefined : parseTimeLayout(layout);
  if (whole !== undefined) refuseIncompleteLayout(whole, `%{${layout}}t`);
  const time = whole === undefined
    ? { time: TIMES[names.find((name) => TIMES[name] !== undefined) ?? "time_local"] }
    : chooseNotation(whole);
  const choice = client === undefined ? undefined : new ClientChoice(client, names);
  const fields = variables.map(([, , , own], i): LogField | undefined => {
    if (own !== undefined) return own === layout ? "time" : undefined;
    const field = choice === undefined
      ? NGINX_FIELDS[names[i]]
      : choice.fieldOf(names[i], NGINX_FIELDS[names[i]]);
    return field === "time" && layout !== undefined ? undefined : field;
  });
  return {
    lines: { pattern: parsePieces(literals, fields, time, "-") },
    ...time,
    escapes: escape === "json" || escape === "none" ? escape : "log",
    durationUnit: findDurationUnit(literals, fields, 1_000),
    unusedNames: names.filter((name, i) => name !== undefined && fields[i] === undefined)
      .map((name) => `$${name}${suggestion(name, names)}`),
  };
}

/** A hint in parentheses if `name` resembles a known variable that is not `used`, or nothing. */
function suggestion(name: string, used: readonly string[]): string {
  const hint = name in NGINX_FIELDS
    ? ""
    : didYouMean(name, Object.keys(NGINX_FIELDS).filter((known) => !used.includes(known)));
  return hint && ` (${hint})`;
}

const DIRECTIVE = /%[!0-9,<>]*(?:\{([^}]*)\})?([A-Za-z%]|\^[A-Za-z]{2})/g;

const APACHE_FIELDS: Readonly<Record<string, LogField>> = {
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

/** Keywords that Apache accepts in `%{…}t`. */
const TIME_WORDS: Readonly<Record<string, string>> = {
  sec: "%s",
  msec: "%s",
  usec: "%s",
  msec_frac: "%f",
  usec_frac: "%f",
};

/** Apache's `%t`, without its brackets. */
const DEFAULT_LAYOUT = "%d/%b/%Y:%H:%M:%S %z";

/** Consecutive `%{…}t` directives and the text between them form one timestamp: one part. */
interface Part {
  readonly letter: string;
  readonly argument?: string;
  readonly before: string;
  /** Expanded strftime layout of a timestamp. */
  layout?: string;
}

/** Skips unknown directives. `client` is the header or directive of it. Throws `UsageError`. */
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
    lines: { pattern: parsePieces(literals, fields, time) },
    ...time,
    escapes: "log",
    durationUnit: findDurationUnit(literals, fields, usualUnit),
    unusedNames,
  };
}

/** Directives, and the text after the last. Throws `UsageError` if a layout is unsupported. */
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
    // It continues the timestamp of the one before, with or without text between them.
    if (argument !== undefined && layout !== undefined && last?.argument && last.layout) {
      last.layout += before.replaceAll("%", "%%") + layout;
    } else parts.push({ letter, argument, before, layout });
    before = "";
  }
  return { parts, rest: before + format.slice(done) };
}

/** Expands strftime, Go and keywords of Apache. Throws `UsageError`. */
function parseTimeLayout(argument: string | undefined): string {
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
  return letter === "i" ? HEADERS[(argument ?? "").toLowerCase()] : APACHE_FIELDS[letter];
}

/** The notation `layout` if no specific one covers it. */
function chooseNotation(layout: string): Pick<LogFormat, "time" | "layout"> {
  const time = findNotation(layout);
  return time === "layout" ? { time, layout } : { time };
}

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

/** The word directly after a variable, or one after spaces that is not a label. */
const UNIT = /^([\p{L}\p{N}]+)|^ +(\p{L}+)(?![\p{L}\p{N}:=_-])/u;

/** Returns the unit in ms that the text after the first duration names. Throws `UsageError`. */
function findDurationUnit(
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

/** `given` is the directive as written. */
function refuseIncompleteLayout(layout: string, given: string): void {
  if (isWholeLayout(layout)) return;
  throw new UsageError(
    `--log-format cannot read the time from ${given} alone: expected a date and a time, such as ` +
      "%{%Y-%m-%d %H:%M:%S}t, or Unix seconds (%{sec}t)",
  );
}

class ClientChoice {
  readonly #name: string;

  /** Ignores case and delimiters, as in `${name}` and `%{name}i`. Throws `UsageError`. */
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

  /** Only the name of the client gets `forwarded`. */
  fieldOf(name: string | undefined, field: LogField | undefined): LogField | undefined {
    if (name !== undefined && bare(name) === this.#name) return "forwarded";
    return field === "forwarded" ? undefined : field;
  }
}

function bare(name: string): string {
  return name.replace(/^(?:\$|%)\{?|\}[a-z]?$/g, "").toLowerCase();
}

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
/** The fraction of a second in a Go layout, after the seconds. */
const FRACTION = /^([.,])(?:0+|9+)(?!\d)/;

/** Returns undefined without a year, or with an element such as `1` (month without a zero). */
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
