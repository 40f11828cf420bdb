import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { calibrationReview } from "../../src/cli/calibrate/calibration_review.ts";
import { calibratedPlanText, calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import type { Calibration } from "../../src/calibrate/calibration.ts";
import { calibrateModel } from "../support/calibrated.ts";
import type { ModelBrowser } from "../support/model_app.ts";
import { JSON_API, rateLimited } from "../support/model_apps.ts";

const textOf = (calibration: Calibration) => calibrationText(calibration, (text) => text, false);

Deno.test("calibratePlan reports the rate limits for which it waited, and what to do", async () => {
  const found = await calibrateModel(JSON_API, { live: rateLimited(JSON_API.create, "2") });
  const { calibration, waits } = found;
  assert(calibration.proven, textOf(calibration));
  const { rateLimit } = calibration;
  assertEquals(rateLimit?.responses, waits.length);
  assertEquals(rateLimit?.waitedMs, 2_000 * waits.length);
  assertEquals(rateLimit?.longestMs, 2_000);
  assertEquals(rateLimit?.statuses, [429]);
  const seconds = 2 * waits.length;
  const total = seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
  const text = textOf(calibration);
  assertStringIncludes(
    text,
    `Rate limit (1)\n  ${waits.length} responses with status 429: ` +
      `waited ${total} in total, at most 2s before one request`,
  );
  assertStringIncludes(text, "; a run does not wait: add `pacing` to the scenario");
  assertMatch(
    text,
    /^proven against .*; the server limited the rate, so add `pacing` or `think_time`$/m,
  );
  const review = calibrationReview(found, { exchanges: [] } as never, (text) => text);
  assertEquals(review.notes?.map(({ kind, subject }) => [kind, subject]), [
    ["rate limit", `${waits.length} responses with status 429`],
  ]);
  const { text: yaml } = calibratedPlanText(found, found.text);
  assertMatch(yaml, /^# Calibrated against .*the server limited the rate, so add `pacing`/);
});

Deno.test("calibratePlan does not mention rate limits if the server has none", async () => {
  const { calibration } = await calibrateModel(JSON_API);
  assertEquals(calibration.rateLimit, undefined);
  assert(!/rate limit|limited/i.test(textOf(calibration)), textOf(calibration));
});

const CHAT = {
  create: () => () => ({ json: { ok: true } }),
  use(browser: ModelBrowser) {
    browser.send("GET", "/home");
    browser.openSocket("/live", [
      { type: "send", data: '{"type":"hello"}' },
      { type: "receive", data: '{"type":"welcome","id":"a1"}' },
    ]);
    browser.send("GET", "/end");
  },
};

Deno.test("calibratePlan reports a WebSocket that the server refuses to open with status 429", async () => {
  const socket = () => ({ status: 429, headers: [["retry-after", "1"]] as [string, string][] });
  const found = await calibrateModel(CHAT, { start: "all", socket, gap: 0 });
  const text = textOf(found.calibration);
  assertEquals(found.calibration.proven, false);
  assertStringIncludes(text, ": WS /live: the server did not open the WebSocket: status 429");
  assertMatch(
    text,
    /^not proven against .*: 2 of 2 calls as recorded for 2 users in 2 iterations \(WebSockets failed\)$/m,
  );
});

for (const [patience, pauses] of [[60_000, []], [600_000, [5_000]]] as const) {
  Deno.test(`calibratePlan adds the recorded pause before a call whose rate the server limits (patience ${patience} ms)`, async () => {
    const clock = { now: 0 };
    let last = -Infinity;
    const found = await calibrateModel({
      create: () => ({ path }) => {
        if (path !== "/comments") return { json: { ok: true } };
        const isEarly = clock.now - last < 4_000;
        if (!isEarly) last = clock.now;
        return isEarly ? { status: 429, text: "slow down" } : { json: { ok: true, id: 1 } };
      },
      use(browser) {
        browser.send("GET", "/");
        browser.send("POST", "/comments", { form: { text: "first" } });
        clock.now += 5_000;
        browser.send("POST", "/comments", { form: { text: "second" } });
        clock.now += 5_000;
      },
    }, { clock, gap: 5_000, patience });
    const { calibration, waits } = found;
    assert(waits.reduce((sum, ms) => sum + ms, 0) <= patience, `${waits}`);
    if (pauses.length > 0) {
      assertEquals(calibration.proven, true);
      assert(calibration.pauses.some(({ ms }) => ms === pauses[0]));
    }
  });
}
