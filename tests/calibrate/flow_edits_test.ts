import { assertEquals } from "@std/assert";
import {
  aimPlan,
  collapseDefaultHeaders,
  inlineDefaultHeaders,
} from "../../src/calibrate/aimed_plan.ts";
import { PlanDraft } from "../../src/calibrate/draft.ts";
import { GivenPlan } from "../../src/calibrate/given_plan.ts";
import {
  replaceLiteral,
  restoreLiteral,
  type SoughtLiteral,
  usesVariable,
} from "../../src/calibrate/literal_edit.ts";
import { readRecordedSide } from "../../src/calibrate/recorded_side.ts";
import { ResponseSnapshot } from "../../src/comparison/response_snapshot.ts";
import { LockStep } from "../../src/calibrate/round_users.ts";
import { UniqueTexts } from "../../src/calibrate/unique_texts.ts";
import { VariableWatch } from "../../src/calibrate/variable_watch.ts";
import { convertHar } from "../../src/convert/from_har.ts";
import { KnownPairs } from "../../src/comparison/known_pairs.ts";
import { call } from "../../src/plan/expressions/expression.ts";
import type { Request } from "../../src/plan/kinds/request.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { readSession } from "../../src/verify/recorded_session.ts";
import { recordingOf } from "../convert/har/recorded_case.ts";
import { calibrateModel, STARTS } from "../support/calibrated.ts";
import { Values } from "../support/model_app.ts";
import type { Model } from "../support/model_apps.ts";

const variable = { kind: "variable", name: "v" } as const;
const written = (numeric: boolean) => ({
  expression: variable,
  encoded: call("url_encode", variable),
  numeric,
});
const replace = (
  request: Request,
  value: string,
  numeric?: boolean,
  agrees?: SoughtLiteral["agrees"],
) => replaceLiteral(request, { value, agrees }, written(numeric ?? false));

Deno.test("replaceLiteral replaces whole tokens in all parts of a request", () => {
  const request: Request = {
    url: "https://86686.example/a/86686/b-86686?x=86686&y=866861",
    headers: { Referer: "/list?id=86686", "X-Plain": "a86686" },
    body: { form: { "image-86686-title": "86686", other: "1" } },
  };
  assertEquals(replace(request, "86686"), {
    url: "https://86686.example/a/${v}/b-${v}?x=${v}&y=866861",
    headers: { Referer: "/list?id=${v}", "X-Plain": "a86686" },
    body: { form: [["image-${v}-title", "${v}"], ["other", "1"]] },
  });
});

Deno.test("replaceLiteral writes `url_encode` in percent-encoded text, and for a JSON string that contains only a number", () => {
  const request: Request = { url: "/f/a%20b%2Fc?p=a%20b%2Fc", body: { json: { path: "a b/c" } } };
  assertEquals(replace(request, "a b/c"), {
    url: "/f/${url_encode(v)}?p=${url_encode(v)}",
    body: { json: { path: "${v}" } },
  });
  const typed: Request = {
    url: "/x/5001",
    body: { json: { id: 5001, text: "5001", in: "no 5001" } },
  };
  assertEquals(replace(typed, "5001", true), {
    url: "/x/${v}",
    body: { json: { id: "${v}", text: "${url_encode(v)}", in: "no ${v}" } },
  });
});

Deno.test("replaceLiteral replaces a non-distinctive value only if it is the whole content of a field with a matching name", () => {
  const request: Request = {
    url: "/notes/1?page=1",
    body: { json: { note_id: 1, count: 1, t: "v 1" } },
  };
  const agrees: SoughtLiteral["agrees"] = ({ name }) => name === "notes" || name === "note_id";
  assertEquals(replace(request, "1", true, agrees), {
    url: "/notes/${v}?page=1",
    body: { json: { note_id: "${v}", count: 1, t: "v 1" } },
  });
});

Deno.test("replaceLiteral keeps expressions and escapes, and text after a `$`", () => {
  const request: Request = { url: "/${x}/$${y}/tok1/$tok1" };
  assertEquals(replace(request, "tok1").url, "/${x}/$${y}/${v}/$tok1");
});

Deno.test("restoreLiteral puts the recorded value into text that the plan encodes in base64", () => {
  const headers = {
    Authorization: 'Basic ${base64("x:" + id + ":" + token)}',
    X: "${base64(token)}",
  };
  const request: Request = { url: "/", headers };
  assertEquals(restoreLiteral(request, "token", "k3j9", false), {
    url: "/",
    headers: {
      Authorization: 'Basic ${base64("x:" + id + ":" + "k3j9")}',
      X: '${base64("k3j9")}',
    },
  });
});

