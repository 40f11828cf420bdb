import { assert, assertEquals, assertLess } from "@std/assert";
import fc, { COSTLY } from "fast-check";
import process from "node:process";
import { confusion, precisionAndRecall } from "../../scripts/reality/confusion.ts";
import { labelledModels } from "../../scripts/models/score_models.ts";
import { runLive } from "../../scripts/reality/run_live.ts";
import { convertHar } from "../../src/convert/from_har.ts";
import { listRequests } from "../../src/plan/kinds/list_requests.ts";
import type { Request } from "../../src/plan/kinds/request.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { printPlan } from "../../src/plan/print.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { readHar } from "../../src/traffic/har/read_har.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";
import { keptCalls } from "../../src/traffic/session/kept_calls.ts";
import { judgeSentValue, type SentValue } from "../../src/verify/value_judge.ts";
import {
  verdictOf,
  type Verification,
  type VerificationVerdict,
} from "../../src/verify/verify_plan.ts";
import { recordedExchanges } from "../convert/har/arbitrary_recording.ts";
import { type CaseCall, recordingOf, recordingWith } from "../convert/har/recorded_case.ts";
import { bare, calibrateModel } from "../support/calibrated.ts";
import { harFiles } from "../support/har_files.ts";
import { readLabelled } from "../support/labelled.ts";
import { ModelBrowser, ModelSender } from "../support/model_app.ts";
import * as models from "../support/model_apps.ts";
import * as strict from "../support/strict_apps.ts";
import { convertedAndVerified, verified } from "../support/verified.ts";

const TOKEN = "9f86d081884c7d65";
const SHOP: CaseCall[] = [
  {
    request: "POST /login",
    json: { user: "ada" },
    response: { token: TOKEN },
    response_headers: {
      "Set-Cookie": "sid=5f3c9a71b2d84e60; Path=/; Expires=Wed, 21 Oct 2015 07:28:00 GMT",
    },
  },
  { request: "GET /orders?page=2", headers: { "X-Token": TOKEN }, response: { orders: [] } },
  {
    request: "POST /orders",
    headers: { "X-Token": TOKEN },
    json: { qty: 1 },
    response: { id: 4711 },
  },
  { request: "GET /orders/4711", response: { id: 4711, token: TOKEN } },
];
const recording = recordingOf(SHOP);

/** Verifies the shop's plan after a change to its requests. */
function changed(
  change: (requests: Request[], plan: Plan) => void,
  load: { users?: number; iterations?: number } = {},
): Promise<Verification> {
  const plan = structuredClone(convertHar(recording, {}).plan);
  change([...listRequests(Object.values(plan.scenarios)[0].flow)], plan);
  return verified(plan, recording, load);
}

Deno.test("verifyPlan reports no stale values for a converted plan with any base URL", async () => {
  const { verdict, share } = await changed((_, plan) => {
    plan.defaults!.http!.base_url = "http://staging.example:8080";
  }, { users: 3, iterations: 2 });
  assertEquals([verdict, share], ["consistent", 1]);
});

Deno.test("verifyPlan verifies a plan that sends only static assets or only messages", async () => {
  const style = {
    request: { method: "GET", url: "https://a.example/a.css" },
    response: { status: 200, content: { text: "a {}" } },
  };
  const live = {
    request: { method: "GET", url: "wss://a.example/live" },
    response: { status: 101 },
    startedDateTime: "2026-01-15T09:30:00.000Z",
    _webSocketMessages: [{ type: "send", opcode: 1, data: "hi" }],
  };
  for (const entry of [style, live]) {
    const har = JSON.stringify({ log: { entries: [entry] } });
    const recording = await readHar([new TextEncoder().encode(har)], "x.har");
    const { verdict, share } = await convertedAndVerified(recording, { keepStatic: true });
    assertEquals([verdict, share], ["consistent", 1]);
  }
});

Deno.test("verifyPlan accepts a plan without a base URL", async () => {
  assertEquals((await changed((_, plan) => delete plan.defaults)).verdict, "consistent");
});

Deno.test("verifyPlan reports the request, the field, the producer and the missing extractor of a stale value", async () => {
  const { verdict, stale, share, matched } = await changed((requests) => {
    requests[0].extract = undefined;
    for (const { headers } of requests.slice(1)) if (headers) headers["X-Token"] = TOKEN;
  });
  assertEquals([verdict, share, matched], ["stale", 0.5, 2]);
  assertEquals(stale[0], {
    value: TOKEN,
    why: "as recorded",
    call: "request 2 (GET /orders)",
    place: "header x-token",
    producer: "request 1 (POST /login)",
    extractor: { type: "jsonpath", name: "token", expression: "$.token" },
    write: "${token}",
    count: 1,
  });
  assertEquals(stale.length, 2);
});

