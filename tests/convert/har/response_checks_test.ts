import { assert, assertEquals } from "@std/assert";
import { convertHar } from "../../../src/convert/from_har.ts";
import { noteLevel } from "../../../src/convert/notes/notes.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import { compareResponses } from "../../../src/outcome/compare_responses.ts";
import { checkPlan } from "../../../src/plan/check_plan.ts";
import {
  listRequests,
  recordedEntries,
  recordedEntry,
} from "../../../src/plan/kinds/list_requests.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";
import type { Recording } from "../../../src/traffic/har/recording.ts";
import { hasMessages } from "../../../src/traffic/har/socket_messages.ts";
import { keptCalls } from "../../../src/traffic/session/kept_calls.ts";
import { harFiles } from "../../support/har_files.ts";
import { verified } from "../../support/verified.ts";
import { type CaseCall, recordingOf } from "./recorded_case.ts";
import { runWith } from "./replay_recorded.ts";
import { converted } from "./wire_requests.ts";

function failedChecks({ checks }: Summary): string[] {
  return checks.filter(({ fails }) => fails > 0).map(({ name }) => name);
}

async function assertChecksPass(recording: Recording): Promise<number> {
  const { plan } = convertHar(recording, { checks: "response" });
  assertEquals(checkPlan(plan).filter(({ code }) => code !== "unknown-method"), []);
  const byEntry = new Map(recording.exchanges.map(({ index, response }) => [index + 1, response]));
  const summary = (await runWith(plan, (entry) => byEntry.get(entry))).summary;
  assertEquals(failedChecks(summary), []);
  return summary.checks.length;
}

for (const folder of ["labelled", "real", "shapes"]) {
  Deno.test(`--checks response: the checks pass on the recorded responses in ${folder}`, async () => {
    let checks = 0;
    for (const { name, bytes } of harFiles(`testdata/har/${folder}`)) {
      checks += await assertChecksPass(await readHar([bytes], name));
    }
    assert(checks > 20, `${checks} checks`);
  });
}

type Live = Partial<Pick<CaseCall, "status" | "response" | "text" | "type" | "response_headers">>;

interface Row {
  readonly what: string;
  readonly recorded: Live;
  /** Responses of the same kind as `recorded`, which must pass all checks. */
  readonly same: readonly Live[];
  /** Responses of a different kind than `recorded`, which must fail at least one check. */
  readonly other: readonly Live[];
}

const HTML = "text/html";
const html = (text: string): Live => ({
  text,
  type: HTML,
  response_headers: { "Content-Type": "text/html; charset=utf-8" },
});
// With status 201, the plan does not follow the header.
const redirect = (Location: string): Live => ({ status: 201, response_headers: { Location } });
const json = (response: unknown): Live => ({
  response,
  response_headers: { "Content-Type": "application/json" },
});
const xml = (text: string): Live => ({
  text,
  type: "text/xml",
  response_headers: { "Content-Type": "text/xml" },
});
const LOGIN = html(
  "<title>Sign in</title><form action=/login><input name=user><input name=pw type=password></form>",
);

