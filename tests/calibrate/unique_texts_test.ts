import { assertEquals } from "@std/assert";
import type { Request } from "../../src/plan/kinds/request.ts";
import {
  makeUnique,
  namesOf,
  undoUnique,
  uniqueTemplate,
  uniqueTexts,
} from "../../src/calibrate/unique_texts.ts";

const REQUEST: Request = {
  url: "/articles",
  body: {
    json: {
      body: "Long text",
      title: "My title",
      email: "bob@shop.example",
      file: "notes.txt",
      slug: "my-title",
      made: "Test 2026-01-15 09:30",
      password: "secret words",
      status: "draft",
      id: "${id}",
      count: 5,
      flag: "true",
    },
  },
};

const NONE_RECEIVED = { isFromServer: () => false, isSentBefore: () => false };

Deno.test("uniqueTexts lists strings that contain a time, then names, then other strings, and omits secrets", () => {
  const isFromServer = (text: string) => text === "draft";
  const found = uniqueTexts(REQUEST, { ...NONE_RECEIVED, isFromServer }).map(uniqueTemplate);
  assertEquals(found, [
    "Test ${unique}",
    "My title ${unique}",
    "bob${unique}@shop.example",
    "my-title-${unique}",
    "Long text ${unique}",
    "notes${unique}.txt",
  ]);
});

Deno.test("uniqueTexts lists the words of a protocol, which earlier requests sent, after other strings", () => {
  const json = { messages: [{ type: "sync", value: "Mint" }, { type: "event", value: "click" }] };
  const isSentBefore = (text: string) => ["sync", "event", "click"].includes(text);
  const found = uniqueTexts({ url: "/", body: { json } }, { ...NONE_RECEIVED, isSentBefore });
  assertEquals(found.map(({ text }) => text), ["Mint", "sync", "event", "click"]);
});

Deno.test("makeUnique changes the text wherever the request sends it, in the matching encoding", () => {
  const [title] = uniqueTexts({ url: "/", body: { form: { title: "My title!" } } }, NONE_RECEIVED);
  const request: Request = {
    url: "/search?q=My+title!&r=My%20title!",
    headers: { "X-Note": "about My title! here" },
    body: { json: { a: "My title!", b: "My title" } },
  };
  assertEquals(makeUnique(request, title), {
    url: "/search?q=My+title!+${unique}&r=My%20title!%20${unique}",
    headers: { "X-Note": "about My title! ${unique} here" },
    body: { json: { a: "My title! ${unique}", b: "My title" } },
  });
});

Deno.test("makeUnique changes checks of a page's title so that they accept the unique text", () => {
  const [unique] = uniqueTexts({ url: "/", body: { form: { name: "Black tea" } } }, NONE_RECEIVED);
  const pattern = (title: string) => `<title>\\s*${title}\\s*<\\/`;
  const request: Request = {
    url: "/show",
    checks: [
      { type: "status", equals: 200 },
      { type: "body_matches", name: "title", pattern: pattern("Edit:\\s+Black\\s+tea") },
      { type: "body_matches", name: "other", pattern: pattern("Edit") },
    ],
  };
  const { checks } = makeUnique(request, unique);
  assertEquals(checks?.slice(2), request.checks?.slice(2));
  const loosened = checks![1] as { pattern: string };
  assertEquals(new RegExp(loosened.pattern).test("<title>Edit: Black tea x1</title>"), true);
  assertEquals(new RegExp(loosened.pattern).test("<title>Log in</title>"), false);
});

Deno.test("uniqueTexts starts with the last path segment if the request creates its URL", () => {
  const request: Request = { url: "/notes/Green%20tea/", body: { json: { title: "Tea" } } };
  const found = (createsUrl: boolean, url = request.url) =>
    uniqueTexts({ ...request, url }, { ...NONE_RECEIVED, createsUrl }).map(uniqueTemplate);
  assertEquals(found(true), ["Green tea ${unique}", "Tea${unique}"]);
  assertEquals(found(false), ["Tea${unique}"]);
  assertEquals(found(true, "/notes/${id}"), ["Tea${unique}"]);
  assertEquals(found(true, "/notes/17"), ["Tea${unique}"]);
});

