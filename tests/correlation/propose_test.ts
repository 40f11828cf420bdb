import { assert, assertEquals } from "@std/assert";
import { ResponseSnapshot } from "../../src/comparison/response_snapshot.ts";
import { alignResponses } from "../../src/comparison/align.ts";
import { KnownPairs } from "../../src/comparison/known_pairs.ts";
import { extractorFor, NOTHING_KNOWN, propose } from "../../src/correlation/propose.ts";
import type { Known } from "../../src/correlation/propose_text.ts";
import { firstWorking } from "../../src/correlation/try_extractor.ts";
import {
  type Occurrence,
  type Place,
  type Response,
  viewsOf,
} from "../../src/correlation/views.ts";
import { measureCpu } from "../support/cpu_time.ts";

/** A response, given by its body or by its headers. */
type Content = string | object | { readonly headers: Readonly<Record<string, string>> };

interface Case {
  /** The recorded response. */
  readonly response: Content;
  /** The value to extract. The case uses its last occurrence that is in a view of this kind. */
  readonly value: string;
  readonly in?: string;
  /** Other responses of the same step, each with the corresponding value. */
  readonly others?: Readonly<Record<string, Content>>;
  /** Texts that the user typed. */
  readonly typed?: readonly string[];
  /** Texts that differ between sessions. */
  readonly changing?: readonly string[];
  /** Host to which the request was sent. */
  readonly host?: string;
  readonly expected: object | undefined;
}

const page = (left: string, right = '"') => ({ type: "boundary", left, right });
const json = (expression: string) => ({ type: "jsonpath", expression });
const location = (expression: string) => ({ type: "header", header: "Location", expression });
const items = [{ id: "a1", name: "Tea" }, { id: "b2", name: "Milk" }];