Deno.test("verifyPlan reports a variable's value as stale after the server has regenerated it", async () => {
  const { stale } = await changed((requests, plan) => {
    const [login] = requests;
    const again = structuredClone(login);
    again.extract = undefined;
    plan.scenarios.recorded.flow.splice(1, 0, { request: again });
  });
  assertEquals(stale.map(({ value, why }) => [value, why]), [
    [TOKEN, "from an earlier response"],
    [TOKEN, "from an earlier response"],
  ]);
});

Deno.test("verifyPlan reports a literal session cookie as stale", async () => {
  const { stale } = await changed((requests) => {
    requests[1].headers = { ...requests[1].headers, Cookie: "sid=5f3c9a71b2d84e60" };
  });
  assertEquals(stale.map(({ value, place }) => [value, place]), [
    ["5f3c9a71b2d84e60", "cookie sid"],
  ]);
});

Deno.test("verifyPlan reports the request field of each difference", async () => {
  const { verdict, differing, matched } = await changed((requests) => {
    requests[0].headers = { "X-Extra": "1" };
    requests[1].url = "/orders?page=3";
    requests[2].body = { json: { qty: "1", gift: true } };
    requests[3].method = "HEAD";
  });
  assertEquals([verdict, matched], ["differs", 1]);
  assertEquals(differing.map(({ place, recorded, sent }) => [place, recorded, sent]), [
    ["query page", "2", "3"],
    ["json $.qty", "the number 1", "the text 1"],
    ["json $.gift", undefined, "true"],
    ["method", "GET", "HEAD"],
  ]);
});

Deno.test("verifyPlan reports missing calls and requests that the plan adds", async () => {
  const { verdict, neverMade, added } = await changed((requests) => {
    Object.assign(requests[1], { url: "/somewhere/else", tags: undefined });
  }, { iterations: 2 });
  assertEquals(verdict, "incomplete");
  assertEquals(neverMade, [{ call: "GET /orders", count: 2 }]);
  assertEquals(added, [{
    method: "GET",
    url: "https://app.example/somewhere/else",
    like: undefined,
    count: 2,
  }]);
});

Deno.test("verifyPlan reports extractors that find nothing, and the requests that are therefore not sent", async () => {
  const { verdict, nothingFound, unsent } = await changed((requests) => {
    requests[0].extract = [{ type: "jsonpath", name: "token", expression: "$.tokens" }];
  });
  assert(verdict === "failed");
  assertEquals(nothingFound.map(({ request, count }) => [request, count]), [["POST /login", 1]]);
  assertEquals(unsent.map(({ request }) => request), [
    "GET /orders",
    "POST /orders",
    "GET /orders/${id}",
  ]);
});

Deno.test("verifyPlan reports a header that no client can send", async () => {
  const { verdict, unsent } = await changed((requests) => {
    requests[0].headers = { "Accept;charset=UTF-8": "x" };
  });
  assert(verdict === "failed");
  assertEquals(unsent[0], {
    request: "POST /login",
    message: `the request cannot be sent: "Accept;charset=UTF-8" is not a valid header name`,
    count: 1,
  });
});

Deno.test("verifyPlan distinguishes two values in the same header", async () => {
  const [a, b] = ["1a2b3c4d5e6f7081", "f0e1d2c3b4a59687"];
  const recording = recordingOf([
    { request: "GET /a", response: { a_token: a } },
    { request: "GET /b", response: { b_token: b } },
    { request: "POST /c", headers: { "X-Both": `${b}/${a}` }, response: {} },
  ]);
  const { plan } = convertHar(recording, {});
  assertEquals((await verified(plan, recording)).verdict, "consistent");
  const mutant = JSON.parse(JSON.stringify(plan).replace("${b_token}/", `${b}/`));
  const { stale } = await verified(mutant, recording);
  assertEquals(stale.map(({ value, place }) => [value, place]), [[b, "header x-both"]]);
});

Deno.test("verifyPlan does not read secrets, and accepts a secret in place of any recorded value", async () => {
  const { verdict, share } = await changed((requests, plan) => {
    plan.secrets = { USER: { file: "/nowhere" } };
    requests[0].body = { json: { user: "${secrets.USER}" } };
  });
  assertEquals([verdict, share], ["consistent", 1]);
});

