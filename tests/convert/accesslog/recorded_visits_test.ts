import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { InputError } from "../../../src/base/errors.ts";
import { convertAccessLog } from "../../../src/convert/from_accesslog.ts";
import { loadPlan } from "../../../src/plan/load_plan.ts";
import { Visits } from "../../../src/traffic/accesslog/collect/visits.ts";
import { COMBINED } from "../../../src/traffic/accesslog/formats/formats.ts";
import { logLine } from "../../builders/log_line.ts";
import { runCli } from "../../support/cli.ts";
import { readLines } from "../../support/read_lines.ts";
import { runInVirtualTime } from "../../support/run_in_virtual_time.ts";
import { CliFolder } from "../../support/cli_folder.ts";

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

type Sent = Awaited<ReturnType<typeof replay>>["sent"];

/** Returns the requests of each new user, as text. */
function userVisits(sent: Sent): string[] {
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

Deno.test("--journeys without -o names the option", async () => {
  const { code, stderr } = await runCli(["convert", "-", "--journeys"], {
    stdin: logLine({ at: START }),
  });
  assertEquals(code, 2);
  assertStringIncludes(stderr, "--journeys also writes PLAN.visits: give the path");
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
