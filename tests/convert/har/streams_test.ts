import { assertEquals } from "@std/assert";
import { convertHar } from "../../../src/convert/from_har.ts";
import { loadPlan } from "../../../src/plan/load_plan.ts";
import { printPlan } from "../../../src/plan/print.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";
import { verifyPlan } from "../../../src/verify/verify_plan.ts";
import { readCases, recordingOf } from "./recorded_case.ts";

const START = Date.UTC(2026, 10, 21);

/** Returns a HAR entry of a stream that Chromium recorded. */
function entry(response: Record<string, unknown>, events?: unknown) {
  return {
    startedDateTime: new Date(START).toISOString(),
    time: 2_000,
    _resourceType: "eventsource",
    request: { method: "GET", url: "https://shop.example/events", headers: [] },
    response: {
      status: 200,
      headers: [{ name: "Content-Type", value: "text/event-stream; charset=utf-8" }],
      content: { mimeType: "text/event-stream", size: 0, ...response },
    },
    ...(events !== undefined && { _eventSourceMessages: events }),
  };
}

const later = (ms: number, url: string) => ({
  startedDateTime: new Date(START + ms).toISOString(),
  time: 10,
  request: { method: "GET", url: `https://shop.example${url}`, headers: [] },
  response: { status: 200, headers: [], content: { mimeType: "application/json", text: "{}" } },
});

function read(...entries: unknown[]) {
  const har = JSON.stringify({ log: { version: "1.2", entries } });
  return readHar([new TextEncoder().encode(har)], "session.har");
}

const message = (ms: number, data: unknown, eventName = "message") => ({
  time: (START + ms) / 1_000,
  eventName,
  eventId: "",
  data,
});

Deno.test("readHar reads the events that Chromium recorded, and builds a body from them", async () => {
  const events = [
    message(100, '{"n":1}'),
    { time: "x", eventName: "a\nb", eventId: "7", data: "two\nlines" },
    message(200, "", "tick"),
    { data: 7 },
    null,
  ];
  const { exchanges: [exchange] } = await read(entry({}, events));
  assertEquals(exchange.events, [
    { data: '{"n":1}', at: START + 100 },
    { data: "two\nlines", id: "7" },
    { data: "", at: START + 200, name: "tick" },
  ]);
  assertEquals(
    exchange.response.text,
    'data: {"n":1}\n\nid: 7\ndata: two\ndata: lines\n\nevent: tick\ndata: \n\n',
  );
});

Deno.test("readHar keeps a recorded body, and ignores recorded events if they are not stored as a list", async () => {
  const kept = await read(entry({ text: "data: x\n\n" }, [message(1, "y")]));
  assertEquals(kept.exchanges[0].response.text, "data: x\n\n");
  const odd = await read(entry({}, { length: 3 }));
  assertEquals([odd.exchanges[0].events, odd.exchanges[0].response.text], [undefined, undefined]);
});

Deno.test("convertHar limits `sse` to the events before the next call, if their times were recorded", async () => {
  const events = [100, 300, 900, 1_500].map((ms) => message(ms, `{"at":${ms}}`));
  const recording = await read(entry({}, events), later(1_000, "/next"));
  const { plan, notes } = convertHar(recording, {});
  assertEquals(plan.scenarios.recorded.flow[0].request?.sse, {
    max_events: 3,
    max_duration: "1s",
  });
  assertEquals(notes.map(({ code }) => code).filter((code) => code.includes("stream")), [
    "event-stream",
    "overlapping-stream",
  ]);
});

Deno.test("convertHar omits `sse` if the response is not a successful event stream, or if no single event contains all extracted values", () => {
  const cases = readCases("streams.yaml").filter(({ case: name }) =>
    name.includes("as before") || name.includes("as a whole")
  );
  assertEquals(cases.length, 2);
  for (const { calls, correlate } of cases) {
    const { plan } = convertHar(recordingOf(calls), { jsonOnly: correlate !== "all" });
    for (const { request } of plan.scenarios.recorded.flow) assertEquals(request?.sse, undefined);
  }
});

Deno.test("convertHar does not write conditions that contain a credential", async () => {
  const token = "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJlLW9mLWFkYQ";
  const stream = entry({ text: `data: {"n":1}\n\ndata: done ${token}\n\n` });
  const sent = later(3_000, "/next");
  const recording = await read(stream, {
    ...sent,
    request: { ...sent.request, headers: [{ name: "Authorization", value: token }] },
  });
  const { plan, notes } = convertHar(recording, {});
  assertEquals(JSON.stringify(plan.scenarios.recorded.flow[0]).includes("eyJ"), false);
  assertEquals(notes.some(({ message }) => message.includes("eyJ")), false);
});

for (const { case: name, calls, correlate } of readCases("streams.yaml")) {
  Deno.test(`verifyPlan replays streams: ${name}`, async () => {
    const recording = recordingOf(
      calls.map((call) => call.status === 0 ? { ...call, status: 200 } : call),
    );
    const { plan } = convertHar(recording, { jsonOnly: correlate !== "all" });
    const { plan: reloaded, diagnostics } = loadPlan(printPlan(plan, []));
    assertEquals(reloaded, plan, JSON.stringify(diagnostics));
    const found = await verifyPlan(plan, recording, {
      users: 2,
      iterations: 2,
      readFile: () => new Uint8Array(),
      readEnv: () => undefined,
    });
    assertEquals([found.stale, found.nothingFound, found.unsent], [[], [], []]);
    assertEquals([found.neverMade, found.sent], [[], 4 * calls.length]);
  });
}
