import { assertEquals } from "@std/assert";
import { convertHar } from "../../src/convert/from_har.ts";
import type { HarOptions } from "../../src/convert/har/facts.ts";
import { checkPlan } from "../../src/plan/check_plan.ts";
import type { MultipartPart } from "../../src/plan/kinds/bodies.ts";
import { listRequests } from "../../src/plan/kinds/list_requests.ts";
import type { Request } from "../../src/plan/kinds/request.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { VerificationVerdict } from "../../src/verify/verify_plan.ts";
import { recordingOf } from "../convert/har/recorded_case.ts";
import { verified } from "../support/verified.ts";

const TOKEN = "9f86d081884c7d65";
const TEAS = recordingOf([
  {
    request: "GET /new",
    text: `<form><input name=csrf value="${TOKEN}"><select name=kind>` +
      `<option value=1>black<option value=2>green</select></form>`,
    type: "text/html",
  },
  {
    request: "POST /teas",
    form: { csrf: TOKEN, title: "Assam of June", kind: "2" },
    status: 201,
    response: { id: 40517 },
  },
  {
    request: "POST /teas",
    json: { title: "Darjeeling of May", kind: 1, public: true },
    status: 201,
    response: { id: 40518 },
  },
  {
    request: "POST /teas/40517/scan",
    multipart: { scan: "black" },
    response: { ok: true },
  },
  { request: "DELETE /teas/40517", status: 204 },
]);

type Change = (requests: Request[], plan: Plan) => void;

function form({ body }: Request): Record<string, string> {
  return (body as { form: Record<string, string> }).form;
}

/** Ways to break a write of the plan, each with the result that `verify` must report. */
const BROKEN: Record<string, readonly [VerificationVerdict, Change]> = {
  "nothing changed": ["consistent", () => {}],
  "no body": ["differs", ([, post]) => delete post.body],
  "a form field less": ["differs", ([, post]) => delete form(post).title],
  "a JSON member less": ["differs", ([, , post]) => {
    delete (post.body as { json: Record<string, unknown> }).json.title;
  }],
  "an empty field": ["differs", ([, post]) => form(post).title = ""],
  "an empty part": ["differs", ([, , , post]) => {
    const { multipart } = post.body as { multipart: MultipartPart[] };
    multipart[0] = { name: multipart[0].name, value: "" };
  }],
  "another option": ["differs", ([, post]) => form(post).kind = "1"],
  "a field more": ["differs", ([, post]) => form(post).draft = "1"],
  "a stale token": ["stale", ([, post]) => form(post).csrf = TOKEN],
  "a wrong token": ["differs", ([, post]) => form(post).csrf = "zzz"],
  "the id of another object": ["differs", (requests) => {
    requests[2].extract = [{ type: "jsonpath", name: "other_id", expression: "$.id" }];
    requests[4].url = "/teas/${other_id}";
  }],
  "a write sent twice": ["differs", (requests, plan) => {
    const { flow } = plan.scenarios.recorded;
    flow.splice(flow.length - 1, 0, { request: structuredClone(requests[2]) });
  }],
  "a write more": ["unproven", (requests, plan) => {
    const { tags: _, ...request } = structuredClone(requests[2]);
    plan.scenarios.recorded.flow.push({ request });
  }],
  "another boolean": ["differs", ([, , post]) => {
    (post.body as { json: Record<string, unknown> }).json.public = false;
  }],
  "a recorded id where the plan extracts it for other calls": ["stale", (requests) => {
    requests[4].url = "/teas/40517";
  }],
  "a read sent twice": ["consistent", (requests, plan) => {
    plan.scenarios.recorded.flow.push({ request: structuredClone(requests[0]) });
  }],
  "a call less": ["incomplete", (_, plan) => void plan.scenarios.recorded.flow.splice(2, 1)],
  "a call left out on purpose": ["consistent", (_, plan) => {
    plan.scenarios.recorded.flow.splice(2, 1);
    plan.recorded = { left_out: [3] };
  }],
};

function planOf(options: HarOptions = {}): Plan {
  const plan = structuredClone(convertHar(TEAS, options).plan);
  const requests = [...listRequests(plan.scenarios.recorded.flow)];
  // The texts stay as recorded in each iteration, which the recording cannot show to be right.
  if (requests.length > 2) {
    form(requests[1]).title = "Assam of ${unique}";
    Object.assign((requests[2].body as { json: object }).json, { title: "Darjeeling ${unique}" });
  }
  return plan;
}

for (const [name, [expected, change]] of Object.entries(BROKEN)) {
  Deno.test(`verifyPlan finds a plan with ${name} ${expected}`, async () => {
    const plan = planOf();
    change([...listRequests(plan.scenarios.recorded.flow)], plan);
    assertEquals(checkPlan(plan).filter(({ severity }) => severity === "error"), []);
    const found = await verified(plan, TEAS, { users: 2, iterations: 2 });
    assertEquals(found.verdict, expected, JSON.stringify(found, null, 1));
  });
}

Deno.test("convert lists the entries that its options leave out, and verify does not expect them", async () => {
  const plan = planOf({ exclude: [/scan/] });
  assertEquals(plan.recorded, { left_out: [4] });
  const found = await verified(plan, TEAS);
  assertEquals([found.verdict, found.recorded, found.neverMade], ["consistent", 4, []]);
});