Deno.test("verifyPlan skips think times and `during` loops, and accepts parallel calls in any order", async () => {
  const { verdict, share, sent } = await changed((_, plan) => {
    const [login, list, order, look] = plan.scenarios.recorded.flow;
    plan.scenarios.recorded.flow = [
      login,
      { think_time: "5m" },
      { parallel: { branches: [[order, look], [list]] } },
    ];
  }, { users: 2, iterations: 2 });
  assertEquals([verdict, share, sent], ["consistent", 1, 16]);
});

const JOB: CaseCall[] = [
  { request: "POST /jobs", json: { kind: "tea" }, response: { id: "8f14e45fceea167a" } },
  { request: "GET /jobs/8f14e45fceea167a", response: { status: "pending" } },
  { request: "GET /jobs/8f14e45fceea167a", response: { status: "running" } },
  {
    request: "GET /jobs/8f14e45fceea167a",
    response: { status: "done", result: "45c48cce2e2d7fbd" },
  },
  { request: "GET /results/45c48cce2e2d7fbd", response: { rows: 3 } },
];

Deno.test("verifyPlan replays a polled request with all its recorded responses", async () => {
  const job = recordingOf(JOB);
  const { plan } = convertHar(job, {});
  const found = await verified(plan, job, { users: 2, iterations: 2 });
  assertEquals([found.verdict, found.share, found.neverMade], ["consistent", 1, []]);
  assertEquals(found.calls.map(({ verdict, sent }) => [verdict, sent]), [
    ...Array(5).fill(["consistent", 4]),
  ]);
});

Deno.test("verifyPlan reports a stale value in a polled request", async () => {
  const job = recordingOf(JOB);
  const plan = structuredClone(convertHar(job, {}).plan);
  const requests = [...listRequests(plan.scenarios.recorded.flow)];
  requests[1].url = "/jobs/8f14e45fceea167a";
  const found = await verified(plan, job);
  assertEquals(found.verdict, "stale");
  assertEquals(found.stale.map(({ value, call }) => [value, call]).at(0), [
    "8f14e45fceea167a",
    "request 2 (GET /jobs/8f14e45fceea167a)",
  ]);
});

Deno.test("verifyPlan does not simulate pauses and responses of days second by second", async () => {
  const day = 86_400_000;
  for (const firstEnds of [10, 3 * day]) {
    const days = recordingOf([
      { request: "GET /a", response: { id: 4711 }, at: [0, firstEnds] },
      { request: "GET /b/4711", response: {}, at: [3 * day + 10, 3 * day + 20] },
    ]);
    const { plan } = convertHar(days, {});
    if (firstEnds < day) Object.values(plan.scenarios)[0].flow.splice(1, 0, { think_time: "72h" });
    const before = process.threadCpuUsage();
    const { verdict, sent } = await verified(plan, days);
    assertEquals([verdict, sent], ["consistent", 2]);
    const { user, system } = process.threadCpuUsage(before);
    assertLess((user + system) / 1e6, 2);
  }
});

type Found = Omit<Verification, "verdict">;

/** A run of one user whose two requests are as recorded. */
const CONSISTENT: Found = {
  isForeign: false,
  users: 1,
  iterations: 1,
  recorded: 2,
  sent: 2,
  matched: 2,
  share: 1,
  stale: [],
  unproven: [],
  differing: [],
  neverMade: [],
  added: [],
  missingBodies: [],
  calls: [],
  nothingFound: [],
  unsent: [],
};

const call = "request 1 (POST /orders)";
const value = { value: "48213", call, place: "path segment 2", producer: call, count: 1 };
const advice = { extractor: undefined, write: "" };
const fault = { request: "POST /orders", message: "", count: 1 };
const extra = { method: "POST", url: "/orders", like: call, count: 1 };

const stale: Partial<Found> = { stale: [{ ...value, ...advice, why: "as recorded" }] };
const foreign: Partial<Found> = { isForeign: true };
const unmatched: Partial<Found> = { matched: 0 };
const nothingFound: Partial<Found> = { nothingFound: [fault] };
const unsent: Partial<Found> = { unsent: [fault] };
const differing: Partial<Found> = {
  differing: [{ call, place: "query page", recorded: "1", sent: "2", count: 1 }],
};
const neverMade: Partial<Found> = { neverMade: [{ call, count: 1 }] };
const unproven: Partial<Found> = { unproven: [{ ...value, ...advice, reason: "response" }] };
const missingBodies: Partial<Found> = { missingBodies: [{ call }] };
const repeatedWrite: Partial<Found> = { added: [{ ...extra, isWrite: true }] };
const repeatedRead: Partial<Found> = { added: [extra] };

