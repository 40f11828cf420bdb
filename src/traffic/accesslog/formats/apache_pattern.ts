import type { Field } from "../lines/fields.ts";
import type { TimeNotation } from "../lines/moment.ts";
import { type Described, piecesOf } from "./described.ts";

const DIRECTIVE = /%[!0-9,<>]*(?:\{([^}]*)\})?([A-Za-z%]|\^[A-Za-z]{2})/g;

const FIELDS: Readonly<Record<string, Field>> = {
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

const HEADERS: Readonly<Record<string, Field>> = {
  referer: "referer",
  "user-agent": "agent",
  host: "host",
};

const TIMES: Readonly<Record<string, TimeNotation>> = {
  sec: "seconds",
  msec: "milliseconds",
  "%Y-%m-%dT%H:%M:%S%z": "iso",
  "%d/%b/%Y:%H:%M:%S %z": "clf",
};

const UNITS: Readonly<Record<string, number>> = { s: 1_000, ms: 1, us: 1 / 1_000 };

/**
 * What an Apache `LogFormat` string describes, `\"` or `"` for quotes. Directives that are not known
 * are passed over; a time in another notation than Apache's own, `sec`, `msec` or ISO 8601 too.
 */
export function apachePattern(text: string): Described {
  const format = text.replaceAll('\\"', '"').replaceAll("\\t", "\t");
  const literals = [""];
  const fields: (Field | undefined)[] = [];
  let time: TimeNotation = "clf";
  let durationUnit = 1_000;
  let done = 0;
  for (const match of format.matchAll(DIRECTIVE)) {
    const [all, argument, letter] = match;
    literals[literals.length - 1] += format.slice(done, match.index);
    done = match.index + all.length;
    if (letter === "%") {
      literals[literals.length - 1] += "%";
      continue;
    }
    const notation = letter === "t" ? TIMES[argument ?? ""] : undefined;
    if (notation !== undefined) time = notation;
    if (letter === "D") durationUnit = UNITS.us;
    if (letter === "T") durationUnit = UNITS[argument ?? "s"] ?? UNITS.s;
    // Apache puts its own time between brackets.
    const isBracketed = letter === "t" && argument === undefined;
    if (isBracketed) literals[literals.length - 1] += "[";
    fields.push(fieldOf(letter, argument, notation));
    literals.push(isBracketed ? "]" : "");
  }
  literals[literals.length - 1] += format.slice(done);
  return { pattern: piecesOf(literals, fields), time, escapes: "log", durationUnit };
}

function fieldOf(
  letter: string,
  argument: string | undefined,
  notation: TimeNotation | undefined,
): Field | undefined {
  if (letter === "i") return HEADERS[(argument ?? "").toLowerCase()];
  if (letter === "t" && argument !== undefined && notation === undefined) return undefined;
  return FIELDS[letter];
}
