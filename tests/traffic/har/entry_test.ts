import { assertEquals } from "@std/assert";
import { isLocal } from "../../../src/traffic/session/kept_calls.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";

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
