import type {
  JsonFields,
  LineShape,
  LogField,
  LogFormat,
} from "../../src/traffic/accesslog/read/log_format.ts";
import type { TimeNotation } from "../../src/traffic/accesslog/read/notations.ts";
import { createSplitter } from "../../src/traffic/accesslog/read/request_reader.ts";
import fc, { mix, words } from "fast-check";

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** Digits to append to Unix seconds to get milliseconds, microseconds or nanoseconds. */
const EPOCH_UNITS = [
  ...["", "", "123", "999", "123456", "999999"],
  ...["123456789", "999999000", "999999999", "998999999"],
];

/** Generates timestamps, mostly on one day and in one time zone, as in a log. */
const timestamp = fc.record({
  second: mix(
    [12, fc.integer({ min: 1_795_219_200, max: 1_795_219_210 })],
    [4, fc.integer({ min: 1_795_219_200 - 100_000, max: 1_795_219_200 + 90_000 })],
    [1, fc.integer({ min: 0, max: 4_294_967_295 })],
  ),
  decimals: fc.constantFrom("", "", ".1", ".999", ".123456", ".999999999", ".", ",5"),
  zone: fc.constantFrom(0, 0, 0, 0, 0, 60, -210),
  /** Style of the time zone: regular (empty), with a space, with a colon, or no zone (`none`). */
  style: fc.constantFrom("", "", "", "", "", "", "", "", " ", ":", "none"),
});

const segment = fc.oneof(
  fc.constantFrom("a", "cart", "17", "0", "deadbeefdeadbeef", "DEADBEEFDEADBEE", "cafe-1", "b1"),
  fc.constantFrom("3f2504e0-4f89-41d3-9a0c-0305e82c3301", "3f2504e0-4f89-41d3-9a0c0-305e82c3301"),
  fc.constantFrom("1234567890123456", "123456789012345678901", "", "x".repeat(40), "img.png", "-"),
  fc.constantFrom(
    ...["$", "${x}", "é", "a b", "\\", '"', "%20", "%2f", "%41", "%3x", "%E2%9C%93", ";v=1"],
  ),
  fc.constantFrom("17;jsessionid=A", "17#part", "|", "\t", "~", "@:;", "a\r", "?"),
);
const path = mix(
  [20, fc.array(segment, { maxLength: 5 }).map((all) => `/${all.join("/")}`)],
  [1, fc.constantFrom("", "*", "-", "a", `/${"1/".repeat(900)}`, `/${"y".repeat(2_100)}`)],
);
const query = fc.constantFrom(
  ...["", "", "", "-", "a=1", "a=é&b=$", 'a="', "a=\\x", "a b", "|", "?", "-\r"],
);
const target = mix(
  [8, path],
  [4, fc.tuple(path, query).map(([path, query]) => `${path}?${query}`)],
  [2, path.map((path) => `https://shop.example:443${path}`)],
  [1, fc.constantFrom("http:///a", "http://h", "httpx://h/a", "https://é/a", "/a-")],
);
const method = mix(
  [12, words("GET GET GET POST HEAD M-SEARCH X_1")],
  [1, fc.constantFrom("CONNECT", "CONNX", "PRI", "get", "", "-", "G".repeat(32), "G".repeat(33))],
);
const version = mix(
  [12, fc.constantFrom(" HTTP/1.1", " HTTP/1.1", " HTTP/2.0", " HTTP/3")],
  [1, fc.constantFrom("", " HTTP/11", " HTTP/", " http/1.1", " HTTP/1.x")],
);
const request = mix(
  [16, fc.tuple(method, target, version).map(([m, t, v]) => `${m} ${t}${v}`)],
  [1, fc.constantFrom("-", "", "\\x16\\x03", "GET  HTTP/1.1")],
);
const status = mix(
  [12, words("200 404 000 999")],
  [1, fc.constantFrom("-", "", "20", "2000", "2x0", "20:")],
);
const logger = mix(
  [9, words("http.log.access http.log.access.log0")],
  [1, fc.constantFrom("http.log.error", "http.log.acces", "http.log", "x", "")],
);
const any = fc.constantFrom(
  ...["-", "", "x", "10.0.0.1", "Mozilla/5.0 (X11)", 'a\\"b', "\\", '"', " ", "[", "é"],
);

function formatTimestamp(notation: TimeNotation, { second, decimals, zone, style }: {
  second: number;
  decimals: string;
  zone: number;
  style: string;
}): string {
  const iso = new Date((second + zone * 60) * 1_000).toISOString();
  const [year, month, day] = iso.slice(0, 10).split("-");
  const clock = iso.slice(11, 19);
  const two = (number: number) => String(number).padStart(2, "0");
  const offset = `${zone < 0 ? "-" : "+"}${two(Math.floor(Math.abs(zone) / 60))}`;
  const minutes = two(Math.abs(zone) % 60);
  switch (notation) {
    case "clf": {
      const local = `${day}/${MONTHS[Number(month) - 1]}/${year}:${clock}`;
      if (style === "none") return local + decimals;
      return `${local}${style === " " ? decimals : ""} ${offset}${
        style === ":" ? ":" : ""
      }${minutes}`;
    }
    case "iso": {
      const local = style === "" ? iso.slice(0, 19) : iso.slice(0, 19).replace("T", " ");
      const written = zone === 0 ? "Z" : `${offset}:${minutes}`;
      if (style === "none") return local + decimals;
      return local + decimals + (style === " " ? ` ${offset}${minutes}` : written);
    }
    case "layout":
      return `${day}.${month}.${year} ${clock}`;
    case "epoch":
      return `${second}${EPOCH_UNITS[second % EPOCH_UNITS.length]}${decimals}`;
    case "clock":
      return clock;
  }
}

