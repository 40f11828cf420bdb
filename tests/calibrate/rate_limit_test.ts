import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { calibrationReview } from "../../src/cli/calibrate/calibration_review.ts";
import { calibratedPlanText, calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import { Patience, RateLimitWaits } from "../../src/calibrate/rate_limit.ts";
import { HttpResponse } from "../../src/http/sender.ts";
import type { Calibration } from "../../src/calibrate/calibration.ts";
import { calibrateModel } from "../support/calibrated.ts";
import type { FakeSocket, SocketScript } from "../support/fake_socket.ts";
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

const OPEN: SocketScript = {
  onMessage: (_: unknown, server: FakeSocket) => server.reply('{"type":"welcome","id":"b2"}'),
};

for (const [status, header, ms] of [[429, "7", 7_000], [503, "", 16_000]] as const) {
  Deno.test(`calibratePlan waits and opens a WebSocket again if the server responds with status ${status}`, async () => {
    let opened = 0;
    const socket = () =>
      ++opened === 1 ? { status, headers: [["retry-after", header]] as [string, string][] } : OPEN;
    const { calibration, waits } = await calibrateModel(CHAT, { start: "all", socket, gap: 0 });
    assert(calibration.proven, textOf(calibration));
    assertEquals(waits, [ms]);
    assertEquals(calibration.rateLimit?.responses, 1);
    assertEquals(calibration.rateLimit?.statuses, [status]);
    assertEquals(calibration.writes.sent, opened);
  });
}

Deno.test("calibratePlan reports a WebSocket that the server keeps refusing with status 429", async () => {
  const socket = () => ({ status: 429, headers: [["retry-after", "1"]] as [string, string][] });
  const found = await calibrateModel(CHAT, { start: "all", socket, gap: 0 });
  const text = textOf(found.calibration);
  const { proven, rateLimit } = found.calibration;
  assertEquals([proven, rateLimit?.calls, rateLimit?.sockets], [false, [], 18]);
  assertEquals(found.waits, Array(12).fill(1_000));
  assertStringIncludes(text, ": WS /live: the server did not open the WebSocket: status 429");
  assertStringIncludes(text, "rate-limited: requests that open WebSockets");
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

/**
 * Simulates attempts to open a WebSocket that get responses with `statuses`. Returns whether the
 * calibration waits after each response, and whether it ends.
 */
async function open(statuses: readonly number[]): Promise<[waited: boolean[], ends: boolean]> {
  const waiting = { now: () => 0, sleep: () => Promise.resolve(), announce: () => {} };
  const limits = new RateLimitWaits(new Patience(waiting, 3_600_000), waiting.now);
  const waited: boolean[] = [];
  for (const status of statuses) {
    waited.push(
      await limits.waitToOpen(Object.assign(new HttpResponse(), { status }), 0, () => false),
    );
  }
  return [waited, limits.overload !== undefined];
}

Deno.test("waitToOpen ends a calibration only if no WebSocket can be opened", async () => {
  assertEquals(await open([429, 429, 503, 429, 429]), [[true, true, true, true, false], true]);
  assertEquals(
    await open([429, 101, 429, 101, 429, 101, 429, 101, 429, 101]),
    [[true, false, true, false, true, false, true, false, true, false], false],
  );
  // A failed connection does not show that the server accepts requests.
  assertEquals(await open([429, 429, 0, 503, 429, 429]), [
    [true, true, false, true, true, false],
    true,
  ]);
});
