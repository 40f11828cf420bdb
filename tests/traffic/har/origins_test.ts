import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { findMainOrigin, httpOrigin, siteOf } from "../../../src/traffic/har/origins.ts";
import type { Exchange, RequestPurpose } from "../../../src/traffic/har/recording.ts";

/**
 * Creates a call from a request line, its headers, and the media type and status of its response.
 */
function call(
  request: string,
  headers: Record<string, string> = {},
  mimeType = "",
  more: { status?: number; purpose?: RequestPurpose; socketPart?: "open" | "send" } = {},
): Exchange {
  const [method, url] = request.split(" ");
  const { status = 200, purpose, socketPart } = more;
  const list = Object.entries(headers).map(([name, value]) => ({ name, value }));
  return {
    index: 0,
    page: undefined,
    startedAt: 0,
    endedAt: 0,
    ...(socketPart && { socketPart }),
    request: { method, url, headers: list, body: undefined, ...(purpose && { purpose }) },
    response: { status, headers: [], mimeType, text: undefined, size: 0 },
  };
}

/** Returns `count` calls to different URLs at `origin`. */
function calls(count: number, origin: string, headers?: Record<string, string>): Exchange[] {
  return Array.from({ length: count }, (_, i) => call(`GET ${origin}/${i}`, headers));
}

const SHOP = "https://www.shop.example";
const API = "https://api.shop.example";
const TRACKER = "https://t.tracker.example";
const FROM_SHOP = { Referer: `${SHOP}/cart` };

Deno.test("httpOrigin returns the origin that the URL parser returns", () => {
  const ends = [
    ...["", "/", "?q=1", "#top", "\\a/b", "/a@b.example:9/", "\t/", ":", "%41.example/", "é"],
  ];
  const starts = ["a.example", "A.Example:443", "u:p@a.example:80", "[::1]:8080", "127.1", "a_b"];
  fc.assert(
    fc.property(
      fc.constantFrom("http://", "https://", "HTTPS://"),
      fc.constantFrom(...starts),
      fc.constantFrom(...ends),
      fc.webPath(),
      (scheme, start, end, path) => {
        const url = scheme + start + end + path;
        if (!URL.canParse(url)) return;
        assertEquals(httpOrigin(url), new URL(url).origin);
        assertEquals(httpOrigin(url), new URL(url).origin, "from the cache");
      },
    ),
  );
});

Deno.test("httpOrigin ignores user info, a default port, the query and the fragment", () => {
  assertEquals(httpOrigin("https://u:p@a.example:443/x?y#z"), "https://a.example");
});

Deno.test("findMainOrigin returns the most frequent origin", () => {
  assertEquals(findMainOrigin([]), undefined);
  const all = [...calls(1, "https://a.example"), ...calls(2, "https://b.example")];
  assertEquals(findMainOrigin(all), { origin: "https://b.example", visited: "b.example" });
});

Deno.test("findMainOrigin returns the first of several equally frequent origins", () => {
  const equal = ["http://b.example", "https://a.example", "https://a.example:8443"];
  assertEquals(findMainOrigin(equal.flatMap((origin) => calls(1, origin)))?.origin, equal[0]);
});

Deno.test("findMainOrigin prefers the origin in `Referer` among equally frequent origins", () => {
  const all = [...calls(2, TRACKER, FROM_SHOP), ...calls(2, SHOP)];
  assertEquals(findMainOrigin(all)?.origin, SHOP);
});

Deno.test("findMainOrigin returns the visited site, even if a tracker receives more calls", () => {
  const all = [call(`GET ${SHOP}/`, {}, "text/html"), ...calls(5, TRACKER, FROM_SHOP)];
  assertEquals(findMainOrigin(all), {
    origin: TRACKER,
    visited: "shop.example",
  });
});

Deno.test("findMainOrigin counts neither preflight requests nor WebSocket messages", () => {
  const preflight = { Origin: SHOP, "Access-Control-Request-Method": "POST" };
  const socket = [call("WS https://live.shop.example/", {}, "", { socketPart: "open" })];
  const messages = [1, 2, 3].map(() =>
    call("SEND https://live.shop.example/", {}, "", { socketPart: "send" })
  );
  const all = [
    call(`GET ${SHOP}/`, {}, "text/html"),
    call(`OPTIONS ${API}/stats`, preflight),
    call(`POST ${API}/stats`, { Origin: SHOP }),
    ...socket,
    ...messages,
  ];
  assertEquals(findMainOrigin(all)?.origin, SHOP);
  assertEquals(findMainOrigin([...socket, ...messages])?.origin, "https://live.shop.example");
});

Deno.test("findMainOrigin counts a call that belongs to no page toward the site of its URL", () => {
  const all = [...calls(4, "https://api.other.example"), ...calls(2, SHOP, FROM_SHOP)];
  assertEquals(findMainOrigin(all)?.visited, "other.example");
});

Deno.test("findMainOrigin ignores opaque origins, and `Origin` and `Referer` values of sites that receive no calls", () => {
  const elsewhere: Record<string, string>[] = [{ Origin: "https://gone.example" }, {
    Origin: "null",
  }, {
    Referer: "about:blank",
  }, {
    Referer: "http://gone.example:99999/",
  }];
  const all = elsewhere.flatMap((headers) => calls(1, API, headers));
  assertEquals(findMainOrigin([...calls(2, SHOP), ...all]), { origin: API, visited: siteOf(API) });
  const sandboxed = { Origin: "null", Referer: `${SHOP}/` };
  const ads = [...calls(1, SHOP), ...calls(2, TRACKER, sandboxed)];
  assertEquals(findMainOrigin(ads)?.visited, "shop.example");
});

Deno.test("findMainOrigin ignores pages of apps and browser extensions in `Origin` and `Referer`", () => {
  const pages = [
    "android-app://com.google.android.googlequicksearchbox/",
    "capacitor://localhost",
    "chrome-extension://abcdefghijklmnop/panel.html",
    "ftp://files.example/",
  ];
  for (const page of pages) {
    for (const header of ["Origin", "Referer"]) {
      assertEquals(findMainOrigin(calls(1, SHOP, { [header]: page })), {
        origin: SHOP,
        visited: "shop.example",
      });
    }
  }
});

Deno.test("siteOf returns the registrable domain, or the host of an IP address", () => {
  const sites = {
    "https://www.shop.example": "shop.example",
    "https://a.b.shop.example:8443": "shop.example",
    "http://sa.bbc.co.uk": "bbc.co.uk",
    "http://bbc.co.uk": "bbc.co.uk",
    "https://www.shop.example.": "shop.example",
    "http://localhost:8080": "localhost",
    "http://127.0.0.1:8080": "127.0.0.1",
    "http://[::1]:8080": "[::1]",
  };
  for (const [origin, site] of Object.entries(sites)) assertEquals(siteOf(origin), site);
});
