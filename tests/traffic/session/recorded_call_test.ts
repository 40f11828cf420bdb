import { assertEquals, assertThrows } from "@std/assert";
import fc, { ANY_CHARACTER } from "fast-check";
import { writeRoute } from "../../../src/traffic/accesslog/read/log_request.ts";
import type { Exchange, RequestPurpose } from "../../../src/traffic/har/recording.ts";
import { idShape } from "../../../src/traffic/id_shape.ts";
import { replaceBase64 } from "../../../src/traffic/session/base64_text.ts";
import {
  type CallUrl,
  fieldsIn,
  percentDecode,
  splitUrl,
} from "../../../src/traffic/session/call_url.ts";
import { looksGenerated } from "../../../src/traffic/session/dynamic_value.ts";
import { keptCalls } from "../../../src/traffic/session/kept_calls.ts";
import { requestNames } from "../../../src/traffic/session/operation_name.ts";
import { splitRequest, splitSent } from "../../../src/traffic/session/recorded_call.ts";
import { type Found, ValueIndex } from "../../../src/traffic/session/value_index.ts";
import { isStaticAsset } from "../../../src/traffic/static_asset.ts";

const TEXTS = ["", "a", "items", "%41", "a%20b", "+", "a+b", "2080c7112feffae0", "x1", "@", ":"];
const text = fc.constantFrom(...TEXTS);
const segment = fc.oneof(text, fc.constantFrom(";", "a;v=1", ";jsessionid=1F;b", "a;b=;c"));
const pair = fc.oneof(text, fc.tuple(text, text).map((both) => both.join("=")));
const listOf = (item: fc.Arbitrary<string>, first: string, between: string) =>
  fc.array(item, { maxLength: 5 }).map((all) => all.length === 0 ? "" : first + all.join(between));
const ORIGINS = ["https://shop.example", "HTTP://Shop.example:80", "http://u:p@shop.example"];
const url = fc.tuple(
  fc.constantFrom(...ORIGINS),
  listOf(segment, "/", "/"),
  listOf(pair, "?", "&"),
  fc.constantFrom("", "#", "#a?b/c"),
).map((parts) => parts.join(""));

function joined({ prefix, path, query }: CallUrl): string {
  const texts = [...path, ...query].map((piece) =>
    typeof piece === "string" ? piece : piece.recorded
  );
  return prefix + texts.join("");
}

