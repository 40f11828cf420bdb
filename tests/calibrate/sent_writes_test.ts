import { assertEquals, assertStringIncludes } from "@std/assert";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { calibrateModel } from "../support/calibrated.ts";
import type { Model } from "../support/model_apps.ts";

/** A server that accepts any note, and responds as if it had stored it. */
const CARELESS: Model = {
  create: () => () => ({ json: { ok: true } }),
  use(browser) {
    browser.send("POST", "/notes", { json: { title: "Tea", text: "at five", isOpen: true } });
    browser.send("POST", "/pay", { form: { data: '{"order_id":317}' } });
    browser.send("DELETE", "/notes/last");
  },
};

const EDITS: Readonly<Record<string, readonly [from: string, to: string, reason: string]>> = {
  "without a field": [',"text":"at five"', "", "`json $.text` is not sent"],
  "with an empty field": ["at five", "", "`json $.text` is sent empty"],
  "with other text": ["at five", "at six", "`json $.text` is sent with another value"],
  "with another choice": [
    '"isOpen":true',
    '"isOpen":false',
    "`json $.isOpen` is sent with another value",
  ],
  "with another number in JSON in a form field": [
    ":317}",
    ":318}",
    "`form data $.order_id` is sent with another value",
  ],
};

for (const [name, [from, to, reason]] of Object.entries(EDITS)) {
  Deno.test(`calibratePlan does not report a write ${name} as proven`, async () => {
    const edit = (plan: Plan) => JSON.parse(JSON.stringify(plan).replace(from, to)) as Plan;
    const { calibration } = await calibrateModel(CARELESS, { edit });
    assertEquals(calibration.proven, false);
    const text = calibrationText(calibration, (text) => text, false);
    assertStringIncludes(text, reason);
  });
}

Deno.test("calibratePlan does not report a plan as proven that sends a write twice, or not at all", async () => {
  const edit = (change: (flow: Plan["scenarios"][string]["flow"]) => unknown) => (plan: Plan) => {
    const [[name, scenario]] = Object.entries(plan.scenarios);
    return {
      ...plan,
      scenarios: { [name]: { ...scenario, flow: change(scenario.flow) } },
    } as Plan;
  };
  const twice = await calibrateModel(CARELESS, {
    edit: edit((flow) => [...flow, structuredClone(flow.at(-1))]),
  });
  assertEquals([twice.calibration.proven, twice.kinds.at(-1)], [false, "other request"]);
  const omitted = await calibrateModel(CARELESS, { edit: edit((flow) => flow.slice(0, -1)) });
  assertEquals(omitted.calibration.missing, [{ entry: 3, name: "DELETE /notes/last" }]);
  assertEquals(omitted.calibration.proven, false);
  const onPurpose = await calibrateModel(CARELESS, {
    edit: (plan) => ({ ...edit((flow) => flow.slice(0, -1))(plan), recorded: { left_out: [3] } }),
  });
  assertEquals(onPurpose.calibration.proven, true);
});

Deno.test("calibratePlan does not report a write as proven whose work no response shows", async () => {
  const shelf = (stores: boolean): Model => ({
    create() {
      const titles: string[] = [];
      return ({ method, form }) => {
        if (method !== "POST") return { json: { items: [...titles] } };
        if (stores) titles.push(form.get("title")!);
        return { json: { ok: true } };
      };
    },
    use(browser) {
      browser.send("POST", "/books", { form: { title: "Walden" } });
      browser.send("GET", "/books");
    },
  });
  const { calibration, kinds } = await calibrateModel(shelf(true), { live: shelf(false).create });
  assertEquals(calibration.proven, false);
  assertEquals(kinds.includes("not shown"), true, kinds.join());
});

Deno.test("calibratePlan makes text unique if a write with it works only on fresh data", async () => {
  const { calibration, kinds } = await calibrateModel({
    create() {
      const known = new Set<string>();
      let shelf: string[] = [];
      return ({ method, path, form }) => {
        if (method === "GET") return { json: { items: shelf } };
        if (path === "/archive") shelf = [];
        else if (!known.has(form.get("title")!)) {
          known.add(form.get("title")!);
          shelf.push(form.get("title")!);
        }
        return { json: { ok: true } };
      };
    },
    use(browser) {
      browser.send("POST", "/import", { form: { user_name: "Thoreau", title: "Walden" } });
      browser.send("GET", "/books");
      browser.send("POST", "/archive");
    },
  });
  assertEquals(calibration.unique.map(({ template }) => template), ["Walden${unique}"]);
  assertEquals([calibration.proven, kinds], [true, ["repaired", "as recorded", "as recorded"]]);
});

Deno.test("calibratePlan does not report a write as proven that sends the id of another object, which it also sends in its own place", async () => {
  const { calibration, kinds } = await calibrateModel({
    create: () => ({ method }) =>
      method === "GET" ? { json: { name: "zk4a7", add: "zk4a8" } } : { json: { ok: true } },
    use(browser) {
      browser.send("GET", "/form");
      browser.send("POST", "/commands", { form: { changed: "zk4a7", clicked: "zk4a8" } });
    },
  }, {
    edit(plan) {
      const [first, second] = structuredClone(plan.scenarios.recorded.flow);
      const extract = [{ type: "jsonpath" as const, name: "changed", expression: "$.name" }];
      const body = { form: { changed: "${changed}", clicked: "zk4a7" } };
      const flow = [
        { request: { ...first.request!, extract } },
        { request: { ...second.request!, body } },
      ];
      return { ...plan, scenarios: { recorded: { ...plan.scenarios.recorded, flow } } } as Plan;
    },
  });
  assertEquals([calibration.proven, kinds[1]], [false, "other request"]);
});

Deno.test("calibratePlan proves a write whose new id equals another literal of its request", async () => {
  const desk = (first: number): Model => ({
    create() {
      let next = first;
      const texts = new Map<string, string>();
      return ({ method, path, form }) => {
        const id = path.split("/")[2];
        if (path === "/tickets" && method === "POST") {
          texts.set(String(next), form.get("title")!);
          return { status: 302, headers: { Location: `/tickets/${next++}/` } };
        }
        if (!texts.has(id)) return { status: 404, json: { error: "no such ticket" } };
        if (method === "POST") {
          texts.set(id, form.get("comment")!);
          return { status: 302, headers: { Location: `/tickets/${id}/` } };
        }
        return { html: `<title>Ticket</title><h1>Ticket</h1><p>${texts.get(id)}</p>` };
      };
    },
    use(browser) {
      browser.send("POST", "/tickets", { form: { title: "Green teapot" } });
      browser.send("GET", "/tickets/1/");
      browser.send("POST", "/tickets/1/update/", {
        form: { comment: "Broken lid", priority: "4" },
      });
      browser.send("GET", "/tickets/1/");
    },
  });
  const { calibration, kinds } = await calibrateModel(desk(1), {
    start: "all",
    live: desk(3).create,
  });
  assertEquals([calibration.proven, ...kinds], [true, ...Array(4).fill("as recorded")]);
});
