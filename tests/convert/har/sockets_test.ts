import { assertEquals, assertStringIncludes } from "@std/assert";
import { convertHar } from "../../../src/convert/from_har.ts";
import { messageCondition } from "../../../src/convert/har/plan_streams.ts";
import { listSteps } from "../../../src/plan/kinds/list_requests.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";
import { loadPlan } from "../../../src/plan/load_plan.ts";
import { printPlan } from "../../../src/plan/print.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";
import { verifyPlan } from "../../../src/verify/verify_plan.ts";
import { type SocketCall, socketRecording } from "../../builders/socket_recording.ts";
import { runInVirtualTime } from "../../support/run_in_virtual_time.ts";
import { verified } from "../../support/verified.ts";
import { readCases, recordingOf } from "./recorded_case.ts";

async function flowOf(calls: readonly SocketCall[]): Promise<readonly Step[]> {
  const { plan } = convertHar(await socketRecording(calls), {});
  return plan.scenarios.recorded.flow;
}

const CHAT: readonly SocketCall[] = [
  { call: "POST /login", at: 0, sent: { user: "ada" }, response: { token: "tk-81f2c9d4e07ab356" } },
  {
    call: "WS /live?room=7",
    at: 100,
    headers: {
      "Origin": "http://app.example",
      "Sec-WebSocket-Key": "x3JJHMbDL1EzLkh9GBhXDw==",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Protocol": "chat.v2",
    },
    messages: {
      110: "< welcome 1",
      200: '> {"type":"auth","token":"tk-81f2c9d4e07ab356"}',
      210: '< {"type":"status","online":3}',
      220: '< {"type":"ready","channel":"5d0be91f-a3c8-4276-9b1e-07c2d4f6a813"}',
      500: '> {"type":"join","channel":"5d0be91f-a3c8-4276-9b1e-07c2d4f6a813"}',
      520: '< {"type":"status","online":4}',
      530: '< {"type":"status","online":5}',
    },
  },
  { call: "GET /channels/5d0be91f-a3c8-4276-9b1e-07c2d4f6a813", at: 300, response: {} },
  { call: "GET /after", at: 900, response: {} },
];

Deno.test("a recorded WebSocket becomes a step with its messages and the calls made while it was open", async () => {
  const flow = await flowOf(CHAT);
  assertEquals(flow.map((step) => Object.keys(step)[0]), ["request", "websocket", "request"]);
  const { name, url, subprotocols, headers, tags, steps } = flow[1].websocket!;
  assertEquals([name, url, subprotocols, tags], ["WS /live", "/live?room=7", ["chat.v2"], {
    recorded: "2",
  }]);
  assertEquals(headers, { Origin: "http://app.example" });
  const ready = { type: "jsonpath", expression: "$.type", equals: "ready" } as const;
  const status = { type: "jsonpath", expression: "$.type", equals: "status" } as const;
  assertEquals(steps.filter(({ request }) => request === undefined), [
    { expect: { condition: { type: "body_contains", value: "welcome " }, timeout: "10s" } },
    { send: { json: { type: "auth", token: "${token}" } } },
    {
      expect: {
        condition: ready,
        timeout: "10s",
        extract: [{ type: "jsonpath", name: "channel", expression: "$.channel" }],
      },
    },
    { send: { json: { type: "join", channel: "${channel}" } } },
    { expect: { condition: status, timeout: "10s" } },
  ]);
  assertEquals(steps[3].request?.url, "/channels/${channel}");
});

Deno.test("`convert --checks` adds a threshold on failed WebSockets", async () => {
  const { plan } = convertHar(await socketRecording(CHAT), { checks: "status" });
  assertEquals(plan.thresholds, { checks: ["rate==1"], ws_session_failed: ["rate==0"] });
  const without = convertHar(await socketRecording([CHAT[0]]), { checks: "status" });
  assertEquals(without.plan.thresholds, { checks: ["rate==1"] });
});

Deno.test("like `verify`, `convert` counts sent WebSocket messages as calls, but not received messages", async () => {
  const recording = await socketRecording(CHAT);
  const { plan, summary } = convertHar(recording, {});
  const [counts] = summary.split(" over ");
  assertEquals(counts, "4 requests and 2 WebSocket messages replay 6 of 6 recorded calls");
  assertEquals((await verified(plan, recording)).calls.length, 6);
});

