import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { InputError } from "../../src/base/errors.ts";
import { withUserFile, withUsers } from "../../src/calibrate/aimed_plan.ts";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import { withUploadFiles } from "../../src/convert/har/build_plan.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { calibrateModel, STARTS } from "../support/calibrated.ts";
import { Values } from "../support/model_app.ts";
import {
  CSRF_SHOP,
  JSON_API,
  LISTED_NOTES,
  type Model,
  STORED_PAGES,
  VERSIONED_PAGE,
} from "../support/model_apps.ts";

/** An application in which each login ends the earlier session of the same user. */
const ONE_SESSION: Model = {
  create(seed) {
    const values = new Values(seed);
    const sessions = new Map<string, string>();
    return ({ method, form, cookies }) => {
      const session = cookies.get("session") ?? "";
      if (method === "POST") {
        const token = values.hex(16);
        sessions.set(form.get("user")!, token);
        return { json: { ok: true }, cookies: [`session=${token}; Path=/`] };
      }
      const isActive = [...sessions.values()].includes(session);
      return isActive ? { json: { orders: [] } } : { status: 401, json: { error: "log in" } };
    };
  },
  use(browser) {
    browser.send("POST", "/login", { form: { user: "ada.lovelace", password: "secret-1815" } });
    browser.send("GET", "/orders");
    browser.send("GET", "/members/ada.lovelace");
    browser.send("GET", "/orders?page=2");
  },
};

Deno.test("calibratePlan names --users if two users with one login disturb each other", async () => {
  const { calibration } = await calibrateModel(ONE_SESSION);
  const [first] = calibrationText(calibration, (text) => text, false).split("\n");
  assertEquals(calibration.proven, false);
  assertStringIncludes(first, "both users have one login: `--users FILE` gives each its own");
});

Deno.test("calibratePlan does not name --users if only the passwords of new users are equal", async () => {
  const { calibration } = await calibrateModel({
    ...ONE_SESSION,
    use(browser) {
      ONE_SESSION.use(browser);
      browser.send("POST", "/members", { form: { user: "grace", password: "secret-1906" } });
      browser.send("GET", "/orders?page=3");
    },
  }, {
    edit: (given) => JSON.parse(JSON.stringify(given).replaceAll("ada.lovelace", "ada${vu}")),
  });
  const { conflicts, sharedLogin } = calibration;
  assertEquals([conflicts.length > 0, sharedLogin], [true, undefined]);
});

const ROWS = [
  { user: "ada.lovelace", password: "secret-1815" },
  { user: "grace.hopper", password: "secret-1906" },
];

Deno.test("calibratePlan accepts the id of a login that another user gets in another iteration", async () => {
  const rows = ["ada.lovelace", "grace.hopper", "mary.shelley"]
    .map((user) => ({ user, password: "secret-1815" }));
  const { calibration, text } = await calibrateModel({
    create: () => ({ path, form, body }) => {
      const channel = 4_100 + rows.findIndex(({ user }) => user === form.get("user"));
      return {
        json: path === "/login" ? { channel_id: channel } : { film: JSON.parse(body).channel_id },
      };
    },
    use(browser) {
      browser.send("POST", "/login", { form: rows[0] });
      browser.send("POST", "/films", { json: { channel_id: 4_100, kind: "short" } });
    },
  }, {
    start: "all",
    edit: (given) => ({
      ...withUsers(given, "users.csv", ["user", "password"]),
      data: { users: { type: "inline", rows } },
    }),
  });
  assertEquals(calibration.calls.map(({ differences }) => differences), [[], []], text);
});

Deno.test("withUsers gives each user its own login wherever the plan sends it", async () => {
  const { calibration, plan } = await calibrateModel(ONE_SESSION, {
    edit: (given) => ({
      ...withUsers(given, "users.csv", ["user", "password"]),
      data: { users: { type: "inline", rows: ROWS } },
    }),
  });
  const requests = plan.scenarios.recorded.flow.map(({ request }) => request!);
  assertEquals(requests[0].body, {
    form: { user: "${data.users.user}", password: "${data.users.password}" },
  });
  assertStringIncludes(requests[2].url, "/members/${data.users.user}");
  assertEquals(calibration.proven, true);
});

