import { assertEquals } from "@std/assert";
import type { Exchange, RequestPurpose } from "../../../src/traffic/har/recording.ts";
import { keptCalls } from "../../../src/traffic/session/kept_calls.ts";

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
