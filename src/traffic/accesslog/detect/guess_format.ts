import { resolveFormats } from "./resolve_formats.ts";
import { resolveJson } from "./resolve_json.ts";
import { findContainer } from "./containers.ts";
import { detectFormat } from "./detect_format.ts";
import { listMembers, parseJsonLine } from "./json_lines.ts";

/** A guess at the format of a log that matches no known format. */
export interface FormatGuess {
  /** Description of the format, such as `HAProxy's httplog`. */
  readonly looksLike: string;
  /**
   * Option and value that make at least one line of the log readable; absent if no such option was
   * found.
   */
  readonly option?: readonly [name: "--log-format" | "--json", value: string];
  /**
   * Command that converts a file to readable text on standard output, such as `xz -dc`. The caller
   * must append the file name as the last argument. Absent if the file needs no conversion.
   */
  readonly filter?: string;
}

const METHOD = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;
/**
 * Patterns of values, each with the nginx variable for such values, in the order in which they are
 * tried.
 */
const VARIABLES: readonly (readonly [shape: RegExp, variable: string])[] = [
  [/^[A-Z]+ \S.* HTTP\/\d(?:\.\d)?$/, "$request"],
  [METHOD, "$request_method"],
  [/^(?:\/|https?:\/\/)\S*$/, "$request_uri"],
  [/^\d\d\/[A-Z][a-z]{2}\/\d{4}[: ]\d\d:\d\d:\d\d/, "$time_local"],
  [/^\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d/, "$time_iso8601"],
  [/^1\d{9}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?$/, "$msec"],
  [/^(?:(?:\d{1,3}\.){3}\d{1,3}|[\da-f]*:[\da-f:]*:[\da-f:]*)$/i, "$remote_addr"],
  [/^[1-5]\d\d$/, "$status"],
];
const TIMES: ReadonlySet<string> = new Set(["$time_local", "$time_iso8601", "$msec"]);
const MAX_LINE_CHARACTERS = 8_192;
const MAX_MEMBERS = 12;
/** Maps each nginx variable to the name of the same field in a `--json` value. */
const JSON_NAMES: Readonly<Record<string, string>> = {
  $request: "request",
  $request_method: "method",
  $request_uri: "url",
  $time_local: "time",
  $time_iso8601: "time",
  $msec: "time",
  $remote_addr: "client",
  $status: "status",
};

/**
 * Guesses the format of a log that matches no known format. `head` contains the first bytes of the
 * log. Returns undefined if it cannot guess.
 */
export function guessFormat(head: Uint8Array): FormatGuess | undefined {
  const container = findContainer(head);
  if (container !== undefined) return container;
  const text = new TextDecoder().decode(head.slice(0, MAX_LINE_CHARACTERS * 4));
  const lines = text.split("\n").map((line) => line.trimEnd())
    .filter((line) => line !== "" && line.length <= MAX_LINE_CHARACTERS);
  for (const line of lines.slice(0, 5)) {
    const object = parseJsonLine(line);
    if (object !== undefined) {
      const members = [...listMembers(object)];
      if (members.length === 0) continue;
      const names = members.map(([path]) => path).slice(0, MAX_MEMBERS).join(", ");
      const others = members.length - MAX_MEMBERS;
      const looksLike = `JSON with the members ${names}${others > 0 ? ` and ${others} more` : ""}`;
      return { looksLike, ...ifReadable(head, "--json", describeJson(members)) };
    }
    const found = ifReadable(head, "--log-format", describeText(line));
    if (/^\s*\w+=\S.*\s\w+=/.test(line)) return { looksLike: "logfmt (name=value)", ...found };
    if (found.option !== undefined) return { looksLike: "text with these fields", ...found };
  }
  return undefined;
}

/**
 * Returns the option `name` with `value` if it makes at least one line in `head` readable,
 * otherwise an empty object.
 */
function ifReadable(
  head: Uint8Array,
  name: "--log-format" | "--json",
  value: string,
): Pick<FormatGuess, "option"> {
  try {
    const formats = name === "--json" ? resolveJson(value) : resolveFormats(value);
    return detectFormat(head, formats) === undefined ? {} : { option: [name, value] };
  } catch {
    // The value is invalid, for example because it lacks a field for the time.
    return {};
  }
}

/** Builds a `--json` value from the members of a line. */
function describeJson(members: readonly (readonly [path: string, value: string])[]): string {
  const next = variablePicker();
  return members.flatMap(([path, value]) => {
    const name = JSON_NAMES[next(value)];
    return name === undefined ? [] : [`${name}=${path}`];
  }).join(",");
}

/**
 * Builds a `--log-format` value from a text line. Replaces each word, each quoted or bracketed
 * string, and each value in `name=value` with a variable.
 */
function describeText(line: string): string {
  const next = variablePicker();
  const word =
    /(\w+=)?(?:"((?:\\.|[^"\\])*)"|\[([^\]]*)\]|(\d[\d/-]{4}[\w/-]+[ T:]\d\d:[\d:.,]+(?:Z| ?[+-]\d\d:?\d\d)?|[^\s|;,]+))/g;
  const format = line.replaceAll("$", "").replace(
    word,
    (_, start?: string, quoted?: string, bracketed?: string, bare?: string) => {
      const name = start ?? "";
      if (quoted !== undefined) return `${name}"${next(quoted)}"`;
      return bracketed === undefined ? name + next(bare!) : `${name}[${next(bracketed)}]`;
    },
  );
  return truncateFormat(format);
}

/**
 * Returns a function that picks a variable for each value in a line. It picks each known variable
 * at most once. For any other value, it creates a placeholder, such as `$_1`.
 */
function variablePicker(): (value: string) => string {
  const used = new Set<string>();
  let others = 0;
  return (value) => {
    const found = VARIABLES.find(([shape, variable]) => shape.test(value) && isNew(variable));
    if (found === undefined) return `$_${++others}`;
    for (const time of TIMES.has(found[1]) ? TIMES : [found[1]]) used.add(time);
    return found[1];
  };

  function isNew(variable: string): boolean {
    return !used.has(variable);
  }
}

/**
 * Truncates a `--log-format` value after its last known variable and the delimiter that follows,
 * because the rest of the line is not needed.
 */
function truncateFormat(format: string): string {
  const known = VARIABLES.map(([, variable]) => format.indexOf(variable) + variable.length);
  const end = Math.max(
    ...VARIABLES.map(([, variable], i) => format.includes(variable) ? known[i] : 0),
  );
  return format.slice(0, end) + (/^["\]},|;]/.exec(format.slice(end))?.[0] ?? "");
}
