import { assertEquals, assertNotEquals } from "@std/assert";
import { convertHar } from "../../src/convert/from_har.ts";
import type { Request } from "../../src/plan/kinds/request.ts";
import { listRequests } from "../../src/plan/kinds/list_requests.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";
import type { Verification } from "../../src/verify/verify_plan.ts";
import { recordingOf } from "../convert/har/recorded_case.ts";
import { verified } from "../support/verified.ts";

const TOKEN = "9f86d081884c7d65";
const CLIENT_ID = "a81bc81b-dead-4e5d-abff-90865d1e13b1";

const SHOP = recordingOf([
  { request: "GET /start", response: { csrf_token: TOKEN, products: [{ id: 10023 }] } },
  { request: "GET /cart", response: { csrf_token: TOKEN } },
  {
    request: "POST /orders",
    headers: { "X-Csrf": TOKEN },
    json: { request_id: CLIENT_ID, product: 10023, note: "my first order", at: 1763804123456 },
    status: 201,
    response: { id: 48213, request_id: CLIENT_ID, note: "my first order" },
  },
  { request: "GET /orders/48213", response: { id: 48213 } },
  { request: `GET /requests/${CLIENT_ID}`, response: {} },
]);

/** Converts a recording, changes the plan and verifies it with two users and two iterations. */
function edited(
  recording: Recording,
  change: (requests: Request[], plan: Plan) => void,
): Promise<Verification> {
  const plan = structuredClone(convertHar(recording, {}).plan);
  change([...listRequests(Object.values(plan.scenarios)[0].flow)], plan);
  return verified(plan, recording, { users: 2, iterations: 2, file: "id\n10023\n10024\n" });
}

function describe({ verdict, stale, nothingFound, unsent }: Verification): unknown {
  return { isRejected: verdict === "stale" || verdict === "failed", stale, nothingFound, unsent };
}

const ACCEPTED = { isRejected: false, stale: [], nothingFound: [], unsent: [] };

const EDITS: Record<string, (requests: Request[], plan: Plan) => void> = {
  "no change": () => {},
  "an extractor on another response that contains the value": (requests) => {
    requests[1].extract = requests[0].extract!.filter(({ name }) => name === "csrf_token");
    requests[0].extract = requests[0].extract!.filter(({ name }) => name !== "csrf_token");
  },
  "functions in place of values that the client made": (requests) => {
    const { json } = requests[2].body as { json: Record<string, unknown> };
    Object.assign(json, { request_id: "${uuid()}", at: "${now()}", note: "order ${vu}" });
  },
  "a value that the client made, taken from the response that repeats it": (requests) => {
    const { json } = requests[2].body as { json: Record<string, unknown> };
    json.request_id = "${uuid()}";
    const extract = { type: "jsonpath", name: "request_id", expression: "$.request_id" } as const;
    requests[2].extract = [...requests[2].extract ?? [], extract];
    requests[4].url = "/requests/${request_id}";
  },
  "data in place of a value that the user chose": (requests, plan) => {
    plan.data = { products: { type: "csv", path: "products.csv" } };
    const { json } = requests[2].body as { json: Record<string, unknown> };
    json.product = "${data.products.id}";
  },
  "the recorded value in a variable of the plan": (requests, plan) => {
    plan.variables = { product: 10023 };
    const { json } = requests[2].body as { json: Record<string, unknown> };
    json.product = "${vars.product}";
  },
  "a secret in place of a typed value": (requests, plan) => {
    plan.secrets = { NOTE: { env: "NOTE" } };
    const { json } = requests[2].body as { json: Record<string, unknown> };
    json.note = "${secrets.NOTE}";
  },
  "an added, a repeated and a removed call": (_, plan) => {
    const { flow } = Object.values(plan.scenarios)[0];
    flow.splice(1, 1, { request: { url: "/health" } }, { request: { url: "/start" } });
  },
};

for (const [name, change] of Object.entries(EDITS)) {
  Deno.test(`verifyPlan accepts a plan with ${name}`, async () => {
    assertEquals(describe(await edited(SHOP, change)), ACCEPTED);
  });
}

Deno.test("verifyPlan reports a product of the shop as a literal, because another server has other ids", async () => {
  const { verdict, stale } = await edited(SHOP, (requests) => {
    const { json } = requests[2].body as { json: Record<string, unknown> };
    json.product = 10023;
  });
  assertEquals([verdict, stale.map(({ value }) => value)], ["stale", ["10023"]]);
});

Deno.test("verifyPlan reports the calls that a plan adds, and does not match them with recorded calls", async () => {
  const { added, calls, sent } = await edited(SHOP, (_, plan) => {
    Object.values(plan.scenarios)[0].flow.push(
      { request: { url: "/cart" } },
      { request: { url: "/nowhere" } },
    );
  });
  assertEquals(added, [
    { method: "GET", url: "https://app.example/cart", like: "request 2 (GET /cart)", count: 4 },
    { method: "GET", url: "https://app.example/nowhere", like: undefined, count: 4 },
  ]);
  assertEquals([sent, calls[1].sent], [28, 4]);
});

Deno.test("verifyPlan reports text in place of a number from a response", async () => {
  const { unproven, verdict } = await edited(SHOP, (requests) => {
    const { json } = requests[2].body as { json: Record<string, unknown> };
    json.product = "${uuid()}";
  });
  assertEquals(verdict, "differs");
  assertEquals(
    unproven.filter(({ reason }) => reason === "other value").map(({ value, place }) => [
      value,
      place,
    ]),
    [["10023", "json $.product"]],
  );
});

Deno.test("verifyPlan accepts an extractor that filters by a constant, but not one that filters by a token", async () => {
  const recording = recordingOf([
    { request: "GET /start", response: { items: [{ sku: 20048, key: "4cb0d9a1f3e27788" }] } },
    { request: "GET /items?key=4cb0d9a1f3e27788", response: {} },
  ]);
  const withFilter = (filter: string) =>
    edited(recording, (requests) => {
      const expression = `$.items[?(${filter})].key`;
      requests[0].extract = [{ type: "jsonpath", name: "key", expression }];
      requests[1].url = "/items?key=${key}";
    });
  assertEquals((await withFilter("@.sku == 20048")).verdict, "consistent");
  assertNotEquals((await withFilter("@.key == '4cb0d9a1f3e27788'")).verdict, "consistent");
});
