import { assertEquals } from "@std/assert";
import { describeSkipped } from "../../../src/engine/steps/websocket.ts";
import type {
  CounterStats,
  RateStats,
  TrendStats,
} from "../../../src/engine/summary/flow_stats.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import type { Scenario } from "../../../src/plan/kinds/executors.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";
import type { FakeSocket, SocketScript } from "../../support/fake_socket.ts";
import {
  runFlow,
  runInVirtualTime,
  scenarioOf,
  singleScenarioPlan,
} from "../../support/run_in_virtual_time.ts";

const open = (steps: Step[], more: Partial<NonNullable<Step["websocket"]>> = {}): Step => ({
  websocket: { url: "/ws", ...more, steps },
});
const get = (url: string): Step => ({ request: { url } });

/** A server that sends every message back after `ms` milliseconds. */
const echo = (ms = 20): SocketScript => ({
  onMessage: (message, server) => server.reply(message, ms),
});

/** Returns the errors of a run as `kind: message`. */
function errors({ errors }: Summary): string[] {
  return errors.map(({ kind, message }) => `${kind}: ${message}`);
}

/** Returns the WebSocket metrics of a run. */
function metrics({ metrics }: Summary) {
  return {
    sent: (metrics.ws_msgs_sent as CounterStats).count,
    received: (metrics.ws_msgs_received as CounterStats).count,
    failed: metrics.ws_session_failed && (metrics.ws_session_failed as RateStats).passes,
    sessions: (metrics.ws_session_duration as TrendStats).count,
  };
}

Deno.test("a websocket step responds to heartbeats at once, while any step runs", async () => {
  const responses: unknown[] = [];
  const { summary } = await runFlow([
    open([
      get("/slow"),
      { expect: {} },
    ], { heartbeat: { receive: "2", send: "3" } }),
  ], {
    socket: () => ({
      onOpen(server) {
        server.reply("2", 1);
        server.reply("2", 3);
        server.reply("22", 4);
      },
      onMessage: (message) => void responses.push(message),
    }),
  });
  assertEquals(responses, ["3", "3"]);
  assertEquals(errors(summary), []);
  assertEquals(metrics(summary), { sent: 2, received: 3, failed: 0, sessions: 1 });
});

Deno.test("a websocket step sends messages, waits for a message that meets a condition, and extracts values from it", async () => {
  const messages: unknown[] = [];
  const { sent, summary } = await runFlow([
    open([
      { send: "hello ${vu}" },
      { send: { json: { id: 1, vu: "${vu}" } } },
      { send: { base64: "AAE=" } },
      {
        expect: {
          condition: { type: "jsonpath", expression: "$.token", exists: true },
          extract: [{ type: "jsonpath", name: "token", expression: "$.token" }],
        },
      },
      get("/next?token=${token}"),
      { send: "token ${token}" },
    ], { subprotocols: ["v1"], headers: { "X-A": "b" } }),
    get("/after"),
  ], {
    socket: () => ({
      onOpen: (server) => server.reply("welcome"),
      onMessage(message, server) {
        messages.push(message);
        if (messages.length === 3) server.reply(`{"token":"t-9"}`, 50);
      },
    }),
  });
  assertEquals(messages, ["hello 1", '{"id":1,"vu":1}', Uint8Array.of(0, 1), "token t-9"]);
  assertEquals(sent.map(({ target, at }) => [target, at]), [
    ["/ws", 0],
    ["/next?token=t-9", 60],
    ["/after", 75],
  ]);
  assertEquals(sent[0].headers["x-a"], "b");
  assertEquals(errors(summary), []);
  assertEquals(metrics(summary), { sent: 4, received: 2, failed: 0, sessions: 1 });
  const { avg, count } = summary.metrics.ws_session_duration as TrendStats;
  assertEquals([Math.round(avg), count], [65, 1]);
  assertEquals(Math.round((summary.metrics.ws_connecting as TrendStats).avg), 10);
  const [{ name, method, statuses }] = summary.endpoints.filter(({ name }) => name === "WS /ws");
  assertEquals([name, method, statuses], ["WS /ws", "GET", { "101": 1 }]);
});

