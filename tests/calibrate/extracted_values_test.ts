import { assert, assertEquals } from "@std/assert";
import { asText, isNumber } from "../../src/base/exact_number.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";
import { restoreLiteral } from "../../src/calibrate/literal_edit.ts";
import { PlanDraft } from "../../src/calibrate/draft.ts";
import { snapshotRecorded } from "../../src/calibrate/response_snapshot.ts";
import { extractValue } from "../../src/correlation/try_extractor.ts";
import { calibrateModel } from "../support/calibrated.ts";
import { type CreateApp, Values } from "../support/model_app.ts";
import { CSRF_SHOP, JSON_API, type Model } from "../support/model_apps.ts";

/** A use of a variable in a plan, which a test replaces with the recorded literal. */
interface Use {
  readonly source: number;
  readonly variable: string;
  readonly consumer: number;
}

function uses(draft: PlanDraft): Use[] {
  return Array.from({ length: draft.requests.length }, (_, source) => source).flatMap((source) =>
    (draft.at(source).extract ?? []).flatMap(({ name }) =>
      draft.usesOf(source, name).consumers.map((consumer) => ({ source, variable: name, consumer }))
    )
  );
}

/**
 * Returns the plan with one use of a variable replaced with the recorded literal. Keeps all
 * extractors.
 */
function stale(plan: Plan, { exchanges }: Recording, { source, variable, consumer }: Use): Plan {
  const draft = new PlanDraft(plan);
  const exchange = exchanges.find((one) => one.index + 1 === draft.entryOf(source))!;
  const { name: _, ...extractor } = draft.at(source).extract!.find(({ name }) =>
    name === variable
  )!;
  if (extractor.type === "xpath") throw new Error("convert writes no XPath");
  const value = extractValue(extractor, snapshotRecorded(exchange.response, (text) => text));
  const edited = restoreLiteral(draft.at(consumer), variable, asText(value), isNumber(value));
  draft.restore(draft.save().map((one) => one === draft.at(consumer) ? edited : one));
  return draft.toPlan();
}

/**
 * Calibrates the plan of a model in which use number `at` of a variable, from 0, is replaced with
 * the recorded literal.
 */
async function calibrateStale(model: Model, at: number) {
  let correct: Plan | undefined;
  let use: Use | undefined;
  const result = await calibrateModel(model, {
    start: "all",
    edit: (plan, recording) => {
      correct = plan;
      use = uses(new PlanDraft(plan))[at];
      return use === undefined ? plan : stale(plan, recording, use);
    },
  });
  return { ...result, correct: correct!, use };
}

/** An application that generates a new token for each response, and accepts each token once. */
const rotating: CreateApp = (seed) => {
  const values = new Values(seed);
  const valid = new Set<string>();
  return ({ method, headers }) => {
    if (method === "POST" && !valid.delete(headers.get("x-csrf-token") ?? "")) {
      return { status: 422, json: { success: false, error: "bad token" } };
    }
    const next_csrf = values.hex(16);
    valid.add(next_csrf);
    return { json: { success: true, next_csrf } };
  };
};

const ROTATING: Model = {
  create: rotating,
  use(browser) {
    let token = JSON.parse(browser.send("GET", "/start", {}).body).next_csrf;
    for (const path of ["/jobs", "/orders", "/bills"]) {
      const sent = browser.send("POST", path, {
        headers: { "X-CSRF-Token": token },
        json: { note: "May" },
      });
      token = JSON.parse(sent.body).next_csrf;
    }
  },
};

/** A user who gets two tokens, and sends the first one in the last request. */
const TWO_TOKENS: Model = {
  create: rotating,
  use(browser) {
    const start = () => JSON.parse(browser.send("GET", "/start", {}).body).next_csrf;
    const [first, second] = [start(), start()];
    browser.send("POST", "/jobs", { headers: { "X-CSRF-Token": second } });
    browser.send("POST", "/orders", { headers: { "X-CSRF-Token": first } });
  },
};

for (const [name, model] of Object.entries({ CSRF_SHOP, JSON_API, ROTATING })) {
  Deno.test(`calibratePlan replaces a stale literal of ${name} with the variable that already has its value`, async () => {
    for (let at = 0;; at++) {
      const { calibration, use, plan, correct, waits } = await calibrateStale(model, at);
      if (use === undefined) {
        assert(at > 0);
        break;
      }
      const about = JSON.stringify(use);
      assertEquals([about, calibration.proven], [about, true]);
      assertEquals([about, waits], [about, []]);
      assertEquals(calibration.removed, []);
      const [request, expected] = [plan, correct].map((one) => new PlanDraft(one).at(use.consumer));
      assertEquals(JSON.stringify(request.headers), JSON.stringify(expected.headers), about);
      assertEquals(JSON.stringify(request.body), JSON.stringify(expected.body), about);
    }
  });
}

