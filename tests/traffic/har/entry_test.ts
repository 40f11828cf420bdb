import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { convertHar } from "../../../src/convert/from_har.ts";
import { listRequests } from "../../../src/plan/kinds/list_requests.ts";
import { findMainOrigin, httpOrigin, siteOf } from "../../../src/traffic/har/origins.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";
import type {
  Exchange,
  FormPart,
  Recording,
  RequestPurpose,
} from "../../../src/traffic/har/recording.ts";
import { isLocal } from "../../../src/traffic/session/kept_calls.ts";
import { verified } from "../../support/verified.ts";

interface Entry {
  readonly at?: number;
  readonly time?: number;
  readonly method?: string;
  readonly status?: number;
  readonly text?: string;
  readonly cookie?: string;
  readonly worker?: "playwright" | "devtools";
}

/** Reads a HAR with the given entries and describes each exchange of the recording. */
async function read(...entries: Entry[]): Promise<string[]> {
  const log = {
    entries: entries.map(({ at = 0, time = 10, method = "POST", status = 200, ...rest }) => ({
      startedDateTime: new Date(at).toISOString(),
      time,
      ...(rest.worker === "playwright" && { _serviceWorkerRef: "worker@1" }),
      request: {
        method,
        url: "https://a.example/teas",
        headers: [{ name: "Accept", value: rest.cookie ?? "none" }],
        postData: { mimeType: "text/plain", text: "tea" },
      },
      response: {
        status,
        headers: rest.cookie === undefined ? [] : [{ name: "Set-Cookie", value: rest.cookie }],
        content: { mimeType: "text/html", text: rest.text ?? "" },
        ...(rest.worker === "devtools" && { _fetchedViaServiceWorker: true }),
      },
    })),
  };
  const bytes = new TextEncoder().encode(JSON.stringify({ log }));
  const { exchanges } = await readHar([bytes], "worker.har");
  return exchanges.map(({ index, request, response }) =>
    [index, request.headers[0].value, response.headers[0]?.value, response.text].join(" ")
  );
}

const page: Entry = { text: "<p>Tea</p>", time: 20 };
const own: Entry = { at: 1, cookie: "id=1" };

Deno.test("readHar joins the two entries of a request that a service worker forwards", async () => {
  const joined = ["0 id=1 id=1 <p>Tea</p>"];
  assertEquals(await read(page, { ...own, worker: "playwright" }), joined);
  assertEquals(await read({ ...page, worker: "devtools" }, own), joined);
  const failed: Entry = { ...own, at: 2, status: -1, worker: "playwright" };
  assertEquals((await read(page, failed, { ...own, at: 3, worker: "playwright" })).length, 2);
});

Deno.test("readHar reads whether the browser served a call itself", async () => {
  const entry = (members: object, response: object = {}) => ({
    request: { method: "GET", url: "https://a.example/" },
    response: { status: 200, ...response },
    ...members,
  });
  const read = async (...entries: object[]) => {
    const bytes = new TextEncoder().encode(JSON.stringify({ log: { entries } }));
    return (await readHar([bytes], "x.har")).exchanges.map(isLocal);
  };
  assertEquals(
    await read(
      entry({}),
      entry({ _fromCache: "memory" }),
      entry({ _fromCache: "disk" }),
      entry({ _fetchType: "Disk Cache" }),
      entry({ _fetchType: "Network Load" }),
    ),
    [false, true, true, true, false],
  );
  const worker = { _fetchedViaServiceWorker: true };
  assertEquals(await read(entry({}, worker)), [true]);
  assertEquals(await read(entry({ _fetchType: "Service Worker" })), [true]);
  // The worker forwarded the request.
  assertEquals(await read(entry({ time: 9 }, worker), entry({})), [false]);
});

Deno.test("readHar reads whether the browser made a redirect itself", async () => {
  const read = async (statusText: string) => {
    const request = { method: "GET", url: "http://a.example/" };
    const entries = [{ request, response: { status: 307, statusText } }];
    const bytes = new TextEncoder().encode(JSON.stringify({ log: { entries } }));
    return (await readHar([bytes], "x.har")).exchanges[0].redirected;
  };
  assertEquals(await read("Internal Redirect"), true);
  assertEquals(await read("Temporary Redirect"), undefined);
});

