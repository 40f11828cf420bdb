import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { calibrationReview } from "../../src/cli/calibrate/calibration_review.ts";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import type { Step } from "../../src/plan/kinds/steps.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { calibrateModel, explainedTextOf, type ModelOptions } from "../support/calibrated.ts";
import type { FakeSocket } from "../support/fake_socket.ts";
import { type CreateApp, type ModelBrowser, Values } from "../support/model_app.ts";

const RECORDED = "5f0c1d2e8a9b7c30";

/**
 * An application whose items have the ids in `ids`, which the server sends only in WebSocket
 * messages.
 */
function items(ids: Set<string>): CreateApp {
  return () => ({ path }) => {
    const id = path.split("/").at(-1)!;
    return path.startsWith("/items/") && !ids.has(id)
      ? { status: 404, json: { error: "unknown" } }
      : { json: { ok: true } };
  };
}

/** Formats a message in the notation of a protocol, for example as a Socket.IO frame. */
type Frame = (name: string, values: Readonly<Record<string, string>>) => string;

const FRAMES: Readonly<Record<string, Frame>> = {
  "JSON": (type, values) => JSON.stringify({ type, ...values }),
  "Socket.IO": (name, values) => `42${JSON.stringify([name, values])}`,
  "SockJS": (type, values) => `a${JSON.stringify([JSON.stringify({ type, ...values })])}`,
  "STOMP": (type, values) => `MESSAGE\nid:m-1\n\n${JSON.stringify({ type, ...values })}\0`,
  "SignalR": (type, values) => `${JSON.stringify({ type, ...values })}\x1e`,
};

/**
 * Records a session that creates an item and opens it over a WebSocket, and then requests it over
 * HTTP. Calibrates a plan that contains the recorded id of the item. `answer` returns the live
 * server's messages after the creation of the item with the given id.
 */
async function calibrated(
  frame: Frame,
  answer = (id: string) => [frame("created", { id })],
  edit = (plan: Plan) => plan,
) {
  const recordedIds = new Set([RECORDED]);
  const liveIds = new Set<string>();
  const values = new Values(7);
  const opened: string[] = [];
  const socket = () => ({
    onMessage(message: unknown, server: FakeSocket) {
      const text = String(message);
      if (text.includes("create")) {
        const id = values.hex(16);
        liveIds.add(id);
        for (const reply of answer(id)) server.reply(reply);
      } else {
        opened.push(text);
        if ([...liveIds].some((id) => text.includes(id))) server.reply(frame("opened", {}));
      }
    },
  });
  const found = await calibrateModel({
    create: items(recordedIds),
    use(browser: ModelBrowser) {
      browser.send("GET", "/home");
      browser.openSocket("/live", [
        { type: "send", data: frame("create", {}) },
        { type: "receive", data: frame("created", { id: RECORDED }) },
        { type: "send", data: frame("open", { id: RECORDED }) },
        { type: "receive", data: frame("opened", {}) },
      ]);
      browser.send("GET", `/items/${RECORDED}`);
    },
  }, { live: items(liveIds), socket, start: "all", gap: 0, edit: (plan) => edit(bare(plan)) });
  const steps = found.plan.scenarios.recorded.flow.find(({ websocket }) => websocket)!.websocket!;
  return { ...found, steps: steps.steps, opened };
}

/** Removes the extractors of `expect` steps, and restores the recorded ids. */
function bare(plan: Plan): Plan {
  const remove = (step: Step): Step =>
    step.expect === undefined ? step : { expect: { ...step.expect, extract: undefined } };
  const { recorded } = plan.scenarios;
  const flow = recorded.flow.map((step) =>
    step.websocket === undefined
      ? step
      : { websocket: { ...step.websocket, steps: step.websocket.steps.map(remove) } } as Step
  );
  const copy = { ...plan, scenarios: { recorded: { ...recorded, flow } } };
  const text = JSON.stringify(copy).replaceAll("${id}", RECORDED).replaceAll('"10s"', '"1ms"')
    .replaceAll('"${room_id}"', "7").replaceAll("${room_id}", "7");
  return JSON.parse(text);
}