Deno.test("splitUrl keeps the text of a URL, without user info and fragment", () => {
  fc.assert(fc.property(url, (url) => {
    const [, start, rest] = /^(https?:\/\/[^/?#]*)([^#]*)/i.exec(url)!;
    const path = /^[/]/.test(rest) ? rest : `/${rest}`;
    assertEquals(joined(splitUrl(url)), start.replace("u:p@", "") + path);
    assertEquals(splitUrl(url).origin, new URL(url).origin);
  }));
});

Deno.test("splitUrl returns the parameters of the path and of the query as fields", () => {
  const { path, query } = splitUrl(
    "https://shop.example/a;id=7/b%20c?q=%C3%A9&x1=2&flag",
  );
  assertEquals(
    fieldsIn([...path, ...query]).map(({ kind, name, value }) => [kind, name, value]),
    [
      ["path", "", "a"],
      ["path", "id", "7"],
      ["path", "", "b c"],
      ["query", "q", "é"],
      ["name", "", "x1"],
      ["query", "x1", "2"],
      ["query", "", "flag"],
    ],
  );
});

Deno.test("splitUrl returns the target that a browser sends", () => {
  const start = "http://shop.example";
  const cases = {
    "/q?a[]=1&b=%u2&c=%&d=5%&e&f=&&raw=é": "/q?a[]=1&b=%u2&c=%&d=5%&e&f=&&raw=%C3%A9",
    "/100%/%E4/{w}/a|b/`": "/100%/%E4/%7Bw%7D/a|b/%60",
    "/q?`{}|'\"<>\\": "/q?`{}|%27%22%3C%3E\\",
    "/a/../b/./c//d/%2E%2e": "/b/c//",
    "/q?": "/q?",
    "/q?a=1?b=2/../c": "/q?a=1?b=2/../c",
    "/.well-known/x": "/.well-known/x",
    "/q?a=${vars.id}&$x=$$y#f": "/q?a=${vars.id}&$x=$$y",
  };
  for (const [recorded, sent] of Object.entries(cases)) {
    assertEquals(joined(splitUrl(start + recorded)), start + sent);
  }
});

Deno.test("splitUrl serializes URLs that cannot be sent unchanged", () => {
  const text = (url: string) => joined(splitUrl(url));
  assertEquals(text("https://shop.example/a b/é"), "https://shop.example/a%20b/%C3%A9");
  assertEquals(text("https:\\\\shop.example\\a"), "https://shop.example/a");
  assertEquals(text("https:///shop.example/a"), "https://shop.example/a");
  assertThrows(() => text("https://?a"), TypeError);
});

interface More {
  readonly method?: string;
  readonly status?: number;
  readonly purpose?: RequestPurpose;
  readonly cache?: string;
}

function exchange(url: string, mimeType = "", more: More = {}) {
  const { method = "GET", status = 200, purpose, cache } = more;
  const headers = cache === undefined ? [] : [{ name: "Cache-Control", value: cache }];
  return {
    index: 0,
    page: undefined,
    startedAt: 0,
    endedAt: 0,
    request: { method, url, headers: [], body: undefined, ...(purpose && { purpose }) },
    response: { status, headers, mimeType, text: undefined, size: 0 },
  } satisfies Exchange;
}

const A = "https://a.example";

/** Calls, and the reason why each is excluded, or undefined if it is kept. */
const KINDS: [exchange: Exchange, kind: string | undefined][] = [
  [exchange(`${A}/`, "text/html"), undefined],
  [exchange(`${A}/data.json`, "application/json"), undefined],
  [exchange(`${A}/feed`, "application/rss+xml"), undefined],
  [exchange(`${A}/note.js`, "text/plain"), undefined],
  [exchange(`${A}/app.js`, "application/json"), undefined],
  [exchange(`${A}/export`, "application/octet-stream"), undefined],
  [exchange(`${A}/app.webmanifest`, "application/manifest+json"), undefined],
  [exchange(`${A}/x?file=logo.png`), undefined],
  [exchange(`${A}/v1.2/users`), undefined],
  [exchange(`${A}/reports.pdf`, "application/pdf"), undefined],
  [exchange(`${A}/photo.png`, "", { method: "PUT" }), undefined],
  [exchange(`${A}/x`, "text/javascript", { method: "POST" }), undefined],
  [exchange(`${A}/x.gif`, "image/gif", { method: "DELETE" }), undefined],
  [exchange(`${A}/x`, "text/javascript", { purpose: "script" }), undefined],
  [exchange(`${A}/photo.png`, "", { purpose: "script" }), undefined],
  [exchange(`${A}/data`, "application/json", { purpose: "asset" }), undefined],
  [exchange(`${A}/upload`, "text/html", { purpose: "asset", method: "POST" }), undefined],
  [exchange(`${A}/run.php?id=7`, "image/gif", { cache: "no-cache, no-store" }), undefined],
  [exchange(`${A}/run.php?id=7`, "image/gif", { cache: "max-age=60" }), "static assets"],
  [exchange(`${A}/photo.png?id=7`, "image/png", { cache: "no-store" }), "static assets"],
  [exchange(`${A}/x`, "text/css", { method: "head" }), "static assets"],
  [exchange(`${A}/x`, "image/svg+xml"), "static assets"],
  [exchange(`${A}/x`, "text/css"), "static assets"],
  [exchange(`${A}/x`, "text/javascript"), "static assets"],
  [exchange(`${A}/x`, "application/x-javascript"), "static assets"],
  [exchange(`${A}/x`, "application/font-woff2"), "static assets"],
  [exchange(`${A}/x`, "application/x-font-ttf"), "static assets"],
  [exchange(`${A}/x`, "application/vnd.ms-fontobject"), "static assets"],
  [exchange(`${A}/x`, "video/mp4"), "static assets"],
  [exchange(`${A}/favicon.ico`), "static assets"],
  [exchange(`${A}/A.WOFF2?v=1#x`, "application/octet-stream"), "static assets"],
  [exchange(`${A}/app.js.map`), "static assets"],
  [exchange("data:text/plain,x", "text/plain"), "other scheme"],
  [exchange("blob:https://a.example/1f"), "other scheme"],
  [exchange("chrome-extension://abc/x.js", "text/javascript"), "other scheme"],
  [exchange("moz-extension://abc/x.html"), "other scheme"],
  [exchange("safari-web-extension://abc/x.html"), "other scheme"],
  [exchange("wss://a.example/live", "", { status: 101 }), "WebSocket"],
  [exchange(`${A}/live`, "", { status: 101 }), "WebSocket"],
  [exchange("about:blank"), "other scheme"],
  [exchange("a.example:443", "", { method: "CONNECT" }), "CONNECT"],
  [exchange(`${A}/`, "", { status: 0 }), "no response"],
  [exchange(`${A}/x.png`, "", { status: 0 }), "static assets"],
  [exchange(`${A}/x.css`, "x-unknown", { status: 304 }), "static assets"],
  [exchange(`${A}/missing`, "text/html", { status: 404, purpose: "asset" }), "static assets"],
  [
    { ...exchange(`${A}/`, "x-unknown", { status: 307 }), redirected: true },
    "redirected by the browser",
  ],
];

Deno.test("keptCalls excludes calls that are not part of the session and groups them by kind", () => {
  for (const [one, kind] of KINDS) {
    const { exchanges: kept, dropped } = keptCalls([one]);
    const name = `${one.request.url} ${one.response.mimeType}`;
    assertEquals([kept, ...dropped], kind === undefined ? [[one]] : [[], [kind, [one]]], name);
  }
});

Deno.test("keptCalls excludes the second request for an asset that did not change", () => {
  const first = exchange(`${A}/jquery.js.xhtml`, "text/javascript");
  const again = exchange(`${A}/jquery.js.xhtml`, "x-unknown", { status: 304 });
  const byScript = exchange(`${A}/jquery.js.xhtml`, "", { status: 304, purpose: "script" });
  const page = exchange(`${A}/page.xhtml`, "x-unknown", { status: 304 });
  assertEquals(keptCalls([first, again, byScript, page]).exchanges, [byScript, page]);
});

Deno.test("keptCalls excludes calls that the browser served itself if they repeat a call", () => {
  const first = exchange(`${A}/a`, "application/json");
  const cached: Exchange = { ...first, cached: true };
  const byWorker: Exchange = { ...first, worker: "handled" };
  const other: Exchange = { ...exchange(`${A}/b`), cached: true };
  const posted = exchange(`${A}/b`, "", { method: "POST" });
  const { exchanges: kept, dropped } = keptCalls([
    posted,
    first,
    cached,
    other,
    byWorker,
    first,
    other,
  ]);
  assertEquals(kept, [posted, first, other, first]);
  assertEquals([...dropped], [["repeated by the browser", [cached, byWorker, other]]]);
});

Deno.test("keptCalls keeps the order of both kept and excluded calls", () => {
  const all = KINDS.map(([one]) => one);
  const { exchanges: kept, dropped } = keptCalls(all);
  assertEquals(kept, all.slice(0, 18));
  assertEquals(dropped.get("static assets")?.length, 17);
  assertEquals(kept.length + [...dropped.values()].flat().length, all.length);
});

const anyText = fc.string({
  unit: fc.constantFrom("a", "b", "1", "-", ".", " ", "é", "$", "{"),
  minLength: 0,
  maxLength: 40,
});

Deno.test("ValueIndex finds the same occurrences as a separate search for each value", () => {
  const values = fc.array(
    fc.string({ unit: fc.constantFrom("a", "b", "1", "-"), minLength: 6, maxLength: 12 }),
  );
  fc.assert(
    fc.property(values, fc.array(anyText), (values, texts) => {
      const index = new ValueIndex();
      for (const value of values) index.add(value);
      const joined = [...texts, ...values].join("-");
      assertEquals(index.find(joined), findSlowly(values, joined));
    }),
  );
});

/**
 * Naive search: tries every value at every offset. Of overlapping occurrences, keeps the first, or
 * the longest if several start at the same offset.
 */
function findSlowly(values: readonly string[], text: string): Found[] {
  const found: Found[] = [];
  for (const value of new Set(values)) {
    if (value.length < 8 || !/[a-zA-Z0-9]/.test(value)) continue;
    for (let start = text.indexOf(value); start >= 0; start = text.indexOf(value, start + 1)) {
      const end = start + value.length;
      if (isBoundary(text, start) && isBoundary(text, end)) found.push({ value, start, end });
    }
  }
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  let done = 0;
  return found.filter(({ start, end }) => start >= done && (done = end, true));
}

function isBoundary(text: string, at: number): boolean {
  return !/^[a-zA-Z0-9\u0080-\uffff]{2}$/.test(text.slice(Math.max(0, at - 1), at + 1)) || at === 0;
}

Deno.test("percentDecode returns the same text as decodeURIComponent, and the encoded offset of each character", () => {
  const piece = fc.oneof(
    fc.string({ unit: ANY_CHARACTER, maxLength: 3 }).filter((s) => s.isWellFormed()).map(
      encodeURIComponent,
    ),
    fc.constantFrom("%", "%f", "%FF", "%e2%82", "%ed%a0%80", "a", "+", "=", "%2f", "%C3%A9"),
  );
  fc.assert(
    fc.property(fc.array(piece).map((pieces) => pieces.join("")), (text) => {
      const decoded = percentDecode(text, false);
      if (decoded === undefined) return assertEquals(decodedSlowly(text) ?? text, text);
      assertEquals(decoded.value, decodedSlowly(text));
      assertEquals(decoded.offsets.length, decoded.value.length + 1);
      const characters = [...decoded.value];
      for (let i = 0, at = 0; i < characters.length; at += characters[i++].length) {
        const [from, to] = [decoded.offsets[at], decoded.offsets[at + characters[i].length]];
        assertEquals(decodeURIComponent(text.slice(from, to)), characters[i]);
      }
    }),
  );
});

Deno.test("percentDecode decodes a plus sign as a space only if requested", () => {
  assertEquals(percentDecode("a+b%2Bc", true)?.value, "a b+c");
  assertEquals(percentDecode("a+b", false), undefined);
});

function decodedSlowly(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function freshKey(decoded: string): string {
  return decoded.replaceAll("key-1", "key-22?>~");
}

function urlSafe(text: string): string {
  return new TextEncoder().encode(text).toBase64({ alphabet: "base64url", omitPadding: true });
}

Deno.test("replaceBase64 encodes the replaced text as the original was encoded", () => {
  const text = `Basic ${btoa("ada:key-1:")}; s=${urlSafe("this is key-1")}`;
  assertEquals(
    replaceBase64(text, freshKey),
    `Basic ${btoa("ada:key-22?>~:")}; s=${urlSafe("this is key-22?>~")}`,
  );
});

Deno.test("looksGenerated distinguishes names that contain a digit from generated values", () => {
  for (
    const name of [
      "oauth2callback",
      "/oauth2callback",
      "step1Confirm",
      "page2",
      "gitHub",
      "getHTMLForThisPage",
      "updateTxnForPmtById",
    ]
  ) {
    assertEquals(looksGenerated(name), false, name);
  }
  for (
    const value of [
      "x8Kd2",
      "bcdf1efgxk",
      "qwrt5bnmp",
      "oauth2call4back",
      "a1b2c3d4",
      "kKmbQdlWELvDJyfhAAAC",
    ]
  ) {
    assertEquals(looksGenerated(value), true, value);
  }
});

Deno.test("the name of a gRPC-web call contains its service and method", () => {
  const call = splitRequest({
    method: "POST",
    url: "https://api.example/shop.v1.CartService/AddItem",
    headers: [{ name: "Content-Type", value: "application/grpc-web+proto" }],
    body: { kind: "base64", base64: "AAAAAAA=", contentType: "application/grpc-web+proto" },
  });
  const names = requestNames([call], ({ recorded }) => recorded);
  assertEquals(names[0], "POST /shop.v1.CartService/AddItem");
});

Deno.test("splitSent splits the URL, the headers and a form of a sent request", () => {
  const call = splitSent({
    method: "POST",
    url: "http://shop.example/cart?step=2",
    headers: [
      { name: "Content-Type", value: "application/x-www-form-urlencoded" },
      { name: "X-Token", value: "t1" },
    ],
    body: new TextEncoder().encode("item=42"),
  });
  const fields = call.fields.map(({ kind, name, value }) => `${kind} ${name}=${value}`);
  assertEquals(fields.filter((field) => /step|X-Token|item/i.test(field)).length, 3, `${fields}`);
});

Deno.test("splitSent accepts a request without a body", () => {
  const request = { method: "GET", url: "http://shop.example/", headers: [], body: undefined };
  assertEquals(splitSent(request).fields.filter(({ kind }) => kind.startsWith("body")), []);
});

const hex = fc.stringMatching(/^[0-9A-Fa-f]{1,40}$/);
const dashed = fc.stringMatching(/^[0-9a-f-]{36}$/);

/** Reports whether the route of a path replaces its only segment. */
function isId(segment: string): boolean {
  let found = false;
  const path = new TextEncoder().encode(`/${segment}`);
  writeRoute(path, 0, path.length, new Uint8Array(200), 0, (_, from) => {
    found = true;
    return from;
  });
  return found;
}

Deno.test("idShape and routes recognize the same ids", () => {
  const texts = fc.oneof(hex, dashed, fc.uuid(), fc.stringMatching(/^[\w-]{1,40}$/));
  fc.assert(fc.property(texts, (text) => {
    assertEquals(idShape(text) !== undefined, isId(text), text);
  }));
});

Deno.test("idShape distinguishes numbers, UUIDs and hex digits", () => {
  const shapes = [
    "7",
    "0b9e2a44-5c1f-4d1e-8a63-1f2e3d4c5b6a",
    "0123456789abcdef",
    "0123456789abcde",
  ];
  assertEquals(shapes.map(idShape), ["number", "uuid", "hex", undefined]);
  assertEquals(["", "12a", "1-2", "0123456789abcdeg"].map(idShape), Array(4).fill(undefined));
});

Deno.test("isStaticAsset recognizes static assets by the extension of their path", () => {
  const assets = [
    ...["/a.css", "/a.JS?v=1", "/photo.heic", "/photo.HEIF", "/photo.jxl", "/live/index.m3u8"],
    ...["/live/1.mpd", "/manifest.json", "/app/manifest.json?v=2", "/site.webmanifest", "/x%2ejs"],
    ...["/x%2Ecss", "/x.j%73", "/x.js;jsessionid=1A2B", "/x.js;jsessionid=1A2B?v=1"],
    "/a;v=1/x.png",
  ];
  assertEquals(assets.filter((path) => !isStaticAsset("", path)), []);
});

Deno.test("isStaticAsset returns false for other extensions, paths without an extension, and JSON media types", () => {
  const others = [
    ...["/", "/a", "/my-manifest.json", "/data.json", "/login;jsessionid=x.js", "/a.js/b"],
    ...["/x%252ejs", "/%zz", "/download?file=a.png", "/a.jsp", "/page#a.png"],
  ];
  assertEquals(others.filter((path) => isStaticAsset("", path)), []);
  assertEquals(isStaticAsset("application/json", "/manifest.json"), false);
});