Deno.test("restoreLiteral is the inverse of replaceLiteral", () => {
  const request: Request = {
    url: "/x/5001?q=5001",
    body: { json: { id: 5001, text: "5001", note: "is 5001" } },
  };
  const edited = replace(request, "5001", true);
  assertEquals([usesVariable(edited, "v"), usesVariable(request, "v")], [true, false]);
  assertEquals(restoreLiteral(edited, "v", "5001", true), request);
});

Deno.test("restoreLiteral writes the text that the plan sent with the variable", () => {
  const request: Request = {
    url: "/f/${url_encode(v)}",
    headers: { Referer: "/f/${url_encode(v)}", "X-Plain": "${v}" },
  };
  assertEquals(restoreLiteral(request, "v", "a b/c", false), {
    url: "/f/a%20b%2Fc",
    headers: { Referer: "/f/a%20b%2Fc", "X-Plain": "a b/c" },
  });
});

/**
 * A form whose fields have new keys in each response. The components with these keys describe the
 * fields, in any order.
 */
const FORM: Model = {
  create(seed) {
    const values = new Values(seed);
    const keys = new Set<string>();
    return ({ method, body }) => {
      if (method === "POST") {
        const isRight = keys.has(JSON.parse(body).component);
        return isRight
          ? { status: 201, json: { added: true } }
          : { status: 410, json: { error: "unknown component" } };
      }
      const key = values.hex(16);
      keys.add(key);
      const others = ["form.close", "form.help"].map((id) => [values.hex(16), { id }] as const);
      const own = [key, { id: "form.add" }] as const;
      const state = Object.fromEntries(seed === 1 ? [own, ...others] : [...others, own]);
      return { json: { title: "Teas", state } };
    };
  },
  use(browser) {
    const { state } = JSON.parse(browser.send("GET", "/form").body);
    const [component] = Object.entries<{ id: string }>(state)
      .find(([, { id }]) => id === "form.add")!;
    browser.send("POST", "/form", { json: { component, text: "Sencha" } });
  },
};

for (const start of STARTS) {
  Deno.test(`calibratePlan extracts the name of a member by what its value contains (${start})`, async () => {
    const { calibration, plan, text } = await calibrateModel(FORM, { start });
    assertEquals(calibration.proven, true, text);
    const [{ request }] = plan.scenarios.recorded.flow;
    const { name: _, ...extractor } = request!.extract![0];
    assertEquals(extractor, {
      type: "jsonpath",
      expression: "$.state[?@.id=='form.add']",
      take: "key",
    });
  });
}

const PLAN: Plan = {
  scenarios: {
    user: {
      executor: "per-vu-iterations",
      vus: 1,
      iterations: 1,
      flow: [
        { request: { method: "POST", url: "/rooms" } },
        {
          websocket: {
            url: "ws://app.test/rooms",
            steps: [{ send: { json: { room: "k3x9qq7z" } } }],
          },
        },
      ],
    },
  },
};

Deno.test("PlanDraft.restore also restores the strings that the plan sends to WebSockets", () => {
  const draft = new PlanDraft(new GivenPlan(PLAN));
  const saved = draft.save();
  draft.values.extract(
    0,
    { type: "jsonpath", name: "room", expression: "$.room" },
    { value: "k3x9qq7z", agrees: undefined },
    { expression: { kind: "variable", name: "room" }, encoded: undefined, numeric: false },
  );
  assertEquals(draft.values.usesOf(0, "room").messages, 1);

  draft.restore(saved);

  assertEquals(draft.values.usesOf(0, "room").messages, 0);
  assertEquals(draft.toPlan(), PLAN);
});

const headers = { Referer: "https://www.shop.example/" };
const RECORDING = recordingOf([
  { request: "GET https://www.shop.example/", type: "text/html", text: "" },
  ...[1, 2, 3].map((i) => ({ request: `GET https://t.tracker.example/${i}`, headers })),
]);

Deno.test("convert, verify and calibrate agree on the main origin of a recording", () => {
  const { plan } = convertHar(RECORDING, {});
  assertEquals(plan.defaults?.http?.base_url, "https://t.tracker.example");
  assertEquals(readSession(RECORDING)?.origin, "https://t.tracker.example");
  const withoutBase = { ...plan, defaults: undefined };
  const { recorded } = aimPlan(withoutBase, RECORDING, "http://127.0.0.1:8080", "session.har");
  assertEquals(recorded, "https://t.tracker.example");
});

