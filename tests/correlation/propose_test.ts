import { assertEquals } from "@std/assert";
import { extractorFor, NOTHING_KNOWN } from "../../src/correlation/propose.ts";
import type { Known } from "../../src/correlation/propose_text.ts";
import { type Occurrence, type Response, viewsOf } from "../../src/correlation/views.ts";

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
  "an item whose name the user typed": {
    response: { items: [{ id: "a1", subject: "Tea 1" }] },
    value: "a1",
    typed: ["Tea 1"],
    expected: { ...json("$.items[*].id"), row: "Tea 1" },
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
    expected: { type: "regex", expression: "step=([^\\s\"'<>&;,(){}[\\]\\\\]+)", row: "Boil" },
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
      changing: (text) => one.changing?.includes(text) ?? NOTHING_KNOWN.changing(text),
    };
    const others = Object.entries(one.others ?? {}).map(([value, content]) =>
      lastOccurrence(value, content, one.in)
    );
    const found = extractorFor(lastOccurrence(one.value, one.response, one.in), known, others);
    assertEquals(found?.extractor, one.expected);
  });
}
