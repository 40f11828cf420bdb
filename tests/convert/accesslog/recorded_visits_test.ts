import {
  assert,
  assertEquals,
  assertLess,
  assertMatch,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { join } from "@std/path";
import fc from "fast-check";
import { InputError } from "../../../src/base/errors.ts";
import { random } from "../../../src/base/random.ts";
import { observedLimits } from "../../../src/convert/accesslog/responses.ts";
import { convertAccessLog } from "../../../src/convert/from_accesslog.ts";
import { loadPlan } from "../../../src/plan/load_plan.ts";
import { Timings } from "../../../src/traffic/accesslog/collect/request_counts.ts";
import { collectIds, collectQueries } from "../../../src/traffic/accesslog/collect/request_url.ts";
import { Visits } from "../../../src/traffic/accesslog/collect/visits.ts";
import { COMBINED } from "../../../src/traffic/accesslog/formats/formats.ts";
import { LogRequest } from "../../../src/traffic/accesslog/read/log_request.ts";
import { logLine } from "../../builders/log_line.ts";
import { differs } from "../../oracles/chi_square.ts";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";
import type { FakeResponse, Sent } from "../../support/fake_sender.ts";
import { readLines } from "../../support/read_lines.ts";
import { runInVirtualTime } from "../../support/run_in_virtual_time.ts";

const START = Date.UTC(2026, 10, 21, 10);

interface Request {
  readonly at: number;
  readonly client: string;
  readonly method?: string;
  readonly path: string;
}

/** Requests of 200 visitors, most of them in a burst. Each one has an own cart and product. */
const REQUESTS: readonly Request[] = Array.from({ length: 200 }, (_, i): Request[] => {
  const client = `10.0.${i % 7}.${i}`;
  const at = START + 1_000 * (i < 150 ? 300 + i % 9 : 7 * i % 900);
  return [
    { at, client, path: "/" },
    { at: at + 4_000, client, path: `/product/${i}?ref=${i}` },
    ...(i % 3 === 0
      ? [
        { at: at + 9_000, client, method: "POST", path: `/cart/${1_000 + i}/items` },
        { at: at + 9_000, client, path: `/cart/${1_000 + i}` },
      ]
      : []),
  ];
}).flat().sort((a, b) => a.at - b.at);

/** Converts requests, runs the plan in virtual time, and returns what it wrote and sent. */
async function replay(requests: readonly Request[], ...options: string[]) {
  using folder = new CliFolder();
  folder.write("access.log", requests.map(logLine).join(""));
  const plan = join(folder.path, "plan.yaml");
  const args = ["convert", join(folder.path, "access.log"), "--journeys", "-o", plan, ...options];
  const { code, stderr } = await runCli([...args, "--base-url", "http://shop.example"]);
  assertEquals(code, 0, stderr);
  const text = await Deno.readTextFile(plan);
  const readFile = (path: string) => Deno.readFileSync(join(folder.path, path));
  const run = (index = 0, of = 1) => {
    let sessions = 0;
    return runInVirtualTime(loadPlan(text).plan!, {
      readFile,
      shard: { index, of },
      respond: ({ headers }) => ({
        headers: headers.cookie ? [] : [["Set-Cookie", `visit=${++sessions}; Path=/`]],
      }),
    });
  };
  return { stderr, text, visits: await Deno.readTextFile(`${plan}.visits`), run, ...await run() };
}

type SentRequest = Awaited<ReturnType<typeof replay>>["sent"];

/** Returns the requests of each new user, as text. */
function userVisits(sent: SentRequest): string[] {
  const open = new Map<number, string[]>();
  const visits: string[][] = [];
  for (const { session, headers, method, target } of sent) {
    if (headers.cookie === undefined) {
      open.set(session, []);
      visits.push(open.get(session)!);
    }
    open.get(session)!.push(`${method} ${target}`);
  }
  return visits.map((visit) => visit.join(" ")).sort();
}

/** Returns the requests of each client of the log, as text. All visitors have one visit. */
function loggedVisits(requests: readonly Request[]): string[] {
  const byClient = Map.groupBy(requests, ({ client }) => client);
  return [...byClient.values()].map((list) =>
    list.map(({ method = "GET", path }) => `${method} ${path}`).join(" ")
  ).sort();
}

/** Returns the number of requests in each second. */
function perSecond(times: readonly number[]): number[] {
  const counts = new Array<number>(910).fill(0);
  for (const time of times) counts[Math.floor(time / 1_000)]++;
  return counts;
}

Deno.test("--journeys --shape exact sends the log: each visit with its URLs, in its seconds, as a new user", async () => {
  const first = REQUESTS[0].at;
  const { sent, stderr } = await replay(REQUESTS, "--shape", "exact");
  assertEquals(userVisits(sent), loggedVisits(REQUESTS));
  assertEquals(
    perSecond(sent.map(({ at }) => at)),
    perSecond(REQUESTS.map(({ at }) => at - first)),
  );
  assertStringIncludes(stderr, "info[journeys] data.visits: the plan replays the log's 200 visits");
});

Deno.test("--journeys at a constant rate sends every visit once", async () => {
  const { sent, text } = await replay(REQUESTS);
  assertStringIncludes(text, "executor: constant-arrival-rate");
  assertEquals(userVisits(sent), loggedVisits(REQUESTS));
});

Deno.test("--journeys --squeeze divides starts and pauses", async () => {
  const first = REQUESTS[0].at;
  const { sent } = await replay(REQUESTS, "--shape", "exact", "--squeeze", "10");
  assertEquals(userVisits(sent), loggedVisits(REQUESTS));
  // Responses take 10 ms, or 100 ms of the log's time.
  const moved = sent.map(({ at }) => Math.floor((10 * at) / 1_000) * 1_000);
  const logged = REQUESTS.map(({ at }) => at - first);
  const off = moved.filter((time) => !logged.includes(time)).length;
  assert(off < 0.2 * logged.length, `${off} of ${logged.length} requests are in another second`);
});

Deno.test("--journeys --top keeps only requests to the kept endpoints in the visits", async () => {
  const { sent, stderr } = await replay(REQUESTS, "--top", "2");
  const kept = REQUESTS.filter(({ path }) => !path.startsWith("/cart"));
  assertEquals(userVisits(sent), loggedVisits(kept));
  assertStringIncludes(stderr, "; the visits omit the other requests");
});

Deno.test("--journeys --redact replaces a secret by the same placeholder throughout", async () => {
  const secret = "4f6c1d2e8a9b7c301122";
  const requests = [
    { at: START, client: "10.0.0.1", path: `/login?token=${secret}` },
    {
      at: START + 1_000,
      client: "10.0.0.1",
      path: "/reset/ada@shop.example?mail=ada%40shop.example",
    },
    { at: START + 2_000, client: "10.0.0.2", path: `/login?token=${secret}` },
  ];
  const open = await replay(requests);
  assertStringIncludes(open.stderr, "warning[literal-secret] data.visits");
  const { visits, text, stderr, sent } = await replay(requests, "--redact");
  for (const hidden of [secret, "ada"]) assertEquals((visits + text).includes(hidden), false);
  const [a, b, c] = sent.map(({ target }) => target).sort();
  assertEquals(a, b);
  assertEquals(c, "/reset/user1@example.com?mail=user1@example.com");
  assertStringIncludes(stderr, "info[redacted]");
});

Deno.test("the URL of a visit cannot change the host", async () => {
  const requests = [
    { at: START, client: "10.0.0.1", path: "//evil.example/x" },
    { at: START + 1_000, client: "10.0.0.1", path: "/${env.HOME}/@evil.example" },
    { at: START + 2_000, client: "10.0.0.1", path: "http://evil.example/absolute" },
  ];
  const { sent } = await replay(requests);
  assertEquals(sent.map(({ request }) => request.origin.host), [
    "shop.example",
    "shop.example",
    "shop.example",
  ]);
  assertEquals(sent.map(({ target }) => target), [
    "//evil.example/x",
    "/$%7Benv.HOME%7D/@evil.example",
    "/absolute",
  ]);
});

Deno.test("--journeys counts the visits at once, however far apart the times of the log are", async () => {
  using folder = new CliFolder();
  const requests = [[0, "a"], [2, "b"], [3, "b"], [4, "a"], [6, "b"], [2e11, "c"]] as const;
  const lines = requests.map(([second, path]) =>
    logLine({
      at: START + 1_000 * second,
      client: `10.0.0.${path.charCodeAt(0)}`,
      path: `/${path}`,
    })
  );
  folder.write("access.log", lines.join(""));
  const plan = join(folder.path, "plan.yaml");
  const { code } = await runCli(
    ["convert", join(folder.path, "access.log"), "--journeys", "-o", plan],
  );
  assertEquals(code, 0);
  assertStringIncludes(await Deno.readTextFile(plan), "pre_allocated_vus: 2\n");
});

Deno.test("convert --journeys names the cause if one visitor sent more requests than a sample keeps", () => {
  const lines = Array.from({ length: 40 }, (_, i) => logLine({ at: START + i, path: `/${i % 3}` }));
  const seen = new Visits({ requests: 10 });
  const log = new TextEncoder().encode(lines.join(""));
  const profile = readLines(log, COMBINED, { collectors: [seen] });
  const visits = { seen, path: "plan.visits", maxBytes: 1e6 };
  assertThrows(
    () => convertAccessLog(profile, { top: 20, visits }),
    InputError,
    "have the same client address and user agent, and are too many for one visit",
  );
});

const REQUEST_COUNT = 3_000;

/**
 * Returns the request targets of a fictional shop, with correlated ids in paths and correlated
 * query parameters.
 */
function targets(): string[] {
  const { int } = random(3);
  const skewed = (most: number) => Math.floor(most * (int(0, 999) / 1_000) ** 3);
  return Array.from({ length: REQUEST_COUNT }, () => {
    const user = skewed(40);
    switch (int(0, 3)) {
      case 0:
        return `/users/${user}/orders/${user * 1_000 + int(0, 1)}`;
      case 1:
        return skewed(3) === 0
          ? "/search"
          : `/search?page=${user}&sort=${user % 2 ? "new" : "old"}`;
      case 2:
        return `/products/${user}?ref=mail`;
      default:
        return "/";
    }
  });
}

function tally(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

Deno.test("a plan sends ids and query strings as often as they occur in the log", async () => {
  const recorded = targets();
  const log = recorded.map((target, i) =>
    `10.0.0.1 - - [21/Nov/2026:10:${String(Math.floor(i / 100)).padStart(2, "0")}:00 +0000] ` +
    `"GET ${target} HTTP/1.1" 200 1\n`
  ).join("");
  const ids = collectIds();
  const queries = collectQueries();
  const collectors = [ids, queries];
  const profile = readLines(new TextEncoder().encode(log), COMBINED, { collectors });
  const { plan, files, notes } = convertAccessLog(profile, {
    top: 20,
    baseUrl: "http://t",
    ids: { seen: ids, path: "ids.csv" },
    queries,
  });
  assertEquals(plan.variables, undefined);
  assertEquals(notes.map(({ code }) => code), ["average-rate", "ids-fed", "query-kept"]);
  const { sent } = await runInVirtualTime(plan, { files: { "ids.csv": files!.ids! } });
  assert(Math.abs(sent.length - REQUEST_COUNT) <= 1);
  assert(!differs(tally(sent.map(({ target }) => target)), tally(recorded)));
});

Deno.test("the ids and the query string of a request come from the same recorded request", async () => {
  const log = Array.from({ length: 300 }, (_, i) => {
    const user = i % 60;
    const target = i % 3 === 0
      ? `/list?page=${i % 7}`
      : `/user/${user}/order/${9_000 + i}?as=${user}`;
    return `10.0.0.1 - - [21/Nov/2026:10:00:${10 + i % 50} +0000] "GET ${target} HTTP/1.1" 200 1\n`;
  }).join("");
  const recorded = new Set(log.match(/\/\S+(?= HTTP)/g));
  const [ids, queries] = [collectIds(), collectQueries()];
  const collectors = [ids, queries];
  const profile = readLines(new TextEncoder().encode(log), COMBINED, { collectors });
  const options = { top: 20, baseUrl: "http://t", ids: { seen: ids, path: "ids.csv" } };
  const { plan, files } = convertAccessLog(profile, { ...options, queries });
  const { sent } = await runInVirtualTime(plan, { files: { "ids.csv": files!.ids! } });
  assert(sent.length > 200);
  for (const { target } of sent) assert(recorded.has(target), target);
  const without = convertAccessLog(profile, options);
  assertEquals(without.files!.ids!.split("\n")[0], "ids_1_1,ids_1_2,ids_1_count");
});

Deno.test("the chi-square test rejects ids that are drawn with equal probability", () => {
  const recorded = tally(targets());
  const even = new Map([...recorded.keys()].map((key) => [key, REQUEST_COUNT / recorded.size]));
  assert(differs(even, recorded));
});

Deno.test("a recorded expression in a path is text", async () => {
  const log = ["/x/${vars.id}", "/y/${vars.slug}/17", "/z/$${vars.a}"].map((target) =>
    `10.0.0.1 - - [21/Nov/2026:10:00:00 +0000] "GET ${target} HTTP/1.1" 200 1\n`
  ).join("");
  const ids = collectIds();
  const read = () => readLines(new TextEncoder().encode(log), COMBINED, { collectors: [ids] });
  const fed = convertAccessLog(read(), {
    top: 20,
    baseUrl: "http://t",
    ids: { seen: ids, path: "ids.csv" },
  });
  assertEquals(fed.plan.variables, undefined);
  assertEquals(fed.files!.ids, "ids_1_1,ids_1_count\n17,1\n");
  const { sent } = await runInVirtualTime(fed.plan, { files: { "ids.csv": fed.files!.ids! } });
  const targets = new Set(sent.map(({ target }) => target));
  assertEquals(
    [...targets].every((target) =>
      ["/x/${vars.id}", "/y/${vars.slug}/17", "/z/$${vars.a}"].includes(target)
    ),
    true,
    [...targets].join(),
  );
  const { plan, notes } = convertAccessLog(read(), { top: 20, baseUrl: "http://t" });
  assertEquals(plan.variables, { id: "1" });
  assertEquals(
    notes.find(({ code }) => code === "id-segments")?.message.startsWith(
      "id-like path segments of 1 request were replaced",
    ),
    true,
  );
});

type Line = readonly [client: number, path: string, status: number, method?: string];

/** Converts a log with one request per second, runs the plan and returns what it sent. */
async function replayLines(
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
  const { sent, yaml, stderr } = await replayLines(
    MIXED,
    ["--revalidate"],
    ({ target, headers }) => ({
      status: headers["if-none-match"] === undefined ? 200 : 304,
      headers: target === "/style.css" ? [["ETag", '"7"']] : [],
    }),
  );
  assertStringIncludes(yaml, "revalidate: 0.5");
  assertMatch(stderr, /25\.0% of the responses had the status 304; the plan sends that share/);
  const styles = sent.filter(({ target }) => target === "/style.css");
  const conditional = styles.filter(({ headers }) => headers["if-none-match"] === '"7"').length;
  assert(Math.abs(conditional / styles.length - 0.5) < 0.1, `${conditional} of ${styles.length}`);
  assert(!sent.some(({ target, headers }) => target === "/page" && headers["if-none-match"]));
});

Deno.test("--revalidate prefers no validator to another URL's, and sends If-Modified-Since", async () => {
  const lines = Array.from({ length: 200 }, (_, i): Line => [i, `/a?v=${i % 2}`, 304]);
  const { sent } = await replayLines(lines, ["--revalidate", "--query"], ({ target }) => ({
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
  const { yaml, summary } = await replayLines(
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
  const { stderr } = await replayLines(lines, ["--faithful"], (sent) => {
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

function timingsOf(requests: readonly { status: number; durationMs: number }[]): Timings {
  const timings = new Timings();
  const request = new LogRequest();
  for (const one of requests) timings.add(Object.assign(request, one));
  return timings;
}

Deno.test("observedLimits sets thresholds that pass if a run's results match those of the log", () => {
  const request = fc.record({
    status: fc.constantFrom(200, 301, 404, 500),
    durationMs: fc.integer({ min: 0, max: 20_000 }),
  });
  fc.assert(
    fc.property(fc.array(request, { minLength: 1, maxLength: 300 }), (requests) => {
      const { thresholds } = observedLimits(timingsOf(requests), 10);
      const sorted = requests.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
      for (const [i, percent] of [95, 99].entries()) {
        const exact = sorted[Math.ceil(sorted.length * percent / 100) - 1];
        const limit = Number(/<=(\d+)$/.exec(String(thresholds.http_req_duration[i]))![1]);
        assert(limit >= exact);
        assertLess(limit, exact * 1.002 + 2);
      }
      const share = requests.filter(({ status }) => status >= 400).length / requests.length;
      const limit = Number(String(thresholds.http_req_failed[0]).replace("rate<=", ""));
      assert(limit >= share && limit < share + 1.01e-4);
    }),
  );
});

Deno.test("observedLimits derives VUs from Little's law", () => {
  const requests = Array.from({ length: 100 }, () => ({ status: 200, durationMs: 250 }));
  const { preAllocatedVus, maxVus } = observedLimits(timingsOf(requests), 40);
  assertEquals([preAllocatedVus, maxVus], [10, 20]);
});
