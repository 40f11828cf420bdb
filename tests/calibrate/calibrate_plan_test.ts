import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { calibratedPlanText, calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import {
  calibrateModel,
  explainedTextOf,
  type ModelOptions,
  STARTS,
  textOf,
} from "../support/calibrated.ts";
import { type CreateApp, type ModelApp, Values } from "../support/model_app.ts";
import {
  CLIENT_PATHS,
  CLIENT_UUIDS,
  COUNTED_IDS,
  CSRF_SHOP,
  JSON_API,
  type Model,
  rateLimited,
  REDIRECT_CHAIN,
  UNIQUE_MEMBERS,
  UNIQUE_TITLES,
} from "../support/model_apps.ts";

const MODELS = {
  CSRF_SHOP,
  JSON_API,
  REDIRECT_CHAIN,
  COUNTED_IDS,
  UNIQUE_TITLES,
  UNIQUE_MEMBERS,
  CLIENT_UUIDS,
  CLIENT_PATHS,
};

for (const [name, model] of Object.entries(MODELS)) {
  for (const start of STARTS) {
    Deno.test(`calibratePlan reports the repaired plan for ${name} as proven (initial correlation: ${start})`, async () => {
      const { calibration, isValid, diagnostics, text } = await calibrateModel(model, { start });
      if (!calibration.proven) console.log(calibration, text);
      assertEquals(calibration.proven, true);
      assert(isValid, JSON.stringify(diagnostics));
      assert(calibration.writes.sent <= calibration.writes.limit);
    });
  }
}

/**
 * Creates applications whose responses come from `patch`. `count` is the request's number, from 1.
 */
function patched(
  create: CreateApp,
  patch: (request: Parameters<ModelApp>[0], app: ModelApp, count: number) => ReturnType<ModelApp>,
): CreateApp {
  return (seed) => {
    const app = create(seed);
    let count = 0;
    return (request) => patch(request, app, ++count);
  };
}

Deno.test("calibratePlan reports the refusal and does not run further rounds if the login fails", async () => {
  const live = patched(
    CSRF_SHOP.create,
    (request, app) =>
      request.path === "/login" && request.method === "POST"
        ? app({
          ...request,
          form: new URLSearchParams({ ...Object.fromEntries(request.form), password: "x" }),
        })
        : app(request),
  );
  const { calibration, sent } = await calibrateModel(CSRF_SHOP, { live });
  assertEquals(calibration.proven, false);
  const [first, login, ...rest] = calibration.calls;
  assertEquals([first.kind, login.kind, login.refusal], [
    "as recorded",
    "refused",
    "Invalid password",
  ]);
  assert(rest.every(({ kind, causedBy }) => kind === "consequence" && causedBy === 1));
  assertStringIncludes(
    textOf(calibration),
    "refused (user 1, iteration 1): status 200 instead of 302",
  );
  assert(sent.length <= 50, `${sent.length} requests`);
});

Deno.test("calibratePlan stops early if nothing listens at the target", async () => {
  const { calibration, edits } = await calibrateModel(CSRF_SHOP, { live: "down" });
  assertEquals(
    calibration.calls.map(({ kind }) => kind),
    [
      ...Array(4).fill("no response"),
      ...Array(3).fill("not sent"),
    ].map((kind, i) => i === 0 ? kind : i < 4 ? "consequence" : kind),
  );
  assertEquals([calibration.proven, edits, calibration.writes.sent], [false, 0, 2]);
});

Deno.test("calibratePlan waits if the server enforces a rate limit, and does not count the rejected attempt as a difference", async () => {
  const { calibration, waits } = await calibrateModel(JSON_API, {
    live: rateLimited(JSON_API.create, "2"),
  });
  assertEquals(calibration.proven, true);
  assertEquals(new Set(waits), new Set([2_000]));
});

Deno.test("calibratePlan waits twice if the server keeps enforcing a rate limit, then gives up and suggests pacing", async () => {
  const { calibration, waits } = await calibrateModel(COUNTED_IDS, {
    live: rateLimited(COUNTED_IDS.create, "", true),
  });
  assertEquals(calibration.proven, false);
  assertEquals(waits.slice(0, 2), [16_000, 16_000]);
  assertStringIncludes(
    textOf(calibration),
    "rate limit (user 1, iteration 1): add pacing of 1 iteration per 16 s",
  );
});

for (const [name, retryAfter, waited] of [["64 s", "", 64], ["2 minutes", "120", 120]] as const) {
  Deno.test(`calibratePlan ends after waits of ${name} in total if the target responds only with status 503`, async () => {
    const overloaded: CreateApp = () => () => ({
      status: 503,
      headers: { "Retry-After": retryAfter },
      text: "no capacity",
    });
    const { calibration, waits, edits } = await calibrateModel(COUNTED_IDS, { live: overloaded });
    assertEquals(waits.reduce((sum, ms) => sum + ms, 0), waited * 1_000);
    assertEquals(calibration.overload, { status: 503, seconds: waited });
    assertEquals([calibration.proven, calibration.exceptState, edits], [false, false, 0]);
    assertStringIncludes(
      textOf(calibration),
      "not proven against http://target.example:9090: the target still responded with status 503 after waiting ",
    );
  });
}

Deno.test("calibratePlan ends if the target becomes overloaded after 12 requests", async () => {
  const overloaded = patched(
    JSON_API.create,
    (request, app, count) => count > 12 ? { status: 503, text: "" } : app(request),
  );
  const { calibration, waits } = await calibrateModel(JSON_API, { live: overloaded });
  assertEquals(calibration.overload?.status, 503);
  assertEquals(calibration.proven, false);
  assert(waits.length <= 8, `${waits}`);
});

Deno.test("calibratePlan never exceeds the write limit", async () => {
  const refusing = patched(
    JSON_API.create,
    (request, app) =>
      request.method === "POST" && request.path === "/api/projects"
        ? { status: 422, json: { success: false, error: "no" } }
        : app(request),
  );
  const { calibration, sent } = await calibrateModel(JSON_API, { live: refusing });
  const writes = sent.filter(({ method }) => method !== "GET").length;
  assertEquals(writes, calibration.writes.sent);
  assert(writes <= calibration.writes.limit);
  assertEquals(calibration.calls[2].kind, "refused");
  assertStringIncludes(calibration.calls[2].differences[0], "status 422 instead of 201");
});

Deno.test("calibratePlan restores the recorded strings of a write request if the server also refuses it with unique strings", async () => {
  const refusing = patched(
    JSON_API.create,
    (request, app) =>
      request.method === "POST" && request.path === "/api/projects"
        ? { status: 409, json: { success: false } }
        : app(request),
  );
  const { calibration, text } = await calibrateModel(JSON_API, { live: refusing });
  assertEquals(calibration.unique, []);
  assertEquals(text.includes("unique"), false);
});

Deno.test("calibratePlan does not send requests to other origins, even if the server redirects there", async () => {
  const live = patched(
    CSRF_SHOP.create,
    (request, app) =>
      request.path === "/orders"
        ? { status: 302, headers: { Location: "http://elsewhere.example/orders/5007" } }
        : app(request),
  );
  const { sent } = await calibrateModel(CSRF_SHOP, {
    live,
    edit: (plan) => ({
      ...plan,
      defaults: { ...plan.defaults, http: { ...plan.defaults?.http, follow_redirects: true } },
    }),
  });
  assert(sent.every(({ origin }) => origin === "http://target.example:9090"));
});

Deno.test("calibratePlan does not report a plan as proven if the application accepts a request only the first time", async () => {
  const create: CreateApp = () => {
    let isDone = false;
    return ({ path }) => {
      if (path !== "/welcome") return { json: { ok: true } };
      const first = !isDone;
      isDone = true;
      return first ? { json: { ok: true, tour: "start" } } : { status: 410, json: { ok: true } };
    };
  };
  const model = {
    create,
    use: (browser: Parameters<typeof CSRF_SHOP.use>[0]) => {
      browser.send("GET", "/home");
      browser.send("POST", "/welcome", { json: { go: true } });
    },
  };
  const { calibration } = await calibrateModel(model);
  assertEquals(calibration.proven, false);
  assertEquals(calibration.calls[0].kind, "as recorded");
});

Deno.test("calibratePlan lists a variable whose value it learned again only as repaired", async () => {
  const withHeader: CreateApp = patched(JSON_API.create, (request, app) => {
    const response = app(request);
    const token = (response.json as { token?: string }).token;
    return token === undefined ? response : { ...response, headers: { "X-Token": token } };
  });
  const { calibration, text } = await calibrateModel({ ...JSON_API, create: withHeader }, {
    start: "all",
    live: JSON_API.create,
    edit: (plan) => {
      plan.scenarios.recorded.flow[0].request!.extract = [
        { type: "header", name: "token", header: "x-token" },
      ];
      return plan;
    },
  });
  assertEquals(calibration.proven, true);
  assertEquals(calibration.extracted.map(({ variable, source }) => [variable, source]), [
    ["token", 0],
  ]);
  assertEquals(calibration.removed, []);
  assertEquals(explainedTextOf(calibration).match(/^ {2}\$\{token\}/gm)?.length, 1);
  assert(calibration.explanation.some((line) => line.includes("its extractor found nothing")));
  assertStringIncludes(text, "expression: $.token");
});

Deno.test("calibratePlan lists a variable as removed if the plan sends its recorded value again", async () => {
  const withHeader = patched(JSON_API.create, (request, app) => ({
    ...app(request),
    headers: { "X-Kind": "alice" },
  }));
  const options = {
    live: JSON_API.create,
    edit: (plan: Plan) => {
      const [login, list] = plan.scenarios.recorded.flow;
      login.request!.extract = [{ type: "header", name: "kind", header: "x-kind" }];
      list.request!.url = "/api/projects?for=${kind}";
      return plan;
    },
  };
  const model = { ...JSON_API, create: withHeader };
  const { calibration } = await calibrateModel(model, options);
  assertEquals(calibration.removed, [
    { variable: "kind", recorded: "alice", source: 0, reason: "its extractor found nothing" },
  ]);
  assertStringIncludes(explainedTextOf(calibration), "Variable removed (1)");
  const used = await calibrateModel(model, {
    ...options,
    edit(plan) {
      options.edit(plan).scenarios.recorded.flow.push({ set: { last: "${kind}" } });
      return plan;
    },
  });
  const errors = used.diagnostics.filter(({ severity }) => severity === "error");
  // Without the variable, the `set` step would be invalid.
  assertEquals([used.calibration.removed, used.calibration.proven, errors], [[], false, []]);
});

Deno.test("calibratePlan removes a variable whose value never changes, or lists it as a constant", async () => {
  const options = {
    edit: (plan: Plan) => {
      const [, list] = plan.scenarios.recorded.flow;
      plan.scenarios.recorded.flow[0].request!.extract = [
        { type: "jsonpath", name: "kind", expression: "$.user.name" },
      ];
      list.request!.url = "/api/projects?for=${kind}";
      return plan;
    },
  } satisfies ModelOptions;
  const { calibration: shorter, text } = await calibrateModel(JSON_API, options);
  assertEquals([shorter.proven, shorter.constants], [true, []]);
  assertStringIncludes(text, "/api/projects?for=alice");
  const live = patched(
    JSON_API.create,
    (request, app) => request.method === "DELETE" ? { status: 500, json: {} } : app(request),
  );
  const failed = await calibrateModel(JSON_API, { ...options, live });
  assertEquals([failed.calibration.proven, failed.calibration.constants], [false, []]);
  const { calibration } = await calibrateModel(JSON_API, { ...options, keepConstants: true });
  assertEquals(calibration.constants.map(({ variable, value }) => [variable, value]), [
    ["kind", "alice"],
  ]);
});

for (
  const [recorded, refused, text] of [
    [
      { status: "ok", id: 17, message: "welcome" },
      { status: "error", id: 0, message: "email taken" },
      'member `status` is "error" instead of "ok"',
    ],
    [
      { result: "accepted", code: 0 },
      { result: "rejected", code: 7 },
      'member `result` is "rejected" instead of "accepted"',
    ],
  ] as const
) {
  Deno.test(`calibratePlan does not report a plan as proven if the application refuses a request with status 200: ${text}`, async () => {
    let count = 0;
    const model: Model = {
      create: (seed) => () => ({ json: seed > 1 && ++count > 1 ? refused : recorded }),
      use: (browser) => browser.send("POST", "/users", { json: { email: "ann@mail.example" } }),
    };
    const { calibration } = await calibrateModel(model);
    assertEquals(calibration.proven, false);
    assertStringIncludes(calibration.calls[0].differences.join("; "), text);
    assertStringIncludes(textOf(calibration), text);
  });
}

Deno.test("calibratePlan blames an earlier call only if the later one depends on it", async () => {
  const broken = new Set<string>();
  const { calibration } = await calibrateModel({
    create: (seed) => ({ method, path }) => {
      if (seed === 2) { for (const one of ["/news", "/weather", "/teas"]) broken.add(one); }
      if (broken.has(path) && (method === "POST" || path !== "/teas")) {
        return { status: 500, json: { error: "down" } };
      }
      if (broken.has("/teas") && path === "/teas/7") return { status: 404, json: {} };
      return method === "POST" ? { status: 201, json: { id: 7 } } : { json: { ok: true } };
    },
    use(browser) {
      browser.send("GET", "/news");
      browser.send("GET", "/weather");
      browser.send("POST", "/teas", { json: { size: 12 } });
      browser.send("GET", "/teas/7");
    },
  });
  assertEquals(calibration.calls.map(({ kind, causedBy }) => [kind, causedBy]), [
    ["refused", undefined],
    ["refused", undefined],
    ["refused", undefined],
    ["consequence", 2],
  ]);
});

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

Deno.test("calibratePlan ends with the repaired plan if it is interrupted before the last comparison", async () => {
  const stop = new AbortController();
  const { calibration } = await calibrateModel(NEW_BUILDS_AND_NAMES, {
    interrupt: stop.signal,
    onRound: (text) => text.includes("without harmful repairs") && stop.abort(),
  });
  const { interrupted, kept, extracted, proven } = calibration;
  assertEquals([interrupted, kept, extracted.length, proven], [true, undefined, 1, false]);
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

/** As `ONE_TOKEN`, but the recorded token is valid too, from the second login on. */
const OLD_TOKEN: Model = {
  create(seed) {
    const app = ONE_TOKEN.create(seed);
    let logins = 0;
    return (request) => {
      if (request.method === "GET") logins++;
      const isOld = request.form.get("token") === RECORDED_TOKEN;
      return isOld && logins > 1 ? { status: 201, json: { saved: true } } : app(request);
    };
  },
  use: ONE_TOKEN.use,
};
const RECORDED_TOKEN = new Values(1).hex(16);

Deno.test("calibratePlan keeps the given plan if its repairs break calls of two users", async () => {
  const { calibration } = await calibrateModel(OLD_TOKEN);
  assertEquals(calibration.discarded, { repairs: ["token extracted at call 1"], calls: [1] });
  assertEquals([calibration.kept, calibration.rounds.at(-1)!.asRecorded], ["given", 8]);
});