Deno.test("withUsers replaces the login in a default header", () => {
  const flow = [{ request: { url: "/login", body: { form: { mail: "ada@tea.example" } } } }];
  const scenario = { executor: "iterations", vus: 1, iterations: 1, flow };
  const http = { base_url: "http://tea.example", headers: { uid: "ada@tea.example" } };
  const given = { defaults: { http }, scenarios: { main: scenario } } as unknown as Plan;
  assertEquals(withUsers(given, "u.csv", ["mail"]).defaults?.http, {
    base_url: "http://tea.example",
    headers: { uid: "${data.users.mail}" },
  });
});

Deno.test("withUsers replaces a plain name in the URL of a header", () => {
  const move = { url: "/a", headers: { Destination: "http://h.example/ada/b", Owner: "x/ada" } };
  const flow = [{ request: { url: "/login", body: { form: { user: "ada" } } } }, { request: move }];
  const scenario = { executor: "iterations", vus: 1, iterations: 1, flow };
  const plan = withUsers({ scenarios: { main: scenario } } as unknown as Plan, "u.csv", ["user"]);
  assertEquals(plan.scenarios.main.flow[1].request!.headers, {
    Destination: "http://h.example/${url_encode(data.users.user)}/b",
    Owner: "x/ada",
  });
});

Deno.test("withUsers replaces a plain name in paths after the login, but no name of an area", () => {
  const urls = (user: string, first: string) => {
    const flow = [
      { request: { method: "POST", url: first, body: { form: { user } } } },
      { request: { url: `/files/${user}/tea.txt` } },
    ];
    const scenario = { executor: "iterations", vus: 1, iterations: 1, flow };
    const plan = withUsers({ scenarios: { main: scenario } } as unknown as Plan, "u.csv", ["user"]);
    return plan.scenarios.main.flow.map(({ request }) => request!.url);
  };
  assertEquals(urls("ada", "/login"), [
    "/login",
    "/files/${url_encode(data.users.user)}/tea.txt",
  ]);
  assertEquals(urls("ada", "/ada/login"), ["/ada/login", "/files/ada/tea.txt"]);
  assertEquals(urls("admin", "/login"), ["/login", "/files/admin/tea.txt"]);
});

const LOGIN = {
  scenarios: {
    main: {
      executor: "iterations",
      vus: 1,
      iterations: 1,
      flow: [
        { request: { method: "POST", url: "/admin/login", body: { json: { login: "admin" } } } },
        {
          request: {
            method: "POST",
            url: "/files",
            body: {
              multipart: [
                { name: "owner", value: "admin" },
                { name: "upload", value: "rebuilt", filename: "a.csv", content_type: "text/csv" },
              ],
            },
          },
        },
      ],
    },
  },
} as unknown as Plan;

const bodies = (plan: Plan) => plan.scenarios.main.flow.map(({ request }) => request!.body);

Deno.test("withUsers replaces a plain word only in fields that consist of it", () => {
  const plan = withUsers(LOGIN, "users.csv", ["login"]);
  assertEquals(plan.data, { users: { type: "csv", path: "users.csv" } });
  assertEquals(plan.scenarios.main.flow[0].request!.url, "/admin/login");
  const [login, files] = bodies(plan) as { json?: unknown; multipart?: { value: string }[] }[];
  assertEquals(login.json, { login: "${data.users.login}" });
  assertEquals(files.multipart![0].value, "${data.users.login}");
});

Deno.test("withUsers rejects a column that no field has, and withUserFile a single login", () => {
  assertThrows(
    () => withUsers(LOGIN, "users.csv", ["e-mail"]),
    InputError,
    'no request of the plan sends a field "e-mail"',
  );
  const file = new TextEncoder().encode("login\nada\n");
  assertThrows(
    () => withUserFile(LOGIN, "users.csv", () => file),
    InputError,
    "two users need two logins",
  );
});

