import { resolveFormats } from "./resolve_formats.ts";
import { detectFormat } from "./detect_format.ts";

/** A guess at the format of a log that matches no known format. */
export interface FormatGuess {
  /** Description of the format, such as `HAProxy's httplog`. */
  readonly looksLike: string;
  /**
   * Value of `--log-format` that at least one line of the log matches; absent if none was found.
   */
  readonly format?: string;
  /**
   * Command that converts a file to readable text on standard output, such as `xz -dc`. The caller
   * must append the file name as the last argument. Absent if the file needs no conversion.
   */
  readonly filter?: string;
}

/**
 * Types of compressed and encoded files, each with its first bytes, a description and a conversion
 * command.
 */
const CONTAINERS: readonly (readonly [begin: string, looksLike: string, filter: string])[] = [
  ["\xfd7zXZ\0", "an xz file", "xz -dc"],
  ["BZh", "a bzip2 file", "bzip2 -dc"],
  ["PK\x03\x04", "a zip file", "unzip -p"],
  ["7z\xbc\xaf", "a 7-Zip file", "7z x -so"],
  ["\x04\x22\x4d\x18", "an lz4 file", "lz4 -dc"],
  ["\x1f\x8b\x08", "gzip in gzip", "gzip -dc"],
  ["\x28\xb5\x2f\xfd", "zstd in another compression", "zstd -dc"],
  ["\xff\xfe", "UTF-16 text", "iconv -f UTF-16 -t UTF-8"],
  ["\xfe\xff", "UTF-16 text", "iconv -f UTF-16 -t UTF-8"],
];

/**
 * Log formats that have no name in `FORMATS`, each with a line pattern, a description and a
 * `--log-format` value.
 */
const SERVERS: readonly (readonly [shape: RegExp, looksLike: string, format: string])[] = [
  [
    /\S+:\d+ \[\d\d\/[A-Z][a-z]{2}\/\d{4}:[\d:.]+\] \S+ \S+\/\S+ [-+\d]+(?:\/[-+\d]+){4} \d{3} /,
    "HAProxy's httplog",
    "$remote_addr:$port [$time_local] $frontend $server $timers $status $bytes_sent $more " +
    '"$request"',
  ],
  [
    /^\[\d{4}-\d\d-\d\dT[\d:.]+Z\] "[A-Z]+ \S+ HTTP\//,
    "Envoy's or Istio's access log",
    '[$time_iso8601] "$request" $status',
  ],
  [
    /^\S{64} \S+ \[\d\d\/[A-Z][a-z]{2}\/\d{4}:/,
    "Amazon S3's server access log",
    '$owner $bucket [$time_local] $remote_addr $requester $id $operation $key "$request" $status',
  ],
  [
    /^\d{4}-\d\d-\d\dT[\d:.]+Z \S+ [\d.]+:\d+ \S+ [-\d.]+ [-\d.]+ [-\d.]+ \d+ \d+ \d+ \d+ "/,
    "a classic load balancer's log",
    "$time_iso8601 $elb $remote_addr:$port $backend $a $b $c $status $d $e $bytes_sent " +
    '"$request"',
  ],
];

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

/**
 * Guesses the format of a log that matches no known format. `head` contains the first bytes of the
 * log. Returns undefined if it cannot guess.
 */
export function guessFormat(head: Uint8Array): FormatGuess | undefined {
  const start = String.fromCharCode(...head.subarray(0, 16));
  const container = CONTAINERS.find(([begin]) => start.startsWith(begin));
  if (container !== undefined) return { looksLike: container[1], filter: container[2] };
  if (head.length > 3 && (head[1] === 0 && head[3] === 0 || head[0] === 0 && head[2] === 0)) {
    const order = head[1] === 0 ? "LE" : "BE";
    return { looksLike: "UTF-16 text", filter: `iconv -f UTF-16${order} -t UTF-8` };
  }
  const text = new TextDecoder().decode(head.slice(0, MAX_LINE_CHARACTERS * 4));
  const lines = text.split("\n").map((line) => line.trimEnd())
    .filter((line) => line !== "" && line.length <= MAX_LINE_CHARACTERS);
  for (const [shape, looksLike, format] of SERVERS) {
    if (lines.some((line) => shape.test(line))) {
      return { looksLike, ...firstReadable(head, [format]) };
    }
  }
  for (const line of lines.slice(0, 5)) {
    const members = listMembers(line);
    const isPairs = members === undefined && /^\s*\w+=\S.*\s\w+=/.test(line);
    const found = firstReadable(head, [
      members === undefined ? describeText(line) : describeJson(line),
    ]);
    if (members !== undefined) return { looksLike: `JSON with the members ${members}`, ...found };
    if (isPairs) return { looksLike: "logfmt (name=value)", ...found };
    if (found.format !== undefined) return { looksLike: "text with these fields", ...found };
  }
  return undefined;
}

/**
 * Returns the first of these `--log-format` values that at least one line in `head` matches, or an
 * empty object if no line matches any of them.
 */
function firstReadable(head: Uint8Array, formats: readonly string[]): { readonly format?: string } {
  const format = formats.find((format) => {
    try {
      return detectFormat(head, resolveFormats(format)) !== undefined;
    } catch {
      // The value is invalid, for example because it lacks a field for the time.
      return false;
    }
  });
  return format === undefined ? {} : { format };
}

/**
 * Returns a list of the member names in a JSON line, for use in a message. Nested names have the
 * form `outer.inner`. Returns undefined if the line is not a JSON object.
 */
function listMembers(line: string): string | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const names = Object.entries(value).flatMap(([name, inner]) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.keys(inner).map((key) => `${name}.${key}`)
        : [name]
    );
    const others = names.length - MAX_MEMBERS;
    return names.slice(0, MAX_MEMBERS).join(", ") + (others > 0 ? ` and ${others} more` : "");
  } catch {
    return undefined;
  }
}

/** Builds a `--log-format` value from a JSON line by replacing each value with a variable. */
function describeJson(line: string): string {
  const next = variablePicker();
  const value = /(:\s*)(?:"((?:\\.|[^"\\])*)"|(\[[^\]]*\]|[^\s",{}[\]]+))/g;
  const format = line.replaceAll("$", "").replace(
    value,
    (_, colon: string, text: string | undefined, bare: string) =>
      text === undefined ? colon + next(bare) : `${colon}"${next(text)}"`,
  );
  return `escape=json ${truncateFormat(format)}`;
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
