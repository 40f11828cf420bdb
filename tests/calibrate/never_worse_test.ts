import { assertEquals, assertStringIncludes } from "@std/assert";
import { calibratedPlanText, calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import { calibrateModel } from "../support/calibrated.ts";
import { Values } from "../support/model_app.ts";
import type { Model } from "../support/model_apps.ts";

/** The application offers a new build in each session, but serves only the first one. */
const NEW_BUILDS: Model = {
  create(seed) {
    return ({ path, query }) => {
      if (path === "/start") return { json: { build: `b7f3c91e4d5${seed}` } };
      const known = query.get("build") === "b7f3c91e4d51";
      return known ? { json: { parts: [1] } } : { status: 404, text: "unknown build" };
    };
  },
  use(browser) {
    browser.send("GET", "/start");
    browser.send("GET", "/parts?build=b7f3c91e4d51");
    browser.send("POST", "/done", { form: { at: "end" } });
  },
};

Deno.test("calibratePlan keeps the given plan, unchanged, if its repairs cost a call that worked", async () => {
  const found = await calibrateModel(NEW_BUILDS, {
    edit: (plan) => ({ ...plan, name: "as given" }),
  });
  const { calibration, edits } = found;
  assertEquals([calibration.kept, calibration.proven, edits], ["given", false, 0]);
  assertEquals(calibratedPlanText(found, "# as given\n").text, "# as given\n");
  const text = calibrationText(calibration, (text) => text, false);
  assertStringIncludes(text, "kept as it was given");
  assertStringIncludes(text, "\ndiscarded: build extracted at call 1; call 2 works only without\n");
});

/** As `NEW_BUILDS`, but the session also creates an item whose name must be unique. */
const NEW_BUILDS_AND_NAMES: Model = {
  create(seed) {
    const build = NEW_BUILDS.create(seed);
    const names = new Set<string>();
    return (request) => {
      if (request.path !== "/items") return build(request);
      const name = request.form.get("name")!;
      if (names.has(name)) return { status: 409, json: { error: "name already exists" } };
      names.add(name);
      return { status: 201, json: { saved: true } };
    };
  },
  use(browser) {
    NEW_BUILDS.use(browser);
    browser.send("POST", "/items", { form: { name: "Sencha" } });
  },
};

Deno.test("calibratePlan discards only the repairs of the calls that work without them", async () => {
  const { calibration, plan } = await calibrateModel(NEW_BUILDS_AND_NAMES);
  assertEquals(calibration.unique.map(({ template }) => template), ["Sencha${unique}"]);
  assertEquals(calibration.extracted, []);
  assertStringIncludes(JSON.stringify(plan), "/parts?build=b7f3c91e4d51");
  assertEquals(calibration.discarded, { repairs: ["build extracted at call 1"], calls: [1] });
  assertEquals([calibration.kept, calibration.proven], ["reduced", true]);
});

/** Names must be unique, and the home page shows a notice only while there is no item. */
const FIRST_NOTICE: Model = {
  create() {
    const names = new Set<string>();
    return ({ method, path, form }) => {
      if (path === "/") return { html: `<title>${names.size === 0 ? "Welcome" : "Items"}</title>` };
      if (method === "GET") return { json: { items: [...names].slice(-1) } };
      const name = form.get("name")!;
      if (names.has(name)) return { status: 409, json: { error: "name already exists" } };
      names.add(name);
      return { status: 201, json: { name } };
    };
  },
  use(browser) {
    browser.send("GET", "/");
    browser.send("POST", "/items", { form: { name: "Sencha" } });
    browser.send("GET", "/items");
  },
};

Deno.test("calibratePlan keeps a repair although all calls of the given plan worked on fresh data", async () => {
  const { calibration, kinds } = await calibrateModel(FIRST_NOTICE);
  assertEquals(calibration.rounds.map(({ asRecorded, calls }) => asRecorded === calls)[0], true);
  assertEquals(calibration.unique.map(({ template }) => template), ["Sencha${unique}"]);
  assertEquals([calibration.kept, kinds], [undefined, ["state", "repaired", "as recorded"]]);
});

/** Only the newest of all tokens is valid, so that users disturb each other. */
const ONE_TOKEN: Model = {
  create(seed) {
    const values = new Values(seed);
    let token = "";
    return ({ method, form }) => {
      if (method === "GET") return { json: { token: token = values.hex(16) } };
      return form.get("token") === token
        ? { status: 201, json: { saved: true } }
        : { status: 403, json: { error: "invalid" } };
    };
  },
  use(browser) {
    const { token } = JSON.parse(browser.send("GET", "/token").body);
    browser.send("POST", "/notes", { form: { token } });
  },
};

Deno.test("calibratePlan does not prove a plan that works for one user, but not for two", async () => {
  const { calibration } = await calibrateModel(ONE_TOKEN);
  assertEquals(calibration.rounds.map(({ users, asRecorded }) => [users, asRecorded]), [
    [1, 2],
    [1, 2],
    [2, 6],
    [2, 6],
  ]);
  assertEquals(calibration.proven, false);
});
