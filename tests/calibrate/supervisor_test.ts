import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { movePlan } from "../../src/calibrate/aimed_plan.ts";
import { isWriteRequest } from "../../src/calibrate/literal_edit.ts";
import { LiveTarget, WriteBudget } from "../../src/calibrate/live_target.ts";
import { Repairs } from "../../src/calibrate/repairs.ts";
import { Rounds } from "../../src/calibrate/rounds.ts";
import { RoundSupervisor } from "../../src/calibrate/supervisor.ts";
import type { TrialKind } from "../../src/calibrate/trial.ts";
import { calibrationReview } from "../../src/cli/calibrate/calibration_review.ts";
import { calibratedPlanText } from "../../src/cli/calibrate/calibration_text.ts";
import { convertHar } from "../../src/convert/from_har.ts";
import { HttpResponse, type Outgoing } from "../../src/http/sender.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { originMover } from "../../src/traffic/har/origins.ts";
import { calibrateModel, textOf } from "../support/calibrated.ts";
import {
  type ModelApp,
  ModelBrowser,
  type ModelResponse,
  ModelSender,
} from "../support/model_app.ts";
import { JSON_API, rateLimited } from "../support/model_apps.ts";

const ORIGIN = "http://recorded.example:8080";

/** Creates what a round needs for a read, a write and a read, and a live application. */
async function createRound(live: ModelApp | undefined) {
  const browser = new ModelBrowser(() => ({ json: { saved: true } }));
  browser.send("GET", "/teas");
  browser.send("POST", "/teas", { json: { name: "Mint leaves" } });
  browser.send("GET", "/cups");
  const recording = await browser.recording();
  const { plan } = convertHar(recording, { checks: "status" });
  const sender = new ModelSender(live);
  const repairs = new Repairs(plan, recording, { recorded: ORIGIN, target: ORIGIN });
  const target = new LiveTarget(plan, ORIGIN, {
    sender,
    isAllowed: () => true,
    sleep: () => Promise.resolve(),
    readFile: () => new Uint8Array(),
    readEnv: () => undefined,
    now: () => 0,
  });
  return { repairs, target, sent: sender.sent };
}

/** Starts a round of one user. */
function superviseUser(repairs: Repairs, target: LiveTarget, mayRepair: boolean) {
  repairs.attempts.startRound({ name: "a round", load: "one user" });
  const supervisor = new RoundSupervisor(repairs, target, {
    users: 1,
    lead: 0,
    most: 3,
    mayRepair,
    stop: () => {},
  });
  const session = target.sender.open("1");
  const response = new HttpResponse();
  const vu = {
    id: 1,
    iteration: 0,
    unique: "u1",
    session,
    received: { response, storedCookie: () => undefined },
    get: () => undefined,
    set: () => {},
  };
  return { supervisor, vu, session, response };
}

/**
 * Supervises one call of a user while a server sends `responses`, the last one repeatedly. Returns
 * the names that each request sent, and the number of edits that remain.
 */
async function supervise(
  responses: readonly ModelResponse[],
  { mayRepair = true, index = 1, writesLeft = 10 } = {},
) {
  const names: string[] = [];
  const { repairs, target } = await createRound(() =>
    responses[Math.min(names.length, responses.length) - 1] ?? responses[0]
  );
  const { draft, attempts } = repairs;
  target.budget.sent = target.budget.limit - writesLeft;
  const { supervisor, vu, session, response } = superviseUser(repairs, target, mayRepair);
  const request = draft.requests[index];
  let isRepeated = true;
  for (let sent = 0; isRepeated && sent < 9; sent++) {
    const planned = await supervisor.before(request, vu as never);
    assertEquals([planned.assert, planned.checks], [undefined, undefined]);
    const { body } = planned;
    const json = typeof body === "object" && "json" in body ? body.json : {};
    names.push((json as { name?: string }).name ?? "");
    await session.send(
      {
        method: planned.method ?? "GET",
        origin: { secure: false, authority: "recorded.example:8080" },
        target: "/teas",
        headers: [["content-type", "application/json"]],
        body: index === 1 ? new TextEncoder().encode(JSON.stringify(json)) : undefined,
        needs: { body: true },
      } as unknown as Outgoing,
      response,
    );
    isRepeated = await supervisor.after(request, vu as never);
  }
  return { names, edits: draft.edits, succeeded: attempts.all(index).at(-1)?.succeeded };
}

