import { assertEquals, assertStringIncludes } from "@std/assert";
import { calibrationText } from "../../../src/cli/calibrate/calibration_text.ts";
import { calibrateModel, STARTS } from "../../support/calibrated.ts";
import type { CreateApp } from "../../support/model_app.ts";
import type { Model } from "../../support/model_apps.ts";

/**
 * An application with a list of teas, which have unique names. The list contains `others` from the
 * start.
 */
const teas = (others: readonly string[], isBroken = false): CreateApp => () => {
  const names = new Set(others);
  return ({ method, path, query, form }) => {
    const name = form.get("name") ?? "";
    if (path === "/drop") {
      names.delete(name);
      return { status: 302, headers: { Location: "/teas" } };
    }
    if (method === "GET") {
      const found = [...names].filter((one) => one.includes(query.get("q") ?? ""));
      return { json: { none: found.length === 0 && !isBroken } };
    }
    if (names.has(name)) return { status: 409, json: { error: "name is taken" } };
    names.add(name);
    return { status: 201, json: { ok: true } };
  };
};

const searching = (search: string): Model => ({
  create: teas([]),
  use(browser) {
    browser.send("POST", "/teas", { form: { name: "Earl Grey" } });
    browser.send("GET", `/teas?q=${search}`);
    browser.send("POST", "/drop", { form: { name: "Earl Grey" } });
    browser.send("GET", `/teas?q=${search}`);
  },
});

for (const start of STARTS) {
  Deno.test(`calibratePlan searches for a unique text instead of a part of it (${start})`, async () => {
    const { calibration, text, isValid } = await calibrateModel(searching("Grey"), {
      start,
      live: teas(["Earl Grey"]),
    });
    assertEquals(calibration.proven, true, calibrationText(calibration, (text) => text, true));
    assertEquals(isValid, true);
    assertEquals(calibration.unique.map(({ recorded, template }) => [recorded, template]), [
      ["Earl Grey", "Earl Grey ${unique}"],
      ["Grey", "Earl Grey ${unique}"],
    ]);
    assertStringIncludes(text, "url: /teas?q=Earl%20Grey%20${unique}");
    assertEquals(text.includes("q=Grey"), false);
    assertEquals(calibration.pauses, []);
  });
}

Deno.test("calibratePlan keeps a search text unless a word of a unique text starts with it", async () => {
  for (const search of ["rey", "tea", "Ea"]) {
    const { calibration, text } = await calibrateModel(searching(search), {
      live: teas(["Earl Grey", "Green tea"]),
    });
    assertEquals(calibration.unique.map(({ recorded }) => recorded), ["Earl Grey"]);
    assertStringIncludes(text, `url: /teas?q=${search}`);
  }
});

Deno.test("calibratePlan restores a search text if the response still differs", async () => {
  const { calibration, text } = await calibrateModel(searching("Grey"), {
    live: teas(["Earl Grey"], true),
  });
  assertEquals(calibration.proven, false);
  assertEquals(calibration.unique.map(({ recorded }) => recorded), ["Earl Grey"]);
  assertStringIncludes(text, "url: /teas?q=Grey");
  assertStringIncludes(
    calibrationText(calibration, (text) => text, true),
    'not as recorded with a search text other than "Grey"',
  );
});

Deno.test("calibratePlan writes the unique text into `params` without URL encoding", async () => {
  const { calibration, plan } = await calibrateModel(searching("Grey"), {
    live: teas(["Earl Grey"]),
    edit: (plan) => {
      const { request } = plan.scenarios.recorded.flow[3];
      Object.assign(request!, { url: "/teas", params: { q: "Grey" } });
      return plan;
    },
  });
  assertEquals(calibration.proven, true, calibrationText(calibration, (text) => text, true));
  assertEquals(plan.scenarios.recorded.flow[3].request?.params, { q: "Earl Grey ${unique}" });
});
