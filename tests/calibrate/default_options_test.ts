import { assertEquals } from "@std/assert";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import { calibrateModel } from "../support/calibrated.ts";
import type { Model } from "../support/model_apps.ts";

/**
 * A webmail in which each login is a different user. User `n` (from 1) of the application with seed
 * `s` has the identity `10 * s + n`.
 */
const webmail = (chosen: (own: number) => number): Model => ({
  create(seed) {
    let users = 0;
    return ({ path, cookies, form }) => {
      if (path === "/enter") {
        return { status: 303, headers: { Location: "/" }, cookies: [`own=${10 * seed + ++users}`] };
      }
      const own = Number(cookies.get("own"));
      if (path === "/compose") {
        return {
          html: `<html><body><form><select name="rows"><option>12</option><option>${own}</option>` +
            `</select><select name="_from"><option value="${own}">Ada &lt;ada@x.example&gt;` +
            `</option><option value="3">Team</option></select></form></body></html>`,
        };
      }
      return [own, 3].includes(Number(form.get("_from")))
        ? { json: { sent: true, error: "" } }
        : { json: { sent: false, error: "not your identity" } };
    };
  },
  use(browser) {
    browser.send("POST", "/enter", { form: { user: "ada", pw: "wJ8!x" } });
    browser.send("GET", "/compose");
    browser.send("POST", "/send", { form: { _from: String(chosen(11)), rows: "12" } });
  },
});

for (const start of ["bare", "all"] as const) {
  Deno.test(`calibratePlan extracts the default option of a select if it differs (plan with ${start} extractors)`, async () => {
    const { calibration, plan } = await calibrateModel(webmail((own) => own), { start });
    const text = calibrationText(calibration, (text) => text, true);
    assertEquals(calibration.proven, true, text);
    const extracted = JSON.stringify(plan.scenarios).match(/select\[name=[^,]*/g);
    assertEquals(extracted?.length, 1, text);
  });
}

Deno.test("calibratePlan keeps an option that the user chose instead of the default one", async () => {
  const { calibration, plan } = await calibrateModel(webmail(() => 3));
  const text = calibrationText(calibration, (text) => text, true);
  assertEquals([calibration.proven, calibration.extracted.length], [true, 0], text);
  assertEquals(JSON.stringify(plan.scenarios).includes('"_from":"3"'), true);
});