const CASES: Readonly<Record<string, Case>> = {
  "a header": {
    response: { headers: { "X-Token": "k3x9" } },
    value: "k3x9",
    expected: { type: "header", header: "X-Token" },
  },
  "an action in a stream of React, whose rows may have other numbers": {
    response:
      '<script>push([1,"12:{}\\n13:{\\"id\\":\\"40c494dc\\"}\\n14:{\\"id\\":\\"602789ba\\"}"])' +
      "</script>",
    value: "40c494dc",
    expected: {
      type: "regex",
      expression: String.raw`"[^\s"'<>/&]+?:\{\}\\n[^\s"'<>/&]+?:\{\\"id\\":\\"([^\\]+)\\`,
    },
  },
  "a cookie": {
    response: { headers: { "Set-Cookie": "xsrf=k3x9; Path=/" } },
    value: "k3x9",
    expected: { type: "cookie", cookie: "xsrf" },
  },
  "an encoded cookie": {
    response: { headers: { "Set-Cookie": "xsrf=k3%3D9; Path=/" } },
    value: "k3=9",
    expected: { type: "cookie", cookie: "xsrf", transform: ["url_decode"] },
  },
  "a part of a cookie": {
    response: { headers: { "Set-Cookie": "session=u7:k3x9" } },
    value: "k3x9",
    expected: {
      type: "header",
      header: "set-cookie",
      expression: "^session=u7:([^;;]+)",
    },
  },
  "a parameter of a redirect": {
    response: { headers: { Location: "/cb?a=1&code=k3x9" } },
    value: "k3x9",
    expected: location("[?&#;]code=([^&#;]+)"),
  },
  "a segment of a redirect, by the one before it": {
    response: { headers: { Location: "/orders/17/edit" } },
    value: "17",
    expected: location("\\/orders\\/([^/?#;]+)"),
  },
  "the opaque part of an entity tag": {
    response: { headers: { ETag: 'W/"k3x9"' } },
    value: "k3x9",
    expected: { type: "header", header: "ETag", expression: '"([^"]+)"' },
  },
  "a member of an object": {
    response: { user: { "my id": "k3x9" } },
    value: "k3x9",
    expected: json("$.user['my id']"),
  },
  "an item with a name": {
    response: { items },
    value: "b2",
    expected: json("$.items[?@.name=='Milk'].id"),
  },
  "the only item of a list": {
    response: { items: [items[1]] },
    value: "b2",
    expected: json("$.items[?@.name=='Milk'].id"),
  },
  "an item whose name changes": {
    response: { items },
    value: "b2",
    changing: ["Milk"],
    expected: json("$.items[1].id"),
  },
  "a value after the host of the application, which differs elsewhere": {
    response: "id: http://x.test/a1\nurl: http://shop.test/k3x9\n",
    value: "k3x9",
    host: "shop.test",
    expected: {
      type: "regex",
      expression: "url: http:\\/\\/[^\\s\"'<>/&]+?\\/([^\\n]+)\\n",
    },
  },
  "an item whose name the user typed": {
    response: { items: [{ id: "a1", subject: "Tea 1" }] },
    value: "a1",
    typed: ["Tea 1"],
    expected: { ...json("$.items[*].id"), row: "Tea 1" },
  },
  "a link of an item, by the id of the item": {
    response: { items: [{ id: "17", name: "Tea", to: { edit: "/edit/17/now" } }] },
    value: "17",
    typed: ["Tea"],
    expected: { ...json("$.items[*].id"), row: "Tea" },
  },
  "a link of an item, by its id, not by an equal id of another resource": {
    response: { items: [{ status_id: 3, id: 3, name: "Tea", to: { edit: "/edit/3/now" } }] },
    value: "3",
    typed: ["Tea"],
    expected: { ...json("$.items[*].id"), row: "Tea" },
  },
  "an item that another response has at another position": {
    response: { items: [{ id: "a1", code: "x-1" }, { id: "b2", code: "x-2" }] },
    value: "b2",
    others: { d4: { items: [{ id: "d4", code: "x-2" }, { id: "c3", code: "x-1" }] } },
    expected: json("$.items[?@.code=='x-2'].id"),
  },
  "an object in a list whose positions have a meaning": {
    response: ["created", { id: "k3x9", name: "Tea" }],
    value: "k3x9",
    expected: json("$[1].id"),
  },
  "a member of the only object below a name that changes": {
    response: { carts: { k3x9: { item: { id: "a1" } } } },
    value: "a1",
    changing: ["k3x9"],
    expected: json("$.carts[*].item.id"),
  },
  "a member of an object below a name that another response does not have": {
    response: { users: { u1: { id: "a1", name: "Ada" }, u2: { id: "b2", name: "Bob" } } },
    value: "b2",
    others: { d4: { users: { u8: { id: "c3", name: "Ada" }, u9: { id: "d4", name: "Bob" } } } },
    expected: json("$.users[?@.name=='Bob'].id"),
  },
  "an item of a list in an item of a list": {
    response: { groups: [{ name: "Tea", items }, { name: "Milk", items: [{ id: "c3" }] }] },
    value: "b2",
    expected: json("$.groups[?@.name=='Tea'].items[?@.name=='Milk'].id"),
  },
  "an encoded member": {
    response: { url: "k3%2F9" },
    value: "k3/9",
    expected: { ...json("$.url"), transform: ["url_decode"] },
  },
  "a part of a member": {
    response: { next: "https://app.example/list?cursor=k3x9" },
    value: "k3x9",
    expected: page("cursor="),
  },
  "a part of a member with escapes": {
    response: '{"html":"<a href=\\"\\/a?t=k3\\u003d9\\">"}',
    value: "k3=9",
    in: "json",
    expected: { ...page("t=", '\\"'), transform: ["json_decode"] },
  },
  "the name of a member": {
    response: { carts: { k3x9qq77: { total: 1 } } },
    value: "k3x9qq77",
    expected: { type: "jsonpath", expression: "$.carts[*]", take: "key" },
  },
  "an input": {
    response: '<form><input name="t" value="k3x9"></form>',
    value: "k3x9",
    expected: { type: "css", expression: 'input[name="t"]', attribute: "value" },
  },
  "an input with character references": {
    response: '<form><input name="t" value="k3&#x2B;9"></form>',
    value: "k3+9",
    expected: { type: "css", expression: 'input[name="t"]', attribute: "value" },
  },
  "the second input of a name, after text that changes": {
    response: '<input name="t" value="aaaa1111"><input name="t" value="bbbb2222">',
    value: "bbbb2222",
    expected: { type: "css", expression: 'input[name="t"]', attribute: "value", index: 1 },
  },
  "the text of an element": {
    response: "<p>Id: <b id=order> k3x9 </b></p>",
    value: "k3x9",
    expected: { type: "css", expression: 'b[id="order"]', transform: ["trim"] },
  },
  "the default option of a select": {
    response: "<select name=f><option value=7>Ada<option value=9 selected>Bob</select>",
    value: "9",
    expected: {
      type: "css",
      expression: 'select[name="f"] option[selected]',
      attribute: "value",
    },
  },
  "a link in the row of the user's object": {
    response: '<table><tr><td><a href="/notes/17">Tea</a></tr>' +
      '<tr><td><a href="/notes/18">Milk</a></tr></table>',
    value: "18",
    typed: ["Milk"],
    expected: { ...page("notes/"), row: "Milk" },
  },
  "the name of a button, not by its equal id": {
    response: '<button id="list:1:drop" name="list:1:drop">Drop</button>',
    value: "list:1:drop",
    expected: { type: "css", expression: "button[name]", attribute: "name" },
  },
  "the last of several parameters of a link in a row, without the ids before it": {
    response: '<table><tr><td><a href="/edit?step=1">Edit</a>' +
      '<a href="/start?tea=1&step=1&fast">Boil</a></tr><tr><td>Pour</tr></table>',
    value: "1",
    typed: ["Boil"],
    expected: { type: "boundary", left: "step=", right: "&", row: "Boil" },
  },
  "a parameter of a link in a row, by the action of the link": {
    response: '<table><tr><td>Tea<td><a href="/?do=edit&id=17&key=a7w4k3">Edit</a>' +
      '<a href="/?do=drop&id=17&key=k3x9a7">Drop</a></tr>' +
      '<tr><td>Milk<td><a href="/?do=drop&id=18&key=c4t8e2">Drop</a></tr></table>',
    value: "k3x9a7",
    typed: ["Tea"],
    expected: {
      type: "regex",
      expression: "=drop(?![\\w.-])[^\"'<>\\s]{0,512}?key=([^\\s\"'<>&;,(){}[\\]\\\\]+)",
      row: "Tea",
    },
  },
  "a value in a row after a number that may change": {
    response: `<table><tr><td>Tea<td><a onclick="drop(17, 'k3x9a7')">Drop</a></tr>` +
      `<tr><td>Milk<td><a onclick="drop(18, 'c4t8e2')">Drop</a></tr></table>`,
    value: "k3x9a7",
    typed: ["Tea"],
    changing: ["17"],
    expected: { type: "regex", expression: "\\([^\\s\"'<>/&]+?, '([^']+)'", row: "Tea" },
  },
  "a link in the row of the user's object in markup in JSON": {
    response: {
      html: '<ul>\n<li><a href="/notes/17">\nTea</a>\n<li><a href="/notes/18">\nMilk</a></ul>',
    },
    value: "18",
    typed: ["Milk"],
    expected: { ...page("notes/"), row: "Milk" },
  },
  "a value in a script": {
    response: '<script>var a = 1, cfg = {"token":"k3x9","b":2};</script>',
    value: "k3x9",
    expected: page('token":"'),
  },
  "an id of a component, by the text after it": {
    response: "<script>[['Box','f7CP2',{id:'user'}],['Box','f7CP3',{id:'word'}]]</script>",
    value: "f7CP3",
    expected: { type: "regex", expression: "Box','([^']+)',\\{id:'word'" },
  },
  "a value after text that changes": {
    response: "<a href='/a/1/c?t=k3x9'></a><a href='/b/2/c?t=zz11'></a>",
    value: "zz11",
    expected: { type: "regex", expression: "b\\/[^\\s\"'<>/&]+?\\/c\\?t=([^']+)'" },
  },
  "the first of several values after the same text": {
    response:
      "<a href='/cart?line=37526&key=k3x9qq'></a><a href='/cart?line=37527&key=zz11qq'></a>",
    value: "k3x9qq",
    expected: {
      type: "regex",
      expression: "<a href='\\/cart\\?line=[^\\s\"'<>/&]+?&key=([^']+)'",
    },
  },
  "an option that shows text of the user": {
    response: '<select name="kind"><option value="7">Black tea</option></select>',
    value: "7",
    typed: ["Black tea"],
    expected: { ...page('value="'), row: "Black tea" },
  },
  "an option that shows text of the user after an attribute with another": {
    response:
      '<select name="kind"><option value="7" data-color="#423ad9">Black tea</option></select>',
    value: "7",
    typed: ["#423ad9", "Black tea"],
    expected: { ...page('value="'), row: "Black tea" },
  },
  "an option whose value is its text": {
    response: "<select name=key>\n<option>\n  tok-81aa92bb\n<option>other</select>",
    value: "tok-81aa92bb",
    expected: {
      type: "css",
      expression: 'select[name="key"] option:not([disabled])',
      transform: ["trim"],
    },
  },
  "text that is the whole body": {
    response: "k3x9\n",
    value: "k3x9",
    expected: { type: "regex", expression: "^\\s*(\\S+)\\s*$" },
  },
  "text after different text in another response": {
    response: "x k3x9 y",
    value: "k3x9",
    others: { zz11: "completely different zz11 text" },
    expected: undefined,
  },
};

