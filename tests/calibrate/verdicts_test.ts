import { assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { Attempts, type CallOutcome, type RandomFailure } from "../../src/calibrate/attempts.ts";
import { PlanDraft } from "../../src/calibrate/draft.ts";
import { GivenPlan } from "../../src/calibrate/given_plan.ts";
import { judgeCall } from "../../src/calibrate/judge_call.ts";
import { readSentCall } from "../../src/calibrate/sent_write.ts";
import { readRecordedSide } from "../../src/calibrate/recorded_side.ts";
import { isProven, mayBeConflict, type ProofFacts } from "../../src/calibrate/proof.ts";
import { summarizeContent } from "../../src/calibrate/report.ts";
import { UniqueTexts } from "../../src/calibrate/unique_texts.ts";
import { VariableWatch } from "../../src/calibrate/variable_watch.ts";
import { listVerdicts, type LiveVerdict } from "../../src/calibrate/verdicts.ts";
import { convertHar } from "../../src/convert/from_har.ts";
import { KnownPairs } from "../../src/comparison/known_pairs.ts";
import { HttpResponse, type Outgoing } from "../../src/http/sender.ts";
import { describeDifference, difference } from "../../src/outcome/difference.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Exchange, Recording } from "../../src/traffic/har/recording.ts";
import { type CaseCall, recordingOf } from "../convert/har/recorded_case.ts";
import { calibrateModel, explainedTextOf } from "../support/calibrated.ts";
import { ModelBrowser, Values } from "../support/model_app.ts";
import type { Model } from "../support/model_apps.ts";

const browser = new ModelBrowser(() => ({ json: { saved: true } }));
browser.send("GET", "/teas");
browser.send("POST", "/orders", { json: { tea: "Sencha" } });
browser.send("POST", "/orders/first/notes", { json: { text: "hot" } });
browser.send("GET", "/help");
const recording = await browser.recording();
const { plan } = convertHar(recording, {});
const origin = "http://recorded.example:8080";
const recorded = readRecordedSide(recording, new GivenPlan(plan), {
  recorded: origin,
  target: origin,
});
const draft = new PlanDraft(new GivenPlan(plan), recorded);

/** What one call got in one iteration, as part of an outcome. */
const GOT = {
  ok: {},
  bad: { differences: [difference("status", "200", "500")] },
  login: { differences: [difference("status", "200", "401")], demand: "login" },
  maybe: { differences: [difference("status", "200", "403")], demand: "unclear" },
  doubt: { differences: [difference("command", "show", "")] },
  taken: { differences: [difference("status", "200", "422")], isTaken: true },
  down: { error: "connection refused" },
  unsent: { error: "not sent", unsent: true },
  lost: { writeDifferences: ["`json $.tea` is sent empty"] },
  unshown: { unshown: "no response shows what it sent" },
} as const satisfies Record<string, Partial<CallOutcome>>;
type Got = keyof typeof GOT;

/**
 * Outcomes of the four calls in the iterations of a round, which users 1 and 2 send in turn, and
 * the expected verdicts.
 */
const ROUNDS: readonly (readonly [iterations: readonly string[], verdicts: string])[] = [
  [["ok ok ok ok", "ok ok ok ok"], "as recorded, as recorded, as recorded, as recorded"],
  [["ok bad ok ok"], "as recorded, refused, as recorded, as recorded"],
  [["ok bad bad ok"], "as recorded, refused, consequence of 2, as recorded"],
  [["ok bad ok bad"], "as recorded, refused, as recorded, refused"],
  [["ok unsent taken ok"], "as recorded, not sent, refused, as recorded"],
  [["login bad ok bad"], "login, consequence of 1, as recorded, consequence of 1"],
  [["down bad"], "no response, consequence of 1, not sent by 1, not sent by 1"],
  [["ok doubt ok ok"], "as recorded, unclear write, as recorded, as recorded"],
  [["ok ok ok ok", "ok ok ok bad"], "as recorded, as recorded, as recorded, state"],
  [["ok ok ok ok", "ok ok ok maybe"], "as recorded, as recorded, as recorded, unclear"],
  [["ok ok ok ok", "ok ok ok login"], "as recorded, as recorded, as recorded, login"],
  [
    ["ok ok ok ok", "ok ok ok bad", "ok ok ok ok", "ok ok ok bad"],
    "as recorded, as recorded, as recorded, user",
  ],
  [["ok lost ok ok"], "as recorded, other request, as recorded, as recorded"],
  [["ok unshown ok ok"], "as recorded, not shown, as recorded, as recorded"],
  [["ok lost ok ok", "ok bad ok ok"], "as recorded, state, as recorded, as recorded"],
];

function outcomesOf(iterations: readonly string[]): CallOutcome[] {
  return iterations.flatMap((line, i) =>
    line.split(" ").map((got, index): CallOutcome => ({
      user: i % 2 + 1,
      iteration: Math.floor(i / 2) + 1,
      index,
      differences: [],
      ...GOT[got as Got],
    }))
  );
}

function judge(iterations: readonly string[], random: readonly RandomFailure[] = []): string {
  return listVerdicts({
    outcomes: outcomesOf(iterations),
    draft,
    random,
    unique: [],
    isRepaired: () => false,
    wasGood: () => false,
  }).map(({ kind, causedBy }) =>
    causedBy === undefined ? kind : `${kind} ${kind === "not sent" ? "by" : "of"} ${causedBy + 1}`
  ).join(", ");
}

for (const [iterations, verdicts] of ROUNDS) {
  Deno.test(`listVerdicts: ${iterations.join(" / ")}`, () => {
    assertEquals(judge(iterations), verdicts);
  });
}

Deno.test("listVerdicts: a call that failed at random is not proven by a round in which it works", () => {
  const failure = { index: 3, succeeded: 3, attempts: 4, round: "pass 1", user: 1, iteration: 1 };
  assertEquals(
    judge(["ok ok ok ok"], [{ ...failure, differences: ["status 500 instead of 200"] }]),
    "as recorded, as recorded, as recorded, random",
  );
});

Deno.test("summarizeContent counts the responses with a difference, and lists of items once", () => {
  const outcome = (...lists: string[]): CallOutcome => ({
    user: 1,
    iteration: 1,
    index: 0,
    differences: [],
    content: lists.map((place) => (
      { kind: "empty list", place, recorded: "1 item", live: "0 items", path: ["orders", 0] }
    )),
  });
  const found = summarizeContent([
    outcome("$.orders[0].lines", "$.orders[1].lines"),
    outcome("$.orders[7].lines", "$.tags"),
    outcome(),
  ]);
  assertEquals(found?.map(({ place, responses }) => [place, responses]), [
    ["$.orders[0].lines", 2],
    ["$.tags", 1],
  ]);
  assertEquals(summarizeContent([outcome()]), undefined);
});

const verdict = (index: number, kind: LiveVerdict["kind"], more: Partial<LiveVerdict> = {}) => (
  { index, kind, differences: [], ...more }
);
const GOOD = [verdict(0, "as recorded"), verdict(1, "repaired")];
const MESSAGES = {
  name: "WS /live",
  entry: 1,
  received: 2,
  asRecorded: 1,
  refused: 0,
  differences: [],
  ambiguous: [],
  skipped: 0,
};
const STATE = [...GOOD, verdict(2, "state"), verdict(3, "consequence", { causedBy: 2 })];

const ROUND = { users: 2, iterations: 2, repairs: 0 };
const FACTS: ProofFacts = { rounds: [ROUND], calls: GOOD, messages: [], missing: [] };

Deno.test("mayBeConflict does not take a text that exists already for a conflict of two users", () => {
  const isConflict = (isTaken: boolean) =>
    mayBeConflict({ ...FACTS, calls: [verdict(0, "state", isTaken ? { isTaken } : {})] });
  assertEquals([isConflict(false), isConflict(true)], [true, false]);
});

/** What a calibration found, and whether it is proven, also if a changed state is accepted. */
const PROVEN: Record<
  string,
  [found: Partial<ProofFacts>, isProven: boolean, isProvenExceptState: boolean]
> = {
  "a round of two users in which each call is good": [{}, true, true],
  "a round of one user": [{ rounds: [{ ...ROUND, users: 1 }] }, false, false],
  "a round that repaired the plan": [{ rounds: [{ ...ROUND, repairs: 1 }] }, false, false],
  "a round that tried pauses": [{ rounds: [{ ...ROUND, alternated: true }] }, false, false],
  "an undecided random failure": [{ isUndecided: true }, false, false],
  "an interrupted round": [{ interrupted: true }, false, false],
  "a round before repairs that did harm were undone": [{ kept: "given" }, false, false],
  "a recorded write that is not sent": [
    { missing: [{ entry: 3, name: "POST /teas" }] },
    false,
    false,
  ],
  "a failed WebSocket": [
    { socketFailure: { sessions: 2, failed: 1, errors: [], round: "round 1" } },
    false,
    false,
  ],
  "a message that reports an error": [{ messages: [{ ...MESSAGES, refused: 1 }] }, false, false],
  "a message with several values for a variable": [
    { messages: [{ ...MESSAGES, ambiguous: ["id"] }] },
    false,
    false,
  ],
  "a message with another shape": [{ messages: [MESSAGES] }, true, true],
  "a changed state and a call that fails because of it": [{ calls: STATE }, false, true],
  "a fault of the server": [
    { calls: [...GOOD, verdict(2, "state", { isFault: true })] },
    false,
    false,
  ],
  "a write whose work no response shows": [
    { calls: [...GOOD, verdict(2, "not shown")] },
    false,
    false,
  ],
  "a call that fails at random": [{ calls: [...GOOD, verdict(2, "random")] }, false, false],
  "a call that was not sent": [
    { calls: [...STATE, verdict(4, "not sent", { causedBy: 2 })] },
    false,
    false,
  ],
};

for (const [name, [found, isShown, isShownExceptState]] of Object.entries(PROVEN)) {
  Deno.test(`isProven is ${isShown} for ${name}`, () => {
    assertEquals(isProven({ ...FACTS, ...found }), isShown);
    assertEquals(isProven({ ...FACTS, ...found }, true), isShownExceptState);
  });
}

const ITEM = { id: "4711", name: "Tea", kind: "black", size: 5, shop: "A" };
const EDITED = { name: "Green tea", note: "hot" };
const CALLS: CaseCall[] = [
  { request: "GET /items/4711", response: { item: ITEM } },
  {
    request: "PUT /items/4711",
    headers: { "X-CSRF-Token": "k7f3a9c1" },
    json: EDITED,
    response: { ok: true },
  },
];

/** What the plan sends in place of the recorded request, and the live response to it. */
interface Live {
  readonly status?: number;
  readonly headers?: readonly [name: string, value: string][];
  readonly json?: unknown;
  readonly sent?: unknown;
  readonly error?: "connect";
}

function judgedCall(index: number, { status = 200, headers = [], json, sent, error }: Live) {
  const recording = recordingOf(CALLS);
  const { plan } = convertHar(recording, { jsonOnly: true });
  const [origin] = recording.exchanges.map(({ request }) => new URL(request.url).origin);
  const side = readRecordedSide(recording, new GivenPlan(plan), {
    recorded: origin,
    target: origin,
  });
  const draft = new PlanDraft(new GivenPlan(plan), side);
  const { request } = side.at(index)!.exchange;
  const { host, pathname } = new URL(request.url);
  const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  const outgoing = {
    method: request.method,
    origin: { secure: origin.startsWith("https"), authority: host },
    target: pathname,
    headers: [["content-type", "application/json"]],
    body: index === 0 ? undefined : bytes(sent ?? EDITED),
  } as unknown as Outgoing;
  const response = Object.assign(new HttpResponse(), {
    status,
    headers: [["content-type", "application/json"], ...headers],
    body: bytes(json),
    error,
  });
  const user = { known: new KnownPairs(), steps: new Map() };
  const vu = {
    id: 1,
    iteration: 0,
    unique: "u1",
    received: { response, storedCookie: () => undefined },
    get: () => undefined,
    set: () => {},
  };
  const exchanges = [{ request: outgoing, response }];
  const variables = new VariableWatch(draft, new UniqueTexts(draft));
  const sentCall = readSentCall(index, vu as never, user.known, exchanges, { draft, variables });
  for (const { recorded, live } of sentCall?.pairs ?? []) user.known.add(recorded, live);
  const attempts = new Attempts(new Map());
  const parts = { draft, attempts, now: 0 };
  const judged = judgeCall(index, vu as never, user, exchanges, sentCall, parts);
  const { differences, ...reasons } = judged.outcome;
  const known = Object.entries(reasons).filter(([name, value]) =>
    value !== undefined && !["user", "iteration", "index", "refusal"].includes(name)
  );
  return {
    found: [...differences.map(describeDifference), ...known.map((one) => JSON.stringify(one))],
    isEvidence: judged.evidence !== undefined,
    pairs: sentCall?.pairs ?? [],
  };
}

/** No live response contained the id that the plan sends. */
const FOREIGN = '["foreign",[{"name":"items","value":"4711"}]]';

const CASES: Record<string, [index: number, live: Live, found: string[]]> = {
  "a read as recorded": [0, { json: { item: ITEM } }, []],
  "a read that lost the object in its URL": [0, { json: { item: null } }, [
    "content of JSON members none instead of $.item with 5 members",
  ]],
  "a read of an object with other values": [
    0,
    { json: { item: { ...ITEM, name: "Coffee", size: 7 } } },
    [],
  ],
  "a write as recorded": [1, { json: { ok: true } }, []],
  "a write that lacks a field": [1, { json: { ok: true }, sent: { name: "Green tea" } }, [
    '["writeDifferences",["`json $.note` is not sent"]]',
  ]],
  "a write whose text exists already": [
    1,
    { status: 409, json: { ok: false, error: "the name already exists" } },
    [
      "status 409 instead of 200",
      "JSON members: only live: error",
      "JSON value ok: false instead of ok: true",
      '["unsentHeaders",{"names":["X-CSRF-Token"],"areNamed":false}]',
      '["isTaken",true]',
      FOREIGN,
    ],
  ],
  "a refusal that names a header": [
    1,
    { status: 403, json: { ok: true, detail: "X-CSRF-Token is missing" } },
    [
      "status 403 instead of 200",
      '["demand","unclear"]',
      '["unsentHeaders",{"names":["X-CSRF-Token"],"areNamed":true}]',
      FOREIGN,
    ],
  ],
  "a rate limit": [0, { status: 429, headers: [["retry-after", "7"]], json: { item: ITEM } }, [
    "status 429 instead of 200",
    '["rateLimit",7]',
  ]],
  "a response that did not arrive": [0, { error: "connect" }, ['["error","connect"]']],
};

for (const [name, [index, live, found]] of Object.entries(CASES)) {
  Deno.test(`judgeCall: ${name}`, () => {
    const judged = judgedCall(index, live);
    assertEquals(judged.found, found);
    const isMatch = !found.some((one) => !one.startsWith('["writeDifferences"'));
    assertEquals(judged.isEvidence, isMatch);
  });
}

Deno.test("judgeCall knows what a request sends in place of recorded text", () => {
  const sent = { ...EDITED, name: "Green tea u1" };
  const { pairs, isEvidence } = judgedCall(1, { json: { ok: true, name: "Green tea u1" }, sent });
  assertEquals(pairs[0], { recorded: "Green tea", live: "Green tea u1" });
  assertEquals(isEvidence, true);
});

/** A page that uploads a book, and then opens it at the path in the response. */
const BOOKS: Model = {
  create() {
    let books = 0;
    return ({ method, path }) => {
      if (method === "POST") return { json: { location: `/books/${++books}` } };
      return Number(path.slice(7)) <= books ? { json: { title: "Assam" } } : { status: 404 };
    };
  },
  use(browser) {
    browser.send("POST", "/upload", { json: { title: "Assam" } });
    browser.send("GET", "/books/1");
  },
};

/** Removes the body of the first response, as if the page had navigated away. */
function loseBody(plan: Plan, { exchanges }: Recording): Plan {
  const { status, headers, mimeType, size } = exchanges[0].response;
  const response = { status, headers, mimeType, size, text: undefined };
  (exchanges as Exchange[])[0] = { ...exchanges[0], response };
  return plan;
}

Deno.test("calibratePlan lists a response as not compared if the recording lacks its body", async () => {
  const { calibration } = await calibrateModel(BOOKS, { edit: loseBody });
  assertEquals(calibration.uncompared, [
    { index: 0, name: "POST /upload", what: "body (not in the recording)" },
  ]);
  assertMatch(explainedTextOf(calibration), /^ {2}call 1: body \(not in the recording\)$/m);
  assertMatch(explainedTextOf(calibration), /^proven against .*; not compared: missing bodies$/m);
});

Deno.test("calibratePlan lists no responses as not compared if the recording contains all bodies", async () => {
  const { calibration } = await calibrateModel(BOOKS);
  assertEquals(calibration.uncompared, []);
  assertNotMatch(explainedTextOf(calibration), /not compared/i);
});

/** A last request, with the status of each item in its recorded and live response. */
const ITEM_STATES: Record<
  string,
  [
    isProven: boolean,
    method: string,
    path: string,
    json: unknown,
    recorded: string[],
    live: string[],
  ]
> = {
  "rows of a search": [true, "POST", "/search", { q: "tea" }, ["done", "failed"], [
    "failed",
    "done",
  ]],
  "the only row of a list": [true, "GET", "/orders?limit=1", undefined, ["done"], ["failed"]],
  "results of a list of actions": [false, "POST", "/batch", [1, 2], ["done", "done"], [
    "done",
    "failed",
  ]],
  "results of a member with a list": [false, "POST", "/batch", { ids: [1] }, ["done"], ["failed"]],
  "a job that a write started": [false, "GET", "/jobs?job=", undefined, ["done"], ["failed"]],
};

for (const [name, [isProven, method, path, json, recorded, live]] of Object.entries(ITEM_STATES)) {
  Deno.test(`calibratePlan ${isProven ? "accepts" : "detects"} other states of ${name}`, async () => {
    const { calibration } = await calibrateModel({
      create(seed) {
        const values = new Values(seed);
        return (request) => {
          if (request.path === "/imports") return { json: { job: values.hex(16) } };
          const states = seed === 1 ? recorded : live;
          return { json: states.map((status, i) => ({ id: 100 * seed + i, status })) };
        };
      },
      use(browser) {
        const { job } = JSON.parse(browser.send("POST", "/imports", { json: {} }).body);
        const target = path.endsWith("=") ? path + job : path;
        browser.send(method, target, json === undefined ? {} : { json });
      },
    });
    assertEquals(calibration.proven, isProven);
  });
}