for (const [name, frame] of Object.entries(FRAMES)) {
  Deno.test(`calibratePlan replaces a stale value with one extracted from a received message (${name})`, async () => {
    const { calibration, steps, plan, isValid, opened } = await calibrated(frame);
    const text = calibrationText(calibration, (text) => text, true);
    assert(calibration.proven && isValid, text);
    const [{ variable, recorded, consumers, messages }] = calibration.received;
    assertEquals([calibration.received.length, variable, recorded], [1, "item_id", RECORDED]);
    assertEquals([consumers, messages], [[1], 1]);
    const [extractor] = steps[1].expect!.extract!;
    assertEquals([extractor.type, extractor.name], ["jsonpath", "item_id"]);
    assertStringIncludes(JSON.stringify(steps[2].send), "${item_id}");
    assertEquals(plan.scenarios.recorded.flow.at(-1)!.request!.url, "/items/${item_id}");
    assertStringIncludes(text, " of WS /live\n");
    assert(!opened.at(-1)!.includes(RECORDED));
  });
}

Deno.test("the review page lists a value that is extracted from a message", async () => {
  const found = await calibrated(FRAMES.STOMP);
  const recording = { exchanges: [] } as never;
  const { values } = calibrationReview(found, recording, (text) => text);
  const value = values.find(({ variable }) => variable === "item_id")!;
  assertEquals([value.result, value.recorded], ["repaired", RECORDED]);
  assertEquals(value.from, { call: "WS /live", place: "message, jsonpath $.id" });
  assertEquals(value.to.map(({ call }) => call), [
    `request 2 (GET /items/${RECORDED})`,
    "1 WebSocket message",
  ]);
});

Deno.test("calibratePlan does not learn from a received message with a different shape", async () => {
  const answer = (id: string) => [JSON.stringify({ type: "created", id, error: "full" })];
  const { calibration } = await calibrated(FRAMES.JSON, answer);
  assertEquals([calibration.received, calibration.proven], [[], false]);
});

Deno.test("calibratePlan extracts a value by the text around it if the message only resembles a Socket.IO frame", async () => {
  const frame: Frame = (name, values) => `47${JSON.stringify([name, values])} end`;
  const { calibration, steps } = await calibrated(frame);
  assertEquals(steps[1].expect!.extract!.map(({ type }) => type), ["boundary"]);
  assert(calibration.proven);
});

Deno.test("calibratePlan does not call a plan proven that takes one of several values of a message", async () => {
  const frame: Frame = (name, { id }) =>
    `${name} <i id="${id}"> <i id="${id && "0a1b2c3d4e5f6a7b"}">`;
  const { calibration } = await calibrated(frame, undefined, (plan) => {
    const copy = JSON.parse(
      JSON.stringify(plan).replaceAll(RECORDED, "${live_id}")
        .replaceAll("${live_id}", "${item_id}"),
    ) as Plan;
    const { steps } = copy.scenarios.recorded.flow[1].websocket!;
    steps[1].expect!.extract = [{ type: "boundary", name: "item_id", left: 'id="', right: '"' }];
    return copy;
  });
  assertEquals(calibration.messages.map(({ ambiguous }) => ambiguous), [["item_id"]]);
  assert(!calibration.proven);
  assertStringIncludes(
    calibrationText(calibration, (text) => text, false),
    "(WebSocket messages contain several values for `${item_id}`; the plan may send a wrong one)",
  );
});

Deno.test("calibratePlan reads only the messages that a step selects to find several values", async () => {
  const { calibration } = await calibrated(
    FRAMES.JSON,
    (id) => [JSON.stringify({ type: "created", id }), '{"type":"list","all":[{"id":1},{"id":2}]}'],
    (plan) => {
      const copy = JSON.parse(JSON.stringify(plan).replaceAll(RECORDED, "${item_id}")) as Plan;
      const { steps } = copy.scenarios.recorded.flow[1].websocket!;
      steps[1].expect!.extract = [{ type: "jsonpath", name: "item_id", expression: "$..id" }];
      return copy;
    },
  );
  assertEquals(calibration.messages.map(({ ambiguous }) => ambiguous), [[]]);
});

