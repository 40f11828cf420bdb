import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { UsageError } from "../../src/base/errors.ts";
import {
  type ControlAction,
  dashboardView,
  formatProgress,
  lineView,
  parseUiAddress,
  type RunControl,
} from "../../src/cli/live/live_view.ts";
import { type UiServer, uiServer, uiUrl, Viewers } from "../../src/cli/live/ui_server.ts";
import { unansweredWarning } from "../../src/cli/live/watch.ts";
import type { Progress } from "../../src/engine/progress.ts";
import { renderSummary } from "../../src/report/text/render_summary.ts";
import { progressAt } from "../builders/progress.ts";
import { BUSY } from "../builders/summary.ts";
import { Terminal } from "../oracles/terminal.ts";

function shown(show: (view: ReturnType<typeof lineView>) => void): string[] {
  const written: string[] = [];
  show(lineView({ write: (text) => void written.push(text), columns: () => undefined }));
  return written;
}

Deno.test("lineView prints a line every ten seconds", () => {
  const written = shown((view) => {
    for (let second = 1; second <= 32; second++) view.update(progressAt(second * 1_000 + 5));
    view.close();
  });
  assertEquals(written.map((line) => line.split(" ")[0]), ["10s", "20s", "30s"]);
  assertEquals(shown((view) => view.update(progressAt(12_000))), [
    "12s of 1m30s  2.00% failed  p95 20ms  3 dropped  47/s of 50/s iterations  47/s requests  12 VUs\n",
  ]);
});

Deno.test("formatProgress omits the scheduled rate for closed models, and omits dropped iterations if there are none", () => {
  const last = { ...BUSY.timeline[0], scheduled: 0 };
  const counts = { dropped: 0, requests: 100, failed: 0, last };
  assertEquals(
    shown((view) => view.update(progressAt(12_000, counts))),
    ["12s of 1m30s  0.00% failed  p95 20ms  50/s iterations  50/s requests  12 VUs\n"],
  );
});

Deno.test("formatProgress shows the average rate since the start if iterations or requests are rare", () => {
  const last = { ...BUSY.timeline[0], scheduled: 1, started: 0, requests: 0 };
  const words = (counts: Partial<Progress>) =>
    formatProgress(progressAt(12_000, { dropped: 0, last, ...counts })).split("  ").slice(-3, -1);
  assertEquals(words({ iterations: 3, requests: 40 }), [
    "3 iterations (0.25/s)",
    "40 requests (3.3/s)",
  ]);
  assertEquals(words({ iterations: 0, requests: 1 }), [
    "0 iterations (0/s)",
    "1 request (0.083/s)",
  ]);
  assertEquals(words({ iterations: 1, requests: 60 }), ["1 iteration (0.083/s)", "0/s requests"]);
});

Deno.test("formatProgress shows a dash if there are no samples, and counts unsent requests as failed", () => {
  const last = { ...BUSY.timeline[0], scheduled: 0, requests: 0, p95: 0 };
  const words = (counts: Partial<Progress>) =>
    formatProgress(progressAt(12_000, { dropped: 0, last, ...counts })).split("  ").slice(1, 3);
  assertEquals(words({ requests: 0, failed: 0 }), ["– failed", "p95 –"]);
  assertEquals(words({ requests: 10, unsent: 10, failed: 20 }), ["100.00% failed", "p95 –"]);
});

Deno.test("lineView prints a note on a separate line", () => {
  assertEquals(shown((view) => view.showNote("stopping")), ["stopping\n"]);
});

Deno.test("after the planned end, formatProgress shows that the run is waiting for iterations", () => {
  const words = (elapsedMs: number) =>
    formatProgress(progressAt(elapsedMs, { plannedMs: 5_000 })).split("  ")[0];
  assertEquals(words(5_000), "5s of 5s");
  assertEquals(
    words(30_000),
    "30s (planned 5s): waiting for running iterations, up to `graceful_stop`",
  );
  const iterations = progressAt(2_000, { plannedMs: 600_000, done: 0.5 });
  assertEquals(formatProgress(iterations).split("  ")[0], "2s of at most 10m");
});

