import { assert, assertEquals } from "@std/assert";
import { createParts, type RoundParts } from "../../src/calibrate/parts.ts";
import { Rounds } from "../../src/calibrate/rounds.ts";
import { RoundSupervisor } from "../../src/calibrate/supervisor.ts";
import { convertHar } from "../../src/convert/from_har.ts";
import { HttpResponse, type Outgoing } from "../../src/http/sender.ts";
import {
  type ModelApp,
  ModelBrowser,
  type ModelResponse,
  ModelSender,
} from "../support/model_app.ts";

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
  const parts = createParts(plan, recording, { recorded: ORIGIN, target: ORIGIN }, {
    sender,
    isAllowed: () => true,
    sleep: () => Promise.resolve(),
    readFile: () => new Uint8Array(),
    readEnv: () => undefined,
    now: () => 0,
  });
  return { parts, sent: sender.sent };
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
  const { parts } = await createRound(() =>
    responses[Math.min(names.length, responses.length) - 1] ?? responses[0]
  );
  const { draft, target, attempts } = parts;
  attempts.startRound({ name: "a round", load: "one user" });
  target.budget.sent = target.budget.limit - writesLeft;
  const supervisor = new RoundSupervisor(parts, {
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
  const { parts } = await createRound(undefined);
  const options = { users: 1, lead: 0, most: 1, mayRepair: true, stop: () => {} };
  const supervisor = new RoundSupervisor(parts, options);
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
    const { parts } = await createRound(BAD_CUPS);
    const rounds = new Rounds(parts);
    const isClean = await rounds.run({ name: "a round", load: load as never }, "a round", true);
    const [{ report }] = rounds.ended;
    assertEquals(`${report.asRecorded} of ${report.calls}`, expected);
    assertEquals([isClean, report.staggered ?? false], [false, load === "staggered"]);
  });
}

async function runRound(parts: RoundParts) {
  const rounds = new Rounds(parts);
  const isClean = await rounds.run({ name: "a round", load: "one user" }, "a round");
  return { isClean, report: rounds.ended[0].report };
}

Deno.test("Rounds reports a round as clean if each call is as recorded", async () => {
  const { parts } = await createRound(() => GOOD);
  const { isClean, report: { asRecorded, repairs, writes } } = await runRound(parts);
  assertEquals({ isClean, asRecorded, repairs, writes }, {
    isClean: true,
    asRecorded: 3,
    repairs: 0,
    writes: 1,
  });
});

Deno.test("Rounds compares a plan without repairing it", async () => {
  const isTaken: ModelApp = ({ body }) => body.includes(`"${PLAIN}"`) ? TAKEN : GOOD;
  const { parts } = await createRound(isTaken);
  const { report } = await new Rounds(parts).runUnrepaired(
    { name: "comparison", load: "one user" },
    "a plan",
  );
  assertEquals([report.asRecorded, report.repairs, parts.draft.edits], [2, 0, 0]);
  assertEquals((await runRound(parts)).report.repairs, 1);
});

Deno.test("Rounds counts no call as recorded if the target does not respond", async () => {
  const { parts, sent } = await createRound(undefined);
  const { isClean, report } = await runRound(parts);
  assertEquals([isClean, report.asRecorded, report.calls, sent.length], [false, 0, 3, 0]);
});
