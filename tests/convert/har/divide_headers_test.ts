import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { divideHeaders } from "../../../src/convert/har/plan_request.ts";
import type { NameValue } from "../../../src/traffic/har/recording.ts";

type Headers = Record<string, string>;

/** Returns the headers that at least 90% of the requests send with the same fixed value. */
function countedDefaults(requests: readonly Headers[]): Headers {
  if (requests.length < 2) return {};
  const pairs = requests.flatMap((headers) => Object.entries(headers));
  return Object.fromEntries(pairs.filter(([name, value]) => {
    const count = requests.filter((headers) => headers[name] === value).length;
    return count >= 0.9 * requests.length && !value.includes("${") &&
      name.toLowerCase() !== "content-type";
  }));
}

function headerList(headers: Headers): NameValue[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}

/** Headers that most requests send with the same value, and that some requests change or omit. */
const requests = fc.array(
  fc.record({
    accept: fc.option(fc.constantFrom("json", ...Array(20).fill("json"), "html"), { nil: null }),
    authorization: fc.constantFrom("a", "b", ...Array(20).fill("${token}")),
    "Content-Type": fc.constant("text/plain"),
    "x-id": fc.constantFrom("1", "2", "2"),
  }),
  { maxLength: 40 },
).map((list) =>
  list.map((headers): Headers =>
    Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== null)) as Headers
  )
);

Deno.test("divideHeaders selects the same default headers as counting all values", () => {
  fc.assert(fc.property(requests, (list) => {
    assertEquals(
      divideHeaders(list.map(headerList)).defaults,
      countedDefaults(list),
    );
  }));
});

Deno.test("divideHeaders returns defaults that result in the original headers", () => {
  fc.assert(fc.property(requests, (list) => {
    const { defaults, own } = divideHeaders(list.map(headerList));
    list.forEach((headers, i) => {
      const all = Object.entries({ ...defaults, ...own[i] }).filter(([, value]) => value !== null);
      assertEquals(Object.fromEntries(all), headers);
    });
  }));
});
