import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { compile } from "json-p3";
import { ExactNumber } from "../../src/base/exact_number.ts";
import { random } from "../../src/base/random.ts";
import { ReceivedResponse } from "../../src/engine/vu/vu.ts";
import { compileExtractor, type NamelessExtractor } from "../../src/extract/extractors.ts";
import { findDefaultOptions } from "../../src/extract/forms.ts";
import { findJsonPath, singularPath } from "../../src/extract/jsonpath.ts";
import { MarkupError, MAX_NODES, MAX_OPEN_ELEMENTS } from "../../src/extract/parse_html.ts";
import { SEARCHED } from "../../src/extract/response_view.ts";
import { rowsShowing } from "../../src/extract/rows.ts";
import { CookieJar } from "../../src/http/cookies.ts";
import { resolveUrl } from "../../src/http/url.ts";
import { RecordedView } from "../../src/traffic/session/recorded_view.ts";

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
  const open = "<div>".repeat(100_000);
  const deep = "<div>".repeat(MAX_OPEN_ELEMENTS) + "<span>x</span>" +
    "</div>".repeat(MAX_OPEN_ELEMENTS);
  for (const extractor of selects) {
    for (const markup of [open, "<div>".repeat(40_000) + "</b>".repeat(40_000), deep]) {
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

/** Runs an extractor on the body `text`. `row` is the evaluated option `row` of the extractor. */
function takeInRow(extractor: NamelessExtractor, text: string, row?: string): unknown {
  return compileExtractor(extractor).take(new RecordedView({ headers: [], text }), random(1), row);
}

const link = (row: string): NamelessExtractor => (
  { type: "boundary", left: "/edit/", right: '"', row }
);
const row = (id: number, title: string) =>
  `<tr><td><a href="/edit/${id}">Edit</a></td><td> ${title} </td></tr>`;
const table = (...rows: string[]) => `<table>${rows.join("\n")}</table>`;

Deno.test("findInRow finds the value in the row that contains a string, regardless of the position of the row", () => {
  const page = table(row(1, "Assam"), row(2, "Earl Grey"), row(3, "Assam 2"));
  assertEquals(takeInRow(link("Earl Grey"), page), "2");
  assertEquals(takeInRow(link("Assam"), page), "1");
  assertEquals(takeInRow(link("Oolong"), page), undefined);
  assertEquals(
    takeInRow({ ...link("x"), row: "Assam ${n}" } as NamelessExtractor, page, "Assam 2"),
    "3",
  );
});

Deno.test("findInRow finds rows once per body, and again if a response object receives another body", () => {
  const response = new RecordedView({ headers: [], text: "<tr><td>tea<td>id-1</tr>" });
  const { rows } = rowsShowing(response, "tea");
  assertEquals(rowsShowing(response, "cup").rows === rows, true);
  const live = received(table(row(1, "Assam")));
  const find = () => compileExtractor(link("Assam")).take(live, random(1), "Assam");
  assertEquals(find(), "1");
  live.replaceText(table(row(2, "Assam")));
  assertEquals(find(), "2");
});

Deno.test("findInRow searches the markup in the strings of a JSON body", () => {
  const rows = ["Assam", "Earl\n Grey"].map((title, i) => row(i + 1, title));
  const body = JSON.stringify({ html: table(...rows), step: "choose" });
  assertEquals(takeInRow(link("Earl Grey"), body), "2");
  assertEquals(takeInRow(link("Oolong"), body), undefined);
});

Deno.test("findInRow decodes character references, normalizes whitespace, and then compares whole strings", () => {
  const page = table(row(1, "Tea &amp; cake"), row(2, "Tea"), row(3, "Tea\n  time"));
  assertEquals(takeInRow(link("Tea & cake"), page), "1");
  assertEquals(takeInRow(link("Tea"), page), "2");
  assertEquals(takeInRow(link("Tea time"), page), "3");
});

Deno.test("findInRow finds the link with a text in a row that shows several objects", () => {
  const links = ["Kettles", "Spoons"].map((name, i) => `<a href="/edit/${i + 1}">${name}</a>`);
  const page = table(`<tr><td>${links.join("</td><td>")}</td></tr>`);
  assertEquals(takeInRow(link("Kettles"), page), "1");
  assertEquals(takeInRow(link("Spoons"), page), "2");
  assertEquals(takeInRow(link("Spoons"), `<nav><a href="/edit/9">Spoons</a></nav>${page}`), "2");
  assertEquals(takeInRow(link("Spoons"), links.join(", ")), "2");
  const remove = `<a href="/tea">Assam</a> <a href="/edit/7">Edit</a>`;
  assertEquals(
    takeInRow(link("Assam"), table(`<tr><td>${remove}</td></tr>`, row(8, "Oolong"))),
    "7",
  );
});

Deno.test("findInRow throws if several rows contain the searched string but have different values", () => {
  const page = table(row(1, "Assam"), row(2, "Assam"));
  assertThrows(() => takeInRow(link("Assam"), page), Error, '"Assam" appears in 2 rows');
  assertEquals(takeInRow({ ...link("Assam"), index: "last" } as NamelessExtractor, page), "2");
  assertEquals(takeInRow(link("Assam"), table(row(1, "Assam"), row(1, "Assam"))), "1");
});

Deno.test("findInRow searches the innermost row, and supports rows without end tags", () => {
  const nested = `<ul><li>Teas<ul><li>Assam <b></b><a href="/edit/5">e</a><li>` +
    `<i>Oolong</i><a href="/edit/6">e</a></ul></ul>`;
  assertEquals(takeInRow(link("Oolong"), nested), "6");
  const around = `<table><tr><td>Oolong</td><td>${table(row(1, "x"))}</td></tr></table>`;
  assertEquals(takeInRow(link("Oolong"), around), "1");
  const options =
    `<select name=kind><option value="7">Green tea<option value="8">Black tea</select>`;
  const value = {
    type: "css",
    expression: "option",
    attribute: "value",
    row: "Black tea",
  } as const;
  assertEquals(takeInRow(value, options), "8");
});

Deno.test("findInRow treats a div with a `data-…id` attribute, a row role or a row class as a row", () => {
  const card = (attribute: string, id: number, title: string) =>
    `<div ${attribute}><div><h2>${title}</h2></div><div><a href="/edit/${id}">e</a></div></div>`;
  const cards = (first: string, second: string) =>
    `<div id=main>${card(first, 1, "Assam")}${card(second, 2, "Earl Grey")}</div>`;
  for (
    const [first, second] of [
      ["data-id=1", "data-id=2"],
      ['title="a > b" data-tea-id="1"', "title='x' data-tea-id='2'"],
      ["role=row", "role=row"],
      ['role="listitem"', 'ROLE="listitem"'],
      ['id=a class="row tea-row hover"', 'id=b class="row tea-row hover"'],
      ["title='1' class='list_item'", "title='2' class='list_item'"],
    ]
  ) {
    assertEquals(takeInRow(link("Earl Grey"), cards(first, second)), "2", first);
    assertEquals(takeInRow(link("Assam"), cards(first, second)), "1", first);
    assertEquals(takeInRow(link("Oolong"), cards(first, second)), undefined, first);
  }
  for (
    const other of [
      "class=data-id",
      'class="row"',
      'class="tea-rows"',
      'title=" data-id=1"',
      "data-id",
      "role=rows",
    ]
  ) {
    assertEquals(takeInRow(link("Earl Grey"), cards(other, other)), undefined, other);
  }
});

Deno.test("findInRow treats a radio button or a check box with its label as a row", () => {
  const choice = (id: string) => `<input type="radio" id="${id}" value="${id}">`;
  const pages: Record<string, (tea: string, id: string) => string> = {
    "before its label": (tea, id) => `${choice(id)} <label for=${id}>${tea}</label>`,
    "in its label": (tea, id) => `<label class="a">${choice(id)} <b>${tea}</b></label>`,
  };
  const value = { type: "boundary", left: 'value="', right: '"' } as const;
  for (const [what, page] of Object.entries(pages)) {
    const text = `<div>${page("Assam", "t1")}${page("Oolong", "t2")}</div>`;
    assertEquals(takeInRow({ ...value, row: "Oolong" }, text), "t2", what);
  }
  const cells = (id: number, tea: string) =>
    `<tr><td><input type="hidden" value="${id}"><label><input type="checkbox" value="on">${tea}</label></td></tr>`;
  const table = `<table>${cells(70, "Assam")}${cells(71, "Oolong")}</table>`;
  assertEquals(takeInRow({ ...value, row: "Oolong" }, table), "71");
  const others = '<label>Assam</label><input type="radio" id="t1" value="t1">' +
    '<label>Oolong</label><input type="radio" id="t2" value="t2">';
  assertEquals(takeInRow({ ...value, row: "Oolong" }, others), undefined);
});

Deno.test("findInRow treats the element with the only `h1` of a page as a row only if no other matches", () => {
  const article = (id: number, title: string) =>
    `<article><h1>Tea ${id}</h1><p>${title}</p><a href="/edit/${id}">e</a></article>`;
  assertEquals(takeInRow(link("Assam"), article(1, "Assam")), "1");
  const around = article(1, `Assam <ul><li>Assam <a href="/edit/7">e</a></ul>`);
  assertEquals(takeInRow(link("Assam"), around), "7");
  const list = article(1, "Assam") + article(2, "Earl Grey");
  assertEquals(takeInRow(link("Earl Grey"), list), "2");
});

Deno.test("findInRow ignores a div inside a table row or a list item", () => {
  const cells = (id: number, title: string) =>
    `<td><div data-id=${id}>${title}</div></td><td><div data-id=${id}><a href="/edit/${id}"></div></td>`;
  const page = table(`<tr>${cells(1, "Assam")}</tr>`, `<tr>${cells(2, "Earl Grey")}</tr>`);
  assertEquals(takeInRow(link("Earl Grey"), page), "2");
  const list = page.replace(/<(\/?)tr>/g, "<$1li>").replace(/table/g, "ul").replace(/<\/?td>/g, "");
  assertEquals(takeInRow(link("Earl Grey"), list), "2");
});

Deno.test("findInRow treats each element of a JSON array as a row, and searches its members for the string", () => {
  const body = JSON.stringify({
    teas: [
      { id: 1, attributes: { name: "Assam" }, boxes: [{ id: 10 }] },
      { id: 2, attributes: { name: "Earl Grey" }, boxes: [{ id: 20 }] },
      { id: 3, attributes: { name: "Earl Grey" }, boxes: [] },
    ],
  });
  const path = (expression: string, row: string): NamelessExtractor => (
    { type: "jsonpath", expression, row }
  );
  assertEquals(takeInRow(path("$.teas[*].id", "Assam"), body), 1);
  assertEquals(takeInRow(path("$.teas[*].boxes[*].id", "Earl Grey"), body), 20);
  assertThrows(
    () => takeInRow(path("$.teas[*].id", "Earl Grey"), body),
    Error,
    "appears in 2 rows",
  );
  assertEquals(takeInRow(path("$.teas[*].id", "Oolong"), body), undefined);
});

Deno.test("findInRow treats an array within a JSON array as a row, and its items as columns", () => {
  const body = JSON.stringify([["name", "id"], ["Assam", "a1"], ["Earl Grey", "e2"]]);
  const id = { type: "jsonpath", expression: "$[*][1]", row: "Earl Grey" } as const;
  assertEquals(takeInRow(id, body), "e2");
});

Deno.test("findInRow finds an object with cells in a list", () => {
  const rows = [{ id: 7, cell: ["7", "Mine"] }, { id: 8, cell: ["8", "Yours"] }];
  const id: NamelessExtractor = { type: "jsonpath", expression: "$.rows[*].id", row: "Yours" };
  assertEquals(takeInRow(id, JSON.stringify({ rows })), 8);
});

Deno.test("findInRow ignores values in rows next to the row that contains the string", () => {
  const group = (mine: string) =>
    `<ul><li>Group<ul><li>A <a href="/edit/1">A</a></li><li>${mine}</li></ul></li></ul>`;
  assertEquals(takeInRow(link("Mine"), group("<b>Mine</b>")), undefined);
  assertEquals(takeInRow(link("Mine"), group('<b>Mine</b><a href="/edit/2">')), "2");
  assertEquals(takeInRow(link("Mine"), group("<ul><li>x</li><li>Mine</li></ul>")), undefined);
  const css = { type: "css", expression: "a", attribute: "href", row: "Mine" } as const;
  assertEquals(takeInRow(css, group("<b>Mine</b>")), undefined);
  const open = `<table><tr><td>Group<td><ul><li>A<a href="/edit/1"><li>Mine</ul>`;
  assertEquals(takeInRow(link("Mine"), open), undefined);
  const tagged = '<table><tr><td><ul><li>Mine</li></ul></td><td><a href="/edit/3">e</a>';
  assertEquals(takeInRow(link("Mine"), tagged), "3");
});

Deno.test("findInRow ignores rows and strings in scripts, styles and comments", () => {
  const others = table(row(1, "A"), row(2, "B"));
  for (
    const hidden of [
      '<script>var r="<tr><td>Mine</td>";</script>',
      "<!-- <tr><td>Mine</td> -->",
      "<style>/* <tr><td>Mine</td> */</style>",
    ]
  ) {
    assertEquals(takeInRow(link("Mine"), hidden + others), undefined, hidden);
    assertEquals(takeInRow(link("Mine"), hidden + table(row(1, "A"), row(2, "Mine"))), "2", hidden);
    assertEquals(takeInRow(link("Mine"), table(row(1, hidden), row(2, "B"))), undefined, hidden);
  }
  assertEquals(takeInRow(link("Mine"), `${table(row(1, "Mine"))}<script>`), "1");
  const data = '<tr><td>Mine</td><script>open("/edit/4")</script></tr>';
  assertEquals(takeInRow(link("Mine"), `<table>${data}</table>`), "4");
});

Deno.test("findInRow treats an object of JSON in a script, an attribute or other text as a row", () => {
  const list = JSON.stringify([{ id: 7, name: "Mine" }, { at: { id: 8 }, name: "Yours" }]);
  const inRow = (left: string, row: string): NamelessExtractor => (
    { type: "boundary", left, right: ",", row }
  );
  for (
    const [text, left] of [
      [`<p>A</p><script>function a() { b = ${list}; }</script>`, '"id":'],
      [`3:["$","ul",${list}]`, '"id":'],
      [`<script>push(${JSON.stringify(list)})</script>`, '\\"id\\":'],
      [`<div data-page="${list.replaceAll('"', "&quot;")}">`, "&quot;id&quot;:"],
    ]
  ) {
    assertEquals(takeInRow(inRow(left, "Mine"), text), "7", text);
    assertEquals(takeInRow(inRow(left, "Yours"), text), "8}", text);
    assertEquals(takeInRow(inRow(left, "Other"), text), undefined, text);
  }
});

Deno.test("findInRow compares the whole strings of an object in a script, not its names and lists", () => {
  const list = [{ id: 7, title: "[Draft] Mine", tags: ["Yours"] }, { id: 8, title: "Yours" }];
  const script = `<script>list = ${JSON.stringify(list)}</script>`;
  const id = (row: string): NamelessExtractor => (
    { type: "boundary", left: '"id":', right: ",", row }
  );
  assertEquals(takeInRow(id("[Draft] Mine"), script), "7");
  assertEquals(takeInRow(id("Yours"), script), "8");
  assertEquals([takeInRow(id("Mine"), script), takeInRow(id("title"), script)], [
    undefined,
    undefined,
  ]);
});

Deno.test("findInRow treats a form as a row, but not one that contains rows or is in one", () => {
  const form = (id: number, name: string) =>
    `<form><input name="id" value="${id}"><input name="name" value="${name}"></form>`;
  const id = (row: string): NamelessExtractor => (
    { type: "css", expression: 'input[name="id"]', attribute: "value", row }
  );
  assertEquals(takeInRow(id("Mine"), form(1, "Yours") + form(2, "Mine")), "2");
  const all =
    `<form><input name="id" value="9"><b>Mine</b><table><tr><td>A</td></tr></table></form>`;
  assertEquals(takeInRow(id("Mine"), all), undefined);
});

Deno.test("findInRow ignores JSON elements next to the element that contains the string", () => {
  const body = JSON.stringify([
    { name: "Mine", items: [{ title: "A", id: 1 }, { title: "Mine" }] },
    { name: "Other", items: [{ title: "B", id: 2 }, { node: { title: "Mine" } }] },
  ]);
  const items = { type: "jsonpath", expression: "$[*].items[*].id", row: "Mine" } as const;
  assertEquals(takeInRow(items, body), undefined);
  assertEquals(takeInRow({ ...items, row: "Other" }, body), 2);
});

const PAGES: Record<string, [page: string, expected: string[]]> = {
  "the first option": ["<select name=a><option value=7>x<option value=9>y</select>", ["7"]],
  "the selected option": ["<select name=a><option>x</option><option selected>y</select>", ["y"]],
  "the last of several selected options": [
    "<select name=a><option selected value=1>x<option selected value=2>y</select>",
    ["2"],
  ],
  "all selected options if several are allowed": [
    "<select name=a multiple><option selected>x<option>y<option selected>z</select>",
    ["x", "z"],
  ],
  "none if several are allowed and none is selected": [
    "<select name=a multiple><option>x</select>",
    [],
  ],
  "none of a list box without a selected option": [
    "<select name=a size=3><option>x</select>",
    [],
  ],
  "none if the selected option is disabled": [
    "<select name=a><option selected disabled>x<option>y</select>",
    [],
  ],
  "the first option outside a disabled group": [
    "<select name=a><optgroup disabled><option>x</optgroup><option>y</select>",
    ["y"],
  ],
  "none without a name or if the element is disabled": [
    "<select><option>x</select><select name=a disabled><option>y</select>",
    [],
  ],
  "none of a select without options": ["<select name=a></select><option>x</option>", []],
  "an option in single quotes with character references": [
    `<SELECT NAME='a&amp;b'><OPTION VALUE='&lt;"7"&gt;'>x</SELECT>`,
    ['<"7">'],
  ],
  "a text with white space": ["<select name=a><option>\n x &amp;\n  y\n</select>", ["x & y"]],
  "two elements of the same name": [
    "<select name=a><option>x<option>y</select><select name=a><option>z</select>",
    ["x", "z"],
  ],
  "an element that is not closed": ["<select name=a><option value=7", []],
};

for (const [what, [page, expected]] of Object.entries(PAGES)) {
  Deno.test(`findDefaultOptions returns ${what}`, () => {
    const found = findDefaultOptions(page)!;
    assertEquals(found.map(({ value }) => value), expected);
  });
}

Deno.test("findDefaultOptions returns the offset of each value", () => {
  const page = '<select name=a><option  class="value" Value = "7">x</select>' +
    "<select name=b><option value=8>y</select><select name=c><option>\n  zz</select>";
  const found = findDefaultOptions(page)!;
  assertEquals(found.map(({ at, value }) => page.slice(at, at + value.length)), ["7", "8", "zz"]);
});

Deno.test("findDefaultOptions reads many open elements and stops at a markup limit", () => {
  assertEquals(findDefaultOptions("<select name=a>".repeat(20_000)), []);
  const options = "<option selected value=1>".repeat(40_000);
  assertEquals(findDefaultOptions(`<select multiple name=a>${options}`)!.length, 40_000);
  assertEquals(findDefaultOptions(`<select>${"<b>".repeat(2_000)}`), undefined);
  assertEquals(findDefaultOptions("<select name=a><option value ".repeat(50_000))!.length, 1);
});

Deno.test("a short number that the text of an option shows is not an id, unless it is part of a word", () => {
  const mayBeId = (text: string) =>
    findDefaultOptions(`<select name=from><option value=1>${text}</select>`)![0].mayBeId;
  assertEquals(["Ada", "ada1 &lt;ada1@example.com>", "12", "v1"].map(mayBeId), [
    true,
    true,
    true,
    true,
  ]);
  assertEquals(["1", "No. 1", "1.", "(1)", "1-2"].map(mayBeId), [
    false,
    false,
    false,
    false,
    false,
  ]);
});