Deno.test("withUploadFiles sends a file in a multipart field, with its recorded name and type", () => {
  const [, files] = bodies(withUploadFiles(LOGIN, [{ field: "upload", path: "real.csv" }]));
  assertEquals(files, {
    multipart: [
      { name: "owner", value: "admin" },
      { name: "upload", filename: "a.csv", content_type: "text/csv", file: "real.csv" },
    ],
  });
  assertThrows(
    () => withUploadFiles(LOGIN, [{ field: "photo", path: "a.png" }]),
    InputError,
    'no request of the plan sends a field "photo": its multipart fields are owner, upload',
  );
});

for (const start of STARTS) {
  Deno.test(`calibratePlan staggers users who edit the same page at the same time (${start})`, async () => {
    const { calibration, sent } = await calibrateModel(VERSIONED_PAGE, { start });
    const text = calibrationText(calibration, (text) => text, false);
    assertEquals([calibration.proven, calibration.exceptState], [false, true], text);
    assertEquals(calibration.rounds.at(-1)!.staggered, true);
    assertEquals(calibration.conflicts.map(({ index, user }) => [index, user]), [[2, 2]]);
    assertStringIncludes(
      text,
      "Conflict of users (1)\n  call 3 (user 2, iteration 1): status",
    );
    assertStringIncludes(
      text,
      "not proven against http://target.example:9090: 4 of 4 calls as recorded for 2 users in 2 " +
        "iterations (the users staggered) (users at the same time disturb each other at 1 call; " +
        "`--allow-state` accepts this)",
    );
    const writes = sent.filter(({ method }) => method === "POST").length;
    assert(writes <= calibration.writes.limit);
  });
}

for (const newUser of [true, undefined]) {
  Deno.test(`calibratePlan reports a plan that opens numbered pages as proven, with new_user: ${newUser}`, async () => {
    const { calibration } = await calibrateModel(STORED_PAGES, {
      start: "all",
      edit: (plan) => {
        plan.scenarios.recorded.new_user = newUser;
        return plan;
      },
    });
    assertEquals(calibration.proven, true, calibrationText(calibration, (text) => text, true));
    assertEquals(calibration.conflicts, []);
  });
}

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
  assertEquals(calibration.writes.limit, 55);
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

Deno.test("calibratePlan accepts the same revision of a shared page from two users", async () => {
  const { calibration } = await calibrateModel({
    create(seed) {
      let revision = seed * 1000;
      return ({ method }) => {
        if (method === "POST") {
          revision++;
          return { status: 302, headers: { Location: "/page" } };
        }
        return {
          html:
            `<form method="post"><input type="hidden" name="base_rev_id" value="${revision}"><textarea name="body"></textarea></form>`,
        };
      };
    },
    use(browser) {
      browser.send("GET", "/page");
      browser.send("POST", "/page", { form: { base_rev_id: "1000", body: "Green tea is good" } });
      browser.send("GET", "/page");
    },
  }, { start: "all" });
  assertEquals(calibration.proven, true);
});

Deno.test("calibratePlan keeps the number that a user chose, although a search finds an equal id", async () => {
  for (const [id, more] of [[2, {}], [22, { customer: "Hugo" }]] as const) {
    const { text } = await calibrateModel({
      create: (seed) => ({ path }) =>
        path === "/tickets"
          ? { status: 201, json: { ok: true } }
          : { json: { result: [{ id: seed === 1 ? id : 80, name: "Hugo" }] } },
      use(browser) {
        browser.send("GET", "/people?query=Hug");
        browser.send("POST", "/tickets", { json: { priority_id: id, title: "Leaks", ...more } });
      },
    });
    assertStringIncludes(text, `priority_id: ${id}`);
  }
});
