import { assertEquals } from "@std/assert";
import { calibrateModel, STARTS } from "../support/calibrated.ts";
import { Values } from "../support/model_app.ts";
import type { Model } from "../support/model_apps.ts";

/**
 * A form whose fields have new keys in each response. The components with these keys describe the
 * fields, in any order.
 */
const FORM: Model = {
  create(seed) {
    const values = new Values(seed);
    const keys = new Set<string>();
    return ({ method, body }) => {
      if (method === "POST") {
        const isRight = keys.has(JSON.parse(body).component);
        return isRight
          ? { status: 201, json: { added: true } }
          : { status: 410, json: { error: "unknown component" } };
      }
      const key = values.hex(16);
      keys.add(key);
      const others = ["form.close", "form.help"].map((id) => [values.hex(16), { id }] as const);
      const own = [key, { id: "form.add" }] as const;
      const state = Object.fromEntries(seed === 1 ? [own, ...others] : [...others, own]);
      return { json: { title: "Teas", state } };
    };
  },
  use(browser) {
    const { state } = JSON.parse(browser.send("GET", "/form").body);
    const [component] = Object.entries<{ id: string }>(state)
      .find(([, { id }]) => id === "form.add")!;
    browser.send("POST", "/form", { json: { component, text: "Sencha" } });
  },
};

for (const start of STARTS) {
  Deno.test(`calibratePlan extracts the name of a member by what its value contains (${start})`, async () => {
    const { calibration, plan, text } = await calibrateModel(FORM, { start });
    assertEquals(calibration.proven, true, text);
    const [{ request }] = plan.scenarios.recorded.flow;
    const { name: _, ...extractor } = request!.extract![0];
    assertEquals(extractor, {
      type: "jsonpath",
      expression: "$.state[?@.id=='form.add']",
      take: "key",
    });
  });
}
