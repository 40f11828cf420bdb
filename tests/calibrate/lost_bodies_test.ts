import {
  assert,
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertStringIncludes,
} from "@std/assert";
import type { Calibration } from "../../src/calibrate/calibration.ts";
import { type LostValue, restoreResponse } from "../../src/calibrate/lost_bodies.ts";
import { isSessionLost } from "../../src/calibrate/call_attempts.ts";
import { ResponseSnapshot } from "../../src/comparison/response_snapshot.ts";
import { calibrationReview } from "../../src/cli/calibrate/calibration_review.ts";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import type { RequestText } from "../../src/plan/request_texts.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Exchange, Recording } from "../../src/traffic/har/recording.ts";
import { calibrateModel, explainedTextOf, textOf } from "../support/calibrated.ts";
import { type CreateApp, ModelBrowser, type ModelResponse, Values } from "../support/model_app.ts";
import { CSRF_SHOP, type Model, VERSIONED_PAGE } from "../support/model_apps.ts";

/** The first random id of the recorded application. */
const RECORDED_ID = new Values(1).hex(16);

/**
 * A page that uploads a book, and then requests `path(id)`. The id is a number or, if `isRandom` is
 * true, hexadecimal. `respond` returns the response to the upload.
 */
function books(
  respond: (id: string) => ModelResponse,
  path = (id: string) => `/books/${id}`,
  isRandom = false,
): Model {
  const next = (seed: number) => {
    const values = new Values(seed);
    let last = 40 * seed;
    return () => isRandom ? values.hex(16) : String(last += 3);
  };
  const recorded = next(1)();
  return {
    create(seed) {
      const ids = new Set<string>();
      const create = next(seed);
      return ({ method, path, query }) => {
        if (method === "POST") {
          const id = create();
          ids.add(id);
          return respond(id);
        }
        const id = query.get("book_id") ?? path.split("/")[2];
        return ids.has(id) ? { json: { title: "Assam" } } : { status: 404, text: "no such book" };
      };
    },
    use(browser) {
      browser.send("POST", "/books", { json: { title: "Assam" } });
      browser.send("GET", path(recorded));
    },
  };
}

/** Removes the body of a response, as if the page had navigated away. */
function loseBody(plan: Plan, { exchanges }: Recording, index = 0): Plan {
  const { status, headers, mimeType, size } = exchanges[index].response;
  const response = { status, headers, mimeType, size, text: undefined };
  (exchanges as Exchange[])[index] = { ...exchanges[index], response };
  return plan;
}

for (
  const [what, model, url] of [
    ["a link in JSON", books((id) => ({ json: { next: `/books/${id}` } })), /^\/books\/\$\{\w+\}$/],
    [
      "a link in a page",
      books((id) => ({ html: `<html><body><a href="/books/${id}">Open</a></body></html>` })),
      /^\/books\/\$\{\w+\}$/,
    ],
    [
      "a link with a path of one letter",
      books((id) => ({ json: { url: `/b/${id}/` } }), (id) => `/b/${id}/`),
      /^\/b\/\$\{\w+\}\/$/,
    ],
    [
      "a member with the same name",
      books((id) => ({ json: { book_id: Number(id), copies: 4 } }), (id) => `/book?book_id=${id}`),
      /^\/book\?book_id=\$\{book_id\}$/,
    ],
    [
      "the id of a new object",
      books((id) => ({ json: { book: { id: Number(id) }, copies: 4 } })),
      /^\/books\/\$\{\w+\}$/,
    ],
    [
      "a member named like the segment before the id",
      books((id) => ({ json: { bookId: id, copies: 4 } })),
      /^\/books\/\$\{\w+\}$/,
    ],
    [
      "a random id in a link",
      books((id) => ({ json: { url: `http://target.example:9090/books/${id}` } }), undefined, true),
      /^\/books\/\$\{\w+\}$/,
    ],
  ] as const
) {
  Deno.test(`calibratePlan learns a value of a lost body from the live body: ${what}`, async () => {
    const { calibration, plan } = await calibrateModel(model, { edit: loseBody });
    const text = explainedTextOf(calibration);
    assert(calibration.proven, text);
    assertEquals(calibration.extracted.map(({ source, consumers }) => [source, consumers]), [
      [0, [1]],
    ]);
    assertMatch(plan.scenarios.recorded.flow[1].request!.url, url);
    assertStringIncludes(text, "the recorded body is missing; the live body contains ");
    assertStringIncludes(text, "; not compared: missing bodies");
  });
}