const GOOD = { json: { saved: true } };
const TAKEN = { status: 409, json: { error: "the name Mint leaves already exists" } };
const PLAIN = "Mint leaves";
const UNIQUE = /^Mint leaves.*\$\{unique\}/;

Deno.test("RoundSupervisor sends a call that works once, without its checks", async () => {
  assertEquals(await supervise([GOOD]), { names: [PLAIN], edits: 0, succeeded: true });
});

Deno.test("RoundSupervisor counts two calls of a user that overlap", async () => {
  const { repairs, target } = await createRound(() => ({ status: 500 }));
  const { supervisor, vu } = superviseUser(repairs, target, false);
  const [first, , last] = repairs.draft.requests;
  for (const request of [first, last]) await supervisor.before(request, vu as never);
  for (const request of [first, last]) await supervisor.after(request, vu as never);
  const counted = [0, 1, 2].map((index) =>
    repairs.attempts.all(index).map(({ isFirst }) => isFirst)
  );
  assertEquals(counted, [[true], [], [true]]);
});

Deno.test("RoundSupervisor edits the plan only after the unchanged request failed again", async () => {
  assertEquals(await supervise([TAKEN, GOOD]), {
    names: [PLAIN, PLAIN],
    edits: 0,
    succeeded: true,
  });
  const { names: [first, again, other, ...more], edits, succeeded } = await supervise([
    TAKEN,
    TAKEN,
    GOOD,
  ]);
  assertEquals([first, again, more.length, succeeded], [PLAIN, PLAIN, 0, true]);
  assert(UNIQUE.test(other) && edits > 0, other);
});

Deno.test("RoundSupervisor undoes an edit that does not help", async () => {
  const { names, edits, succeeded } = await supervise([TAKEN]);
  assert(names.some((name) => UNIQUE.test(name)), names.join());
  assertEquals([edits, succeeded], [0, false]);
});

for (
  const [why, options] of [
    ["no write is left", { writesLeft: 1 }],
    ["the round may not repair the plan", { mayRepair: false }],
  ] as const
) {
  Deno.test(`RoundSupervisor does not repeat a write if ${why}`, async () => {
    const found = await supervise([TAKEN, GOOD], options);
    assertEquals(found, { names: [PLAIN], edits: 0, succeeded: false });
  });
}

Deno.test("RoundSupervisor leaves the requests of setup alone", async () => {
  const { repairs, target } = await createRound(undefined);
  const options = { users: 1, lead: 0, most: 1, mayRepair: true, stop: () => {} };
  const supervisor = new RoundSupervisor(repairs, target, options);
  const request = { url: "/seed", checks: [{ type: "status", equals: 200 }] } as never;
  assertEquals(await supervisor.before(request, { id: 1 } as never), request);
  assertEquals(await supervisor.after(request, { id: 1 } as never), false);
});

const BAD_CUPS: ModelApp = ({ path }) => path === "/cups" ? { status: 500, text: "down" } : GOOD;

/** Loads, and the calls as recorded of all calls, if one of three calls always fails. */
const LOADS = {
  "one user": "2 of 3",
  "lock step": "8 of 12",
  "staggered": "8 of 12",
} as const;

for (const [load, expected] of Object.entries(LOADS)) {
  Deno.test(`Rounds counts the calls as recorded of a round (${load})`, async () => {
    const { repairs, target } = await createRound(BAD_CUPS);
    const rounds = new Rounds(repairs, target);
    const isClean = await rounds.run({ name: "a round", load: load as never }, "a round", true);
    const [{ report }] = rounds.ended;
    assertEquals(`${report.asRecorded} of ${report.calls}`, expected);
    assertEquals([isClean, report.staggered ?? false], [false, load === "staggered"]);
  });
}

async function runRound(
  { repairs, target }: { readonly repairs: Repairs; readonly target: LiveTarget },
) {
  const rounds = new Rounds(repairs, target);
  const isClean = await rounds.run({ name: "a round", load: "one user" }, "a round");
  return { isClean, report: rounds.ended[0].report };
}