Deno.test("`verify` confirms that a plan with a WebSocket works, and finds recorded values in messages", async () => {
  const recording = await socketRecording(CHAT);
  const { plan } = convertHar(recording, {});
  const load = { users: 2, iterations: 2 };
  const { stale, unsent, nothingFound, differing, matched, sent } = await verified(
    plan,
    recording,
    load,
  );
  assertEquals([stale, unsent, nothingFound, differing], [[], [], [], []]);
  assertEquals([sent, matched], [24, 24]);
  const copy = structuredClone(plan);
  const [, , , , join] = copy.scenarios.recorded.flow[1].websocket!.steps;
  join.send = { json: { type: "join", channel: "5d0be91f-a3c8-4276-9b1e-07c2d4f6a813" } };
  const edited = await verified(copy, recording, load);
  assertEquals(edited.stale.map(({ value, call, place }) => [value, call, place]), [
    ["5d0be91f-a3c8-4276-9b1e-07c2d4f6a813", "message 5 (SEND /live)", "json $.channel"],
  ]);
});

Deno.test("`verify` reports a message that the recorded server does not send", async () => {
  const recording = await socketRecording(CHAT);
  const { plan } = convertHar(recording, {});
  const copy = structuredClone(plan);
  copy.scenarios.recorded.flow[1].websocket!.steps.push({
    expect: { condition: { type: "body_contains", value: "goodbye" }, timeout: "1s" },
  });
  const { verdict, unsent } = await verified(copy, recording);
  assertEquals([verdict, unsent.map(({ message }) => message)], ["failed", [
    "no message with `body_contains value goodbye` within 1s; the last message was: " +
    '{"type":"status","online":5}',
  ]]);
});

Deno.test("the steps of overlapping WebSockets are nested, and messages refer to their WebSocket", async () => {
  const flow = await flowOf([
    { call: "GET /", at: 0 },
    { call: "WS /a", at: 10, messages: { 20: "> one", 60: "> three" } },
    { call: "WS /b", at: 30, messages: { 40: "> two", 80: "< four" } },
    { call: "GET /end", at: 90 },
  ]);
  const outer = flow[1].websocket!;
  assertEquals([outer.name, flow.length], ["WS /a", 3]);
  assertEquals(outer.steps[0], { send: "one" });
  const { name, steps } = outer.steps[1].websocket!;
  assertEquals([name, steps], ["WS /b", [
    { send: "two" },
    { send: { socket: "WS /a", text: "three" } },
    { expect: { condition: { type: "body_contains", value: "four" }, timeout: "10s" } },
  ]]);
});

Deno.test("a poll that a message ends, as in an upgrade of Engine.IO, is sent after the message", async () => {
  const io = "/socket.io/?EIO=4&transport=";
  const flow = await flowOf([
    { call: "GET /", at: 0 },
    { call: `WS ${io}websocket`, at: 10, messages: { 40: "> 2probe", 60: "< 3probe", 90: "> 5" } },
    { call: `GET ${io}polling&t=a`, at: 20, lasts: 15 },
    { call: `GET ${io}polling&t=b`, at: 36, lasts: 44 },
    { call: "GET /items", at: 37, lasts: 44 },
  ]);
  const { steps } = flow[1].websocket!;
  assertEquals(steps.map(({ request, send, expect }) => request?.url ?? send ?? expect?.timeout), [
    `${io}polling&t=a`,
    "/items",
    "2probe",
    `${io}polling&t=b`,
    "10s",
    "5",
  ]);
});