Deno.test("`expect` skips messages that do not match, and later steps run even if no matching message arrives in time", async () => {
  const { sent, summary } = await runFlow([
    open([
      { send: "a" },
      { send: "b" },
      { expect: { condition: { type: "body_contains", value: "b" } } },
      { expect: { condition: { type: "body_contains", value: "a" }, timeout: "2s" } },
      get("/next"),
      { expect: { timeout: "1s" } },
    ]),
  ], { socket: () => echo() });
  assertEquals(sent.map(({ at }) => at), [0, 2_030]);
  assertEquals(errors(summary), ["timeout: no message with `body_contains value a` within 2s"]);
  assertEquals(summary.errors[0].count, 2);
  assertEquals(metrics(summary), { sent: 2, received: 2, failed: 1, sessions: 1 });
  const [{ count, failed }] = summary.endpoints.filter(({ name }) => name === "WS /ws");
  assertEquals([count, failed], [1, 1]);
});

Deno.test("a websocket step skips its steps if the WebSocket cannot be opened", async () => {
  const { sent, summary } = await runFlow([open([get("/inside"), { send: "a" }]), get("/after")], {
    socket: () => ({ status: 403 }),
  });
  assertEquals(sent.map(({ target }) => target), ["/ws", "/after"]);
  assertEquals(errors(summary), ["upgrade: it ended in upgrade"]);
  assertEquals((summary.metrics.ws_session_failed as RateStats).passes, 1);
  assertEquals((summary.metrics.http_req_failed as RateStats).passes, 1);
});

Deno.test("a websocket step skips its remaining steps if the connection ends while a step needs it", async () => {
  const fail = (server: FakeSocket) =>
    server.end({ code: 1006, error: "closed", message: "the server left" }, 30);
  const cases: [steps: Step[], message: string, at: number][] = [
    [[{ wait: "1s" }], "the server left during the step `wait`", 45],
    [[{ expect: {} }], "the server left before the expected message arrived", 45],
    [[{ think_time: 1 }, { send: "a" }], "the server left before the step `send`", 1_015],
  ];
  for (const [steps, message] of cases) {
    const { sent, summary } = await runFlow([open([...steps, get("/never")]), get("/after")], {
      socket: () => ({ onOpen: fail }),
    });
    assertEquals(sent.map(({ target }) => target), ["/ws", "/after"]);
    assertEquals(errors(summary), [`closed: ${message}`]);
    assertEquals(metrics(summary).failed, 1);
  }
});

Deno.test("a session fails if the server closes the WebSocket early and a step still needs it", async () => {
  const bye = (server: FakeSocket) => server.end({ code: 1011, reason: "overload" }, 30);
  const run = async (steps: Step[]) => {
    const { summary } = await runFlow([open(steps)], { socket: () => ({ onOpen: bye }) });
    return [...errors(summary), metrics(summary).failed];
  };
  assertEquals(await run([{ wait: "10s" }]), [
    "closed: the WebSocket was closed (code 1011: overload) during the step `wait`",
    1,
  ]);
  assertEquals(await run([{ think_time: 1 }]), [0]);
  assertEquals(await run([{ think_time: 1 }, { close: {} }]), [0]);
});

Deno.test("`close` ends the WebSocket before the remaining steps run", async () => {
  let code = 0;
  const { summary } = await runFlow([
    open([{ send: "a" }, { close: { code: 3001, reason: "done" } }, get("/next"), { send: "b" }]),
  ], {
    socket: () => ({
      get closesWith() {
        return code = 3_001;
      },
    }),
  });
  assertEquals([code, metrics(summary).sent], [3_001, 1]);
  assertEquals(errors(summary), [
    "closed: the WebSocket was closed (code 3001: done) before the step `send`",
  ]);
});