Deno.test("inlineDefaultHeaders writes the headers into the requests of all flows, and collapseDefaultHeaders undoes it", () => {
  const { plan: { scenarios } } = convertHar(RECORDING, {});
  const setup = [{ request: { url: "/token" } }];
  const plan = {
    scenarios,
    setup,
    defaults: { http: { headers: { "X-Tenant": "acme" } } },
  } as Plan;
  const inlined = inlineDefaultHeaders(plan);
  assertEquals(inlined.setup?.[0].request?.headers, { "X-Tenant": "acme" });
  assertEquals(inlined.defaults?.http?.headers, undefined);
  const { defaults, setup: restored } = collapseDefaultHeaders(inlined, plan);
  assertEquals([defaults, restored], [plan.defaults, setup]);
});

Deno.test("collapseDefaultHeaders restores the headers of the requests in and after a WebSocket", () => {
  const own = { Accept: "*/*" };
  const plan = {
    scenarios: {
      user: {
        executor: "per-vu-iterations",
        vus: 1,
        iterations: 1,
        flow: [
          { websocket: { url: "/push", steps: [{ request: { url: "/a", headers: own } }] } },
          { request: { url: "/b" } },
        ],
      },
    },
    defaults: { http: { headers: own } },
  } as Plan;
  const restored = collapseDefaultHeaders(inlineDefaultHeaders(plan), plan);
  assertEquals(JSON.stringify(restored), JSON.stringify(plan));
});

async function sendAll(lock: LockStep, user: number, count: number, log: string[]): Promise<void> {
  for (let i = 1; i <= count; i++) {
    await lock.take(user);
    log.push(`${user}.${i}`);
    await Promise.resolve();
    await lock.take(user); // A repeated request keeps the turn.
    lock.release(user);
  }
}

Deno.test("LockStep makes users take turns after each request", async () => {
  const lock = new LockStep([1, 2]);
  const log: string[] = [];
  await Promise.all([sendAll(lock, 1, 3, log), sendAll(lock, 2, 3, log)]);
  assertEquals(log, ["1.1", "2.1", "1.2", "2.2", "1.3", "2.3"]);
});

Deno.test("LockStep does not wait for a user who has ended", async () => {
  const lock = new LockStep([1, 2]);
  const log: string[] = [];
  await Promise.all([sendAll(lock, 1, 3, log), sendAll(lock, 2, 1, log)]);
  assertEquals(log, ["1.1", "2.1", "1.2", "1.3"]);
});

Deno.test("LockStep keeps the first user one request ahead of the second user if users are staggered", async () => {
  const lock = new LockStep([1, 2], 2);
  const log: string[] = [];
  await Promise.all([sendAll(lock, 1, 4, log), sendAll(lock, 2, 4, log)]);
  assertEquals(log, ["1.1", "1.2", "2.1", "1.3", "2.2", "1.4", "2.3", "2.4"]);
});

Deno.test("LockStep lets all users continue after the round is aborted", async () => {
  const lock = new LockStep([1, 2]);
  await lock.take(1);
  const waiting = lock.take(2);
  lock.unlock(); // User 1 never ends its turn.
  await waiting;
  await lock.take(2);
});

const ORIGINS = { recorded: "https://app.example", target: "https://app.example" };

Deno.test("isSentUpTo counts a request that was sent before the end of a response", () => {
  const sent = (ended: number) => {
    const recording = recordingOf([
      { request: "GET /posts", at: [0, ended], response: [{ title: "Tea at five" }] },
      { request: "PUT /posts/7", at: [100, 150], json: { title: "Tea at five" } },
    ]);
    return readRecordedSide(recording, new GivenPlan(convertHar(recording, {}).plan), ORIGINS)
      .isSentUpTo(0, "Tea at five");
  };
  assertEquals([50, 100, 101, 102, 160].map(sent), [false, false, false, true, true]);
});