Deno.test("calibratePlan adds an extractor if a later call sets the variable to a different value", async () => {
  const { calibration, plan } = await calibrateModel(TWO_TOKENS, {
    start: "all",
    edit: (plan, recording) => {
      // Both tokens are extracted as `token`, and the last call sends the recorded first one.
      const draft = new PlanDraft(plan);
      const [use] = uses(draft);
      const other = new PlanDraft(stale(plan, recording, use));
      other.editScenario(0, (request) => ({
        ...request,
        extract: request.extract?.map((extractor) => ({ ...extractor, name: "token" })),
        headers: request.headers && Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [
            name,
            typeof value !== "string" ? value : value.replace(/\$\{[^}]*\}/, "${token}"),
          ]),
        ),
      }));
      return other.toPlan();
    },
  });
  assertEquals(calibration.proven, true);
  const draft = new PlanDraft(plan);
  assertEquals(draft.at(3).headers?.["X-CSRF-Token"], "${next_csrf}");
  assertEquals(draft.at(2).headers?.["X-CSRF-Token"], "${token}");
});

for (
  const [what, gap, extracted] of [["had ended", 980, 1], ["was still arriving", -15, 0]] as const
) {
  Deno.test(`calibratePlan extracts ${extracted} values from a response that ${what} when the browser sent the value`, async () => {
    const { calibration } = await calibrateModel({
      create(seed) {
        const values = new Values(seed);
        return ({ method }) =>
          method === "GET" ? { json: { draft: values.hex(12) } } : { json: {} };
      },
      use(browser) {
        const { draft } = JSON.parse(browser.send("GET", "/draft").body);
        browser.send("PUT", "/notes/first", { json: { draft } });
      },
    }, { gap });
    assertEquals(calibration.extracted.length, extracted);
  });
}

Deno.test("calibratePlan keeps the text that the user typed if a response already shows it", async () => {
  const title = "The kettle whistles far too late";
  const { calibration } = await calibrateModel({
    create: (seed) => ({ method }) => ({
      json: method === "GET" ? { title: seed === 1 ? title : "The kettle whistles" } : {},
    }),
    use(browser) {
      browser.send("GET", "/posts/1");
      browser.send("PUT", "/posts/1", { json: { title } });
    },
  });
  assertEquals([calibration.proven, calibration.extracted], [true, []]);
});

Deno.test("calibratePlan does not take an offset from a number in a text that happens to be equal", async () => {
  const { calibration } = await calibrateModel({
    create: (seed) => ({ path }) =>
      path === "/admin/info"
        ? { json: { system: { uptime: `0 days, 0 hours, ${seed - 1} minutes, 45 seconds` } } }
        : { json: [] },
    use(browser) {
      browser.send("GET", "/admin/info");
      browser.send("GET", "/admin/groups?first=0&max=21");
      browser.send("POST", "/admin/done", { form: { at: "end" } });
    },
  });
  assertEquals([calibration.proven, calibration.extracted], [true, []]);
});

Deno.test("calibratePlan takes the field of a form from its own page, although earlier pages have the same value", async () => {
  const { calibration, text } = await calibrateModel({
    create() {
      const versions: Record<string, number> = {};
      return ({ method, path, query, form }) => {
        const version = versions[path] ?? 0;
        if (method === "GET") {
          const field = `<input type="hidden" name="version" value="${version}">`;
          return query.has("edit")
            ? { html: `<title>Edit</title><form method="post">${field}</form>` }
            : { status: version === 0 ? 404 : 200, html: "<title>Wiki</title>" };
        }
        if (form.get("version") !== `${version}`) return { status: 404, html: "<p>Error</p>" };
        if (form.has("delete")) delete versions[path];
        else versions[path] = version + 1;
        return { status: 303, headers: { Location: path } };
      };
    },
    use(browser) {
      for (const page of ["/wiki/Kettles", "/wiki/Spoons"]) {
        browser.send("GET", `${page}?edit=yes`);
        browser.send("POST", page, { form: { version: "0", text: `About ${page}` } });
        browser.send("GET", page);
      }
      browser.send("POST", "/wiki/Spoons", { form: { version: "1", delete: "yes" } });
    },
  });
  assertEquals(calibration.proven, true, text);
});

Deno.test("calibratePlan sends a flag as recorded although another flag of a page changes", async () => {
  const { text, calibration } = await calibrateModel({
    create() {
      const events: string[] = [];
      return ({ method, form }) => {
        if (method === "POST") {
          events.push(form.get("event-title")!);
          return { json: { title: events.at(-1) } };
        }
        const category = JSON.stringify({ id: 0, has_events: events.length > 0, title: "Home" });
        const value = category.replaceAll('"', "&quot;");
        return { json: { html: `<form>\n<input name="category" value="${value}"></form>` } };
      };
    },
    use(browser) {
      browser.send("GET", "/events/create");
      browser.send("POST", "/events", {
        form: {
          "event-title": "Tea at five",
          "event-create_booking": "false",
          "event-location": '{"address":"","inheriting":false,"venue":"Kitchen"}',
        },
      });
    },
  });
  assertEquals([calibration.extracted, calibration.proven], [[], true]);
  assertEquals(text.includes('inheriting\\":false'), true);
});
