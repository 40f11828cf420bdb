import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import type { Calibration } from "../../src/calibrate/calibration.ts";
import { calibrateModel } from "../support/calibrated.ts";
import type { FakeSocket } from "../support/fake_socket.ts";
import type { ModelBrowser } from "../support/model_app.ts";

const textOf = (calibration: Calibration) => calibrationText(calibration, (text) => text, true);

const MODEL = {
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
function calibrated(...replies: readonly (string | Uint8Array)[]) {
  const socket = () => ({
    onMessage(_: unknown, server: FakeSocket) {
      for (const reply of replies) server.reply(reply);
    },
  });
  return calibrateModel(MODEL, { start: "all", socket, gap: 0 });
}

const WELCOME = '{"type":"welcome","id":"b2","status":"ok"}';

Deno.test("calibratePlan compares received messages with recorded ones of the same kind", async () => {
  const { calibration } = await calibrated(
    '{"type":"status","busy":true,"load":99}',
    '{"type":"status","busy":false,"load":0}',
    WELCOME,
  );
  assert(calibration.proven, textOf(calibration));
  assertEquals(calibration.uncompared, []);
  assertEquals(calibration.messages.map(({ name: _, ...rest }) => rest), [
    { entry: 2, received: 12, asRecorded: 12, refused: 0, differences: [], skipped: 0 },
  ]);
  assertMatch(
    textOf(calibration),
    /^proven against .* for 2 users in 2 iterations; 12 of 12 WebSocket messages as recorded$/m,
  );
});

Deno.test("calibratePlan reports messages with a different shape or of a different kind", async () => {
  const { calibration } = await calibrated(
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
  const text = textOf(calibration);
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
    const { calibration } = await calibrated(WELCOME, message);
    assertEquals([calibration.proven, calibration.exceptState], [false, false]);
    assertEquals(calibration.messages[0].refused, 4);
    assertMatch(
      textOf(calibration),
      /^not proven against .* \(4 WebSocket messages report an error, unlike in the recording\)$/m,
    );
  });
}

Deno.test("calibratePlan states that it did not compare binary messages", async () => {
  const { calibration } = await calibrated(new Uint8Array([1, 2]), WELCOME);
  assertEquals(calibration.messages[0].skipped, 4);
  assertEquals(calibration.uncompared.map(({ what }) => what), ["messages"]);
  assertMatch(
    textOf(calibration),
    /4 of 4 WebSocket messages as recorded; not compared: WebSocket/,
  );
});

Deno.test("calibratePlan compares at most 1,000 messages of a WebSocket", async () => {
  const status = '{"type":"status","busy":true,"load":1}';
  const { calibration } = await calibrated(WELCOME, ...Array(1_500).fill(status));
  const [{ received, skipped }] = calibration.messages;
  assertEquals(received, 4_000);
  assert(skipped > 0);
  assertEquals(calibration.uncompared.length, 1);
});
