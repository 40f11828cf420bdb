/**
 * A simple, slow reference parser for access logs. Works line by line, with regular expressions on
 * strings of one character per byte. Shares no code with src/traffic/accesslog.
 */
const MIB = 1 << 20;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const STAMP =
  /(?<=.) \[(\d\d)\/([A-Z][a-z][a-z])\/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)\]/gs;
const CONTROL_LETTERS: Record<string, string> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** Returns the profile that `serializeProfile` must write for this log, as a parsed JSON value. */
export function referenceProfile(log: Uint8Array): unknown {
  const malformed: Record<string, number> = {
    "line-too-long": 0,
    "no-timestamp": 0,
    "no-request": 0,
    "bad-request": 0,
    "bad-status": 0,
  };
  const firstMalformed = new Map<string, unknown>();
  const seconds = new Map<number, number>();
  const endpoints = new Map<string, { count: number; first: number }>();
  let [requests, withQuery, withId, offset, line] = [0, 0, 0, 0, 0];
  const lines = binary(log).split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const text of lines) {
    line++;
    const read = readLine(text);
    if (typeof read === "string") {
      malformed[read]++;
      const start = log.subarray(offset, offset + Math.min(4_096, text.length));
      const snippet = new TextDecoder().decode(start).replace(/\r$/, "");
      const found = { reason: read, offset, line, text: snippet };
      if (!firstMalformed.has(read)) firstMalformed.set(read, found);
    } else if (read !== undefined) {
      requests++;
      if (read.hasQuery) withQuery++;
      if (read.hasId) withId++;
      seconds.set(read.second, (seconds.get(read.second) ?? 0) + 1);
      const endpoint = endpoints.get(read.key) ?? { count: 0, first: offset };
      endpoint.count++;
      endpoints.set(read.key, endpoint);
    }
    offset += text.length + 1;
  }
  return {
    schema: "rehearse-profile/2",
    bytes: log.length,
    lines: line,
    requests,
    withQuery,
    withId,
    malformed,
    ...(firstMalformed.size > 0 && { firstMalformed: [...firstMalformed.values()][0] }),
    ...(firstMalformed.size > 1 && { otherMalformed: [...firstMalformed.values()].slice(1) }),
    seconds: runs([...seconds].sort((a, b) => a[0] - b[0])),
    endpoints: [...endpoints].map(([key, { count, first }]) => [utf8(key), count, first]),
  };
}

interface Request {
  second: number;
  key: string;
  hasQuery: boolean;
  hasId: boolean;
}

/**
 * Returns the request in a line, the reason why the line is malformed, or undefined for a blank
 * line.
 */
function readLine(line: string): Request | string | undefined {
  if (line.length > MIB) return "line-too-long";
  if (/^[ \t\r]*$/.test(line)) return undefined;
  const stamp = [...line.matchAll(STAMP)].find((match) => !Number.isNaN(epoch(match)));
  if (stamp === undefined) return "no-timestamp";
  const rest = line.slice(stamp.index + stamp[0].length);
  const quoted = /^ "((?:[^"\\]|\\.)*)"/s.exec(rest);
  if (quoted === null) return "no-request";
  const request = readRequest(quoted[1]);
  if (request === undefined) return "bad-request";
  if (!/^ (?:[0-9]{3}|-1|[0-]) (?:[0-9]|-)/.test(rest.slice(quoted[0].length))) return "bad-status";
  return { second: epoch(stamp), ...request };
}

function epoch([, day, month, year, hour, minute, second, sign, h, m]: string[]): number {
  const at = MONTHS.indexOf(month);
  const midnight = new Date(`${year}-${String(at + 1).padStart(2, "0")}-${day}T00:00:00Z`);
  const exists = at >= 0 && midnight.getUTCDate() === Number(day);
  if (!exists || +hour > 23 || +minute > 59 || +second > 60 || +h > 14 || +m > 59) return NaN;
  const east = (sign === "+" ? 1 : -1) * (+h * 3_600 + +m * 60);
  const utc = midnight.getTime() / 1_000 + +hour * 3_600 + +minute * 60 - east;
  return utc < 0 ? NaN : utc + +second;
}

function readRequest(text: string): Omit<Request, "second"> | undefined {
  const match = /^([A-Z][A-Z0-9_-]{0,31}) (.+) HTTP\/[0-9](?:\.[0-9])?$/s.exec(text) ??
    /^([A-Z][A-Z0-9_-]{0,31}) ([^ ]+)$/.exec(text);
  if (match === null || /^(?:CONNECT|PRI)$/.test(match[1])) return undefined;
  const target = unescape(match[2]);
  if (target === "*") return { key: `${match[1]} *`, hasQuery: false, hasId: false };
  const local = target.replace(
    /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?]+(?=\/|(\?|$))/s,
    (_, bare) => bare === undefined ? "" : "/",
  );
  if (!local.startsWith("/")) return undefined;
  const sent = local.split("#")[0];
  const path = normal(sent.split("?")[0]);
  const route = path.split("/").map((segment) => isId(segment) ? "${vars.id}" : asText(segment));
  return {
    key: `${match[1]} ${route.join("/")}`,
    hasQuery: sent.includes("?"),
    hasId: path.split("/").some(isId),
  };
}

function isId(segment: string): boolean {
  return /^[0-9]+$/.test(segment) || /^[0-9A-Fa-f]{16,}$/.test(segment) ||
    /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/.test(segment);
}

function unescape(text: string): string {
  return text.replace(
    /\\(?:x([0-9A-Fa-f]{2})|(["\\bfnrtv]))/g,
    (_, hex, letter) =>
      hex !== undefined
        ? String.fromCharCode(parseInt(hex, 16))
        : CONTROL_LETTERS[letter] ?? letter,
  );
}

/** Normalizes a path, so that equivalent paths become equal. */
function normal(path: string): string {
  return path.replace(/;jsessionid=[^/;]*/gi, "").replace(
    /%([0-9A-Fa-f]{2})|[\x80-\xff]/g,
    (all, hex) => {
      const code = hex === undefined ? all.charCodeAt(0) : parseInt(hex, 16);
      const char = String.fromCharCode(code);
      if (/[A-Za-z0-9._~-]/.test(char)) return char;
      return `%${code.toString(16).toUpperCase().padStart(2, "0")}`;
    },
  );
}

function asText(recorded: string): string {
  return recorded.replaceAll("${", () => "$${");
}

function runs(seconds: [number, number][]): [number, number[]][] {
  const found: [number, number[]][] = [];
  for (const [second, count] of seconds) {
    const last = found.at(-1);
    if (last !== undefined && last[0] + last[1].length === second) last[1].push(count);
    else found.push([second, [count]]);
  }
  return found;
}

/** Decodes bytes to a string with one character per byte. */
function binary(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes).replace(
    /[\u0100-\uffff]/g,
    (char) => String.fromCharCode(WINDOWS_1252.get(char)!),
  );
}

/**
 * Maps characters back to the bytes 0x80 to 0x9f. The `latin1` decoder, which in fact decodes
 * windows-1252, returns these characters.
 */
const WINDOWS_1252 = new Map(
  Array.from(
    { length: 32 },
    (_, i) => [new TextDecoder("latin1").decode(Uint8Array.of(0x80 + i)), 0x80 + i],
  ),
);

function utf8(text: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true, fatal: true })
    .decode(Uint8Array.from(text, (char) => char.charCodeAt(0)));
}
