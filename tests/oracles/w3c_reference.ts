/** A request in a log, as read by `referenceW3c`. */
export interface W3cRequest {
  /** Timestamp in Unix milliseconds. */
  readonly ms: number;
  /** Method and target, such as `GET /a?b`. */
  readonly request: string;
  readonly status: number;
  /** Duration in milliseconds; absent if the line has none. */
  readonly took?: number;
}

/** Names that CloudFront percent-encodes once more than a browser does. */
const ENCODED = ["%", "{", "}", "|", "\\", "^", "~", "[", "]", "`", "'"];

/**
 * Simple, slow reference implementation for logs in the W3C extended format. `separator` is the
 * character between two values. Lines without a request are skipped.
 */
export function referenceW3c(log: string, separator: string): W3cRequest[] {
  const found: W3cRequest[] = [];
  let columns: string[] = [];
  let isEncoded = separator === "\t";
  for (const line of log.split("\n").map((line) => line.replace(/\r+$/, ""))) {
    if (line.startsWith("#Software:")) isEncoded = false;
    else if (line.startsWith("#Fields:")) {
      columns = line.slice("#Fields:".length).trim().split(/[ \t]+/);
      if (line.includes("x-edge-")) isEncoded = true;
    } else if (!line.startsWith("#") && line.trim() !== "") {
      const values = splitValues(line, separator);
      const read = (name: string): string | undefined => values[columns.indexOf(name)];
      const target = readTarget(read, isEncoded ? decode : (text) => text);
      const ms = Date.parse(`${read("date")}T${read("time")}Z`);
      const took = read("time-taken");
      if (target === undefined || Number.isNaN(ms)) continue;
      found.push({
        ms,
        request: `${read("cs-method")} ${target}`,
        status: Number((read("sc-status") ?? "-").replace("-", "0")),
        ...(took !== undefined && took !== "-" &&
          { took: took.includes(".") ? Math.round(Number(took) * 1_000) : Number(took) }),
      });
    }
  }
  return found;
}

/** Splits a line into values. Removes the quotes around a value, and the second of two in it. */
function splitValues(line: string, separator: string): string[] {
  const values: string[] = [];
  for (let rest: string | undefined = line; rest !== undefined;) {
    const quoted: RegExpExecArray | null = /^"((?:[^"]|"")*)"(?!")/.exec(rest);
    const after: string = quoted === null ? "" : rest.slice(quoted[0].length);
    if (quoted !== null && (after === "" || after.startsWith(separator))) {
      values.push(quoted[1].replaceAll('""', '"'));
      rest = after === "" ? undefined : after.slice(1);
    } else {
      const end: number = rest.indexOf(separator);
      values.push(end < 0 ? rest : rest.slice(0, end));
      rest = end < 0 ? undefined : rest.slice(end + 1);
    }
  }
  return values;
}

function readTarget(
  read: (name: string) => string | undefined,
  decoded: (text: string) => string,
): string | undefined {
  const path = read("cs-uri") ?? read("cs-uri-stem");
  if (path === undefined) return undefined;
  const query = read("cs-uri") === undefined ? read("cs-uri-query") ?? "-" : "-";
  const target = decoded(path) +
    (query === "-" || query === "" ? "" : `?${decoded(query.replace(/^\?/, ""))}`);
  return target.replace(/^https?:\/\/[^/]*/, "").replace(/^([^?#]*)#.*/s, "$1");
}

function decode(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})/g, (all, hex) => {
    const char = String.fromCharCode(parseInt(hex, 16));
    return ENCODED.includes(char) ? char : all;
  });
}