/** Facts, the least important first, and the verdict from each one and those before it. */
const VERDICTS: readonly [string, Partial<Found>, VerificationVerdict][] = [
  ["no finding", {}, "consistent"],
  ["a repeated read", repeatedRead, "consistent"],
  ["a repeated write", repeatedWrite, "unproven"],
  ["a missing body", missingBodies, "unproven"],
  ["an unproven value", unproven, "unproven"],
  ["a call that was not sent", neverMade, "incomplete"],
  ["a difference", differing, "differs"],
  ["a request that could not be sent", unsent, "failed"],
  ["an extractor without a value", nothingFound, "failed"],
  ["no request as recorded", unmatched, "failed"],
  ["another recording", foreign, "failed"],
  ["a stale value", stale, "stale"],
];

for (const [i, [name, facts, verdict]] of VERDICTS.entries()) {
  Deno.test(`verdictOf: ${name} is ${verdict}, also with all less important facts`, () => {
    assertEquals(verdictOf({ ...CONSISTENT, ...facts }), verdict);
    const before = VERDICTS.slice(0, i).map(([, facts]) => facts);
    assertEquals(verdictOf(Object.assign({ ...CONSISTENT }, ...before, facts)), verdict);
  });
}

/** A value that fresh sessions replace, and that the plan sends as recorded. */
const LITERAL: SentValue = {
  assessment: "object",
  isReplaced: true,
  isIgnored: false,
  isSure: true,
  isNew: true,
  isExtracted: false,
  mayBeStale: true,
};

const JUDGED: readonly [Partial<SentValue>, ReturnType<typeof judgeSentValue>][] = [
  [{}, "stale"],
  [{ mayBeStale: false }, "stale"],
  [{ isReplaced: false }, "unproven"],
  [{ isIgnored: true }, "unproven"],
  [{ isSure: false }, "unproven"],
  [{ isNew: false }, "unproven"],
  [{ isNew: false, isExtracted: true }, "stale"],
  [{ isSure: false, isExtracted: true }, "unproven"],
  [{ assessment: "undecided" }, "unproven"],
  [{ assessment: "constant" }, "unproven"],
  [{ assessment: "constant", isExtracted: true }, "stale"],
  [{ assessment: "token", isSure: false, isNew: false }, "stale"],
  [{ assessment: "token", isIgnored: true }, "unproven"],
  [{ assessment: "token", isReplaced: false }, "unproven"],
  [{ isReplaced: false, mayBeStale: false }, "consistent"],
  [{ isNew: false, mayBeStale: false }, "consistent"],
];

for (const [facts, verdict] of JUDGED) {
  Deno.test(`judgeSentValue: ${JSON.stringify(facts)} is ${verdict}`, () => {
    assertEquals(judgeSentValue({ ...LITERAL, ...facts }), verdict);
  });
}

const LOAD = { users: 2, iterations: 2 };
const { rateLimited: _, ...APPS } = models;
const MODELS: Readonly<Record<string, models.Model>> = { ...APPS, ...strict };

/**
 * Verifies plans for a model application, and runs them on another instance of it. Both tests use
 * the result.
 */
const measure = memoized(async (model: models.Model) => {
  const browser = new ModelBrowser(model.create(1));
  model.use(browser);
  const recording = await browser.recording();
  const { plan } = convertHar(recording, {});
  const plans = [bare(plan, recording), plan, (await calibrateModel(model)).plan];
  const recorded = keptCalls(recording.exchanges, undefined).exchanges;
  return await Promise.all(plans.map(async (one) => {
    const { verdict, calls } = await verified(one, recording, LOAD);
    return {
      recorded,
      forecast: {
        verdict,
        calls: Object.fromEntries(calls.map(({ entry, verdict }) => [entry - 1, verdict])),
      },
      live: await runLive(copyOf(one), LOAD, recorded, new ModelSender(model.create(2))),
    };
  }));
});

function memoized<K, V>(compute: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    if (!known.has(key)) known.set(key, compute(key));
    return known.get(key)!;
  };
}

function copyOf(plan: Plan): Plan {
  return (loadPlan(printPlan(plan, []))).plan!;
}

for (const [name, model] of Object.entries(MODELS)) {
  Deno.test(`for ${name}, verifyPlan neither reports failing calls as consistent nor correct plans as stale`, async () => {
    const measured = await measure(model);
    const { consistent } = confusion(measured);
    assertEquals([consistent.failedFirst, consistent.failedLater], [0, 0]);
    for (const { forecast, live } of measured) {
      const isRight = live.every(({ differences }) => differences.length === 0);
      assert(!isRight || forecast.verdict !== "stale");
    }
  });
}

