import { assertEquals } from "@std/assert";
import { Attempts } from "../../src/calibrate/attempts.ts";
import { PlanDraft } from "../../src/calibrate/draft.ts";
import { judgeCall } from "../../src/calibrate/judge_call.ts";
import { readRecordedSide } from "../../src/calibrate/recorded_side.ts";
import { UniqueTrials } from "../../src/calibrate/unique_trial.ts";
import { VariableWatch } from "../../src/calibrate/variable_watch.ts";
import { convertHar } from "../../src/convert/from_har.ts";
import { KnownPairs } from "../../src/correlation/known_pairs.ts";
import { HttpResponse, type Outgoing } from "../../src/http/sender.ts";
import { describeDifference } from "../../src/outcome/difference.ts";
import { type CaseCall, recordingOf } from "../convert/har/recorded_case.ts";

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

function judge(index: number, { status = 200, headers = [], json, sent, error }: Live) {
  const recording = recordingOf(CALLS);
  const { plan } = convertHar(recording, { jsonOnly: true });
  const [origin] = recording.exchanges.map(({ request }) => new URL(request.url).origin);
  const side = readRecordedSide(recording, plan, { recorded: origin, target: origin });
  const draft = new PlanDraft(plan, side);
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
  const pairs: [recorded: string, live: string][] = [];
  const user = {
    known: new KnownPairs(),
    steps: new Map(),
    sends: (_: number, __: unknown, sent: readonly { recorded: string; live: string }[]) =>
      void pairs.push(...sent.map(({ recorded, live }): [string, string] => [recorded, live])),
  };
  const vu = {
    id: 1,
    iteration: 0,
    unique: "u1",
    received: { response, storedCookie: () => undefined },
    get: () => undefined,
    set: () => {},
  };
  const judged = judgeCall(index, vu as never, user, [{ request: outgoing, response }], {
    draft,
    attempts: new Attempts(new Map()),
    variables: new VariableWatch(draft, new UniqueTrials(draft)),
    now: 0,
  });
  const { differences, ...reasons } = judged.outcome;
  const known = Object.entries(reasons).filter(([name, value]) =>
    value !== undefined && !["user", "iteration", "index", "refusal"].includes(name)
  );
  return {
    found: [...differences.map(describeDifference), ...known.map((one) => JSON.stringify(one))],
    isEvidence: judged.evidence !== undefined,
    pairs,
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
    const judged = judge(index, live);
    assertEquals(judged.found, found);
    const isMatch = !found.some((one) => !one.startsWith('["writeDifferences"'));
    assertEquals(judged.isEvidence, isMatch);
  });
}

Deno.test("judgeCall adds what a request sends in place of recorded text before it compares", () => {
  const sent = { ...EDITED, name: "Green tea u1" };
  const { pairs, isEvidence } = judge(1, { json: { ok: true, name: "Green tea u1" }, sent });
  assertEquals(pairs[0], ["Green tea", "Green tea u1"]);
  assertEquals(isEvidence, true);
});