for (
  const [why, respond] of [
    ["two ids fit", (id: string) => ({ json: { id: Number(id), shelf: { id: 9 } } })],
    ["two links fit", (id: string) => ({ json: { a: `/books/${id}`, b: `/books/9${id}` } })],
    [
      "a list contains the value",
      (id: string) => ({ json: { items: [{ next: `/books/${id}` }] } }),
    ],
    ["no link or name fits", (id: string) => ({ json: { number: Number(id), copies: 4 } })],
  ] as const
) {
  Deno.test(`calibratePlan does not guess a value of a lost body, but names the request, if ${why}`, async () => {
    const { calibration, edits } = await calibrateModel(books(respond), { edit: loseBody });
    assertEquals([calibration.proven, calibration.extracted.length, edits], [false, 0, 0]);
    assertEquals(calibration.uncompared, [
      { index: 0, name: "POST /books", what: "body (not in the recording)", senders: [1] },
    ]);
    assertStringIncludes(
      explainedTextOf(calibration),
      "  call 1: body (not in the recording); call 2 sends a recorded value that it " +
        "may have contained\n",
    );
  });
}

Deno.test("calibratePlan learns the ids of several lost bodies, each from the request after it", async () => {
  const { calibration, plan } = await calibrateModel({
    create() {
      const kept = new Set<string>();
      let last = 0;
      return ({ method, path }) => {
        const id = path.split("/")[2];
        if (method === "GET") {
          return kept.has(id) ? { json: { title: "Assam" } } : { status: 404, text: "none" };
        }
        if (method === "DELETE") return { status: kept.delete(id) ? 200 : 404, json: {} };
        kept.add(String(++last));
        // Flask ends JSON with a newline.
        const headers = { "content-type": "application/json" };
        return { headers, text: `{"location":"/books/${last}"}\n` };
      };
    },
    use(browser) {
      for (const id of [1, 2, 3]) {
        browser.send("POST", "/upload", { json: { title: "Assam" } });
        browser.send("GET", `/books/${id}`);
      }
      browser.send("GET", "/books/1");
      browser.send("DELETE", "/books/2");
    },
  }, {
    edit: (plan, recording) =>
      [0, 2, 4].reduce((edited, index) => loseBody(edited, recording, index), plan),
  });
  assertEquals(calibration.extracted.map(({ source, consumers }) => [source, consumers]), [
    [0, [1, 6]],
    [2, [3, 7]],
    [4, [5]],
  ], JSON.stringify(plan.scenarios.recorded.flow, null, 1));
});

Deno.test("calibratePlan does not take a value from a lost body if another recorded response contains it", async () => {
  const model = books((id) => ({ json: { next: `/books/${id}` } }), undefined, true);
  const found = await calibrateModel({
    create(seed) {
      const app = model.create(seed);
      return (request) =>
        request.path === "/known" ? { json: { first: RECORDED_ID } } : app(request);
    },
    use(browser) {
      browser.send("GET", "/known");
      model.use(browser);
    },
  }, { edit: (plan, recording) => loseBody(plan, recording, 1) });
  assertEquals(found.calibration.extracted, []);
  assertEquals(found.calibration.uncompared.map(({ senders }) => senders), [undefined]);
});

/** Two teas, with a request for the first one before the second is created. */
const TWO_TEAS: Model = {
  create(seed) {
    let last = 40 * seed;
    const teas = new Set<string>();
    return ({ method, path }) => {
      const id = path.split("/")[2];
      if (id !== undefined && !teas.has(id)) return { status: 404, text: "no such tea" };
      if (path.endsWith("/cups")) return { json: { cups: 1, tea: `/teas/${id}/` } };
      if (method === "POST") teas.add(String(last += 3));
      return { json: { tea: { id: method === "POST" ? last : Number(id) } } };
    };
  },
  use(browser) {
    browser.send("POST", "/teas", { json: { title: "Assam" } });
    browser.send("POST", "/teas/43/cups", { json: { size: "big" } });
    browser.send("POST", "/teas", { json: { title: "Ceylon" } });
    browser.send("GET", "/teas/46");
  },
};

Deno.test("calibratePlan does not take the id of an object from a lost body about another object", async () => {
  const { calibration } = await calibrateModel(TWO_TEAS, {
    edit: (plan, recording) => loseBody(loseBody(plan, recording, 1), recording, 2),
  });
  assertEquals(
    calibration.extracted.filter(({ consumers }) => consumers.includes(3)).map(({ source }) =>
      source
    ),
    [2],
  );
});

Deno.test("calibratePlan replaces the value of a lost body in all later requests", async () => {
  const model = books((id) => ({ json: { next: `/books/${id}`, book_id: Number(id) } }));
  const { calibration, text } = await calibrateModel({
    ...model,
    use(browser) {
      model.use(browser);
      browser.send("GET", "/books/43/pages?book_id=43");
    },
  }, { edit: loseBody });
  assert(calibration.proven, explainedTextOf(calibration));
  assertEquals(calibration.extracted.map(({ consumers }) => consumers), [[1, 2]]);
  assert(!/\b43\b/.test(text), text);
});

