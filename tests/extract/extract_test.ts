import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { compile } from "json-p3";
import { ExactNumber } from "../../src/base/exact_number.ts";
import { random } from "../../src/base/random.ts";
import { compileExtractor, type NamelessExtractor } from "../../src/extract/extractors.ts";
import { SEARCHED } from "../../src/extract/response_view.ts";
import { findJsonPath, singularPath } from "../../src/extract/jsonpath.ts";
import { MarkupError, MAX_NODES, MAX_OPEN_ELEMENTS } from "../../src/extract/parse_html.ts";
import { ReceivedResponse } from "../../src/engine/vu/vu.ts";
import { CookieJar } from "../../src/http/cookies.ts";
import { resolveUrl } from "../../src/http/url.ts";

function received(
  body: string,
  headers: [string, string][] = [],
  jar = new CookieJar(),
): ReceivedResponse {
  const received = new ReceivedResponse(jar);
  received.response.body = new TextEncoder().encode(body);
  received.response.headers = headers;
  return received;
}

function take(extractor: NamelessExtractor, from: ReceivedResponse): unknown {
  const { take } = compileExtractor(extractor);
  return take(from, random(1));
}

const PAGE = `<!doctype html><html><body>
  <form id="f"><input name="csrf" value="a&amp;b"><input type="hidden" name="n" value="2"></form>
  <a href="/1">One <b>bold</b></a><a href="/2">Two</a><script>var t = "x";</script></body></html>`;

const CASES: readonly [NamelessExtractor, string, unknown][] = [
  [{ type: "jsonpath", expression: "$.a.b[1]" }, '{"a":{"b":[1,{"c":null}]}}', { c: null }],
  [{ type: "jsonpath", expression: "$.a" }, '{"a":null}', null],
  [{ type: "jsonpath", expression: "$.a" }, '{"a":false}', false],
  [{ type: "jsonpath", expression: "$.b" }, '{"a":1}', undefined],
  [{ type: "jsonpath", expression: "$..id", index: "all" }, '[{"id":1},{"x":{"id":"2"}}]', [
    1,
    "2",
  ]],
  [
    { type: "jsonpath", expression: "$[?@.ok].id", index: "last" },
    '[{"id":1,"ok":1},{"id":3,"ok":1}]',
    3,
  ],
  [{ type: "jsonpath", expression: "$.a" }, "no json", undefined],
  [
    { type: "jsonpath", expression: "$.state[?@.id=='add']", take: "key" },
    '{"state":{"k3x":{"id":"end"},"m7w":{"id":"add"}}}',
    "m7w",
  ],
  [{ type: "jsonpath", expression: "$.*[0]", take: "key" }, '{"a":[1]}', undefined],
  [{ type: "jsonpath", expression: "$.*", take: "key", index: "all" }, '{"a":1,"b":2}', ["a", "b"]],
  [{ type: "jsonpath", expression: "$.a", take: "key" }, "no json", undefined],
  [{ type: "regex", expression: 'id="(\\d+)"' }, '<a id="17">', "17"],
  [{ type: "regex", expression: "id=\\d+", group: 0 }, "id=1 id=2", "id=1"],
  [{ type: "regex", expression: "id=(\\d+)", index: "last" }, "id=1 id=2", "2"],
  [{ type: "regex", expression: "id=(\\d+)", index: 1 }, "id=1 id=2 id=3", "2"],
  [{ type: "regex", expression: "id=(\\d+)", index: 9 }, "id=1", undefined],
  [{ type: "regex", expression: "(a)|b", index: "all" }, "ab", ["a"]],
  [{ type: "css", expression: "input[name=csrf]", attribute: "value" }, PAGE, "a&b"],
  [{ type: "css", expression: "a", index: "all" }, PAGE, ["One bold", "Two"]],
  [{ type: "css", expression: "a", attribute: "title" }, PAGE, undefined],
  [{ type: "xpath", expression: "//input[@name='csrf']/@value" }, PAGE, "a&b"],
  [{ type: "xpath", expression: "//a", index: "all" }, PAGE, ["One bold", "Two"]],
  [{ type: "xpath", expression: "//a[contains(text(), 'Two')]/@href" }, PAGE, "/2"],
  [{ type: "xpath", expression: "//a[2]/preceding-sibling::a/b" }, PAGE, "bold"],
  [{ type: "xpath", expression: "string(//a[last()]/@href)" }, PAGE, "/2"],
  [{ type: "xpath", expression: "count(//input)" }, PAGE, "2"],
  [
    { type: "xpath", expression: "/r/i[@k='2']" },
    '<?xml version="1.0"?><r><i k="1">a</i><i k="2"><![CDATA[<b>]]></i></r>',
    "<b>",
  ],
  [{ type: "xpath", expression: "//nothing" }, PAGE, undefined],
  [{ type: "boundary", left: "<b>", right: "</b>", index: "all" }, "<b>1</b><b></b><b>x", [
    "1",
    "",
  ]],
  [{ type: "boundary", left: "k=", right: "" }, "k=rest of it", "rest of it"],
  // An empty delimiter must not make the search endless.
  [{ type: "boundary", left: "", right: "", index: "all" }, "ab", ["ab", ""]],
  [{ type: "boundary", left: "", right: "b", index: "all" }, "ab", ["a"]],
  [{ type: "regex", expression: "(.+)", default: 5 }, "", 5],
  [{ type: "regex", expression: "(.+)", transform: ["trim", "uppercase"] }, " ab ", "AB"],
  [
    { type: "boundary", left: 'k="', right: '"', transform: ["json_decode"] },
    String.raw`k="a+\\ \/\u003D\u{1F600}\x3d\n\' \ud83d\ude00\"`,
    "a+\\ /=😀=\n' 😀\\",
  ],
  [
    { type: "regex", expression: "(.+)", transform: ["html_decode"] },
    "&lt;a href=&#39;x&#39;&gt; & <b>",
    "<a href='x'> & <b>",
  ],
  [{ type: "regex", expression: "(.+)", transform: ["url_encode"] }, "a b/ü", "a%20b%2F%C3%BC"],
  [{ type: "regex", expression: "(.+)", transform: ["url_decode", "lowercase"] }, "A%20B", "a b"],
  [{ type: "regex", expression: "(.+)", transform: ["base64_encode"] }, "ü?>", "w7w/Pg=="],
  [{ type: "regex", expression: "(.+)", transform: ["base64_decode"] }, "w7w_Pg", "ü?>"],
  [{ type: "regex", expression: "(.+)", transform: ["number"] }, " 42 ", 42],
  [
    { type: "regex", expression: "(.+)", transform: ["number"] },
    "12345678901234567890",
    new ExactNumber("12345678901234567890"),
  ],
  [
    { type: "regex", expression: "(.+)", transform: ["number", "url_encode"] },
    "1.50",
    "1.50",
  ],
  [
    { type: "regex", expression: "(.+)", transform: ["path"] },
    "https://user@h.example:81/a//b?c=/d#e",
    "/a//b?c=/d",
  ],
  [{ type: "regex", expression: "(.+)", transform: ["path"] }, "http://h.example?x=1", "/?x=1"],
  [{ type: "regex", expression: "(.+)", transform: ["path"] }, "//h.example", "/"],
  [
    { type: "regex", expression: "(.+)", transform: ["path"] },
    "/a?u=http://h/#e",
    "/a?u=http://h/",
  ],
  [{ type: "regex", expression: "(.+)", transform: ["path"] }, "./a?b", "./a?b"],
  [{ type: "jsonpath", expression: "$[*]", index: "all", transform: ["trim"] }, '[" a ",2]', [
    "a",
    "2",
  ]],
];