Deno.test("a websocket step has the heartbeat that was recorded, or that Engine.IO 4 defines", async () => {
  const io = "/socket.io/?EIO=4&transport=websocket";
  const cases: [url: string, messages: NonNullable<SocketCall["messages"]>, ...unknown[]][] = [
    [io, { 20: "> 40", 30: "< 2", 31: "> 3", 40: "< 42[1]" }, { receive: "2", send: "3" }, ["40"]],
    [io, { 20: "> 40", 40: "< 42[1]" }, { receive: "2", send: "3" }, ["40"]],
    ["/live", { 20: "< ping", 30: "> pong", 35: "> a", 40: "< ping", 41: "< b", 45: "> pong" }, {
      receive: "ping",
      send: "pong",
    }, ["a"]],
    ["/graphql", { 20: '< {"type":"ping"}', 30: '> {"type":"pong"}' }, {
      receive: '{"type":"ping"}',
      send: '{"type":"pong"}',
    }, []],
    ["/chat", { 20: '< {"text":"ping me"}', 30: '> {"text":"ping you"}' }, undefined, [
      { json: { text: "ping you" } },
    ]],
    [
      "/token",
      { 20: '< {"type":"ping"}', 30: '> {"type":"pong","token":"tk-81f2c9d4"}' },
      undefined,
      [
        { json: { type: "pong", token: "tk-81f2c9d4" } },
      ],
    ],
    ["/numbers", { 20: "< 2", 30: "> 3" }, undefined, ["3"]],
    ["/no-response", { 20: "< ping", 30: "< ping" }, undefined, []],
    ["/different", { 20: "< ping", 30: "> pong 1", 40: "< ping", 50: "> pong 2" }, undefined, [
      "pong 1",
      "pong 2",
    ]],
    ["/question", { 20: "< name?", 30: "> ada", 40: "< name?", 50: "> ada" }, undefined, [
      "ada",
      "ada",
    ]],
  ];
  for (const [url, messages, heartbeat, sent] of cases) {
    const flow = await flowOf([{ call: "GET /", at: 0 }, { call: `WS ${url}`, at: 10, messages }]);
    const { websocket } = flow[1];
    assertEquals(websocket!.heartbeat, heartbeat, url);
    assertEquals(websocket!.steps.flatMap(({ send }) => send ?? []), sent, url);
  }
});

Deno.test("messageCondition recognizes messages of the same kind", () => {
  const json = (expression: string, equals: string) => ({ type: "jsonpath", expression, equals });
  const cases: [text: string, condition: unknown][] = [
    ['{"id":7,"type":"ack"}', json("$.type", "ack")],
    ['{"header":{"msg_id":"a1","msg_type":"status"}}', json("$.header.msg_type", "status")],
    ['[null,"2","room:lobby","phx_reply",{}]', json("$[2]", "room:lobby")],
    ['{"id":7,"n":1}', { type: "jsonpath", expression: "$.id", exists: true }],
    ['{"a b":1}', { type: "jsonpath", expression: "$['a b']", exists: true }],
    ['42["chat",{"id":5}]', { type: "body_contains", value: '42["chat",{"id":' }],
    ['0{"sid":"hwAaBbCcDd","upgrades":[]}', { type: "body_contains", value: '0{"sid":' }],
    ['42["joined","hwAaBb"]', { type: "body_contains", value: '42["joined"' }],
    ['42["done",{"ok":true,"key":"hw"}]', { type: "body_contains", value: '42["done",{"ok":' }],
    ['430[{"id":"x8f3"}]', { type: "body_matches", pattern: "^430\\[" }],
    ["43/admin,17[]", { type: "body_matches", pattern: "^43\\/admin,17\\[" }],
    ['451-/files,["stored",{"id":7}]', {
      type: "body_contains",
      value: '451-/files,["stored",{"id":',
    }],
    ['a["{\\"msg\\":\\"ready\\"}"]', json("$[0].msg", "ready")],
    ['MESSAGE\nid:m-1\n\n{"type":"news"}\0', json("$.type", "news")],
    ['{"type":"news"}\x1e', json("$.type", "news")],
    ['{"id":1}\n{"type":"news"}', json("$[1].type", "news")],
    ['43 ["x8f3"]', { type: "body_contains", value: '43 ["x' }],
    ['room_update {"id":"x8f3"}', { type: "body_contains", value: 'room_update {"id":' }],
    ['47["done","x8f3"]', { type: "body_contains", value: '47["done"' }],
    ['40/admin,{"sid":"hw"}', { type: "body_contains", value: '40/admin,{"sid":' }],
    ["o", { type: "body_matches", pattern: "^o$" }],
    ["2", undefined],
    ["h", undefined],
    ["\n", undefined],
    ['{"type":6}\x1e', undefined],
    ["[]", undefined],
    ["", undefined],
    ["hello ${x} 5", { type: "body_contains", value: "hello $${x} " }],
  ];
  for (const [text, condition] of cases) assertEquals(messageCondition(text), condition, text);
});