for (
  const [what, response, mayRead] of [
    ["JSON, which scripts get when it is complete", { response: { ticket: "q7Zk2Xw9" } }, false],
    ["a page, which browsers read while it arrives", { type: "text/html", text: "<p>Tea" }, true],
    ["a stream of events", { type: "text/event-stream", text: "data: q7Zk2Xw9\n\n" }, true],
  ] as const
) {
  Deno.test(`mayRead is ${mayRead} for a request during the response if it is ${what}`, () => {
    const recording = recordingOf([
      { request: "GET /page", at: [0, 500], ...response },
      { request: "GET /api?ticket=q7Zk2Xw9", at: [100, 150] },
    ]);
    const side = readRecordedSide(
      recording,
      new GivenPlan(convertHar(recording, {}).plan),
      ORIGINS,
    );
    assertEquals(side.mayRead(1, 0), mayRead);
  });
}

const RECORDED = { token: "k7f3a9c1", kind: "plain" };

/** A plan that extracts both members of the first response and sends them in the second request. */
function watched() {
  const recording = recordingOf([
    { request: "GET /form", response: RECORDED },
    { request: "POST /save", json: RECORDED, response: { ok: true } },
  ]);
  const [origin] = recording.exchanges.map(({ request }) => new URL(request.url).origin);
  const extract = ["token", "kind"].map((name) => (
    { type: "jsonpath", name, expression: `$.${name}` }
  ));
  const plan = {
    scenarios: {
      recorded: {
        executor: "per-vu-iterations",
        vus: 1,
        iterations: 1,
        flow: [
          { request: { url: "/form", extract, tags: { recorded: "1" } } },
          {
            request: {
              method: "POST",
              url: "/save",
              body: { json: { token: "${token}", kind: "${kind}" } },
              tags: { recorded: "2" },
            },
          },
        ],
      },
    },
  } as unknown as Plan;
  const origins = { recorded: origin, target: origin };
  const draft = new PlanDraft(
    new GivenPlan(plan),
    readRecordedSide(recording, new GivenPlan(plan), origins),
  );
  const variables = new VariableWatch(draft, new UniqueTexts(draft));
  const known = new KnownPairs();
  /** Checks a live response to the first request. Returns the values that differ. */
  const check = (json: Readonly<Record<string, unknown>>, diverged = false) => {
    const response = new ResponseSnapshot({
      status: 200,
      headers: [],
      mimeType: "application/json",
      text: JSON.stringify(json),
    });
    const live = { response, known, unique: "u1", set: () => {} };
    const { response: recorded } = draft.recorded.at(0)!;
    return variables.check(0, recorded, live, (name) => json[name], diverged)
      .map(({ recorded, live }) => `${recorded} → ${live}`);
  };
  const removed = () => variables.removed.map(({ variable, reason }) => `${variable}: ${reason}`);
  return { draft, variables, known, check, removed };
}

Deno.test("VariableWatch returns the values that differ, and keeps both variables", () => {
  const { variables, known, check, removed } = watched();
  assertEquals(check({ ...RECORDED, token: "m2p8x4q6" }), ["k7f3a9c1 → m2p8x4q6"]);
  assertEquals(known.liveOf("k7f3a9c1"), "m2p8x4q6");
  assertEquals(removed(), []);
  assertEquals(variables.constants.map(({ variable }) => variable), ["kind"]);
});

Deno.test("VariableWatch writes the recorded value in place of a variable that was not found", () => {
  const { draft, check, removed } = watched();
  check({ kind: "plain" });
  assertEquals(removed(), ["token: its extractor found nothing"]);
  assertEquals(draft.at(0).extract?.map(({ name }) => name), ["kind"]);
  assertEquals(draft.at(1).body, { json: { token: "k7f3a9c1", kind: "${kind}" } });
});

Deno.test("VariableWatch keeps a variable that once had another value in a call that worked", () => {
  const { variables, check, removed } = watched();
  check({ ...RECORDED, token: "m2p8x4q6" });
  variables.confirm(1);
  check({ kind: "plain" });
  assertEquals(removed(), []);
});

Deno.test("VariableWatch removes nothing because of a response after the session was lost", () => {
  const { check, removed } = watched();
  check({}, true);
  assertEquals(removed(), []);
});

Deno.test("VariableWatch removes constants that two users had, but not values that look generated", () => {
  const { draft, variables, check } = watched();
  check(RECORDED);
  const outcomes = [1, 2].map((user) => ({ user, iteration: 1, index: 0, differences: [] }));
  variables.removeConstants(outcomes.slice(1));
  assertEquals(draft.at(0).extract?.length, 2);
  variables.removeConstants(outcomes);
  assertEquals(draft.at(0).extract?.map(({ name }) => name), ["token"]);
  assertEquals(draft.at(1).body, { json: { token: "${token}", kind: "plain" } });
});