Deno.test("loops can send and expect messages, and conditions can test the last message", async () => {
  const { sent, summary } = await runFlow([
    open([
      { repeat: { times: 3, steps: [{ send: "ping" }, { expect: {} }] } },
      {
        if: {
          condition: { type: "body_contains", value: "ping" },
          then: [get("/yes")],
          else: [get("/no")],
        },
      },
    ]),
  ], { socket: () => echo() });
  assertEquals(sent.map(({ target, at }) => [target, at]), [["/ws", 0], ["/yes", 70]]);
  assertEquals(metrics(summary), { sent: 3, received: 3, failed: 0, sessions: 1 });
});

Deno.test("steps can specify the WebSocket that they use", async () => {
  const seen: string[] = [];
  await runFlow([
    open([
      open([
        { send: { socket: "outer", text: "1" } },
        { send: "2" },
        {
          expect: { socket: "outer", extract: [{ type: "regex", name: "x", expression: "(.+)" }] },
        },
        { close: { socket: "outer" } },
        { send: "${x}" },
      ], { url: "/inner" }),
    ], { name: "outer" }),
  ], {
    socket: ({ target }) => ({
      onMessage(message, server) {
        seen.push(`${target} ${message}`);
        server.reply(`${target}:${message}`);
      },
    }),
  });
  assertEquals(seen, ["/ws 1", "/inner 2", "/inner /ws:1"]);
});

Deno.test("a message that uses an unset variable is not sent, and the session fails", async () => {
  const { summary } = await runFlow([
    open([
      { expect: { timeout: 1, extract: [{ type: "regex", name: "x", expression: "no" }] } },
      { send: "${x}" },
    ]),
  ], { socket: () => ({ onOpen: (server) => server.reply("yes") }) });
  assertEquals(errors(summary), [
    'extract: no value found for the variable "x"',
    'template: the variable "x" is not set',
  ]);
  assertEquals(metrics(summary), { sent: 0, received: 1, failed: 1, sessions: 1 });
});

Deno.test("messages that no step reads are only counted", async () => {
  const flood: SocketScript = {
    onOpen(server) {
      for (let i = 0; i < 20_000; i++) server.reply(`${i}`);
    },
  };
  const { summary } = await runFlow([open([{ wait: 1 }])], { socket: () => flood });
  assertEquals(metrics(summary).received, 20_000);
  const late = await runFlow([
    open([
      { think_time: 1 },
      { expect: { condition: { type: "body_matches", pattern: "^5$" }, timeout: 1 } },
    ]),
  ], { socket: () => flood });
  assertEquals(errors(late.summary), [
    "timeout: no message with `body_matches pattern ^5$` within 1s (10000 older messages were " +
    "discarded unread); the last message was: 19999",
  ]);
});

Deno.test("the end of the graceful stop cancels open WebSockets", async () => {
  const flow = [open([{ wait: "1h" }]), get("/never")];
  const scenario: Scenario = scenarioOf(
    "constant-vus, vus: 2, duration: 10s, graceful_stop: 5s",
    flow,
  );
  const { summary, sent } = await runInVirtualTime(singleScenarioPlan(scenario), {
    socket: () => ({}),
  });
  assertEquals(sent.map(({ target }) => target), ["/ws", "/ws"]);
  const [{ iterations, interrupted }] = summary.scenarios;
  assertEquals([iterations, interrupted, Math.round(summary.duration_ms)], [0, 2, 15_000]);
  assertEquals(errors(summary), []);
});

Deno.test("a WebSocket upgrade request sends the VU's cookies, and the VU stores those that the response sets", async () => {
  const { sent } = await runFlow([get("/login"), open([get("/inside")])], {
    respond: () => ({ headers: [["Set-Cookie", "sid=1"]] }),
    socket: () => ({}),
  });
  assertEquals(sent.map(({ headers }) => headers.cookie), [undefined, "sid=1", "sid=1"]);
});

