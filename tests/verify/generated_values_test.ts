import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { generatedValues, ValueFinder } from "../../src/verify/generated_values.ts";

const FOUND: [text: string, values: string[]][] = [
  ["/orders/48213?page=2", ["48213"]],
  ["T48213x", ["48213"]],
  ["a81bc81b-dead-4e5d-abff-90865d1e13b1", ["a81bc81b-dead-4e5d-abff-90865d1e13b1"]],
  ["at 2026-11-22T10:05:33.123Z!", ["2026-11-22T10:05:33.123Z"]],
  ["at=2026-11-22T10%3A05%3A33%2B01%3A00", ["2026-11-22T10:05:33+01:00"]],
  ["Sun, 22 Nov 2026 10:05:33 GMT", ["Sun, 22 Nov 2026 10:05:33 GMT"]],
  ["1763804123456", ["1763804123456"]],
  ['{"t":"4cb0d9a1f3e27788+\\\\"}', ["4cb0d9a1f3e27788"]],
  ["q=4cb0d9a1%2Bf3e27788%3D", ["4cb0d9a1", "f3e27788"]],
  ["\\u003d4cb0d9a1\\nf3e27788", ["4cb0d9a1", "f3e27788"]],
  ["YWHesXjBBuerbirwepk4", ["YWHesXjBBuerbirwepk4"]],
  ["qUAYMRiQ3-_cC2p1TKMDj", ["qUAYMRiQ3", "cC2p1TKMDj"]],
  ["load.php?version=1e5xb", ["1e5xb"]],
  ["version=WzQxLDld", ["WzQxLDld"]],
];

const NONE = [
  "ada",
  "page 2 of 30",
  "application/json",
  "getCustomerOrderHistory",
  "innerHTML",
  "listURLs",
  "YouTubeAPI",
  "GetFacetValueList",
  "XMLHttpRequest",
  "org.apache.wicket.examples.AjaxDataTablePage",
  "my-first-article",
  "v1.2.3",
  "chapter12",
  "2026-11-22",
  "22.11.2026",
  "0.123456",
  "0000",
  "http://127.0.0.1:42989/index.php",
  "https%3A%2F%2Fapp.example%3A8443%2Fcb",
  "",
];

Deno.test("generatedValues finds the values that a server could have generated, in any encoding", () => {
  for (const [text, values] of FOUND) {
    assertEquals(generatedValues(text).map(({ value }) => value), values, text);
  }
});

Deno.test("generatedValues ignores words, versions, dates, hosts and short numbers", () => {
  for (const text of NONE) assertEquals(generatedValues(text), [], text);
});

Deno.test("generatedValues finds the same values in text with and without JSON escapes", () => {
  fc.assert(fc.property(fc.string({ unit: "binary-ascii", maxLength: 60 }), (text) => {
    const plain = text.replace(/[%&\\]/g, " ");
    const values = generatedValues(plain).map(({ value }) => value);
    const escaped = JSON.stringify(plain).slice(1, -1);
    assertEquals(generatedValues(escaped).map(({ value }) => value), values);
  }));
});

function finderOf(...values: string[]): ValueFinder {
  const finder = new ValueFinder();
  for (const value of values) finder.add(value);
  return finder;
}

Deno.test("ValueFinder.find returns known values with their offsets, even within other text", () => {
  const finder = finderOf("48213", "9f86d081884c7d65", "Untitled Folder");
  const text = "T48213x 9f86d081884c7d65 /ada1/Untitled%20Folder/x 482130";
  assertEquals(finder.find(text), [
    { value: "48213", start: 1, end: 6 },
    { value: "9f86d081884c7d65", start: 8, end: 24 },
    { value: "Untitled Folder", start: 31, end: 48 },
  ]);
});

Deno.test("ValueFinder.find ignores numbers in dates, fractions, hosts and timestamps", () => {
  const finder = finderOf("2026", "1234", "8443");
  for (
    const text of [
      "2026-11-22",
      "0.1234",
      "https://app.example:8443/x",
      "2026-11-22T10:05:33Z",
      "01/02/2026",
    ]
  ) assertEquals(finder.find(text), [], text);
});

Deno.test("ValueFinder.find returns every generated value that a string contains if all of them are known", () => {
  const value = fc.oneof(
    fc.uuid(),
    fc.stringMatching(/^[0-9a-f]{16,40}$/),
    fc.bigInt({ min: 1_000n, max: 10n ** 18n }).map(String),
    fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((d) =>
      d.toISOString()
    ),
  );
  const around = fc.constantFrom(" ", '"', "/", "=", "<b>", "&amp;", "%2F", "\\n");
  fc.assert(fc.property(fc.array(fc.tuple(around, value), { minLength: 1 }), (pieces) => {
    const text = pieces.flat().join("") + " ";
    const values = generatedValues(text).map(({ value }) => value);
    assertEquals(finderOf(...values).find(text).map(({ value }) => value), values);
  }));
});