const ROWS: readonly Row[] = [
  {
    what: "status",
    recorded: { status: 204 },
    same: [{ status: 204 }],
    other: [{ status: 200 }, { status: 403 }],
  },
  {
    what: "redirect target",
    recorded: redirect("/orders/1234/edit?next=%2Fa&id=7"),
    same: [
      redirect("/orders/98/edit?id=&next=x"),
      redirect("https://other.example:81/orders/ab12/edit?next=1&id=2#top"),
    ],
    other: [
      redirect("/login?next=%2Forders"),
      redirect("/orders/98?id=1&next=2"),
      redirect("/orders/98/edit"),
      redirect("/orders/98/edit?next=1"),
      redirect("/orders/98/edit?next=1&id=2&error=3"),
      { status: 201 },
    ],
  },
  {
    what: "relative redirect target",
    recorded: redirect("edit?a=1"),
    same: [redirect("/edit?a=2"), redirect("edit?a"), redirect("https://o.example/edit?a=")],
    other: [redirect("login?a=1"), redirect("edit")],
  },
  {
    what: "redirect to the root",
    recorded: redirect("https://app.example"),
    same: [redirect("/"), redirect("http://other.example/")],
    other: [redirect("/login")],
  },
  {
    what: "redirect target with a counter",
    recorded: redirect("/posts/my-title"),
    same: [redirect("/posts/my-title-2"), redirect("/posts/my-title")],
    other: [redirect("/posts/other"), redirect("/posts/my-title/edit")],
  },
  {
    what: "media type",
    recorded: {
      text: "a,b\n",
      type: "text/csv",
      response_headers: { "Content-Type": "text/csv; charset=utf-8" },
    },
    same: [{ text: "c,d\n", type: "text/csv", response_headers: { "content-type": "text/csv" } }],
    other: [LOGIN, {
      text: "",
      type: "text/csv",
      response_headers: { "content-type": "text/csv" },
    }],
  },
  {
    what: "page",
    recorded: html(
      "<html><title>\n Order 17 &amp; more\n</title><form method=post action='/orders/17/pay?a=1'>" +
        "<input name=_csrf value=1><input name='item-99'><button name=pay></form>",
    ),
    same: [
      html(
        "<title>Order 2000 &#38; more</title><form method=post action='/orders/2/pay?a=2'>" +
          "<input name=_csrf value=2><input name='item-3'><button name=pay></form>",
      ),
    ],
    other: [
      LOGIN,
      html("<title>Order 17 &amp; more</title><p>expired</p>"),
      html(
        "<title>Order 17 &amp; more</title><form action='/orders/2/pay'><input name=_csrf></form>",
      ),
      html(
        "<title>Error</title><form method=post action='/orders/2/pay'><input name=_csrf><button name=pay></form>",
      ),
    ],
  },
  {
    what: "page without title and forms",
    recorded: html("<p>Hello</p>"),
    same: [html("<p>Bye</p>")],
    other: [LOGIN],
  },
  {
    what: "login page",
    recorded: LOGIN,
    same: [LOGIN],
    other: [html("<title>Home</title>")],
  },
  {
    what: "JSON object",
    recorded: json({ success: true, id: 7, 'it\'s "x"': null, more: { a: 1 } }),
    same: [
      json({ id: 12345678901234567890n.toString(), success: true, more: null, 'it\'s "x"': 1 }),
    ],
    other: [
      json({ success: false, id: 7, 'it\'s "x"': null, more: {} }),
      json({ success: true, id: 7 }),
      json({ success: true, id: 7, 'it\'s "x"': null, more: {}, error: "x" }),
      json([]),
      json({ error: "denied" }),
      LOGIN,
    ],
  },
  {
    what: "JSON object with generated names",
    recorded: json({ "8f14e45f-ceea-4672-9f3c-9d3a1a1b2c3d": 1 }),
    same: [json({ "0e14e45f-ceea-4672-9f3c-9d3a1a1b2c3d": 1 })],
    other: [json([])],
  },
  {
    what: "JSON list",
    recorded: json([{ a: 1 }]),
    same: [json([]), json([{ b: 2 }])],
    other: [json({ error: 1 }), LOGIN],
  },
  {
    what: "XML",
    recorded: xml(
      "<?xml version='1.0'?><partial-response><changes><update/></changes></partial-response>",
    ),
    same: [
      xml(
        "<?xml version='1.0'?><partial-response id='2'><changes><update id='x'></update></changes></partial-response>",
      ),
    ],
    other: [
      xml(
        "<?xml version='1.0'?><partial-response><error><error-name>x</error-name></error></partial-response>",
      ),
      xml(
        "<?xml version='1.0'?><partial-response><changes><update/></changes><error>1</error></partial-response>",
      ),
      xml("<?xml version='1.0'?><partial-response><redirect url='/login'/></partial-response>"),
    ],
  },
];

for (const { what, recorded, same, other } of ROWS) {
  Deno.test(`--checks response: ${what}`, async () => {
    const call = (live: Live): Recording => recordingOf([{ request: "POST /x", ...live }]);
    const recording = call(recorded);
    await assertChecksPass(recording);
    const { plan } = convertHar(recording, { checks: "response" });
    assertEquals(plan.thresholds, { checks: ["rate==1"] });
    const [{ response: original }] = recording.exchanges;
    for (const live of [...same, ...other]) {
      const [{ response }] = call(live).exchanges;
      const { summary } = await runWith(plan, () => response);
      const failed = failedChecks(summary);
      const isSame = same.includes(live);
      const differences = compareResponses(original, response);
      assertEquals(differences.length === 0, isSame, JSON.stringify([live, differences]));
      assertEquals(failed.length === 0, isSame, JSON.stringify([live, failed]));
    }
  });
}

