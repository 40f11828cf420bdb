import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { calibrateModel, STARTS } from "../support/calibrated.ts";
import { CSRF_SHOP, JSON_API, LISTED_NOTES, type Model } from "../support/model_apps.ts";

/** Model whose user repeats the session, as in a recording merged from two HARs. */
const twice = ({ create, use }: Model): Model => ({
  create,
  use(browser) {
    use(browser);
    use(browser);
  },
});

/** Moves the requests from index `at` onward to a second scenario. */
const split = (at: number) => (plan: Plan): Plan => {
  const { flow, ...load } = plan.scenarios.recorded;
  return {
    ...plan,
    scenarios: {
      first: { ...load, flow: flow.slice(0, at) } as Plan["scenarios"][string],
      second: { ...load, flow: flow.slice(at) } as Plan["scenarios"][string],
    },
  };
};

/** Checks that each scenario extracts all variables that it uses. */
function assertSelfContained({ scenarios }: Plan): void {
  for (const [name, { flow }] of Object.entries(scenarios)) {
    const text = JSON.stringify(flow.map(({ request }) => ({ ...request, name: "" })));
    const extracted = flow.flatMap(({ request }) => request?.extract?.map((one) => one.name) ?? []);
    for (const [, variable] of text.matchAll(/\$\{([a-z]\w*)\}/g)) {
      if (variable === "unique") continue;
      assert(extracted.includes(variable), `${name} does not extract ${variable}`);
    }
  }
}

for (const [name, model, at] of [["CSRF_SHOP", CSRF_SHOP, 7], ["JSON_API", JSON_API, 7]] as const) {
  for (const start of STARTS) {
    Deno.test(`calibratePlan reports a two-scenario plan for ${name} as proven (initial correlation: ${start})`, async () => {
      const found = await calibrateModel(twice(model), { start, edit: split(at) });
      assertEquals(found.calibration.proven, true, JSON.stringify(found.calibration.calls));
      assert(found.isValid, JSON.stringify(found.diagnostics));
      assertSelfContained(found.plan);
    });
  }
}

Deno.test("calibratePlan learns a value in each scenario that sends it", async () => {
  const found = await calibrateModel(LISTED_NOTES, { edit: split(2) });
  assertEquals(found.calibration.proven, true);
  assertSelfContained(found.plan);
  assertEquals(found.calibration.extracted.map(({ source, consumers }) => [source, consumers]), [
    [0, [1]],
    [2, [3]],
  ]);
  assertEquals(
    found.calibration.calls.map(({ scenario }) => scenario),
    ["first", "first", "second", "second"],
  );
  const text = calibrationText(found.calibration, (text) => text, true);
  assertStringIncludes(text, "call 1  POST /notes");
  assertStringIncludes(text, "call 3  GET /notes");
});

Deno.test("calibratePlan keeps scenarios without a recorded request, but does not run them", async () => {
  const found = await calibrateModel(LISTED_NOTES, {
    edit: (plan) => ({
      ...plan,
      scenarios: {
        logged: {
          executor: "constant-vus",
          vus: 5,
          duration: "1h",
          flow: [{ request: { method: "POST", url: "/logged" } }],
        },
        ...plan.scenarios,
      },
    }),
  });
  const { calibration, plan, sent } = found;
  assertEquals(calibration.proven, true);
  assertEquals(sent.filter(({ path }) => path === "/logged"), []);
  assertEquals(calibration.calls.map(({ index }) => index), [1, 2, 3, 4]);
  assertEquals(calibration.writes.limit, 39);
  assertEquals(Object.keys(plan.scenarios), ["logged", "recorded"]);
  assertEquals(plan.scenarios.logged.flow[0].request?.url, "/logged");
});

Deno.test("calibratePlan reports a scenario that depends on the effects of another one", async () => {
  // The second scenario starts after the login.
  const { calibration } = await calibrateModel(CSRF_SHOP, { edit: split(3) });
  assertEquals(calibration.proven, false);
  const kinds = calibration.calls.map(({ kind, causedBy }) => [kind, causedBy]);
  assertEquals(kinds.slice(3), [
    ["login", undefined],
    ["consequence", 3],
    ["consequence", 3],
    ["consequence", 3],
  ]);
});

Deno.test("calibratePlan runs the setup before each round, and counts its writes", async () => {
  const { calibration, plan, sent } = await calibrateModel(LISTED_NOTES, {
    edit: (plan) => ({
      ...plan,
      setup: [{ request: { method: "POST", url: "/notes?setup=1" } }],
    }),
  });
  assertEquals(calibration.proven, true);
  const setups = sent.filter(({ query }) => query.has("setup")).length;
  assertEquals(setups, calibration.rounds.length);
  assertEquals(plan.setup?.length, 1);
  const writes = sent.filter(({ method }) => method === "POST").length;
  assertEquals(calibration.writes.sent, writes);
  assert(writes <= calibration.writes.limit);
});