Deno.test("calibratePlan does not learn from messages whose order is unknown", async () => {
  const { calibration } = await calibrated(FRAMES.JSON, undefined, (plan) => {
    const { recorded } = plan.scenarios;
    const [home, socket, last] = recorded.flow;
    const { websocket } = socket as { websocket: NonNullable<Step["websocket"]> };
    const steps = [{ if: { condition: "1 == 1", then: websocket.steps } }];
    const flow = [home, { websocket: { ...websocket, steps } } as Step, last];
    return { ...plan, scenarios: { recorded: { ...recorded, flow } } };
  });
  assertEquals(calibration.received, []);
});

Deno.test("calibratePlan does not replace a value in a message that was sent before the value was received", async () => {
  const { calibration } = await calibrated(FRAMES["Socket.IO"], undefined, (plan) => {
    const { recorded } = plan.scenarios;
    const [home, socket, last] = recorded.flow;
    const { websocket } = socket as { websocket: NonNullable<Step["websocket"]> };
    const steps = [{ send: `42["close",{"id":"${RECORDED}"}]` }, ...websocket.steps];
    const flow = [home, { websocket: { ...websocket, steps } } as Step, last];
    return { ...plan, scenarios: { recorded: { ...recorded, flow } } };
  });
  assertEquals([calibration.received, calibration.proven], [[], false]);
});

/**
 * Records a session that joins a room over a WebSocket, and calibrates the plan. `recorded` and
 * `live` are the messages about the room. `sent` is the message that the client sends after it.
 */
async function joined(recorded: string, live: string, sent: string, before = "join") {
  const messages: string[] = [];
  const { calibration } = await calibrateModel({
    create: () => () => ({ json: { ok: true } }),
    use(browser: ModelBrowser) {
      browser.send("GET", "/home");
      browser.openSocket("/live", [
        { type: "send", data: before },
        { type: "receive", data: recorded },
        { type: "send", data: sent },
      ]);
    },
  }, {
    socket: () => ({
      onMessage(message: unknown, server: FakeSocket) {
        messages.push(String(message));
        if (String(message) === before) server.reply(live);
      },
    }),
    start: "all",
    gap: 0,
    edit: bare,
  });
  const found = calibration.received.map(({ recorded, live }) => [recorded, live]);
  return { found, last: messages.at(-1)! };
}

// In SockJS, JSON is a string within JSON, so its members are not found.
for (const name of ["JSON", "Socket.IO", "STOMP", "SignalR"]) {
  Deno.test(`calibratePlan extracts a short id if a live message contains a different number in the same member (${name})`, async () => {
    const numbered = (type: string, id: number) =>
      FRAMES[name](type, { room_id: "N" }).replace('"N"', String(id));
    const { found, last } = await joined(
      numbered("joined", 7),
      numbered("joined", 12),
      numbered("say", 7),
    );
    assertEquals(found, [["7", "12"]]);
    assertEquals(last, numbered("say", 12));
  });
}

for (
  const [why, live, sent, before] of [
    ["the live message contains the same number", '{"room_id":7}', '{"room_id":7}', "join"],
    ["another member sends the number", '{"room_id":12}', '{"volume":7}', "join"],
    ["the client sent the number before", '{"room_id":12}', '{"room_id":7}', '{"room_id":7,"a":1}'],
  ] as const
) {
  Deno.test(`calibratePlan keeps a short number in a message if ${why}`, async () => {
    const { found, last } = await joined('{"room_id":7}', live, sent, before);
    assertEquals([found, last], [[], sent]);
  });
}