Deno.test("Rounds reports a round as clean if each call is as recorded", async () => {
  const round = await createRound(() => GOOD);
  const { isClean, report: { asRecorded, repairs, writes } } = await runRound(round);
  assertEquals({ isClean, asRecorded, repairs, writes }, {
    isClean: true,
    asRecorded: 3,
    repairs: 0,
    writes: 1,
  });
});

Deno.test("rounds call the hooks of each kind of trials in `Repairs.trials`", async () => {
  const { repairs, target } = await createRound(BAD_CUPS);
  const calls: string[] = [];
  const kind: TrialKind = {
    startRound: ({ load }) => calls.push(`start: ${load}`),
    propose({ outcome }) {
      calls.push(`propose for ${outcome.index}`);
      return [];
    },
    provoked: ({ succeeded }) => !succeeded,
    judge: (index, isRight) => calls.push(`judge ${index}: ${isRight}`),
    endRound: ({ outcomes, isRepaired }) => calls.push(`end: ${outcomes.length} ${isRepaired()}`),
  };
  (repairs.trials as TrialKind[]).push(kind);
  await new Rounds(repairs, target).run({ name: "a round", load: "one user" }, "a round");
  assertEquals(calls, [
    "start: one user",
    "judge 0: true",
    "judge 1: true",
    "propose for 2",
    "judge 2: true", // The failure was provoked.
    "end: 3 false",
  ]);
});

Deno.test("Rounds compares a plan without repairing it", async () => {
  const isTaken: ModelApp = ({ body }) => body.includes(`"${PLAIN}"`) ? TAKEN : GOOD;
  const round = await createRound(isTaken);
  const { report } = await new Rounds(round.repairs, round.target).runUnrepaired(
    { name: "comparison", load: "one user" },
    "a plan",
  );
  assertEquals([report.asRecorded, report.repairs, round.repairs.draft.edits], [2, 0, 0]);
  assertEquals((await runRound(round)).report.repairs, 1);
});

Deno.test("Rounds counts no call as recorded if the target does not respond", async () => {
  const round = await createRound(undefined);
  const { isClean, report } = await runRound(round);
  assertEquals([isClean, report.asRecorded, report.calls, round.sent.length], [false, 0, 3, 0]);
});

const QUERY = "query Teas($id: ID!) { tea(id: $id) { name } }";
const MUTATION = "mutation Add { addTea { id } }";

/** JSON bodies, and whether a POST with this body may change data. */
const BODIES: [json: unknown, isWrite: boolean][] = [
  [{ operationName: "Teas", query: QUERY, variables: { id: "${id}" } }, false],
  [{ query: `\n  ${QUERY}` }, false],
  [{ query: "{ teas { name } }" }, false],
  [[{ query: QUERY }, { query: "{ cups { id } }" }], false],
  [{ query: MUTATION }, true],
  [[{ query: QUERY }, { query: MUTATION }], true],
  [{ query: `${QUERY} ${MUTATION}`, operationName: "Add" }, true],
  [{ query: `${QUERY}\n${MUTATION}`, operationName: "Add" }, true],
  [[{ query: QUERY }, { query: `\n${MUTATION}` }], true],
  [{ query: QUERY, variables: { text: "a mutation" } }, false],
  [{ query: "query Teas {\n  subscription\n}" }, true],
  [{ name: "Saved search", query: "{ teas { name } }" }, true],
  [[{ query: QUERY }, { name: "tea" }], true],
  [[], true],
  [{ query: "query" }, true],
  [{ query: "green tea" }, true],
  [{ query: { match: "tea" } }, true],
  [{ name: "tea" }, true],
  [{ where: {}, _method: "GET" }, false],
  [{ name: "tea", _method: "PUT" }, true],
  [{ text: { _method: "GET" } }, true],
];

