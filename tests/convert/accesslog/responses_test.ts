import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { loadPlan } from "../../../src/plan/load_plan.ts";
import { logLine } from "../../builders/log_line.ts";
import { runCli } from "../../support/cli.ts";
import { runInVirtualTime } from "../../support/run_in_virtual_time.ts";
import type { FakeResponse, Sent } from "../../support/fake_sender.ts";
import { CliFolder } from "../../support/cli_folder.ts";

const START = Date.UTC(2026, 10, 21, 10);

type Line = readonly [client: number, path: string, status: number, method?: string];

/** Converts a log with one request per second, runs the plan and returns what it sent. */
async function replay(
  lines: readonly Line[],
  options: readonly string[],
  respond: (sent: Sent, n: number) => FakeResponse,
  har?: unknown,
) {
  using folder = new CliFolder();
  const text = lines.map(([client, path, status, method], i) =>
    logLine({ at: START + 1_000 * i, client: `10.0.0.${client}`, path, method, status })
  );
  folder.write("access.log", text.join(""));
  if (har !== undefined) folder.write("login.har", har);
  const plan = join(folder.path, "plan.yaml");
  const more = har === undefined ? [] : ["--login", join(folder.path, "login.har")];
  const args = ["convert", join(folder.path, "access.log"), "-o", plan, ...options, ...more];
  const { code, stderr } = await runCli([...args, "--base-url", "http://shop.example"]);
  assertEquals(code, 0, stderr);
  const yaml = await Deno.readTextFile(plan);
  const readFile = (path: string) => Deno.readFileSync(join(folder.path, path));
  const outcome = await runInVirtualTime(loadPlan(yaml).plan!, { readFile, respond });
  return { yaml, stderr, ...outcome };
}

const MIXED: readonly Line[] = Array.from(
  { length: 400 },
  (_, i): Line =>
    i % 4 === 0 ? [i, "/style.css", 304] : i % 4 === 1 ? [i, "/style.css", 200] : [i, "/page", 200],
);

Deno.test("--revalidate sends the log's share of 304 with what the run received for the URL", async () => {
  const { sent, yaml, stderr } = await replay(MIXED, ["--revalidate"], ({ target, headers }) => ({
    status: headers["if-none-match"] === undefined ? 200 : 304,
    headers: target === "/style.css" ? [["ETag", '"7"']] : [],
  }));
  assertStringIncludes(yaml, "revalidate: 0.5");
  assertMatch(stderr, /25\.0% of the responses had the status 304; the plan sends that share/);
  const styles = sent.filter(({ target }) => target === "/style.css");
  const conditional = styles.filter(({ headers }) => headers["if-none-match"] === '"7"').length;
  assert(Math.abs(conditional / styles.length - 0.5) < 0.1, `${conditional} of ${styles.length}`);
  assert(!sent.some(({ target, headers }) => target === "/page" && headers["if-none-match"]));
});

Deno.test("--revalidate prefers no validator to another URL's, and sends If-Modified-Since", async () => {
  const lines = Array.from({ length: 200 }, (_, i): Line => [i, `/a?v=${i % 2}`, 304]);
  const { sent } = await replay(lines, ["--revalidate", "--query"], ({ target }) => ({
    headers: target.endsWith("0") ? [["Last-Modified", "Sat, 21 Nov 2026 10:00:00 GMT"]] : [],
  }));
  const since = sent.filter(({ headers }) => headers["if-modified-since"] !== undefined);
  assert(since.length > 50);
  assert(since.every(({ target }) => target.endsWith("0")));
});

Deno.test("--checks compares the class of each status with those in the log", async () => {
  const lines: Line[] = [[1, "/a", 200], [2, "/a", 404], [3, "/a", 500], [4, "/b", 302], [
    5,
    "/c",
    503,
  ]];
  const { yaml, summary } = await replay(
    Array.from({ length: 20 }, () => lines).flat(),
    ["--checks"],
    ({ target }) => ({ status: target === "/a" ? 500 : target === "/b" ? 302 : 503 }),
  );
  for (const classes of ["^[24]", "^3", "^5"]) assertStringIncludes(yaml, classes);
  const sentTo = (path: string) =>
    summary.endpoints.filter(({ name }) => name === `GET ${path}`)[0].count;
  const [check] = summary.checks;
  assertEquals([check.passes, check.fails], [sentTo("/b") + sentTo("/c"), sentTo("/a")]);
});

function harOf(entries: readonly [method: string, path: string, status: number, body?: string][]) {
  return {
    log: {
      version: "1.2",
      entries: entries.map(([method, path, status, body], i) => ({
        startedDateTime: new Date(START + 1_000 * i).toISOString(),
        time: 5,
        request: {
          method,
          url: `http://shop.example${path}`,
          headers: [],
          cookies: [],
          ...(body && { postData: { mimeType: "application/x-www-form-urlencoded", text: body } }),
        },
        response: { status, headers: [], cookies: [], content: { mimeType: "text/html" } },
      })),
    },
  };
}

const LOGIN = harOf([["GET", "/login", 200], ["POST", "/login", 200, "user=ann&password=pw"]]);

Deno.test("--login logs in before each visit that got pages for logged-in users", async () => {
  const lines: Line[] = [
    // Refused with 401 and then logged in.
    [1, "/", 200],
    [1, "/account", 401],
    [1, "/login", 200],
    [1, "/login", 302, "POST"],
    [1, "/account", 200],
    // Logged in before the log started.
    [2, "/account", 200],
    // Redirected to the login.
    [3, "/orders", 302],
    [3, "/login", 200],
    // Got a page that redirects others to the login.
    [4, "/orders", 200],
    // Never logged in.
    [5, "/", 200],
  ];
  const visits: string[][] = [];
  const open = new Map<number, string[]>();
  const { stderr } = await replay(lines, ["--faithful"], (sent) => {
    const { session, method, target, headers } = sent;
    if (headers.cookie === undefined) visits.push(open.set(session, []).get(session)!);
    open.get(session)!.push(`${method} ${target}`);
    return { headers: headers.cookie ? [] : [["Set-Cookie", "visit=1; Path=/"]] };
  }, LOGIN);
  const login = ["GET /login", "POST /login"];
  assertEquals(
    visits.map((visit) => visit.join(" ")).sort(),
    [
      [...login, "GET /", "GET /account", "GET /login", "GET /account"].join(" "),
      [...login, "GET /account"].join(" "),
      ["GET /orders", "GET /login"].join(" "),
      [...login, "GET /orders"].join(" "),
      ["GET /"].join(" "),
    ].sort(),
  );
  assertStringIncludes(stderr, "3 visits of 5 in the file start with the recorded login");
});
