import { assertEquals, assertNotMatch, assertStringIncludes } from "@std/assert";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Calibration } from "../../src/calibrate/calibration.ts";
import { calibrateModel } from "../support/calibrated.ts";
import type { ModelResponse } from "../support/model_app.ts";
import type { Model } from "../support/model_apps.ts";

const textOf = (calibration: Calibration) => calibrationText(calibration, (text) => text, false);

/** A page that saves a note. `refuse` returns the response to a request without `X-CSRF-Token`. */
const notes = (refuse: () => ModelResponse | undefined): Model => ({
  create: () => ({ method, headers }) => {
    const isRefused = method === "POST" && !headers.has("x-csrf-token");
    return (isRefused ? refuse() : undefined) ?? { json: { ok: true } };
  },
  use(browser) {
    browser.send("GET", "/notes");
    browser.send("POST", "/notes", {
      headers: { "X-CSRF-Token": "s3cr3tf1xed", "X-Tenant": "north", "Accept-Language": "de" },
      json: { text: "Tea" },
    });
  },
});

/** Removes all headers of the second request. */
function removeHeaders(plan: Plan): Plan {
  const { flow } = plan.scenarios.recorded;
  flow[1].request!.headers = undefined;
  return { ...plan, defaults: { ...plan.defaults, http: { ...plan.defaults?.http, headers: {} } } };
}

for (
  const [how, response] of [
    ["its text", { status: 403, json: { error: "x-csrf-token is required" } }],
    ["a similar word", { status: 400, text: "XSRF verification failed" }],
    ["its headers", { status: 409, headers: { "X-CSRF-Token": "Required" }, text: "" }],
    ["a refused login", { status: 401, json: { error: "Missing X-CSRF-Token" } }],
  ] as const
) {
  Deno.test(`calibratePlan names the recorded header that the plan lacks and the response names in ${how}`, async () => {
    const { calibration } = await calibrateModel(notes(() => response), { edit: removeHeaders });
    assertEquals(calibration.calls[1].unsentHeaders, { names: ["X-CSRF-Token"], areNamed: true });
    const text = textOf(calibration);
    assertStringIncludes(
      text,
      "; the response names the recorded header X-CSRF-Token, which the plan does not send",
    );
    assertNotMatch(text, /s3cr3tf1xed/);
  });
}

const OTHER_NAMES: [place: string, response: ModelResponse][] = [
  ["a token of a page", { status: 400, html: '<meta name="csrf-token"><p>Bad request</p>' }],
  ["a cookie", { status: 400, headers: { "Set-Cookie": "XSRF-TOKEN=1" }, text: "" }],
  ["headers that caches use", { status: 400, headers: { Vary: "X-Tenant" }, text: "" }],
  ["allowed headers", {
    status: 400,
    headers: { "Access-Control-Allow-Headers": "X-CSRF-Token" },
    text: "",
  }],
  ["a longer name", { status: 400, text: "X-Tenant-Id: none, no-X-Tenant" }],
];

for (const [what, response] of OTHER_NAMES) {
  Deno.test(`calibratePlan does not state that a response names a header that it names in ${what}`, async () => {
    const { calibration } = await calibrateModel(notes(() => response), { edit: removeHeaders });
    const names = ["X-CSRF-Token", "X-Tenant"];
    assertEquals(calibration.calls[1].unsentHeaders, { names, areNamed: false });
  });
}

Deno.test("calibratePlan lists all recorded headers that a refused request lacks if its response names no header", async () => {
  const refused = { status: 400, text: "Bad Request" };
  const { calibration } = await calibrateModel(notes(() => refused), { edit: removeHeaders });
  assertStringIncludes(
    textOf(calibration),
    "status 400 instead of 200; media type text/plain instead of application/json; " +
      "kind of content text instead of json; the plan does not send the recorded headers X-CSRF-Token, X-Tenant",
  );
});

Deno.test("calibratePlan does not mention recorded headers if a request without them was accepted at first", async () => {
  let count = 0;
  const model = notes(() => ++count > 1 ? { status: 410, text: "Gone" } : undefined);
  const { calibration } = await calibrateModel(model, { edit: removeHeaders });
  assertEquals(calibration.calls[1].kind, "state");
  assertNotMatch(textOf(calibration), /X-CSRF-Token|X-Tenant/);
});

Deno.test("calibratePlan does not mention headers that the plan sends", async () => {
  const model: Model = {
    ...notes(() => undefined),
    create: (seed) => ({ method }) =>
      seed > 1 && method === "POST"
        ? { status: 403, json: { error: "x-csrf-token is wrong" } }
        : { json: { ok: true } },
  };
  const { calibration } = await calibrateModel(model);
  assertEquals(calibration.calls[1].unsentHeaders, undefined);
});