for (const [extractor, body, value] of CASES) {
  const what = "expression" in extractor ? extractor.expression : JSON.stringify(extractor);
  Deno.test(`the extractor ${extractor.type} ${what} ${extractor.index ?? ""} returns the expected value from ${body.slice(0, 30)}`, () => {
    assertEquals(take(extractor, received(body)), value);
  });
}

Deno.test("`header` ignores the case of header names and finds every occurrence", () => {
  const response = received("", [["x-id", "1"], ["link", "a"], ["x-id", "2"]]);
  assertEquals(take({ type: "header", header: "X-Id" }, response), "1");
  assertEquals(take({ type: "header", header: "X-Id", index: "all" }, response), ["1", "2"]);
  assertEquals(take({ type: "header", header: "none" }, response), undefined);
});

Deno.test("`cookie` prefers a value set by the response over the stored value", () => {
  const jar = new CookieJar();
  const setCookies: [string, string][] = [["set-cookie", "id=a=b; Path=/"], ["set-cookie", "x=2"]];
  const response = received("", setCookies, jar);
  assertEquals(take({ type: "cookie", cookie: "id" }, response), "a=b");
  const { origin, target } = resolveUrl("http://t/", undefined);
  jar.store(origin, target, "kept=3");
  response.expect({
    method: "GET",
    origin,
    target,
    headers: [],
    body: undefined,
    timeoutMs: 1_000,
    needs: { headers: true, body: false },
  });
  assertEquals(take({ type: "cookie", cookie: "kept" }, response), "3");
  assertEquals(take({ type: "cookie", cookie: "none" }, response), undefined);
});