function toResponse(content: Content): Response {
  if (typeof content === "object" && "headers" in content) {
    const headers = Object.entries(content.headers as Record<string, string>)
      .map(([name, value]) => ({ name, value }));
    return { headers, mimeType: "", text: undefined };
  }
  const text = typeof content === "string" ? content : JSON.stringify(content);
  const mimeType = /^\s*[[{]/.test(text) ? "application/json" : "text/html";
  return { headers: [], mimeType, text };
}

function lastOccurrence(value: string, content: Content, kind = ""): Occurrence {
  const found = [...viewsOf(toResponse(content))].flatMap((view) => {
    const start = view.place.kind.includes(kind) ? view.text.lastIndexOf(value) : -1;
    return start < 0 ? [] : [{ view, start, end: start + value.length }];
  });
  return found.at(-1)!;
}

for (const [name, one] of Object.entries(CASES)) {
  Deno.test(`extractorFor locates ${name}`, () => {
    const known: Known = {
      typed: (text) => one.typed?.includes(text) ?? NOTHING_KNOWN.typed(text),
      host: one.host,
      changing: (text) => one.changing?.includes(text) ?? NOTHING_KNOWN.changing(text),
    };
    const others = Object.entries(one.others ?? {}).map(([value, content]) =>
      lastOccurrence(value, content, one.in)
    );
    const found = extractorFor(lastOccurrence(one.value, one.response, one.in), known, others);
    assertEquals(found?.extractor, one.expected);
  });
}

/** Number of values for which each test proposes extractors. */
const VALUES = 100;

function body(mimeType: string, text: string): Response {
  return { headers: [], mimeType, text };
}

function at(response: Response, text: string, place: Place, start = 0, end = text.length) {
  return { view: { response, text, key: "", place }, start, end } satisfies Occurrence;
}

/**
 * Returns the CPU time, in seconds, for the extractors of occurrences in a body of a given size.
 */
function secondsFor(create: (size: number) => Occurrence[], size: number): number {
  const occurrences = create(size);
  return measureCpu(() => {
    for (const one of occurrences) assert(extractorFor(one) !== undefined);
  }).seconds;
}

const letters = (i: number) => i.toString(26).replace(/\d/g, (d) => "qrstuvwxyz"[Number(d)]);
const id = (i: number) => `${letters(i)}-${(i * 7919).toString(16)}`;

const BODIES: Readonly<Record<string, (size: number) => Occurrence[]>> = {
  "items of a list, by their names": (size) => {
    const items = Array.from({ length: size }, (_, i) => ({ name: `a ${letters(i)}`, id: id(i) }));
    const response = body("application/json", JSON.stringify({ items }));
    return Array.from({ length: VALUES }, (_, k) => {
      const i = k * Math.floor(size / VALUES);
      return at(response, id(i), { kind: "json", path: ["items", i, "id"], isNumber: false });
    });
  },
  "parts of strings in JSON": (size) => {
    const links = Array.from({ length: size }, (_, i) => `/a/${letters(i)}/b?key=${id(i)}`);
    const response = body("application/json", JSON.stringify({ links }));
    return Array.from({ length: VALUES }, (_, k) => {
      const i = k * Math.floor(size / VALUES);
      const place = { kind: "json", path: ["links", i], isNumber: false } as const;
      return at(response, links[i], place, links[i].length - id(i).length);
    });
  },
  "links of a page": (size) => {
    const text = Array.from({ length: size }, (_, i) => `<a href="/${letters(i)}/${id(i)}">x</a>`)
      .join("\n");
    const response = body("text/html", text);
    return Array.from({ length: VALUES }, (_, k) => {
      const value = id(k * Math.floor(size / VALUES));
      const start = text.indexOf(`/${value}"`) + 1;
      return at(response, text, { kind: "body" }, start, start + value.length);
    });
  },
};

for (const [name, create] of Object.entries(BODIES)) {
  Deno.test(`extractorFor takes linear time for ${name}`, () => {
    secondsFor(create, VALUES);
    const [small, large] = [2_000, 8_000].map((size) => secondsFor(create, size));
    assert(large < 8 * small + 0.1, `${small} s, ${large} s`);
  });
}

function snapshot(mimeType: string, text: string, headers: [string, string][] = []) {
  return new ResponseSnapshot({
    status: 200,
    headers: headers.map(([name, value]) => ({ name, value })),
    mimeType,
    text,
  });
}

/**
 * Returns the extractor that `calibrate` chooses for a value that differs between the recorded and
 * the live response.
 */
function createdExtractor(
  value: string,
  liveValue: string,
  create: (value: string, isLive: boolean) => ResponseSnapshot,
) {
  const [recorded, live] = [create(value, false), create(liveValue, true)];
  const pairs = alignResponses(recorded, live, new KnownPairs())
    .filter((pair) => pair.recorded === value && pair.live === liveValue);
  const proposed = pairs.flatMap(({ at, liveAt }) => [
    ...propose(at, NOTHING_KNOWN, [liveAt]),
  ]);
  return firstWorking(proposed, [[recorded, value], [live, liveValue]])?.extractor;
}

const jsonPath = (value: unknown) => snapshot("application/json", JSON.stringify(value));
const html = (text: string) => snapshot("text/html", text);

Deno.test("a value of a JSON object is extracted by its path, without an index", () => {
  assertEquals(createdExtractor("a1b2c3", "d4e5f6", (id) => jsonPath({ data: { "my id": id } })), {
    type: "jsonpath",
    expression: "$.data['my id']",
  });
});

Deno.test("a value in a list item is extracted with a filter on a member that identifies the item", () => {
  const create = (id: string, isLive: boolean) => {
    const item = { id, name: "it's mine" };
    const others = [{ id: "zz99zz", name: "left over" }, { id: "yy88yy", name: "other" }];
    return jsonPath({ items: isLive ? [...others, item] : [item, ...others.slice(1)] });
  };
  assertEquals(createdExtractor("a1b2c3", "d4e5f6", create), {
    type: "jsonpath",
    expression: "$.items[?@.name=='it\\'s mine'].id",
  });
});

Deno.test("a value of a form field or meta tag is extracted by CSS", () => {
  const form = (token: string) =>
    html(`<form><input type="hidden" name="t" value="${token}"><input name="u" value="x"></form>`);
  assertEquals(createdExtractor("a1b2c3d4", "e5f6a7b8", form), {
    type: "css",
    expression: 'input[name="t"]',
    attribute: "value",
  });
  const element = (token: string) => html(`<p>Id: <b id="order"> ${token} </b></p>`);
  assertEquals(createdExtractor("a1b2c3d4", "e5f6a7b8", element), {
    type: "css",
    expression: 'b[id="order"]',
    transform: ["trim"],
  });
});

Deno.test("the default option of a select is extracted by CSS, even if another option has its value", () => {
  const options = (value: string, isLive: boolean) =>
    `<option value="5">Eve</option>`.repeat(isLive ? 2 : 0) +
    `<option value="${value}" selected="selected">Ada</option>`;
  const page = (value: string, isLive: boolean) =>
    html(
      `<select name="priority"><option value="1">a<option value="7">b</select>` +
        `<select name="_from">${options(value, isLive)}</select>`,
    );
  assertEquals(createdExtractor("7", "9", page), {
    type: "css",
    expression: 'select[name="_from"] option[selected]',
    attribute: "value",
  });
});

Deno.test("a value in a script is extracted by a boundary extractor", () => {
  const page = (token: string) =>
    html(`<script>var a = 1, cfg = {"token":"${token}","b":2};</script>`);
  assertEquals(createdExtractor("a1b2c3d4", "e5f6a7b8", page), {
    type: "boundary",
    left: 'token":"',
    right: '"',
  });
});

Deno.test("a value in a redirect URL is extracted by its query parameter or by the path segment before it", () => {
  const redirect = (code: string) =>
    snapshot("", "", [["Location", `/orders/${code}?a=1&code=${code}x`]]);
  assertEquals(createdExtractor("a1b2c3d4", "e5f6a7b8", redirect), {
    type: "header",
    header: "location",
    expression: "\\/orders\\/([^/?#;]+)",
  });
  const callback = (code: string) => snapshot("", "", [["Location", `/cb?a=1&code=${code}&b=2`]]);
  assertEquals(createdExtractor("a1b2c3d4", "e5f6a7b8", callback), {
    type: "header",
    header: "location",
    expression: "[?&#;]code=([^&#;]+)",
  });
});

Deno.test("a value with character references is decoded", () => {
  const page = (token: string) =>
    html(`<div data-state="${token.replaceAll("+", "&#x2B;")}" class="x"></div>`);
  const extractor = createdExtractor("ab+cd12==", "ef+gh34==", page);
  assertEquals(extractor, { type: "css", expression: "div[data-state]", attribute: "data-state" });
});

Deno.test("no extractor is chosen if none returns both the recorded and the live value", () => {
  const create = (id: string, isLive: boolean) =>
    snapshot("text/plain", isLive ? `x ${id} y` : `completely different ${id} text`);
  assertEquals(createdExtractor("a1b2c3d4", "e5f6a7b8", create), undefined);
});

Deno.test("a value in JSON after a prefix such as `for(;;);` is extracted by the text around it, because no JSONPath can find it", () => {
  const create = (key: string) =>
    snapshot("application/json", `for(;;);[{"Security-Key":"${key}","changes":[]}]`);
  assertEquals(createdExtractor("49cd63a2-54fe", "7b1e90d4-11aa", create)?.type, "boundary");
});