Deno.test("no condition on a message contains the start of a credential or of an extracted value", async () => {
  const token = "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJlLW9mLWFkYQ";
  const recording = await socketRecording([
    {
      call: "WS /live",
      at: 0,
      messages: { 10: "> hello", 20: `< welcome ${token}`, 900: "> bye" },
    },
    { call: "GET /after", at: 1_000, headers: { Authorization: token }, response: {} },
  ]);
  for (const options of [{}, { jsonOnly: true }]) {
    const [socket] = convertHar(recording, options).plan.scenarios.recorded.flow;
    assertEquals(JSON.stringify(socket).includes("eyJ"), false);
  }
});

Deno.test("for text in a WebSocket message, the `excluded-value` note refers to the message and its `expect` step", async () => {
  const id = "5d0be91f-a3c8-4276-9b1e-07c2d4f6a813";
  const received = JSON.stringify({ type: "ready", data: JSON.stringify({ channel: id }) });
  const { notes } = convertHar(
    await socketRecording([
      { call: "WS /live", at: 0, messages: { 10: `< ${received}` } },
      { call: `GET /channels/${id}`, at: 100, response: {} },
      {
        call: "GET /page",
        at: 200,
        response: { next: "/item/7f0be91f-a3c8-4276-9b1e-07c2d4f6a814/a" },
      },
      { call: "GET /item/7f0be91f-a3c8-4276-9b1e-07c2d4f6a814/a/b", at: 300, response: {} },
    ]),
    { jsonOnly: true },
  );
  const [message, page] = notes.filter(({ code }) => code === "excluded-value").map((n) =>
    n.message
  );
  assertStringIncludes(message, "to the `expect` step for message 1 (RECEIVE /live)");
  for (const text of [message, page]) {
    assertStringIncludes(text, "or convert without `--correlate json`");
  }
});

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

Deno.test("a plan makes more attempts than a recorded poll with 3,000 calls", () => {
  const calls = Array.from({ length: 3_000 }, (_, n) => ({
    request: "GET /jobs/7001",
    response: { status: n < 2_999 ? "running" : "done" },
  }));
  const { flow } = convertHar(recordingOf(calls), {}).plan.scenarios.recorded;
  const retries = [...listSteps(flow)].flatMap(({ retry }) => retry ?? []);
  assertEquals(retries.map(({ attempts }) => attempts), [6_000]);
});

/**
 * Runs the plan of a recorded job with `--checks status`. The job ends after `requests` requests.
 */
async function runJob(pending: { status: number; body: string }, requests: number) {
  const polls = [1, 2, 3].map((n) => ({
    request: "GET /jobs/7001",
    by_script: true as const,
    ...(n < 3
      ? { status: pending.status, response: JSON.parse(pending.body) }
      : { status: 200, response: { status: "done" } }),
  }));
  const calls = [...polls, { request: "GET /results", status: 200 }];
  const { plan } = convertHar(recordingOf(calls), { checks: "status" });
  assertEquals(plan.thresholds, { checks: ["rate==1"], http_req_failed: ["rate==0"] });
  let sent = 0;
  const { summary } = await runInVirtualTime(plan, {
    respond: () => ++sent < requests ? pending : { status: 200, body: '{"status":"done"}' },
  });
  return summary.passed;
}

for (const status of [200, 404]) {
  const pending = { status, body: '{"status":"running"}' };
  Deno.test(`a run with checks passes if a job returns status ${status} more often than in the recording before it ends`, async () => {
    assertEquals(await runJob(pending, 7), true);
  });

  Deno.test(`a run with checks fails if a job is still running after all attempts, with status ${status}`, async () => {
    assertEquals(await runJob(pending, Infinity), false);
  });
}

Deno.test("a plan with a poll gets no threshold on failed requests if a recorded call failed", () => {
  const calls = [
    { request: "GET /jobs/7001", response: { status: "running" } },
    { request: "GET /jobs/7001", response: { status: "done" } },
    { request: "GET /broken", status: 500 },
  ];
  const { plan } = convertHar(recordingOf(calls), { checks: "status" });
  assertEquals(plan.thresholds, { checks: ["rate==1"] });
});