Deno.test("makeUnique changes short text in segments and query values of URLs", () => {
  const [name] = uniqueTexts({ url: "/b/teas" }, { ...NONE_RECEIVED, createsUrl: true });
  const request: Request = {
    url: "/b/teas/leaves?in=teas",
    headers: { Destination: "http://shop.test/b/teas/copy", "X-Note": "teas/leaves" },
    body: {
      json: {
        path: "/b/teas?x=${x}&in=teas#teas",
        back: "index?route=/sql&in=teas&teas=",
        other: "/b/iteas/teas-2?teas=1&in=teas${x}",
        text: "/ teas",
        part: "teas${x}",
        name: "teas",
      },
    },
  };
  assertEquals(makeUnique(request, name), {
    url: "/b/teas${unique}/leaves?in=teas${unique}",
    headers: { Destination: "http://shop.test/b/teas${unique}/copy", "X-Note": "teas/leaves" },
    body: {
      json: {
        path: "/b/teas${unique}?x=${x}&in=teas${unique}#teas",
        back: "index?route=/sql&in=teas${unique}&teas=",
        other: "/b/iteas/teas-2?teas=1&in=teas${x}",
        text: "/ teas",
        part: "teas${x}",
        name: "teas${unique}",
      },
    },
  });
});

Deno.test("uniqueTexts lists the strings in a field that contains JSON, and makeUnique changes them", () => {
  const field = JSON.stringify({ value: 'Tea "A"', start: 3, kind: { "Tea": "x" } });
  const request: Request = { url: "/", body: { form: { field, other: 'Tea "A"' } } };
  const found = uniqueTexts(request, NONE_RECEIVED);
  assertEquals(found.map(uniqueTemplate), ['Tea "A" ${unique}']);
  const changed = makeUnique(request, found[0]);
  assertEquals(changed.body, {
    form: {
      field: '{"value":"Tea \\"A\\" ${unique}","start":3,"kind":{"Tea":"x"}}',
      other: 'Tea "A" ${unique}',
    },
  });
  assertEquals(undoUnique(changed, found[0]), request);
});

Deno.test("uniqueTexts lists the fields of a form in a raw body, and makeUnique changes them", () => {
  const body = "sid=${url_encode(a ?? b)}&Tea=Tea&in=/a/Tea&note=Tea%20A&=&x=Teas&y=Tea${id}";
  const request: Request = { url: "/", body };
  const found = uniqueTexts(request, NONE_RECEIVED);
  assertEquals(found.map(uniqueTemplate), [
    "Tea${unique}",
    "/a/Tea${unique}",
    "Tea A ${unique}",
    "Teas${unique}",
  ]);
  const changed = makeUnique(request, found[0]);
  assertEquals(
    changed.body,
    "sid=${url_encode(a ?? b)}&Tea=Tea${unique}&in=/a/Tea${unique}&note=Tea%20A&=&x=Teas&y=Tea${id}",
  );
  assertEquals(undoUnique(changed, found[0]), request);
  for (const other of ["Tea & in=Tea", '{"query":"in=Tea"}', '<a href="/x?in=Tea">']) {
    const raw: Request = { url: "/", body: other };
    assertEquals([uniqueTexts(raw, NONE_RECEIVED), makeUnique(raw, found[0])], [[], raw]);
  }
  assertEquals(
    makeUnique(request, found[2]).body,
    body.replace("Tea%20A", "Tea%20A%20${unique}"),
  );
});

const NAMES: readonly (readonly [text: string, request: Request, names: readonly string[]])[] = [
  ["Green tea", { url: "/green-tea/edit?page=Green_tea.txt" }, ["green-tea", "Green_tea"]],
  ["Green tea", { url: "/green-tea-2?q=a+green+tea&x=Green+tea-${unique}" }, []],
  ["Tea", { url: "/x", body: "Tea=1&y=Tea: black&z=Tea${unique}" }, ["Tea"]],
  ["Tea", { url: "/x", body: '{"Tea":"no tea","of":"name:tea"}' }, ["tea"]],
];

for (const [text, request, names] of NAMES) {
  Deno.test(`namesOf finds the names ${names} of ${text}`, () => {
    assertEquals(namesOf(text, request), names);
  });
}