Deno.test("a run has no WebSocket metrics unless its plan has a `websocket` step", async () => {
  const { summary } = await runFlow([get("/")]);
  assertEquals(Object.keys(summary.metrics).filter((name) => name.startsWith("ws_")), []);
});

Deno.test("a WebSocket upgrade request is sent again with Digest credentials if the server asks for them", async () => {
  const challenge = ["www-authenticate", 'Digest realm="r", nonce="n", qop="auth"'] as const;
  const run = async (accepts: boolean) => {
    const { sent, summary } = await runFlow([open([], { url: "ws://joe:x@t/ws" })], {
      plan: { defaults: { http: { auth: "digest" } } },
      socket: ({ headers }) =>
        accepts && headers.authorization?.startsWith("Digest ")
          ? echo()
          : { status: 401, headers: [challenge] },
    });
    return {
      sent: sent.map(({ headers }) => headers.authorization?.split(" ")[0]),
      failed: summary.endpoints[0].failed,
      errors: errors(summary),
    };
  };
  assertEquals(await run(true), { sent: [undefined, "Digest"], failed: 0, errors: [] });
  assertEquals(await run(false), {
    sent: [undefined, "Digest"],
    failed: 1,
    errors: ["upgrade: it ended in upgrade"],
  });
});

Deno.test("a WebSocket upgrade request reuses the nonce of the VU's Digest login and increments its count", async () => {
  const challenge = ["www-authenticate", 'Digest realm="r", nonce="n", qop="auth"'] as const;
  const url = "ws://joe:x@t/ws";
  const { sent } = await runFlow([open([], { url }), open([], { url })], {
    plan: { defaults: { http: { auth: "digest" } } },
    socket: ({ headers }) =>
      headers.authorization === undefined ? { status: 401, headers: [challenge] } : echo(),
  });
  const counts = sent.map(({ headers }) => / nc=(\w+)/.exec(headers.authorization ?? "")?.[1]);
  assertEquals(counts, [undefined, "00000001", "00000002"]);
});

Deno.test("the error of an expect step contains the last other message, shortened and without secrets", async () => {
  const flow = (reply: string | Uint8Array, end = false) =>
    runFlow([
      open([
        { send: "login ${secrets.key}" },
        { expect: { condition: { type: "body_contains", value: "ready" }, timeout: 1 } },
      ]),
    ], {
      plan: { secrets: { key: { env: "KEY" } } },
      env: { KEY: "hidden-key" },
      socket: () => ({
        onMessage: (_, server) => {
          server.reply(reply, 10);
          if (end) server.end({ code: 4401, reason: "denied" }, 20);
        },
      }),
    });
  const timeout = "timeout: no message with `body_contains value ready` within 1s";
  const denied = '{"error":"bad key hidden-key","token":"s3cr3t-t0ken"}';
  const text = '{"error":"bad key ********","token":"********"}';
  assertEquals(errors((await flow(denied)).summary), [`${timeout}; the last message was: ${text}`]);
  assertEquals(errors((await flow(denied, true)).summary), [
    "closed: the WebSocket was closed (code 4401: denied) before the expected message arrived; the " +
    `last message was: ${text}`,
  ]);
  const [long] = errors((await flow("x".repeat(9_999))).summary);
  assertEquals(long.length, `${timeout}; the last message was: `.length + 200);
  assertEquals(errors((await flow(new Uint8Array(3))).summary), [
    `${timeout}; the last message was binary (3 B)`,
  ]);
});

Deno.test("describeSkipped hides a secret of the plan that crosses the end of the searched part", () => {
  const hide = (text: string) => text.replaceAll("key-of-the-plan", "********");
  const message = (length: number) =>
    JSON.stringify({ access_token: "aB3".repeat(length), text: "key-of-the-plan" });
  for (let length = 2_640; length < 2_670; length++) {
    assertEquals(/key-/.test(describeSkipped(message(length), hide)), false, `${length}`);
  }
});