const RECEIVER = {
  create: () => () => ({ json: { ok: true } }),
  use(browser: ModelBrowser) {
    browser.send("GET", "/home");
    browser.openSocket("/live", [
      { type: "send", data: '{"type":"hello"}' },
      { type: "receive", data: '{"type":"status","busy":true,"load":17}' },
      { type: "receive", data: '{"type":"status","busy":false,"load":3}' },
      { type: "receive", data: '{"type":"welcome","id":"a1","status":"ok"}' },
    ]);
    browser.send("GET", "/end");
  },
};

/** Calibrates a plan against a server that responds to a message with `replies`. */
function calibratedReplies(...replies: readonly (string | Uint8Array)[]) {
  const socket = () => ({
    onMessage(_: unknown, server: FakeSocket) {
      for (const reply of replies) server.reply(reply);
    },
  });
  return calibrateModel(RECEIVER, { start: "all", socket, gap: 0 });
}

const WELCOME = '{"type":"welcome","id":"b2","status":"ok"}';

Deno.test("calibratePlan compares received messages with recorded ones of the same kind", async () => {
  const { calibration } = await calibratedReplies(
    '{"type":"status","busy":true,"load":99}',
    '{"type":"status","busy":false,"load":0}',
    WELCOME,
  );
  assert(calibration.proven, explainedTextOf(calibration));
  assertEquals(calibration.uncompared, []);
  assertEquals(calibration.messages.map(({ name: _, ...rest }) => rest), [
    {
      entry: 2,
      received: 12,
      asRecorded: 12,
      refused: 0,
      differences: [],
      ambiguous: [],
      skipped: 0,
    },
  ]);
  assertMatch(
    explainedTextOf(calibration),
    /^proven against .* for 2 users in 2 iterations; 12 of 12 WebSocket messages as recorded$/m,
  );
});

Deno.test("calibratePlan reports messages with a different shape or of a different kind", async () => {
  const { calibration } = await calibratedReplies(
    '{"type":"status","reason":"lunch"}',
    '{"type":"goodbye"}',
    "plain text",
    WELCOME,
  );
  const [{ received, asRecorded, differences }] = calibration.messages;
  assertEquals([received, asRecorded], [16, 4]);
  assertEquals(differences, [
    "JSON members: only recorded: busy, load; only live: reason",
    "a kind of message that was not recorded: jsonpath expression $.type equals goodbye",
    "a kind of message that was not recorded",
  ]);
  const text = explainedTextOf(calibration);
  assertStringIncludes(text, "Message differs (3)\n  WS");
  assertStringIncludes(text, " (12 of 16 messages): JSON members: only recorded: busy, load");
  assertMatch(text, /^proven against .*; 4 of 16 WebSocket messages as recorded$/m);
});

for (
  const [name, message] of Object.entries({
    "an unexpected member": '{"type":"status","busy":true,"load":1,"error":"no access"}',
    "an unexpected type": '{"type":"error","text":"no access"}',
    "the member of a success": '{"type":"welcome","id":"c3","status":"denied"}',
  })
) {
  Deno.test(`calibratePlan does not report a plan as proven if a message reports an error in ${name}`, async () => {
    const { calibration } = await calibratedReplies(WELCOME, message);
    assertEquals([calibration.proven, calibration.exceptState], [false, false]);
    assertEquals(calibration.messages[0].refused, 4);
    assertMatch(
      explainedTextOf(calibration),
      /^not proven against .* \(4 WebSocket messages report an error, unlike in the recording\)$/m,
    );
  });
}

Deno.test("calibratePlan states that it did not compare binary messages", async () => {
  const { calibration } = await calibratedReplies(new Uint8Array([1, 2]), WELCOME);
  assertEquals(calibration.messages[0].skipped, 4);
  assertEquals(calibration.uncompared.map(({ what }) => what), ["messages"]);
  assertMatch(
    explainedTextOf(calibration),
    /4 of 4 WebSocket messages as recorded; not compared: WebSocket/,
  );
});