Deno.test("--checks response: checks accept different extracted values and different text entered by the user", async () => {
  const calls = (id: string, title: string): CaseCall[] => [
    { request: "POST /new", json: { title }, response: { article_id: id } },
    {
      request: `GET /articles/${id}`,
      ...html(`<title>${title} (${id})</title><form action="/articles/${id}/edit"></form>`),
    },
  ];
  const recording = recordingOf(calls("quiet-fox", "All about foxes"));
  const live = recordingOf(calls("brown-dog", "All about dogs"));
  const { plan } = convertHar(recording, { checks: "response" });
  const { summary } = await runWith(plan, (entry) => live.exchanges[entry - 1].response);
  assertEquals(failedChecks(summary), []);
  assertEquals(summary.checks.some(({ name }) => name.startsWith("title")), false);
});

Deno.test("--checks response: convert omits a check that would contain a credential", () => {
  const token = "ghp_0123456789abcdefghijABCDEFGHIJ0123456789";
  const { plan } = convertHar(
    recordingOf([{
      request: "POST /login",
      json: { password: "correct horse battery" },
      headers: { "X-Api-Key": token },
      ...html(`<title>Hello</title><form action="/x/correct horse battery"></form>`),
    }]),
    { checks: "response", secrets: true },
  );
  assertEquals(JSON.stringify(plan).includes("correct horse"), false);
});

Deno.test("a request recorded with a 4xx status does not fail if the response has the same status", async () => {
  const recording = recordingOf([
    { request: "GET /missing", status: 404 },
    { request: "GET /broken", status: 500 },
  ]);
  const { plan } = convertHar(recording, {});
  const failed = async (first: number) => {
    const { summary } = await runWith(plan, (entry) => ({
      ...recording.exchanges[entry - 1].response,
      status: entry === 1 ? first : 200,
    }));
    return summary.endpoints.find(({ name }) => name === "GET /missing")!.failed;
  };
  assertEquals([await failed(404), await failed(200), await failed(403)], [0, 0, 1]);
  assertEquals(plan.scenarios.recorded.flow[1].request!.assert, undefined);
});

const CALLS: readonly CaseCall[] = [
  { request: "GET /page", at: [0, 100], response: { id: "5d0be91f-a3c8-4276-9b1e-07c2d4f6a813" } },
  { request: "GET /a", at: [150, 300], response: {} },
  {
    request: "GET /b/5d0be91f-a3c8-4276-9b1e-07c2d4f6a813",
    at: [160, 200],
    response: {},
  },
  { request: "GET /c", at: [190, 400], response: {} },
  { request: "GET /d", at: [210, 250], response: {} },
  { request: "GET /e", at: [500, 600], response: {} },
];

function urls(steps: readonly Step[]): unknown[] {
  return steps.map(({ request, parallel, think_time }) =>
    parallel?.branches.map(urls) ?? request?.url ?? think_time
  );
}

function flowOf(thinkTime: boolean): readonly Step[] {
  const options = { parallel: true, thinkTime };
  return convertHar(recordingOf(CALLS), options).plan.scenarios.recorded.flow;
}

Deno.test("--parallel sends requests in parallel if all of them overlapped in the recording", () => {
  assertEquals(urls(flowOf(false)), [
    "/page",
    [["/a"], ["/b/${id}"], ["/c"]],
    "/d",
    "/e",
  ]);
});

/** Returns the pause that `convert` writes for a duration. */
const pauseOf = (duration: string) => ({ type: "constant", duration });

Deno.test("--parallel with --think-time starts requests at their recorded offsets", () => {
  assertEquals(urls(flowOf(true)), [
    "/page",
    pauseOf("50ms"),
    [["/a"], [pauseOf("10ms"), "/b/${id}"], [pauseOf("40ms"), "/c"]],
    "/d",
    pauseOf("100ms"),
    "/e",
  ]);
});