Deno.test("the review page states why a value of a lost body is extracted, or which request sends it", async () => {
  const show = async (respond: (id: string) => ModelResponse) => {
    const found = await calibrateModel(books(respond), { edit: loseBody });
    return calibrationReview(found, { exchanges: [] } as never, (text) => text);
  };
  const repaired = await show((id) => ({ json: { next: `/books/${id}` } }));
  assertEquals(
    repaired.values[0].reason,
    "the recorded body is missing; the live body contains a different value in its place",
  );
  const open = await show((id) => ({ json: { number: Number(id) } }));
  assertStringIncludes(
    open.notes!.find(({ kind }) => kind === "not compared")!.message,
    "; call 2 sends a recorded value that it may have contained",
  );
});

// Each body takes more than ten seconds if the time is quadratic in the number of its parts.
Deno.test("restoreResponse finds many places and many values in linear time", () => {
  const restore = (sent: readonly LostValue[], mimeType: string, text: string) => {
    const live = new ResponseSnapshot({ status: 200, headers: [], mimeType, text });
    return restoreResponse(sent, live, () => true);
  };
  const link = (id: string) => `<a href="/books/${id}">A</a>`.repeat(10_000);
  const book = { kind: "path", name: "books", template: "42" } as RequestText;
  const path = ["books", "42"];
  const restored = restore(
    [{ index: 1, text: book, names: ["bookid"], path }],
    "text/html",
    `<p>${link("57")}</p>`,
  );
  assertEquals(restored?.found.map(({ recorded, live }) => [recorded, live]), [["42", "57"]]);
  assertEquals(restored?.recorded.text, `<p>${link("42")}</p>`);
  const numbers = Array.from({ length: 2_000 }, (_, i) => i);
  const sent = numbers.map((i): LostValue => {
    const text = { kind: "json", name: `k${i}`, template: `${500_000 + i}` } as RequestText;
    return { index: 1, text, names: [`k${i}`] };
  });
  const members = Object.fromEntries(numbers.map((i) => [`k${i}`, 100_000 + i]));
  const other = Object.fromEntries(numbers.map((i) => [`other${i}`, i]));
  const json = JSON.stringify({ ...members, ...other });
  assertEquals(restore(sent, "application/json", json)?.found.length, 2_000);
});

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
  assertEquals([calibration.proven, calibration.conflicts.length], [false, 1]);
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

const show = (found: Calibration, explain = false) =>
  calibrationText(found, (text) => text, explain);

/**
 * An application that lists jobs with generated ids. It responds with a job to a request for any
 * id. `isEmpty` reports whether the response to the n-th request for the list, from 0, contains no
 * jobs.
 */
const jobs = (isEmpty: (request: number) => boolean): CreateApp => (seed) => {
  const values = new Values(seed);
  const list = [{ id: values.hex(12), name: "nightly" }];
  let requests = 0;
  return ({ path }) =>
    path === "/jobs"
      ? { json: { state: "ready", jobs: isEmpty(requests++) ? [] : list } }
      : { json: { job: { log: "done" } } };
};

const JOBS: Model = {
  create: jobs(() => false),
  use(browser) {
    const { jobs: [{ id }] } = JSON.parse(browser.send("GET", "/jobs").body);
    browser.send("GET", `/jobs/${id}`);
  },
};

/** `JOBS` with a user who only requests the list of jobs. */
const VIEWED: Model = { ...JOBS, use: (browser) => browser.send("GET", "/jobs") };

Deno.test("an empty list is reported next to the verdict, but does not fail the call", async () => {
  const { calibration } = await calibrateModel(VIEWED, { live: jobs(() => true) });
  assertEquals(calibration.proven, true);
  assertEquals(calibration.calls[0].content, [
    { kind: "empty list", place: "$.jobs", recorded: "1 item", live: "0 items", responses: 4 },
  ]);
  const text = show(calibration);
  assertStringIncludes(
    text,
    "Calls that differ (1)\n" +
      '  call 1: empty list: $.jobs: recorded "1 item", live "0 items", 4 times\n',
  );
  assertStringIncludes(
    text,
    "proven against http://target.example:9090: 1 of 1 call did their work for 2 users in 2 iterations; " +
      "1 call returned an empty list that has items in the recording\n",
  );
});

Deno.test("an empty list causes the verdict `state` if a later request sends a value from the recorded list", async () => {
  for (const start of ["bare", "all"] as const) {
    const { calibration, kinds } = await calibrateModel(JOBS, { live: jobs(() => true), start });
    assertEquals(kinds, ["state", "as recorded"], show(calibration, true));
    assertEquals([calibration.proven, calibration.exceptState], [false, true]);
    assertEquals(calibration.calls[0].differences, [
      "`$.jobs` is empty, but contains 1 item in the recording, and call 2 sends a value from it",
    ]);
  }
});