Deno.test("calibratePlan compares at most 1,000 messages of a WebSocket", async () => {
  const status = '{"type":"status","busy":true,"load":1}';
  const { calibration } = await calibratedReplies(WELCOME, ...Array(1_500).fill(status));
  const [{ received, skipped }] = calibration.messages;
  assertEquals(received, 4_000);
  assert(skipped > 0);
  assertEquals(calibration.uncompared.length, 1);
});

/** An application that issues a token for its WebSocket. `tokens` receives each token. */
function chat(tokens: Set<string> = new Set()): CreateApp {
  return (seed) => {
    const values = new Values(seed);
    return ({ path }) => {
      if (path !== "/token") return { json: { rooms: ["tea"] } };
      const token = values.hex(16);
      tokens.add(token);
      return { json: { token } };
    };
  };
}

const CHAT = {
  create: chat(),
  use(browser: ModelBrowser) {
    browser.send("GET", "/token");
    browser.send("GET", "/rooms");
  },
};

/**
 * Calibrates a plan whose two requests are followed by a WebSocket. `stepsFor` returns the steps of
 * the WebSocket, which send the recorded token.
 */
async function calibratedSteps(
  stepsFor: (token: string) => Step[],
  { url = "/live", ...options }: ModelOptions & { readonly url?: string } = {},
) {
  const tokens = new Set<string>();
  const received: unknown[] = [];
  const recorded = new Values(1).hex(16);
  const socket = () => ({
    onMessage(message: unknown, server: FakeSocket) {
      received.push(message);
      const isKnown = [...tokens].some((token) => String(message).includes(token));
      server.reply(isKnown ? "welcome" : "go away");
    },
  });
  const edit = (plan: Plan): Plan => {
    const { flow } = plan.scenarios.recorded;
    flow.push({ websocket: { url: `ws://target.example:9090${url}`, steps: stepsFor(recorded) } });
    return plan;
  };
  const found = await calibrateModel(CHAT, { live: chat(tokens), socket, edit, ...options });
  const { websocket } = found.plan.scenarios.recorded.flow.at(-1)!;
  return { ...found, received, recorded, tokens, websocket: websocket! };
}

const EXPECT_WELCOME: Step = {
  expect: { condition: { type: "body_contains", value: "welcome" }, timeout: "1ms" },
};

for (
  const [name, send, repaired] of [
    ["text", (token: string) => `hello ${token}`, "hello ${token}"],
    [
      "JSON",
      (token: string) => ({ json: { type: "hello", token } }),
      { json: { type: "hello", token: "${token}" } },
    ],
    [
      "text in a map",
      (token: string) => ({ text: `{"token":"${token}"}` }),
      { text: '{"token":"${token}"}' },
    ],
  ] as const
) {
  Deno.test(`calibratePlan repairs a stale value in a sent message (${name})`, async () => {
    const found = await calibratedSteps((token) => [{ send: send(token) } as Step, EXPECT_WELCOME]);
    const { calibration, websocket, isValid, edits } = found;
    assert(calibration.proven, JSON.stringify(calibration));
    assert(isValid);
    assertEquals(websocket.steps[0].send, repaired);
    assertEquals(edits, 2);
    const [{ variable, consumers, messages }] = calibration.extracted;
    assertEquals([variable, consumers, messages], ["token", [], 1]);
    assertStringIncludes(
      calibrationText(calibration, (text) => text, true),
      "1 WebSocket message",
    );
  });
}

Deno.test("calibratePlan repairs a stale value in the URL of a WebSocket", async () => {
  const url = `/live?token=${new Values(1).hex(16)}`;
  const { calibration, websocket } = await calibratedSteps(() => [{ wait: 0 }], { url });
  assertEquals(calibration.extracted.map(({ variable }) => variable), ["token"]);
  assertStringIncludes(websocket.url, "/live?token=${token}");
});

Deno.test("calibratePlan keeps messages whose values the server does not change", async () => {
  const { calibration, websocket, edits } = await calibratedSteps(() => [{ send: "hello tea" }]);
  assertEquals([calibration.extracted, edits], [[], 0]);
  assertEquals(websocket.steps[0].send, "hello tea");
});