for (const [json, isWrite] of BODIES) {
  const text = JSON.stringify(json);
  Deno.test(`isWriteRequest is ${isWrite} for a POST of ${text}`, () => {
    const body = { json: json as null };
    assertEquals(isWriteRequest({ url: "/graphql", body }), isWrite);
    assertEquals(isWriteRequest({ url: "/graphql", body: text }), isWrite);
  });
  Deno.test(`WriteBudget ${isWrite ? "counts" : "does not count"} a POST of ${text}`, () => {
    const budget = new WriteBudget(1);
    const request = { method: "POST", body: new TextEncoder().encode(text) };
    assertEquals(budget.allows(request), true);
    assertEquals(budget.allows(request), !isWrite);
    assertEquals(budget.sent, isWrite ? 1 : 0);
  });
}

Deno.test("isWriteRequest is false for safe methods and true for other requests without a body", () => {
  assertEquals(isWriteRequest({ url: "/teas" }), false);
  assertEquals(isWriteRequest({ url: "/teas", method: "DELETE" }), true);
});

Deno.test("isWriteRequest is false for a form with a safe method instead of POST", () => {
  const form = (method: string) => ({
    url: "/teas",
    method: "POST",
    body: { form: { q: "tea", _method: method } },
  });
  assertEquals([isWriteRequest(form("GET")), isWriteRequest(form("DELETE"))], [false, true]);
});

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

Deno.test("originMover replaces the origin in all of its forms, and no other origin", () => {
  const move = originMover("https://rec.example:8443", "http://127.0.0.1:8080");
  const cases: [string, string][] = [
    ["https://rec.example:8443/a", "http://127.0.0.1:8080/a"],
    ["r=https%3A%2F%2Frec.example%3A8443%2Fcb", "r=http%3A%2F%2F127.0.0.1%3A8080%2Fcb"],
    ['"https:\\/\\/rec.example:8443\\/a"', '"http:\\/\\/127.0.0.1:8080\\/a"'],
    ['host: "rec.example:8443"', 'host: "127.0.0.1:8080"'],
    ["https://other.rec.example:8443/", "https://other.rec.example:8443/"],
    ["https://rec.example/", "https://rec.example/"],
  ];
  for (const [from, to] of cases) assertEquals(move(from), to);
  assertEquals(originMover("http://a", "http://a")("http://a/x"), "http://a/x");
});

Deno.test("movePlan replaces the origin in everything that requests send, but not in request names or in `hosts`", () => {
  const recorded = "http://127.0.0.1:8080";
  const plan: Plan = {
    defaults: { http: { base_url: recorded, hosts: { "shop.example": "127.0.0.1:8080" } } },
    scenarios: {
      recorded: {
        executor: "per-vu-iterations",
        vus: 1,
        iterations: 1,
        flow: [{
          request: {
            name: `GET ${recorded}/hooks`,
            url: `${recorded}/hooks`,
            method: "POST",
            headers: { name: recorded },
            body: {
              json: { name: `${recorded}/a`, hosts: { main: recorded }, description: [recorded] },
            },
          },
        }],
      },
    },
  };
  const target = "https://other.example";
  const moved = movePlan(plan, originMover(recorded, target), target);
  assertEquals(moved.defaults?.http, {
    base_url: target,
    hosts: { "shop.example": "127.0.0.1:8080" },
  });
  const { request } = moved.scenarios.recorded.flow[0];
  assertEquals(request, {
    name: `GET ${recorded}/hooks`,
    url: `${target}/hooks`,
    method: "POST",
    headers: { name: target },
    body: { json: { name: `${target}/a`, hosts: { main: target }, description: [target] } },
  });
});

Deno.test("movePlan replaces the origin in scenarios and variables even if they are called `name` or `hosts`", () => {
  const recorded = "http://127.0.0.1:8080";
  const flow = [{ set: { name: recorded } }, { request: { url: `${recorded}/hooks` } }];
  const scenario = { executor: "per-vu-iterations" as const, vus: 1, iterations: 1, flow };
  const plan: Plan = { scenarios: { name: scenario, description: scenario, hosts: scenario } };
  const target = "https://other.example";
  const moved = movePlan(plan, originMover(recorded, target), target);
  for (const { flow } of Object.values(moved.scenarios)) {
    assertEquals(flow, [{ set: { name: target } }, { request: { url: `${target}/hooks` } }]);
  }
});
