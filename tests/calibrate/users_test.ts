import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { InputError } from "../../src/base/errors.ts";
import { withUserFile, withUsers } from "../../src/calibrate/aimed_plan.ts";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import { withUploadFiles } from "../../src/convert/har/build_plan.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { calibrateModel } from "../support/calibrated.ts";
import { Values } from "../support/model_app.ts";
import type { Model } from "../support/model_apps.ts";

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