Deno.test("verifyPlan predicts the first failure of every plan for the model applications", async () => {
  const measured = (await Promise.all(Object.values(MODELS).map(measure))).flat();
  const counts = confusion(measured);
  const { precision, recall } = precisionAndRecall(counts);
  const found = JSON.stringify({ ...counts, precision, recall });
  assertEquals(recall, 1, found);
  assert(precision > 0.9, found);
});

Deno.test("verifyPlan does not report correlated values as stale in plans converted from labelled recordings", async () => {
  for (const { name, recording, labels } of await readLabelled()) {
    const correlated = labels.filter(({ byDefault, correlate }) => correlate || byDefault)
      .map(({ value }) => String(value));
    const load = { users: 2, iterations: 2 };
    const { stale, nothingFound, unsent } = await convertedAndVerified(recording, {}, load);
    const wrong = stale.filter(({ value }) => correlated.includes(value));
    assertEquals(
      { wrong, nothingFound, unsent },
      { wrong: [], nothingFound: [], unsent: [] },
      name,
    );
  }
});

Deno.test("verifyPlan reports each short number that another server of a model application replaces", async () => {
  let found = 0;
  for (const { name, recording, labels } of await labelledModels()) {
    const plan = bare(convertHar(recording, {}).plan, recording);
    const { stale, unproven, calls } = await verified(plan, recording);
    const nameOf = new Map(calls.map(({ entry, call }) => [entry - 1, call]));
    const reported = Map.groupBy([...stale, ...unproven], ({ call }) => call);
    for (const { value, fresh, uses } of labels) {
      if (value === fresh || !/^\d{1,3}$/.test(value)) continue;
      for (const { entry, where } of uses) {
        if (where.startsWith("header referer")) continue;
        found++;
        const own = reported.get(nameOf.get(entry)!) ?? [];
        assert(own.some((one) => one.value.split("-")[0] === value), `${name}, ${where}: ${value}`);
      }
    }
  }
  assert(found > 50, `${found}`);
});

Deno.test("verifyPlan reports no stale values for plans of real recordings, recorder formats and the demo shop", async () => {
  const own = ["testdata/har", "testdata/har/shapes", "testdata/har/real"].flatMap(harFiles);
  for (const { name, bytes } of own) {
    await hasNothingStale(name, await readHar([bytes], name));
  }
});

Deno.test("verifyPlan reports each labelled value that the plan does not correlate", async () => {
  for (const { name, recording, labels } of await readLabelled()) {
    const left = labels.filter(({ byDefault, correlate }) => byDefault && !correlate);
    const { stale, unproven, verdict } = await convertedAndVerified(recording, {
      jsonOnly: true,
    });
    const reported = [...stale, ...unproven].map(({ value }) => value);
    for (const { value } of left) {
      assert(reported.some((one) => one.includes(String(value))), `${name}: ${value}`);
    }
    assertEquals(left.length > 0 && verdict === "consistent", false, name);
  }
});

async function hasNothingStale(name: string, recording: Recording): Promise<void> {
  const { verdict, share, ...found } = await convertedAndVerified(recording, {}, {
    users: 2,
    iterations: 2,
  });
  const isRejected = verdict === "stale" || verdict === "failed";
  assertEquals([isRejected, share], [false, 1], `${name}: ${JSON.stringify(found)}`);
}

Deno.test("verifyPlan does not expect a value of the server as the id of a JSON-RPC request", async () => {
  const find = (id: number, model: string) => ({
    id,
    method: `model.${model}.read`,
    params: [[3]],
  });
  const recording = recordingOf([
    { request: "POST /", json: find(50, "tree"), response: { id: 50, result: [{ id: 51 }] } },
    { request: "POST /", json: find(51, "user"), response: { id: 51, result: [{ name: "Ada" }] } },
    {
      request: "POST /",
      json: { id: 52, method: "model.tree.read", params: [[51]] },
      response: { id: 52, result: [] },
    },
  ]);
  const { stale, unproven } = await convertedAndVerified(recording, {});
  const places = [...stale, ...unproven].map(({ place }) => place);
  assertEquals(places.filter((place) => place === "json $.id"), []);
});

Deno.test("verifyPlan reports no differences for the converted plan of any recording", async () => {
  await fc.assert(
    fc.asyncProperty(recordedExchanges, async (exchanges) => {
      fc.pre(exchanges.length > 0);
      const found = await convertedAndVerified(recordingWith(exchanges), {}, { iterations: 2 });
      assertEquals(
        [found.differing, found.added],
        [[], []],
      );
    }),
    COSTLY,
  );
});
