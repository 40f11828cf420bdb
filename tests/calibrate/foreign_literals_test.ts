import { assertEquals, assertNotMatch, assertStringIncludes } from "@std/assert";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import type { Calibration } from "../../src/calibrate/calibration.ts";
import { calibrateModel } from "../support/calibrated.ts";
import type { CreateApp } from "../support/model_app.ts";
import type { Model } from "../support/model_apps.ts";

const textOf = (calibration: Calibration) => calibrationText(calibration, (text) => text, false);

/** An address book in which `user1` and all other users have one address each. */
const addresses = (status: number): Model => ({
  create() {
    return ({ path, cookies, form }) => {
      if (path === "/enter") {
        const own = form.get("user") === "user1" ? "ada.7" : "bob.9";
        return { status: 303, headers: { Location: "/" }, cookies: [`own=${own}`] };
      }
      const own = cookies.get("own")!;
      if (path === "/book") return { html: `<html><p class="${own}">Address</p></html>` };
      return form.get("address") === own ? { json: { saved: 1 } } : { status, text: "" };
    };
  },
  use(browser) {
    browser.send("POST", "/enter", { form: { user: "user1", pw: "wJ8!x" } });
    browser.send("GET", "/book");
    browser.send("POST", "/save", { form: { address: "ada.7", kind: "home" } });
  },
});

/** Serves a different page to the second user, from which no extractor of the plan finds the id. */
const unaligned = (model: Model): CreateApp => (seed) => {
  const app = model.create(seed);
  return (request) => {
    const response = app(request);
    return response.html?.includes("bob.9")
      ? { html: "<html><p>Other</p><i>bob.9</i><b>or</b></html>" }
      : response;
  };
};

for (const status of [422, 403]) {
  Deno.test(`calibratePlan reports a value of the first user if a write fails with ${status} only for the second user`, async () => {
    const model = addresses(status);
    const { calibration } = await calibrateModel(model, {
      live: unaligned(model),
      edit: (plan) => JSON.parse(JSON.stringify(plan).replaceAll("user1", "user${vu}")),
    });
    const text = textOf(calibration);
    assertEquals(calibration.calls[2].kind, "user", text);
    assertEquals(calibration.calls[2].foreign, [{ name: "address", value: "ada.7" }]);
    assertEquals([calibration.proven, calibration.exceptState], [false, false]);
    assertStringIncludes(text, "as recorded only for other users (user 2, iteration 1): status");
    assertStringIncludes(
      text,
      'the plan sends "ada.7" (address), which recorded responses contain, but no earlier response to user 2',
    );
    assertStringIncludes(text, "user 2; it probably sends a value of another user)");
    assertNotMatch(text, /--allow-state|not offered again/);
  });
}

Deno.test("calibratePlan does not name literals that the server sent to both users", async () => {
  const model = addresses(422);
  const live: CreateApp = (seed) => {
    const app = model.create(seed);
    return (request) => {
      const response = app(request);
      return response.html === undefined
        ? response
        : { html: `<html><p class="ada.7">Address</p></html>` };
    };
  };
  const { calibration } = await calibrateModel(model, {
    live,
    edit: (plan) => JSON.parse(JSON.stringify(plan).replaceAll("user1", "user${vu}")),
  });
  const text = textOf(calibration);
  assertEquals([calibration.calls[2].kind, calibration.calls[2].foreign], ["user", undefined]);
  assertStringIncludes(text, "user 2; check whether it sends a value of another user)");
});

Deno.test("calibratePlan still reports a changed state if the first user's second write fails too", async () => {
  const model: Model = {
    create(seed) {
      let saved = 0;
      return ({ path }) => {
        if (path === "/book") return { html: "<html><p>Address</p></html>" };
        return seed > 1 && ++saved > 2 ? { status: 422, text: "" } : { json: { saved: 1 } };
      };
    },
    use(browser) {
      browser.send("GET", "/book");
      browser.send("POST", "/save", { form: { address: "7" } });
    },
  };
  const { calibration } = await calibrateModel(model);
  assertEquals(calibration.calls[1].kind, "state", textOf(calibration));
});
