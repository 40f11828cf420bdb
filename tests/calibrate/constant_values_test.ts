import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { listRequests } from "../../src/plan/kinds/list_requests.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { verifyPlan } from "../../src/verify/verify_plan.ts";
import { calibrateModel } from "../support/calibrated.ts";
import { ModelBrowser, Values } from "../support/model_app.ts";
import type { Model } from "../support/model_apps.ts";

const TENANT = "7f3c9a1be2d05846";

/** A page with a token, and with an application id that is the same on every server. */
const TENANTS: Model = {
  create(seed) {
    const values = new Values(seed);
    const tokens = new Set<string>();
    return ({ method, path, headers }) => {
      if (method === "GET") {
        const token = values.hex(20);
        tokens.add(token);
        return { json: { feed: TENANT, token } };
      }
      const isRight = path === `/feeds/${TENANT}/notes` && tokens.has(headers.get("x-token") ?? "");
      return isRight ? { status: 201, json: { ok: true } } : { status: 403, json: { error: "no" } };
    };
  },
  use(browser) {
    const { feed, token } = JSON.parse(browser.send("GET", "/start").body);
    browser.send("POST", `/feeds/${feed}/notes`, {
      json: { text: "x" },
      headers: { "X-Token": token },
    });
  },
};

async function recordTenants() {
  const browser = new ModelBrowser(TENANTS.create(1));
  TENANTS.use(browser);
  return await browser.recording();
}

const OPTIONS = {
  users: 2,
  iterations: 2,
  readFile: () => new Uint8Array(),
  readEnv: () => undefined,
};

Deno.test("verifyPlan accepts recorded values that calibratePlan found to be constant", async () => {
  const { calibration, plan, isValid } = await calibrateModel(TENANTS);
  assert(isValid);
  assertEquals(calibration.proven, true);
  assertEquals(plan.calibration, { constants: [TENANT] });
  const recording = await recordTenants();
  const { verdict, unproven } = await verifyPlan(plan, recording, OPTIONS);
  const reported = unproven.map(({ value, reason }) => [value, reason]);
  assertEquals([verdict, reported.filter(([value]) => value === TENANT)], ["consistent", []]);
  const { calibration: _, ...without } = plan;
  const other = await verifyPlan(without, recording, OPTIONS);
  const open = other.unproven.map(({ value }) => value);
  assertEquals([other.verdict, open.includes(TENANT)], ["unproven", true]);
});

Deno.test("calibratePlan does not list constants if the plan is not proven", async () => {
  const down = TENANTS.create(2);
  const { calibration, plan } = await calibrateModel(TENANTS, {
    live: () => (request) => request.method === "GET" ? down(request) : { status: 500 },
  });
  assertEquals([calibration.proven, plan.calibration], [false, undefined]);
});

Deno.test("calibratePlan does not list a value as a constant if it changed in a live response", async () => {
  const { plan } = await calibrateModel(TENANTS, { start: "bare" });
  assertEquals(plan.calibration, { constants: [TENANT] });
});

/** The page names the features of a product. Its script sends one of them as a member's name. */
const FEATURES: Model = {
  create: () => ({ method, body }) =>
    method === "GET"
      ? { json: { features: [{ id: "device" }] } }
      : body === '{"device.enabled":"yes"}'
      ? { status: 201, json: { ok: true } }
      : { status: 400, json: { error: "unknown feature" } },
  use(browser) {
    browser.send("GET", "/features");
    browser.send("POST", "/clients", { json: { "device.enabled": "yes" } });
  },
};

/** Makes a plan that extracts `feature`, and sends `${feature}.enabled` as a member's name. */
function withFeature(plan: Plan): Plan {
  const [read, write, ...rest] = plan.scenarios.recorded.flow;
  const extract = [{
    type: "jsonpath",
    name: "feature",
    expression: "$.features[0].id",
  }] as const;
  const body = { json: { "${feature}.enabled": "yes" } };
  const flow = [
    { request: { ...read.request!, extract: [...extract] } },
    { request: { ...write.request!, body } },
    ...rest,
  ];
  return { ...plan, scenarios: { recorded: { ...plan.scenarios.recorded, flow } } };
}

Deno.test("calibratePlan writes a constant into the name of a JSON member", async () => {
  const { calibration, diagnostics, text } = await calibrateModel(FEATURES, { edit: withFeature });
  assertEquals([calibration.proven, diagnostics], [true, []]);
  assertEquals([text.includes("device.enabled"), text.includes("feature}")], [true, false]);
});

Deno.test("calibratePlan keeps the variable of a constant that a `set` step also uses", async () => {
  const { calibration, diagnostics, text } = await calibrateModel(FEATURES, {
    edit(plan) {
      const { recorded } = withFeature(plan).scenarios;
      const flow = [...recorded.flow, { set: { last: "${feature}" } }];
      return { ...plan, scenarios: { recorded: { ...recorded, flow } } };
    },
  });
  assertEquals([calibration.proven, diagnostics], [true, []]);
  assertStringIncludes(text, "${feature}.enabled");
});

Deno.test("calibratePlan keeps the variable of a constant that an expression computes with", async () => {
  const { calibration, diagnostics, text } = await calibrateModel(FEATURES, {
    edit(plan) {
      const { recorded } = withFeature(plan).scenarios;
      const flow = JSON.parse(
        JSON.stringify(recorded.flow).replace("{feature}", "{lower(feature)}"),
      );
      return { ...plan, scenarios: { recorded: { ...recorded, flow } } };
    },
  });
  assertEquals([calibration.proven, diagnostics], [true, []]);
  assertStringIncludes(text, "${lower(feature)}.enabled");
});

Deno.test("calibratePlan keeps a variable that was equal in all rounds, if another one with its recorded value changed", async () => {
  const files: Model = {
    create() {
      let last = 900;
      return ({ method, path }) => {
        if (method === "GET") return { json: { files: [{ name: "spoon.txt", id: 901 }] } };
        if (path === "/files") return { json: { file_id: ++last } };
        return { json: { ok: true } };
      };
    },
    use(browser) {
      browser.send("POST", "/files", { form: { name: "spoon.txt" } });
      browser.send("GET", "/files");
      browser.send("POST", "/edit", { form: { post_id: "901", title: "Spoon" } });
    },
  };
  const { text, calibration } = await calibrateModel(files, {
    edit: (plan) => {
      const [upload, list, edit] = [...listRequests(plan.scenarios.recorded.flow)];
      upload.extract = [{ type: "jsonpath", name: "file_id", expression: "$.file_id" }];
      list.extract = [{ type: "jsonpath", name: "row_id", expression: "$.files[0].id" }];
      edit.body = { form: { post_id: "${row_id}", title: "Spoon" } };
      return plan;
    },
  });
  assertEquals(text.includes("post_id: ${row_id}"), true);
  assertEquals(calibration.constants, []);
});