Deno.test("calibratePlan does not extract a value from a response that arrives after the message that sends the value", async () => {
  const { calibration } = await calibratedSteps((token) => [{ send: token }], {
    edit(plan) {
      const token = new Values(1).hex(16);
      const steps: Step[] = [{ send: token }];
      plan.scenarios.recorded.flow.unshift({
        websocket: { url: "ws://target.example:9090/live", steps },
      });
      plan.scenarios.recorded.flow.push({
        websocket: { url: "ws://target.example:9090/live", steps: [{ send: token }] },
      });
      return plan;
    },
  });
  assertEquals(calibration.extracted, []);
});

Deno.test("calibratePlan gives an extracted value a variable name that no other step uses", async () => {
  const extract = [{ type: "regex", name: "token_2", expression: "(w.*)" }] as const;
  const { calibration, websocket } = await calibratedSteps((token) => [
    { send: token },
    { expect: { extract: [...extract], timeout: "1ms" } },
    { send: "${token_2} ${token_3} ${token}" },
  ], {
    edit(plan) {
      plan.variables = { token: "kept" };
      const [first, ...rest] = plan.scenarios.recorded.flow;
      plan.scenarios.recorded.flow = [first, { set: { token_3: "tea" } }, ...rest];
      const steps: Step[] = [
        { send: new Values(1).hex(16) },
        { expect: { extract: [...extract], timeout: "1ms" } },
      ];
      plan.scenarios.recorded.flow.push({
        websocket: { url: "ws://target.example:9090/live", steps },
      });
      return plan;
    },
  });
  assertEquals(calibration.extracted.map(({ variable }) => variable), ["token_4"]);
  assertEquals(websocket.steps[0].send, "${token_4}");
});

/**
 * Creates a shared list to which each user adds a tea. The newest tea comes last, or first if
 * `newestFirst` is true. `added` maps the ids of the teas to their names.
 */
function teas(newestFirst: boolean, added = new Map<string, string>()): CreateApp {
  return (seed) => {
    const values = new Values(seed);
    const rows: string[] = [];
    const add = (name: string) => {
      const id = values.hex(12);
      added.set(id, name);
      rows[newestFirst ? "unshift" : "push"](`<tr id="${id}"><td>${name}</td></tr>`);
    };
    add("Sencha");
    return ({ method, form }) => {
      if (method !== "POST") return { html: `<title>Teas</title><table>${rows.join("")}</table>` };
      add(form?.get("name") ?? "");
      return { status: 302, headers: { Location: "/teas" } };
    };
  };
}

Deno.test("calibratePlan sends a message with the id of the user's own row, not of the row at the recorded position", async () => {
  const ids = new Map<string, string>();
  teas(false, ids)(1)({ method: "POST", form: new URLSearchParams({ name: "Assam" }) } as never);
  const recorded = [...ids.keys()].at(-1)!;
  const added = new Map<string, string>();
  const deleted: string[] = [];
  const { calibration, plan } = await calibrateModel({
    create: teas(false),
    use(browser) {
      browser.send("POST", "/teas", { form: { name: "Assam" } });
      browser.send("GET", "/teas");
    },
  }, {
    live: teas(true, added),
    socket: () => ({
      onMessage(message, server) {
        deleted.push(String(message).slice("delete ".length));
        server.reply("welcome");
      },
    }),
    edit(plan) {
      const steps: Step[] = [{ send: `delete ${recorded}` }, EXPECT_WELCOME];
      plan.scenarios.recorded.flow.push({
        websocket: { url: "ws://target.example:9090/live", steps },
      });
      return plan;
    },
  });
  const [{ users, iterations }] = calibration.rounds.slice(-1);
  assertEquals(calibration.proven, true, JSON.stringify(calibration));
  const names = deleted.slice(-users * iterations).map((id) => added.get(id) ?? id);
  assert(names.every((name) => name.startsWith("Assam")), names.join());
  assertEquals(new Set(names).size, users * iterations, JSON.stringify(plan.scenarios));
});