/** Creates a dashboard on a test terminal. */
function watched(columns: number, rows: number) {
  const terminal = new Terminal(columns, rows);
  let resized = () => {};
  let frames = 0;
  const write = (text: string) => {
    frames++;
    terminal.write(text);
  };
  write("$ rehearse run plan.yaml\nSending load to http://127.0.0.1\n");
  const view = dashboardView(
    {
      stderr: { write, columns: () => terminal.columns },
      window: {
        size: () => ({ columns: terminal.columns, rows: terminal.rows }),
        onResize(act) {
          resized = act;
          return () => resized = () => {};
        },
      },
    },
    { name: "demo shop", color: true, note: "Ctrl-C ends the run gracefully" },
  );
  return {
    terminal,
    view,
    frames: () => frames - 1,
    resize(columns: number, rows: number) {
      terminal.resize(columns, rows);
      resized();
    },
  };
}

const BEFORE = ["$ rehearse run plan.yaml", "Sending load to http://127.0.0.1"];

for (const [columns, rows] of [[80, 24], [200, 50], [100, 12]]) {
  Deno.test(`the dashboard fills a window of ${columns} x ${rows} and restores the terminal when it is closed`, () => {
    const { terminal, view, resize } = watched(columns, rows);
    for (let second = 1; second <= 20; second++) view.update(progressAt(second * 1_000));
    assert(terminal.isOther && !terminal.cursorShown);
    assertMatch(terminal.screen[0], /^ demo shop +20s of 1m30s {2}22%$/);
    assertEquals(terminal.screen[0].length, columns - 1);
    assertEquals(terminal.screen.at(-1), " Ctrl-C ends the run gracefully");
    resize(70, 10);
    assertEquals(terminal.screen.length, 10);
    assertEquals(terminal.screen[0].length, 69);
    resize(columns, rows);
    view.showNote("Stopping: waiting for running iterations");
    assertEquals(terminal.screen.at(-1), " Stopping: waiting for running iterations");
    view.close();
    terminal.write(renderSummary(BUSY, { color: true, width: columns }));
    assert(!terminal.isOther && terminal.cursorShown && terminal.wraps);
    const summary = renderSummary(BUSY, { color: false, width: columns }).trimEnd().split("\n");
    assertEquals(terminal.history, [...BEFORE, ...summary]);
  });
}

Deno.test("in a window that is too small, the dashboard shows a single line", () => {
  const { terminal, view } = watched(50, 20);
  view.update(progressAt(12_000));
  assertEquals(terminal.screen, ["12s of 1m30s  2.00% failed  p95 20ms  3 dropped …"]);
});

Deno.test("the dashboard draws nothing before the first update or after it is closed", () => {
  const { view, resize, frames, terminal } = watched(80, 24);
  resize(90, 30);
  view.showNote("stopping");
  assertEquals(terminal.screen, [...BEFORE, "stopping"]);
  view.update(progressAt(1_000));
  resize(80, 24);
  assertEquals(frames(), 3);
  view.close();
  view.close();
  view.update(progressAt(2_000));
  resize(70, 24);
  assertEquals(frames(), 4);
  assertEquals(terminal.screen, [...BEFORE, "stopping"]);
});

const HERE = { host: "127.0.0.1", port: 0 };

const actions: ControlAction[] = [];
const control: RunControl = {
  load: { atMs: 0, paused: false, rate: 1.5, vus: { s: 3 } },
  act(action) {
    actions.push(action);
    return action.action === "resume" ? "the run is not paused" : undefined;
  },
};

async function served(test: (server: UiServer) => Promise<void>): Promise<void> {
  const server = uiServer("demo shop", "<p>page", HERE, { lastMs: 50, control });
  try {
    await test(server);
  } finally {
    await server.close();
  }
}

/** Returns the progress of a run `at` seconds after its start. */
function second(at: number) {
  return progressAt(at * 1_000, { last: { ...BUSY.timeline[0], at } });
}