Deno.test("readHar keeps requests that a service worker did not forward", async () => {
  assertEquals((await read(page, own)).length, 2);
  assertEquals((await read({ ...own, worker: "playwright" })).length, 1);
  const sent: Entry = { ...own, worker: "playwright" };
  for (const other of [{ at: 21 }, { method: "PUT" }, { status: 500 }]) {
    assertEquals((await read(page, { ...sent, ...other })).length, 2);
  }
  assertEquals(
    (await read(page, { ...page, at: 1 }, { ...sent, at: 2 }, { ...sent, at: 3 })).length,
    2,
  );
  const handled: Entry = { ...page, worker: "devtools" };
  assertEquals((await read(handled, { ...handled, at: 1 })).length, 2);
});

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
      fc.string({ unit: fc.constantFrom(..."/a.~%4é;@:"), maxLength: 12 }).map((path) =>
        `/${path}`
      ),
      (scheme, start, end, path) => {
        const url = scheme + start + end + path;
        if (!URL.canParse(url)) return;
        assertEquals(httpOrigin(url), new URL(url).origin);
        assertEquals(httpOrigin(url), new URL(url).origin, "from the cache");
      },
    ),
  );
});

Deno.test("findMainOrigin returns the first of several equally frequent origins", () => {
  const equal = ["http://b.example", "https://a.example", "https://a.example:8443"];
  assertEquals(findMainOrigin(equal.flatMap((origin) => calls(1, origin)))?.origin, equal[0]);
});