Deno.test("`verify` confirms that a plan with parallel requests is consistent with its recording", async () => {
  const recording = recordingOf(CALLS);
  const { plan } = convertHar(recording, { parallel: true });
  const { verdict, matched } = await verified(plan, recording, { users: 2, iterations: 2 });
  assertEquals([verdict, matched], ["consistent", 24]);
});

for (const folder of ["labelled", "real", "shapes"]) {
  Deno.test(`a converted plan sends each recorded call exactly once, in order, in ${folder}`, async () => {
    for (const { name, bytes } of harFiles(`testdata/har/${folder}`)) {
      const recording = await readHar([bytes], name);
      const { plan } = convertHar(recording, {});
      const byEntry = new Map(
        recording.exchanges.map(({ index, response }) => [index + 1, response]),
      );
      const { sent } = await runWith(plan, (entry) => byEntry.get(entry));
      const requests = [...listRequests(plan.scenarios.recorded.flow)];
      const entriesOf = new Map(requests.map((one) => [recordedEntry(one), recordedEntries(one)]));
      const entries = sent.flatMap(({ request: { recorded } }) =>
        recorded === undefined ? [] : entriesOf.get(recorded) ?? [recorded]
      );
      const { exchanges: calls, dropped } = keptCalls(recording.exchanges);
      const sockets = (dropped.get("WebSocket") ?? []).filter(hasMessages);
      const exchanges = [...calls, ...sockets].sort((a, b) => a.startedAt - b.startedAt);
      assertEquals(entries, exchanges.map(({ index }) => index + 1), name);
      // A request that follows a redirect has no entry, and must not repeat a recorded call.
      const urls = new Set(exchanges.map(({ request }) => new URL(request.url).href));
      for (const { request, target } of sent) {
        const { origin: { secure, authority }, recorded } = request;
        const url = `http${secure ? "s" : ""}://${authority}${target}`;
        assert(recorded !== undefined || !urls.has(url), `${name}: ${url} is repeated`);
      }
    }
  });
}

const START = "no earlier response sets the cookies ";
const LOGIN_PAGE: CaseCall = {
  request: "POST /login",
  form: { user: "ada", password: "Tea4Two!" },
  response_headers: { "Set-Cookie": "sid=1; Path=/" },
};
const withCookie = (Cookie: string): CaseCall => ({ request: "GET /a", headers: { Cookie } });

/** Returns the level and the cookies of the note on cookies that no response set. */
function older(...calls: CaseCall[]): [level: string, cookies: string] | undefined {
  const note = convertHar(recordingOf(calls), {}).notes.find(({ code }) =>
    code === "older-cookies"
  );
  return note && [noteLevel(note), note.message.slice(START.length).replace(/;.*/, "")];
}

Deno.test("convertHar warns about cookies that no response set, if the recording has no login", () => {
  assertEquals(older(withCookie(".ASPXAUTH=8F3A1C2B")), [
    "warning",
    "`.ASPXAUTH` in request 1 (GET /a)",
  ]);
  assertEquals(older({ request: "GET /" }, withCookie("x=1; y=2")), [
    "warning",
    "`x` in request 2 (GET /a), `y` in request 2 (GET /a)",
  ]);
  assertEquals(older(withCookie("sid=1"), { ...LOGIN_PAGE, form: undefined }), [
    "warning",
    "`sid` in request 1 (GET /a)",
  ]);
});

Deno.test("convertHar only notes the cookies if the recording has a login", () => {
  assertEquals(older(LOGIN_PAGE, withCookie("sid=1; _ga=2")), [
    "info",
    "`_ga` in request 2 (GET /a)",
  ]);
  assertEquals(older(LOGIN_PAGE, withCookie("sid=1")), undefined);
  assertEquals(older(LOGIN_PAGE), undefined);
});

Deno.test("convertHar warns that the plan for the recording asp2.har logs in nowhere", async () => {
  const har = new URL("../../../testdata/har/bytes/asp2.har", import.meta.url);
  const { notes } = await converted(Deno.readTextFileSync(har));
  assertEquals(notes.map(({ code, message }) => [code, message]), [[
    "older-cookies",
    `${START}\`.ASPXAUTH\` in request 1 (GET /a); the plan does not send them, and it contains no ` +
    "login: record again, starting before the login",
  ]]);
});