function textLine(
  { before, pieces, isClf }: LineShape,
  fields: Partial<Record<LogField, fc.Arbitrary<string>>>,
): fc.Arbitrary<string> {
  const parts = pieces.map(({ field, delimiter }) =>
    fc.tuple(fields[field!] ?? any, fc.constant(delimiter)).map((both) => both.join(""))
  );
  const clf = fc.tuple(any, fields.time!, request, status, any)
    .map(([user, time, request, status, rest]) =>
      `${user} [${time}] "${request}" ${status} ${rest === "x" ? "" : "5"}${rest}`
    );
  return fc.tuple(...parts, isClf ? clf : fc.constant("")).map((all) => before + all.join(""));
}

/**
 * Generates small JSON values as text. Some are invalid, nested, or contain names of log fields.
 */
const anyJson = mix(
  [4, any.map((text) => JSON.stringify(text))],
  [2, fc.constantFrom("null", "true", "17", "-1.5e3", '""', "[]", "{}", "nul")],
  [1, words('{"User-Agent":["M","N"],"status":404} ["a\\"b",{"uri":"/x"}] "open { "\\')],
  [1, fc.constantFrom('{"request":{"method":"PUT"}}', '{ "time" : "x" , "a":[[1],[2]]}')],
);

/**
 * Generates JSON objects with some of the given members, possibly repeated, and with other members.
 */
function objectOf(
  members: JsonFields,
  fields: Partial<Record<LogField, fc.Arbitrary<string>>>,
): fc.Arbitrary<string> {
  const known = Object.entries(members).map(([name, field]) => {
    const text = typeof field === "string" ? fields[field] ?? any : undefined;
    const quoted = text?.map((text) => JSON.stringify(text));
    const value = typeof field !== "string" ? objectOf(field, fields) : mix(
      [20, text!.map((text) => /^[\d.]+$/.test(text) ? text : JSON.stringify(text))],
      [2, quoted!],
      [1, text!.map((text) => JSON.stringify([text, "b"]))],
      [1, anyJson],
    );
    return value.map((value) => [name, value]);
  });
  const other = fc.tuple(fc.constantFrom("a", "level", "host2", "s\\u0074atus"), anyJson);
  // Most lines have one member per field, like those that servers write.
  return fc.tuple(fc.tuple(...known), fc.array(other, { maxLength: 2 }), fc.nat({ max: 40 }))
    .map(([known, others, at]) => {
      const seen = new Set<unknown>();
      const once = known.filter(([name]) => {
        const field = JSON.stringify(members[name]);
        return at < 4 || !seen.has(field) && seen.add(field);
      });
      const all: readonly string[][] = [...once.slice(at % 3), ...others, ...once.slice(0, at % 3)];
      const [colon, comma] = at % 5 === 0 ? [": ", ", "] : [":", ","];
      return `{${all.map(([name, value]) => `"${name}"${colon}${value}`).join(comma)}}`;
    });
}

/**
 * Generates lines for a format with a `LineShape`: mostly regular lines, some that no server would
 * write, and some arbitrary text.
 */
export function shapedLine(format: LogFormat): fc.Arbitrary<string> {
  const shape = createSplitter(format).shape!;
  const time = timestamp.map((value) => formatTimestamp(format.time, value));
  const fields: Partial<Record<LogField, fc.Arbitrary<string>>> = {
    time,
    date: timestamp.map((value) => formatTimestamp("iso", value).slice(0, 10)),
    request,
    method,
    target,
    path,
    query,
    status,
    logger,
  };
  const whole = shape.members === undefined
    ? textLine(shape, fields)
    : objectOf(shape.members, fields);
  const end = fc.constantFrom("\n", "\n", "\n", "\r\n");
  const line = mix(
    [30, whole],
    [1, fc.constantFrom("", " ", "# x", "#Fields: a b", "\0")],
    [1, fc.tuple(whole, fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1)))],
  );
  return fc.tuple(line, end).map((both) => both.join(""));
}

/** Generates logs of at most `maxLines` lines in the given format, as bytes. */
export function shapedLog(format: LogFormat, maxLines: number): fc.Arbitrary<Uint8Array> {
  return fc.array(shapedLine(format), { maxLength: maxLines, size: "max" })
    .map((lines) => new TextEncoder().encode(lines.join("")));
}