Deno.test("`index: random` returns one of the matches", () => {
  const found = take(
    { type: "regex", expression: "(\\d)", index: "random" },
    received("1 2 3"),
  );
  assertEquals(["1", "2", "3"].includes(found as string), true);
});

Deno.test("`regex` searches at most the first 1 MiB", () => {
  const far = received(" ".repeat(SEARCHED) + "needle");
  assertEquals(take({ type: "regex", expression: "(needle)" }, far), undefined);
});

Deno.test("`css` and `xpath` reject pages that are too deeply nested or too large", () => {
  const selects = [
    { type: "css", expression: "span" },
    { type: "xpath", expression: "//span" },
  ] as const;
  const open = "<div>".repeat(1_000_000);
  const deep = "<div>".repeat(MAX_OPEN_ELEMENTS) + "<span>x</span>" +
    "</div>".repeat(MAX_OPEN_ELEMENTS);
  for (const extractor of selects) {
    for (const markup of [open, "<div>".repeat(400_000) + "</b>".repeat(400_000), deep]) {
      const error = assertThrows(() => take(extractor, received(markup)), MarkupError);
      assertEquals(error.message, `the markup is nested deeper than ${MAX_OPEN_ELEMENTS} elements`);
    }
    assertEquals(take(extractor, received(deep.slice("<div>".length))), "x");
    assertThrows(
      () => take(extractor, received("<p>".repeat(MAX_NODES + 1))),
      MarkupError,
      "more than 1000000 elements",
    );
  }
});

Deno.test("`css` and `xpath` reject expressions that take too long", () => {
  const flat = received("<i>1</i>".repeat(200_000));
  const nested = received("<i>".repeat(900) + "<b></b>".repeat(300_000) + "x");
  const short = received("<i>1</i>".repeat(45_000));
  const shortNested = received("<i>".repeat(900) + "<b></b>".repeat(90_000) + "x");
  const slow: [NamelessExtractor, ReceivedResponse][] = [
    [{ type: "css", expression: "i:nth-child(2n+1)" }, flat],
    [{ type: "css", expression: "b ~ i" }, flat],
    [{ type: "css", expression: "i", index: "all" }, nested],
    [{ type: "css", expression: 'i:contains("x")', index: "all" }, nested],
    [{ type: "xpath", expression: "//i[count(preceding-sibling::i) = 0]", index: "all" }, short],
    [{ type: "xpath", expression: "//i[contains(., 'x')]", index: "all" }, shortNested],
  ];
  assertThrows(
    () => take({ type: "xpath", expression: "//i" }, flat),
    MarkupError,
    "too many for XPath",
  );
  const { now } = performance;
  let time = 0;
  // Each time the code reads the clock, 20 ms have passed.
  performance.now = () => time += 20;
  try {
    for (const [extractor, page] of slow) {
      assertThrows(() => take(extractor, page), MarkupError, "more than 1000 ms");
    }
  } finally {
    performance.now = now;
  }
});

Deno.test("`base64_decode` rejects invalid Base64", () => {
  const { take } = compileExtractor({
    type: "regex",
    expression: "(.+)",
    transform: ["base64_decode"],
  });
  assertThrows(() => take(received("***"), random(1)));
});

Deno.test("`number` rejects text that is not a JSON number", () => {
  for (const text of ["abc", "0x1f", "1,5", "007", "NaN"]) {
    assertThrows(
      () => take({ type: "regex", expression: "(.+)", transform: ["number"] }, received(text)),
      SyntaxError,
      "not a number",
    );
  }
});

const keys = fc.constantFrom("a", "b_1", "constructor", "length", "__proto__", "0");
const tree = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, 0, "x", true),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(keys, tie("value"), { maxKeys: 4 }),
  ),
})).value;
const paths = fc.array(
  fc.oneof(
    keys.map((key) => /^\d/.test(key) ? `['${key}']` : `.${key}`),
    keys.map((key) => `["${key}"]`),
    fc.nat(3).map((index) => `[${index}]`),
  ),
  { maxLength: 4 },
).map((steps) => "$" + steps.join(""));

Deno.test("`findJsonPath` finds the same values as a JSONPath library for singular paths", () => {
  fc.assert(
    fc.property(tree, paths, (value, path) => {
      const text = JSON.stringify(value);
      const found = [...findJsonPath(path)(received(text))];
      assertEquals(found, compile(path).query(JSON.parse(text)).values());
      assertEquals(singularPath(path) !== undefined, true);
    }),
  );
});

Deno.test("`singularPath` returns undefined for paths that are not singular", () => {
  for (
    const path of [
      ...["$..a", "$.*", "$[-1]", "$[01]", "$['a\\'b']", "$[0:1]", "$[?@.a]", "$ .a", "a.b"],
    ]
  ) {
    assertEquals(singularPath(path), undefined);
  }
});
