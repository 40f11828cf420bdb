import { assertEquals, assertNotMatch, assertStringIncludes } from "@std/assert";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import type { Calibration } from "../../src/calibrate/calibration.ts";
import { isSessionLost } from "../../src/calibrate/reasons.ts";
import { calibrateModel } from "../support/calibrated.ts";
import type { CreateApp, ModelResponse } from "../support/model_app.ts";
import { CSRF_SHOP, type Model, VERSIONED_PAGE } from "../support/model_apps.ts";

const textOf = (calibration: Calibration) => calibrationText(calibration, (text) => text, false);

const page = (title: string, body: string, status = 200): ModelResponse => ({
  status,
  html: `<!DOCTYPE html><html><head><title>${title}</title></head><body>${body}</body></html>`,
});
const LOGIN_PAGE =
  '<form method="post" action="/enter"><input name="user"><input name="pw" type="password"></form>';
const to = (Location: string): ModelResponse => ({ status: 302, headers: { Location } });

/**
 * Pages of a user who logged in before the recording started. Request `n` to `/report` (from 1) of
 * the live application gets `refusal` if `n` is at least `from`.
 */
const reports = (refusal: ModelResponse, from: number): Model => ({
  create(seed): ReturnType<CreateApp> {
    let count = 0;
    return ({ path }) => {
      if (path === "/news") return page("News", "<p>Open to all</p>");
      return seed > 1 && ++count >= from ? refusal : page("Report", "<p>Sales</p>");
    };
  },
  use(browser) {
    browser.send("GET", "/news");
    browser.send("GET", "/report");
    browser.send("GET", "/report");
  },
});

const AUTHENTICATE = { "WWW-Authenticate": 'Bearer error="invalid_token"' };

for (
  const [what, refusal, why] of [
    ["401", { status: 401, text: "" }, "status 401 instead of 200"],
    ["440", page("Timeout", "<p>Timeout</p>", 440), "status 440 instead of 200"],
    ["a challenge", { status: 403, headers: AUTHENTICATE, text: "" }, "status 403 instead of 200"],
    ["a redirect to a login page", to("/users/sign_in"), "redirect target /users/sign_in"],
    ["a redirect to a parameter", to("/index.php?action=login"), "redirect target /index.php"],
    ["a redirect to another host", to("http://sso.example/adfs/ls?wtrealm=a"), "/adfs/ls?wtrealm"],
    ["a login page", page("Welcome", LOGIN_PAGE), "form fields: only live: user, pw"],
    [
      "an error that names the session",
      { status: 400, json: { error: "Your session has expired" } },
      "the response says Your session has expired",
    ],
  ] as const
) {
  for (const [when, from] of [["from the start", 1], ["after the first pass", 3]] as const) {
    Deno.test(`calibratePlan reports a refused login, not a changed state, if the server responds with ${what} ${when}`, async () => {
      const { calibration } = await calibrateModel(reports(refusal, from));
      const [news, report, again] = calibration.calls;
      const text = textOf(calibration);
      assertEquals([news.kind, report.kind, again.kind], ["as recorded", "login", "consequence"]);
      assertEquals([calibration.proven, calibration.exceptState], [false, false]);
      const verdict = from === 1 ? "login refused" : "login no longer accepted";
      assertStringIncludes(text, `${verdict} (user 1, iteration 1): `);
      assertStringIncludes(text, why);
      assertStringIncludes(text, "(the server requested a login at call 2; ");
      assertNotMatch(text, /--allow-state|not offered again/);
    });
  }
}

for (
  const [what, refusal] of [
    ["an unrecorded redirect", to("/start")],
    ["403", { status: 403, text: "" }],
    ["419", page("Page Expired", "<p>Page Expired</p>", 419)],
  ] as const
) {
  Deno.test(`calibratePlan states that the reason is unknown if the server responds with ${what} after the first pass`, async () => {
    const { calibration } = await calibrateModel(reports(refusal, 3));
    const text = textOf(calibration);
    assertEquals(calibration.calls.map(({ kind }) => kind), [
      "as recorded",
      "unclear",
      "consequence",
    ]);
    assertEquals([calibration.proven, calibration.exceptState], [false, false]);
    assertStringIncludes(text, "unclear whether the login or the state of the application changed");
    assertNotMatch(text, /--allow-state|not offered again/);
  });
}

Deno.test("calibratePlan still reports a changed state if the page no longer exists", async () => {
  const { calibration } = await calibrateModel(reports({ status: 410, text: "" }, 3));
  assertEquals(calibration.calls[1].kind, "state");
  assertEquals(calibration.exceptState, true);
  assertStringIncludes(textOf(calibration), "`--allow-state` accepts them");
});

Deno.test("calibratePlan does not offer to accept that the server failed", async () => {
  const { calibration } = await calibrateModel(reports({ status: 500, text: "" }, 3));
  assertEquals([calibration.calls[1].kind, calibration.exceptState], ["state", false]);
  assertNotMatch(textOf(calibration), /--allow-state/);
});

Deno.test("calibratePlan recognizes the recorded login page by its password field", async () => {
  const model: Model = {
    create(seed) {
      let reads = 0;
      return ({ path, method }) => {
        if (path === "/") return page("Start", LOGIN_PAGE);
        if (method === "POST") return to("/report");
        return seed > 1 && ++reads > 1 ? to("/") : page("Report", "<p>Sales</p>");
      };
    },
    use(browser) {
      browser.send("GET", "/");
      browser.send("POST", "/enter", { form: { user: "ann", pw: "wJ8!x" } });
      browser.send("GET", "/report");
    },
  };
  const { calibration } = await calibrateModel(model);
  assertEquals(calibration.calls.map(({ kind }) => kind), ["as recorded", "as recorded", "login"]);
});

Deno.test("calibratePlan reports a conflict if users in lockstep lose their login, but staggered users do not", async () => {
  const live: CreateApp = (seed) => {
    const app = VERSIONED_PAGE.create(seed);
    return (request) => {
      const response = app(request);
      return response.html?.includes("Conflict") ? { status: 401, text: "" } : response;
    };
  };
  const { calibration } = await calibrateModel(VERSIONED_PAGE, { live });
  assertEquals(calibration.rounds.at(-1)?.staggered, true, textOf(calibration));
  assertEquals([calibration.proven, calibration.conflicts.length], [true, 1]);
});

Deno.test("calibratePlan reports a CSRF token whose rejection redirects to the login page", async () => {
  const live: CreateApp = (seed) => {
    const app = CSRF_SHOP.create(seed);
    return (request) => request.path === "/orders" ? to("/login?next=%2Forders") : app(request);
  };
  const { calibration } = await calibrateModel(CSRF_SHOP, { live });
  assertEquals(calibration.calls[3].kind, "login");
});

Deno.test("isSessionLost reports a response that asks for a login, regardless of its status", () => {
  const at = { user: 1, iteration: 1, index: 0 };
  const title = { kind: "title", recorded: "Report", live: "Welcome" } as const;
  const timeout = { kind: "status", recorded: "200", live: "440" } as const;
  for (const differences of [[title], [timeout]]) {
    assertEquals(isSessionLost({ ...at, differences }, false), false);
    assertEquals(isSessionLost({ ...at, differences, demand: "login" }, false), true);
  }
});