Deno.test("findMainOrigin prefers the origin in `Referer` among equally frequent origins", () => {
  const all = [...calls(2, TRACKER, FROM_SHOP), ...calls(2, SHOP)];
  assertEquals(findMainOrigin(all)?.origin, SHOP);
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

const TOKEN = "9f86d081884c7d65";
const UPLOAD = "multipart/form-data; boundary=----WebKitFormBoundaryAbC";
const PAGE = `<html><body><form action="/search"><input name=q></form>
<form method=post action="/photos" enctype="multipart/form-data" id=f>
<input type=hidden name=csrf value="${TOKEN}"><input name=title value="Tea &amp; cake">
<select name=kind><option value=1>black<option value=2 selected>green</select>
<textarea name=note>
two lines</textarea><input type=checkbox name=public checked><input type=checkbox name=hidden>
<input name=off disabled value=1><input type=file name=photo accept="image/*">
<input type=submit name=save value=Save></form><input form=f name=outside value=x></body></html>`;

interface Call {
  readonly method?: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly postData?: unknown;
  readonly page?: string;
}

/** Reads a HAR with calls to `https://app.example`, one per second. */
function recordingOf(calls: readonly Call[]): Promise<Recording> {
  const list = (headers: Readonly<Record<string, string>>) =>
    Object.entries(headers).map(([name, value]) => ({ name, value }));
  const entries = calls.map(({ method = "POST", url, headers = {}, postData, page }, order) => ({
    startedDateTime: new Date(Date.UTC(2026, 10, 21, 10, 0, order)).toISOString(),
    time: 5,
    request: { method, url: `https://app.example${url}`, headers: list(headers), postData },
    response: {
      status: 200,
      headers: [],
      content: { mimeType: page ? "text/html" : "application/json", text: page ?? "{}" },
    },
  }));
  const har = JSON.stringify({ log: { version: "1.2", entries } });
  return readHar([new TextEncoder().encode(har)], "session.har");
}

/** Returns the parts of the body of the last request: names and values, or names of files. */
function parts({ exchanges }: Recording): unknown {
  const { body, bodyRebuilt } = exchanges.at(-1)!.request;
  if (body?.kind !== "multipart") return body?.kind === "form" ? body.text : body;
  const content = ({ name, filename, value }: FormPart) => [name, filename ?? value];
  return bodyRebuilt ? body.parts.map(content) : "not rebuilt";
}

const FIELDS = [
  ["csrf", TOKEN],
  ["title", "Tea & cake"],
  ["kind", "2"],
  ["note", "two lines"],
  ["public", "on"],
  ["photo", "placeholder.png"],
  ["save", "Save"],
  ["outside", "x"],
];
const LIST: Call = { method: "GET", url: "/new", page: PAGE };
const LOST: Call = { url: "/photos", headers: { "Content-Type": UPLOAD } };

const CASES: Record<string, [Call[], unknown]> = {
  "the form in the page that sends to its URL": [[LIST, LOST], FIELDS],
  "the form with a file in the page whose script sent it": [
    [LIST, {
      url: "/api/upload",
      headers: { "Content-Type": UPLOAD, Referer: "https://app.example/new" },
    }],
    FIELDS,
  ],
  "the latest of several pages": [
    [LIST, { ...LIST, page: PAGE.replace(TOKEN, "abcdef0123456789") }, LOST],
    [["csrf", "abcdef0123456789"], ...FIELDS.slice(1)],
  ],
  "a form with a query in its action": [
    [
      { ...LIST, page: '<form method=post action="?step=2"><input name=a value=b></form>' },
      {
        url: "/new?step=2",
        headers: { "Content-Type": "application/x-www-form-urlencoded", "Content-Length": "9" },
      },
    ],
    "a=b",
  ],
  "an equal call": [
    [{
      ...LOST,
      postData: {
        mimeType: UPLOAD,
        text:
          '------WebKitFormBoundaryAbC\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n' +
          "------WebKitFormBoundaryAbC--\r\n",
      },
    }, LOST],
    [["a", "b"]],
  ],
  "the type of a lost file": [
    [{
      ...LOST,
      headers: { ...LOST.headers, "Content-Length": "4821" },
      postData: {
        mimeType: UPLOAD,
        params: [{ name: "data", fileName: "teas.csv", contentType: "text/csv", value: "" }],
      },
    }],
    [["data", "teas.csv"]],
  ],
  "nothing, if no page has such a form": [[{ ...LIST, page: "<p>Hello" }, LOST], undefined],
};

for (const [name, [calls, expected]] of Object.entries(CASES)) {
  Deno.test(`readHar rebuilds a lost body from ${name}`, async () => {
    assertEquals(parts(await recordingOf(calls)), expected);
  });
}

Deno.test("convert extracts the values of a rebuilt body and reports it, and verify finds the call unproven", async () => {
  const recording = await recordingOf([LIST, LOST]);
  const { plan, notes } = convertHar(recording, {});
  const [page, upload] = listRequests(plan.scenarios.recorded.flow);
  const { multipart } = upload.body as { multipart: Record<string, unknown>[] };
  assertEquals(multipart[0], { name: "csrf", value: "${csrf}" });
  assertEquals(page.extract!.map(({ name }) => name), ["csrf"]);
  const [note] = notes.filter(({ code }) => code === "missing-bodies");
  assertEquals([note.subject, note.message.includes("rebuilt")], ["rebuilt bodies", true]);
  const found = await verified(plan, recording);
  assertEquals([found.verdict, found.differing, found.stale], ["unproven", [], []]);
  assertEquals(found.missingBodies.length, 1);
});

Deno.test("verifyPlan accepts other values in a rebuilt body, but not a field less or an empty file", async () => {
  const recording = await recordingOf([LIST, LOST]);
  const verdictOf = async (change: (parts: Record<string, unknown>[]) => void) => {
    const plan = structuredClone(convertHar(recording, {}).plan);
    const [, upload] = listRequests(plan.scenarios.recorded.flow);
    change((upload.body as { multipart: Record<string, unknown>[] }).multipart);
    return (await verified(plan, recording)).verdict;
  };
  assertEquals(await verdictOf((parts) => parts[1].value = "Assam"), "unproven");
  assertEquals(await verdictOf((parts) => parts.splice(1, 1)), "differs");
  assertEquals(await verdictOf((parts) => parts[5].base64 = ""), "differs");
  assertEquals(await verdictOf((parts) => parts[0].value = TOKEN), "stale");
});