Deno.test("an empty list does not cause the verdict `state` if it is also empty in another recorded response", async () => {
  const model: Model = {
    create: jobs((request) => request === 1),
    use(browser) {
      JOBS.use(browser);
      browser.send("GET", "/jobs");
    },
  };
  const { calibration } = await calibrateModel(model, { live: jobs(() => true) });
  assertEquals(calibration.proven, true, show(calibration, true));
});

Deno.test("an empty list does not cause the verdict `state` if another response contains the value that is sent later", async () => {
  const id = "4f8a2c61d09b";
  const app = (jobs: readonly unknown[], last: string): CreateApp => () => ({ path }) => ({
    json: path === "/jobs" ? { jobs } : path === "/last" ? { last } : { log: "done" },
  });
  const model = (last: string): Model => ({
    create: app([{ id }], last),
    use(browser) {
      for (const path of ["/jobs", "/last", `/jobs/${id}`]) browser.send("GET", path);
    },
  });
  const kindsWith = async (last: string) =>
    (await calibrateModel(model(last), { live: app([], last) })).kinds;
  assertEquals(await kindsWith("none"), ["state", "as recorded", "as recorded"]);
  assertEquals(await kindsWith(id), ["as recorded", "as recorded", "as recorded"]);
});

Deno.test("the names of members are values of a list, but its indexes and the parts of names are not", async () => {
  const app = (jobs: unknown): CreateApp => () => ({ path }) => ({
    json: path === "/jobs" ? { jobs } : { log: "done" },
  });
  const id = "4f8a2c61d09b";
  for (
    const [jobs, empty, sent, kind] of [
      [{ [id]: {} }, {}, id, "state"],
      [{ [`${id}.5e7d3f90`]: 1 }, {}, id, "as recorded"],
      [Array(10_002).fill("a"), [], "10001", "as recorded"],
    ] as const
  ) {
    const model: Model = {
      create: app(jobs),
      use(browser) {
        for (const path of ["/jobs", `/jobs/${sent}`]) browser.send("GET", path);
      },
    };
    assertEquals((await calibrateModel(model, { live: app(empty) })).kinds, [kind, "as recorded"]);
  }
});

Deno.test("calls with text that reads like a refusal are counted, and --explain and the review page list the text without secrets", async () => {
  const app = (state: string): CreateApp => () => () => ({ json: { state, count: 7 } });
  const model: Model = { create: app("open"), use: (browser) => browser.send("GET", "/state") };
  const found = await calibrateModel(model, {
    live: app("access denied to s3cretvalue"),
    redact: (text) => text.replaceAll("s3cretvalue", "********"),
  });
  assertEquals(found.calibration.proven, true);
  assertStringIncludes(
    show(found.calibration),
    "1 call with text that reads like a refusal, although the response is as recorded: 1 " +
      "(`--explain` lists it)\n",
  );
  assertStringIncludes(
    show(found.calibration, true),
    "Calls that differ (1)\n" +
      '  call 1: refusal: "access denied to ********", 4 times\n',
  );
  const browser = new ModelBrowser(model.create(1));
  model.use(browser);
  const review = calibrationReview(found, await browser.recording(), (text) => text);
  assertEquals(
    review.differences.map(({ what, count }) => [what, count]),
    [['refusal: "access denied to ********"', 4]],
  );
});

Deno.test("calls whose content differs from the recording only in generated values have no content differences", async () => {
  const { calibration } = await calibrateModel(JOBS);
  assertEquals(calibration.proven, true);
  assertEquals(calibration.calls.flatMap(({ content }) => content ?? []), []);
});

Deno.test("calibration does not fail with an error if a recorded list is deeply nested", async () => {
  const list = JSON.stringify([{ id: "a1b2c3d4e5f6" }]).slice(0, -1) +
    `,${"[".repeat(100_000)}${"]".repeat(100_000)}]`;
  const headers = { "Content-Type": "application/json" };
  const create: CreateApp = (seed) => ({ path }) =>
    path === "/jobs"
      ? { headers, text: `{"state":"ready","jobs":${seed === 1 ? list : "[]"}}` }
      : { json: { job: { log: "done" } } };
  const { calibration } = await calibrateModel({
    create,
    use(browser) {
      browser.send("GET", "/jobs");
      browser.send("GET", "/jobs/a1b2c3d4e5f6");
    },
  });
  assertEquals(calibration.calls.map(({ kind }) => kind), ["state", "as recorded"]);
});
