import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { calibrationReview } from "../../src/cli/calibrate/calibration_review.ts";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import type { Step } from "../../src/plan/kinds/steps.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { calibrateModel } from "../support/calibrated.ts";
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