/** Yields the events of a response as they arrive. */
async function* eventsOf(response: Response) {
  let rest = "";
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    const events = (rest + text).split("\n\n");
    rest = events.pop()!;
    for (const event of events) {
      const [, kind, data] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
      if (kind !== undefined) yield { kind, ...JSON.parse(data) };
    }
  }
}

/** Sends the raw request `text` to a server and returns the first line of the response. */
async function statusLine(url: string, text: string): Promise<string> {
  const { port } = new URL(url);
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
  await connection.write(new TextEncoder().encode(text));
  const bytes = new Uint8Array(1_000);
  const length = await connection.read(bytes);
  return new TextDecoder().decode(bytes.subarray(0, length!)).split("\r\n")[0];
}

Deno.test("the live view sends the history, then the state of each second and the result, to a browser that connects during the run", () =>
  served(async (server) => {
    for (let at = 1; at <= 30; at++) server.update(second(at));
    const events = eventsOf(await fetch(`${server.url}events`));
    const { value: state } = await events.next();
    assertEquals([state!.kind, state!.drawn.x.length, state!.drawn.x[29]], ["state", 30, 30]);
    assertStringIncludes(state!.parts.head, "Running</strong> 30s of 1m30s");
    server.showNote("stopping");
    server.update(second(31));
    const { value: next } = await events.next();
    assertEquals([next!.kind, next!.drawn.x.length], ["state", 31]);
    assertStringIncludes(next!.parts.head, '<p class="faint">stopping</p>');
    server.end(BUSY);
    const { value: end } = await events.next();
    assertEquals([end!.kind, end!.drawn.x.length], ["end", BUSY.timeline.length]);
    assertStringIncludes(end!.parts.head, "✗ Failed</strong> 1 of 5 thresholds");
    assertStringIncludes(end!.parts.rest, "POST /login");
    assertEquals((await events.next()).done, true);
  }));

Deno.test("the live view does not wait for a browser that does not read its events", () =>
  served(async (server) => {
    const { port } = new URL(server.url);
    using dead = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
    await dead.write(new TextEncoder().encode("GET /events HTTP/1.1\r\nhost: localhost\r\n\r\n"));
    await dead.read(new Uint8Array(1));
    const scenarios = Array.from({ length: 500 }, (_, i) => ({
      ...second(1).scenarios[0],
      name: `${i} ${"x".repeat(1_000)}`,
    }));
    for (let at = 1; at <= 20; at++) server.update({ ...second(at), scenarios });
    server.end(BUSY);
  }));

Deno.test("the live view rejects foreign host names, unknown paths and methods other than GET", () =>
  served(async ({ url }) => {
    const page = await fetch(url);
    assertEquals([page.status, await page.text()], [200, "<p>page"]);
    assertEquals(page.headers.get("content-security-policy"), "frame-ancestors 'none'");
    assertEquals(page.headers.get("access-control-allow-origin"), null);
    const requests: Record<string, number> = {
      "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n": 200,
      "GET / HTTP/1.1\r\nhost: evil.example\r\n\r\n": 421,
      "GET /events HTTP/1.1\r\nhost: evil.example\r\n\r\n": 421,
      "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n": 405,
      "GET /etc/passwd HTTP/1.1\r\nhost: localhost\r\n\r\n": 404,
    };
    for (const [text, status] of Object.entries(requests)) {
      assertStringIncludes(await statusLine(url, text), `HTTP/1.1 ${status} `, text);
    }
  }));

Deno.test("if the port of the live view is in use, an error reports it before the run starts", () =>
  served((server) => {
    const port = Number(new URL(server.url).port);
    const message = `cannot serve the live view at ${server.url}: the port is in use; \`--ui=0\``;
    assertThrows(() => uiServer("", "", { ...HERE, port }), UsageError, message);
    return Promise.resolve();
  }));

