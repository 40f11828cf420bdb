import { assertEquals, assertThrows } from "@std/assert";
import { random } from "../../src/base/random.ts";
import { compileExtractor, type NamelessExtractor } from "../../src/extract/extractors.ts";
import { RecordedView } from "../../src/traffic/session/recorded_view.ts";

/** Runs an extractor on the body `text`. `row` is the evaluated option `row` of the extractor. */
function take(extractor: NamelessExtractor, text: string, row?: string): unknown {
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
  assertEquals(take(link("Earl Grey"), page), "2");
  assertEquals(take(link("Assam"), page), "1");
  assertEquals(take(link("Oolong"), page), undefined);
  assertEquals(
    take({ ...link("x"), row: "Assam ${n}" } as NamelessExtractor, page, "Assam 2"),
    "3",
  );
});

Deno.test("findInRow searches the markup in the strings of a JSON body", () => {
  const rows = ["Assam", "Earl\n Grey"].map((title, i) => row(i + 1, title));
  const body = JSON.stringify({ html: table(...rows), step: "choose" });
  assertEquals(take(link("Earl Grey"), body), "2");
  assertEquals(take(link("Oolong"), body), undefined);
});

Deno.test("findInRow decodes character references, normalizes whitespace, and then compares whole strings", () => {
  const page = table(row(1, "Tea &amp; cake"), row(2, "Tea"), row(3, "Tea\n  time"));
  assertEquals(take(link("Tea & cake"), page), "1");
  assertEquals(take(link("Tea"), page), "2");
  assertEquals(take(link("Tea time"), page), "3");
});

Deno.test("findInRow throws if several rows contain the searched string but have different values", () => {
  const page = table(row(1, "Assam"), row(2, "Assam"));
  assertThrows(() => take(link("Assam"), page), Error, '"Assam" appears in 2 rows');
  assertEquals(take({ ...link("Assam"), index: "last" } as NamelessExtractor, page), "2");
  assertEquals(take(link("Assam"), table(row(1, "Assam"), row(1, "Assam"))), "1");
});

Deno.test("findInRow searches the innermost row, and supports rows without end tags", () => {
  const nested = `<ul><li>Teas<ul><li>Assam <b></b><a href="/edit/5">e</a><li>` +
    `<i>Oolong</i><a href="/edit/6">e</a></ul></ul>`;
  assertEquals(take(link("Oolong"), nested), "6");
  const around = `<table><tr><td>Oolong</td><td>${table(row(1, "x"))}</td></tr></table>`;
  assertEquals(take(link("Oolong"), around), "1");
  const options =
    `<select name=kind><option value="7">Green tea<option value="8">Black tea</select>`;
  const value = {
    type: "css",
    expression: "option",
    attribute: "value",
    row: "Black tea",
  } as const;
  assertEquals(take(value, options), "8");
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
    assertEquals(take(link("Earl Grey"), cards(first, second)), "2", first);
    assertEquals(take(link("Assam"), cards(first, second)), "1", first);
    assertEquals(take(link("Oolong"), cards(first, second)), undefined, first);
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
    assertEquals(take(link("Earl Grey"), cards(other, other)), undefined, other);
  }
});

Deno.test("findInRow ignores a div inside a table row or a list item", () => {
  const cells = (id: number, title: string) =>
    `<td><div data-id=${id}>${title}</div></td><td><div data-id=${id}><a href="/edit/${id}"></div></td>`;
  const page = table(`<tr>${cells(1, "Assam")}</tr>`, `<tr>${cells(2, "Earl Grey")}</tr>`);
  assertEquals(take(link("Earl Grey"), page), "2");
  const list = page.replace(/<(\/?)tr>/g, "<$1li>").replace(/table/g, "ul").replace(/<\/?td>/g, "");
  assertEquals(take(link("Earl Grey"), list), "2");
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
  assertEquals(take(path("$.teas[*].id", "Assam"), body), 1);
  assertEquals(take(path("$.teas[*].boxes[*].id", "Earl Grey"), body), 20);
  assertThrows(() => take(path("$.teas[*].id", "Earl Grey"), body), Error, "appears in 2 rows");
  assertEquals(take(path("$.teas[*].id", "Oolong"), body), undefined);
});

Deno.test("findInRow treats an array within a JSON array as a row, and its items as columns", () => {
  const body = JSON.stringify([["name", "id"], ["Assam", "a1"], ["Earl Grey", "e2"]]);
  const id = { type: "jsonpath", expression: "$[*][1]", row: "Earl Grey" } as const;
  assertEquals(take(id, body), "e2");
});

Deno.test("findInRow ignores values in rows next to the row that contains the string", () => {
  const group = (mine: string) =>
    `<ul><li>Group<ul><li>A <a href="/edit/1">A</a></li><li>${mine}</li></ul></li></ul>`;
  assertEquals(take(link("Mine"), group("<b>Mine</b>")), undefined);
  assertEquals(take(link("Mine"), group('<b>Mine</b><a href="/edit/2">')), "2");
  assertEquals(take(link("Mine"), group("<ul><li>x</li><li>Mine</li></ul>")), undefined);
  const css = { type: "css", expression: "a", attribute: "href", row: "Mine" } as const;
  assertEquals(take(css, group("<b>Mine</b>")), undefined);
  const open = `<table><tr><td>Group<td><ul><li>A<a href="/edit/1"><li>Mine</ul>`;
  assertEquals(take(link("Mine"), open), undefined);
  const tagged = '<table><tr><td><ul><li>Mine</li></ul></td><td><a href="/edit/3">e</a>';
  assertEquals(take(link("Mine"), tagged), "3");
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
    assertEquals(take(link("Mine"), hidden + others), undefined, hidden);
    assertEquals(take(link("Mine"), hidden + table(row(1, "A"), row(2, "Mine"))), "2", hidden);
    assertEquals(take(link("Mine"), table(row(1, hidden), row(2, "B"))), undefined, hidden);
  }
  assertEquals(take(link("Mine"), `${table(row(1, "Mine"))}<script>`), "1");
  const data = '<tr><td>Mine</td><script>open("/edit/4")</script></tr>';
  assertEquals(take(link("Mine"), `<table>${data}</table>`), "4");
});

Deno.test("findInRow ignores JSON elements next to the element that contains the string", () => {
  const body = JSON.stringify([
    { name: "Mine", items: [{ title: "A", id: 1 }, { title: "Mine" }] },
    { name: "Other", items: [{ title: "B", id: 2 }, { node: { title: "Mine" } }] },
  ]);
  const items = { type: "jsonpath", expression: "$[*].items[*].id", row: "Mine" } as const;
  assertEquals(take(items, body), undefined);
  assertEquals(take({ ...items, row: "Other" }, body), 2);
});
