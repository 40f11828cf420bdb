import { assertEquals } from "@std/assert";
import fc, { COSTLY } from "fast-check";
import { variantsOf } from "../../../../src/traffic/accesslog/formats/formats.ts";
import { referenceW3c } from "../../../oracles/w3c_reference.ts";
import { readRequests } from "../../../support/read_requests.ts";
import { assertCounterMatchesReader } from "../../../support/both_readers.ts";

/** A log in the W3C extended format, and the character between two values. */
interface W3cLog {
  readonly text: string;
  readonly separator: " " | "\t";
}

const SEGMENT = fc.constantFrom(
  ...["a", "cart", "17", "deadbeefdeadbeef", "a b", "a\tb", "é", "$", "\\", 'a"b', "", "#x", ";v"],
  ...["%2520", "%20", "%255B", "%5B", "%5b", "%7E", "%25", "%2", "%41", "%22"],
);
const ODD_PATH = fc.array(SEGMENT, { minLength: 1, maxLength: 3 })
  .map((all) => `/${all.join("/")}`);
const PATH = mostly(fc.constantFrom("/a", "/cart/17", "/"), ODD_PATH);

/** Values of each column. Other columns can have any values. */
const VALUES: Readonly<Record<string, fc.Arbitrary<string>>> = {
  date: mostly(fc.constant("2026-11-21"), fc.constantFrom("2026-11-22", "2026-11-20")),
  time: mostly(fc.constantFrom("10:00:00", "10:00:01"), fc.constantFrom("23:59:59", "10:00:00.25")),
  "cs-method": mostly(fc.constant("GET"), fc.constantFrom("POST", "M-SEARCH")),
  "cs-uri-stem": PATH,
  "cs-uri-query": mostly(
    fc.constantFrom("-", "a=1"),
    fc.constantFrom("a=%2520b", "a=%7Cb", 'a="', "a b", "a\tb", "x=é", "?a", ""),
  ),
  "cs-uri": mostly(PATH, PATH.map((path) => `https://shop.example${path}`)),
  "sc-status": mostly(fc.constantFrom("200", "404"), fc.constantFrom("-", "000")),
  "time-taken": fc.constantFrom("0", "12", "0.012", "1.5", "-"),
};
const ANY = mostly(
  fc.constantFrom("-", "x", "203.0.113.7", "a b"),
  fc.constantFrom('a"', '"', '"a', 'a""b', "a\tb", ""),
);
const OTHERS = ["c-ip", "cs(User-Agent)", "x-edge-location", "X-Custom", "s-port", "cs(Host)"];

/** Generates lists of columns: those of a request, and others, in any order. */
const COLUMNS = fc.tuple(
  fc.constantFrom(["cs-uri"], ["cs-uri-stem"], ["cs-uri-stem", "cs-uri-query"]),
  fc.subarray(["sc-status", "time-taken", ...OTHERS]),
).chain(([target, others]) => {
  const all = ["date", "time", "cs-method", ...target, ...others];
  return fc.shuffledSubarray(all, { minLength: all.length });
});

function lineOf(columns: readonly string[], separator: string): fc.Arbitrary<string> {
  const values = columns.map((name) =>
    fc.tuple(VALUES[name] ?? ANY, fc.nat({ max: 40 })).map(([value, how]) => {
      // A value that contains the separator, or starts with a quote, must be in quotes.
      const mustQuote = value.includes(separator) || value.startsWith('"');
      return mustQuote || how === 0 ? `"${value.replaceAll('"', '""')}"` : value;
    })
  );
  const extra = fc.constantFrom("", "", `${separator}more`, `${separator}"a b"`);
  const end = fc.constantFrom("\n", "\n", "\n", "\r\n");
  return fc.tuple(fc.tuple(...values), extra, end)
    .map(([values, extra, end]) => values.join(separator) + extra + end);
}

/** Generates logs with one or two layouts, with and without a `#Software:` line. */
const w3cLog: fc.Arbitrary<W3cLog> = fc.tuple(
  fc.constantFrom(" " as const, "\t" as const),
  fc.constantFrom("", "", "#Software: X\n"),
  fc.array(COLUMNS, { minLength: 1, maxLength: 2 }),
).chain(([separator, software, layouts]) => {
  const parts = layouts.map((columns) =>
    fc.array(lineOf(columns, separator), { minLength: 1, maxLength: 20 })
      .map((lines) => `#Fields: ${columns.join(separator)}\n${lines.join("")}`)
  );
  return fc.tuple(...parts).map((all) => ({
    text: `#Version: 1.0\n${software}${all.join("")}`,
    separator,
  }));
});

/** Generates values of `usual` nine times in ten, and otherwise values of `odd`. */
function mostly<T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: odd });
}

/** Asserts that both readers of a log return the same requests as the reference implementation. */
async function assertMatchesW3cReference({ text, separator }: W3cLog): Promise<void> {
  const log = new TextEncoder().encode(text);
  const [format] = variantsOf(separator === " " ? "iis" : "cloudfront");
  const found = readRequests(log, format);
  assertEquals(
    found.map(({ ms, request, status, took }) => ({
      ms,
      request,
      status,
      ...(took !== undefined && { took }),
    })),
    referenceW3c(text, separator),
  );
  await assertCounterMatchesReader(log, format);
}

Deno.test("W3C logs with any columns, separators and quotes are read like by a naive reader", () =>
  fc.assert(fc.asyncProperty(w3cLog, assertMatchesW3cReference), COSTLY));