Deno.test("parseUiAddress accepts an empty value, a port, or a host and a port", () => {
  const urls: Record<string, string> = {
    "": "http://127.0.0.1:6070/",
    "0": "http://127.0.0.1:0/",
    "9000": "http://127.0.0.1:9000/",
    "0.0.0.0:80": "http://0.0.0.0:80/",
    "[::1]:9000": "http://[::1]:9000/",
    "load-1:9000": "http://load-1:9000/",
  };
  for (const [given, url] of Object.entries(urls)) assertEquals(uiUrl(parseUiAddress(given)!), url);
  for (const given of ["x", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:70000", "http://a"]) {
    assertEquals(parseUiAddress(given), undefined, given);
  }
});

Deno.test("the live view changes the load only for requests with the token", () =>
  served(async (server) => {
    const token = new URL(server.controlUrl).hash.slice(1);
    const url = `${server.url}control`;
    const send = async (body: string | undefined, headers: Record<string, string>) => {
      const method = body === undefined ? "GET" : "POST";
      const response = await fetch(url, { method, body, headers });
      return [response.status, await response.text()] as const;
    };
    const trusted = { authorization: `Bearer ${token}` };
    const load = '{"paused":false,"rate":1.5,"vus":{"s":3}}\n';
    actions.length = 0;
    assertEquals((await send('{"action":"pause"}', {}))[0], 401);
    assertEquals((await send('{"action":"pause"}', { authorization: "Bearer x" }))[0], 401);
    assertEquals((await send(undefined, {}))[0], 401);
    assertEquals(await send(undefined, trusted), [200, load]);
    assertEquals(await send('{"action":"pause"}', trusted), [200, load]);
    assertEquals(await send('{"action":"vus","scenario":"s","vus":7}', trusted), [200, load]);
    assertEquals(await send('{"action":"resume"}', trusted), [409, "the run is not paused\n"]);
    assertEquals((await send('{"action":"explode"}', trusted))[0], 400);
    assertEquals((await send('{"action":"rate"}', trusted))[0], 400);
    assertEquals((await send("null", trusted))[0], 400);
    assertEquals((await send("x".repeat(10_001), trusted))[0], 413);
    assertEquals(actions, [
      { action: "pause" },
      { action: "vus", scenario: "s", vus: 7 },
      { action: "resume" },
    ]);
    const rebound = await statusLine(
      server.url,
      `POST /control HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer ${token}\r\n` +
        "Content-Length: 0\r\nConnection: close\r\n\r\n",
    );
    assertEquals(rebound, "HTTP/1.1 421 Misdirected Request");
  }));

/** Reads the next event from a stream. */
async function next(events: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const reader = events.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  return value && new TextDecoder().decode(value);
}

Deno.test("Viewers sends no events to a browser that does not read, until it reads again", async () => {
  const viewers = new Viewers();
  const slow = viewers.add("state")!;
  let made = 0;
  for (let i = 1; i <= 1_000; i++) viewers.send(() => String(++made));
  assertEquals([made, await next(slow), await next(slow)], [1, "state", "1"]);
  viewers.send(() => "1001");
  viewers.send(() => "1002");
  assertEquals([await next(slow), await next(slow)], ["1001", "1002"]);
});

Deno.test("Viewers accepts at most 50 browsers at a time", async () => {
  const viewers = new Viewers();
  const streams = Array.from({ length: 50 }, () => viewers.add("state")!);
  assertEquals(viewers.add("state"), undefined);
  await streams[7].cancel();
  assertEquals(viewers.add("state") instanceof ReadableStream, true);
});

Deno.test("unansweredWarning warns once, as soon as requests have ended without a response", () => {
  const warningOf = unansweredWarning(["http://a.example", "http://b.example"]);
  assertEquals(warningOf({ requests: 0, received: 0 }), undefined);
  assertEquals(
    warningOf({ requests: 4_812, received: 0 }),
    "warning: none of the first 4,812 requests got a response; check that http://a.example, " +
      "http://b.example are the right addresses and that their servers are running, or stop the " +
      "run (Ctrl-C)",
  );
  assertEquals(warningOf({ requests: 9_000, received: 0 }), undefined);
});

Deno.test("unansweredWarning does not warn after a response", () => {
  const warningOf = unansweredWarning(["http://a.example"]);
  assertEquals(warningOf({ requests: 9, received: 1 }), undefined);
  assertEquals(warningOf({ requests: 10, received: 0 }), undefined);
});
