import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import fc from "fast-check";
import { parseHtml, selectCss } from "../../../src/extract/parse_html.ts";
import { logLine } from "../../builders/log_line.ts";
import { mixedLog } from "../../builders/mixed_log.ts";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";

const FORMAT = '$time_iso8601 $remote_addr "$request" $status "$http_x_client"';
const LINES = Array.from(
  { length: 60 },
  (_, i) =>
    `2026-07-01T12:00:${String(i).padStart(2, "0")} 10.0.0.1 "GET /${i % 3} HTTP/1.1" 200 ` +
    `"203.0.113.${i % 20}"\n`,
).join("");

async function convert(log: string, ...options: string[]) {
  using folder = new CliFolder();
  const path = join(folder.path, "access.log");
  await Deno.writeTextFile(path, log);
  const args = options.map((option) => option === "plan.yaml" ? join(folder.path, option) : option);
  return await runCli(["convert", path, ...args], { now: Date.UTC(2026, 10, 22) });
}

Deno.test("convert warns about timestamps without a zone, unless --time-zone is given", async () => {
  const utc = await convert(LINES, "--log-format", FORMAT, "--since", "2026-07-01T12:00:30");
  assertStringIncludes(utc.stderr, "no-time-zone");
  assertStringIncludes(utc.stderr, "--time-zone Europe/Berlin");
  assertStringIncludes(utc.stderr, "30 requests over 30s");
  const zoned = ["--log-format", FORMAT, "--time-zone", "Europe/Berlin"];
  const local = await convert(LINES, ...zoned, "--since", "2026-07-01T12:00:30");
  assertEquals(local.stderr.includes("no-time-zone"), false);
  assertStringIncludes(local.stderr, "30 requests over 30s");
  const same = await convert(LINES, ...zoned, "--since", "2026-07-01T10:00:30Z");
  assertStringIncludes(same.stderr, "30 requests over 30s");
});

Deno.test("convert --html shows times in the zone of a log whose JSON members it guessed", async () => {
  const log = Array.from(
    { length: 60 },
    (_, i) =>
      `{"started_at":"2026-11-21T10:00:${String(i).padStart(2, "0")}+02:00","verb":"GET",` +
      `"target":"/${i % 3}","result_code":200}\n`,
  ).join("");
  const { stderr, stdout } = await convert(log, "-o", "plan.yaml", "--html", "-");
  assertStringIncludes(stderr, "guessed-format");
  assertStringIncludes(stdout, "2026-11-21 10:00:00 +02:00 to 2026-11-21 10:00:59 +02:00");
});

Deno.test("convert --client selects the field that identifies visitors", async () => {
  const one = await convert(LINES, "--log-format", FORMAT, "--journeys", "-o", "plan.yaml");
  assertStringIncludes(one.stderr, "one-client");
  const many = await convert(
    LINES,
    "--log-format",
    FORMAT,
    "--client",
    "http_x_client",
    "--journeys",
    "-o",
    "plan.yaml",
  );
  assertEquals(many.code, 0);
  assertEquals(many.stderr.includes("one-client"), false);
  assertStringIncludes(many.stderr, "20 visits");
});

Deno.test("convert --client accepts an empty log among several", async () => {
  using folder = new CliFolder();
  const paths = ["access.log", "access.log.1"].map((name) => join(folder.path, name));
  await Deno.writeTextFile(paths[0], "");
  await Deno.writeTextFile(paths[1], LINES);
  const args = ["convert", ...paths, "--log-format", FORMAT, "--client", "http_x_client"];
  const { code, stderr } = await runCli(args, { now: Date.UTC(2026, 10, 22) });
  assertEquals(code, 0, stderr);
});

Deno.test("convert lists the variables of --log-format that it does not use", async () => {
  const line = logLine({ at: Date.UTC(2026, 10, 1) });
  const format = '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes';
  const { code, stderr } = await convert(line, "--log-format", format, "--strict");
  assertStringIncludes(
    stderr,
    "info[unused-fields] --log-format: the values of these variables are not used: $remote_user, $body_bytes",
  );
  assertEquals(code, 3, "other warnings need a decision");
});

const [log] = fc.sample(mixedLog(900, 900), { numRuns: 1, seed: 8 });
// The warning about malformed lines contains the file name, which differs.
const lines = log.filter((line) => !line.startsWith("not"));
const PARTS = [lines.slice(0, 200), lines.slice(200, 500), lines.slice(500)];
const EACH = ["--ids", "--query", "--journeys", "--thresholds"];
const OPTIONS: Readonly<Record<string, { data?: readonly string[]; filters?: readonly string[] }>> =
  {
    "no option": {},
    "--ids": { data: ["--ids", "ids.csv"] },
    "--query": { data: ["--query", "keep"] },
    "--journeys": { data: ["--journeys"] },
    "--thresholds": { data: ["--thresholds"] },
    "--html": { data: ["--html", "page.html"] },
    filters: {
      filters: [
        ...["--status", "2xx,302", "--method", "GET", "--no-bots", "--no-static", "--exclude", "8"],
      ],
    },
    "every option": {
      data: [
        ...["--ids", "ids.csv", "--query", "keep", "--journeys", "--shape", "exact"],
        ...["--thresholds", "--html", "page.html"],
      ],
      filters: ["--status", "2xx", "--since", "2026-11-21"],
    },
  };

async function withParts(test: (run: Run, folder: string) => Promise<void>): Promise<void> {
  using folder = new CliFolder();
  folder.write("whole.log", lines.join(""));
  for (const [i, part] of PARTS.entries()) {
    folder.write(`${i}.log`, part.join(""));
  }
  await test((args) => runIn(folder.path, args), folder.path);
}

type Run = (args: readonly string[]) => Promise<{ code: number; stdout: string; stderr: string }>;

/**
 * Runs `convert` with its file arguments resolved in `folder`. Removes the lines `plan:` and
 * `traffic:` from standard error.
 */
async function runIn(folder: string, args: readonly string[]): ReturnType<Run> {
  const isPath = (arg: string) => /^[\w.]+\.(?:log|json|csv|html|yaml)$/.test(arg);
  const paths = args.map((arg) => isPath(arg) ? join(folder, arg) : arg);
  const { code, stdout, stderr } = await runCli(["convert", ...paths]);
  // The lines about the traffic and the plan include a sample of the log, which profiles do not
  // contain.
  return { code, stdout, stderr: stderr.replace(/^(?:traffic|plan): .*\n/gm, "") };
}

/**
 * Reads the files that a conversion wrote, deletes them, and returns their contents, keyed by name.
 */
async function outputs(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (
    const name of [
      ...["plan.yaml", "plan.yaml.arrivals", "plan.yaml.visits", "ids.csv", "page.html"],
      "all.json",
    ]
  ) {
    try {
      found[name] = await Deno.readTextFile(join(folder, name));
      await Deno.remove(join(folder, name));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return found;
}

for (const [name, { data = [], filters = [] }] of Object.entries(OPTIONS)) {
  Deno.test(`merged profiles with ${name} produce the same outputs as the whole log`, () =>
    withParts(async (run, folder) => {
      const all = ["-o", "plan.yaml", "--profile", "all.json"];
      const whole = await run(["whole.log", ...data, ...filters, ...all]);
      assertEquals(whole.code, 0, whole.stderr);
      const expected = await outputs(folder);
      for (const i of PARTS.keys()) {
        const part = await run([
          `${i}.log`,
          ...data,
          ...filters,
          "--profile",
          `${i}.json`,
          "-o",
          "plan.yaml",
        ]);
        assertEquals(part.code, 0, part.stderr);
        await outputs(folder);
      }
      const merged = await run(["0.json", "1.json", "2.json", ...data, ...all]);
      assertEquals(merged, whole);
      assertEquals(await outputs(folder), expected);
      const mixed = await run(["0.json", "1.log", "2.json", ...data, ...filters, ...all]);
      assertEquals(mixed, whole);
      assertEquals(await outputs(folder), expected);
    }));
}

Deno.test("a merged profile contains only the kinds of data that all of its inputs contain", () =>
  withParts(async (run, folder) => {
    const data = ["--ids", "ids.csv", "--journeys", "-o", "plan.yaml"];
    await run(["0.log", ...data, "--query", "keep", "--profile", "0.json"]);
    await run(["1.log", ...data, "--profile", "1.json"]);
    const { code, stderr } = await run(["0.json", "1.json", "--profile", "all.json"]);
    assertEquals(code, 0, stderr);
    const { collected } = JSON.parse((await outputs(folder))["all.json"]);
    assertEquals(Object.keys(collected), ["ids", "visits"]);
  }));

Deno.test("convert rejects a profile without the data that an option needs, and the error names the option", () =>
  withParts(async (run) => {
    await run(["0.log", "--profile", "0.json"]);
    const values: Record<string, string[]> = { "--ids": ["ids.csv"], "--query": ["keep"] };
    for (const option of EACH) {
      const { code, stderr } = await run([
        "0.json",
        option,
        ...(values[option] ?? []),
        "-o",
        "plan.yaml",
      ]);
      assertEquals(code, 2);
      assertStringIncludes(
        stderr,
        `is a traffic profile without the data that ${option} needs: give`,
      );
    }
  }));

Deno.test("convert rejects profiles with different filters, and lists the filters", () =>
  withParts(async (run) => {
    await run(["0.log", "--status", "2xx", "--profile", "0.json"]);
    await run(["1.log", "--status", "404", "--profile", "1.json"]);
    const { code, stderr } = await run(["0.json", "1.json"]);
    assertEquals(code, 2);
    assertStringIncludes(stderr, "(--status 404 instead of --status 2xx): give the same filters");
    const other = await run(["0.json", "--no-bots"]);
    assertEquals(other.code, 2);
    assertStringIncludes(other.stderr, "(--status 2xx instead of --no-bots): give");
  }));

Deno.test("convert rejects a profile whose collected data is invalid", () =>
  withParts(async (run, folder) => {
    await run(["0.log", "--ids", "ids.csv", "--profile", "0.json"]);
    const profile = JSON.parse(await Deno.readTextFile(join(folder, "0.json")));
    profile.collected.ids.data.endpoints[0][1][0][2] = -1;
    await Deno.writeTextFile(join(folder, "1.json"), JSON.stringify(profile));
    const { code, stderr } = await run(["1.json", "--ids", "ids.csv"]);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "as a traffic profile: the record of collected values at ");
    assertStringIncludes(stderr, "`endpoints[0][1][0][2]`: Too small");
  }));

const START = Date.UTC(2026, 10, 1);
const LOG = ["/blog/a", '/blog/b,"c"', "/blog/b,%22c%22", "/users/17/cart", "/blog/a"]
  .map((path, i) => logLine({ at: START + 1_000 * i, path: path.replaceAll('"', "%22") })).join("");

async function inFolder(act: (folder: string) => Promise<void>): Promise<void> {
  using folder = new CliFolder();
  folder.write("access.log", LOG);
  await act(folder.path);
}

Deno.test("convert --route names path parameters, and --ids writes their recorded values", async () => {
  await inFolder(async (folder) => {
    const [log, ids] = [join(folder, "access.log"), join(folder, "ids.csv")];
    const { code, stdout, stderr } = await runCli(["convert", log, "--route", "/blog/:slug"]);
    assertEquals(code, 0);
    assertStringIncludes(stdout, "url: /blog/${vars.slug}");
    assertStringIncludes(stdout, "slug: a");
    assertStringIncludes(stderr, "routes-merged");
    const plan = join(folder, "plan.yaml");
    await runCli(["convert", log, "--route", "/blog/:slug", "--ids", ids, "-o", plan]);
    assertEquals(
      Deno.readTextFileSync(ids),
      'ids_1_1,ids_1_count,ids_2_1,ids_2_count\na,2,17,1\n"b,%22c%22",2,,\n',
    );
    assertMatch(Deno.readTextFileSync(plan), /url: \/blog\/\$\{data\.ids_1\.ids_1_1\}/);
  });
});

Deno.test("convert --openapi merges logged paths that match the same path of an OpenAPI document", async () => {
  await inFolder(async (folder) => {
    const api = join(folder, "api.yaml");
    await Deno.writeTextFile(api, 'openapi: 3.1.0\npaths:\n  "/users/{userId}/cart": {}\n');
    const { stdout } = await runCli(["convert", join(folder, "access.log"), "--openapi", api]);
    assertStringIncludes(stdout, "url: /users/${vars.userId}/cart");
    await Deno.writeTextFile(api, "a: [");
    const { code, stderr } = await runCli([
      "convert",
      join(folder, "access.log"),
      "--openapi",
      api,
    ]);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "not YAML or JSON");
  });
});

/** One request per minute for an hour, and 60 more in the minute that starts at 00:20. */
const BURST_LOG = [
  ...Array.from({ length: 60 }, (_, i) => START + 60_000 * i),
  ...Array.from({ length: 60 }, (_, i) => START + 60_000 * 20 + 1_000 * i),
].sort((a, b) => a - b).map((at) => logLine({ at })).join("");

Deno.test("convert --busiest keeps only the busiest part of the log", async () => {
  using folder = new CliFolder();
  const log = join(folder.path, "access.log");
  await Deno.writeTextFile(log, BURST_LOG);
  const { code, stderr } = await runCli(["convert", log, "--busiest", "1m"]);
  assertEquals(code, 0);
  assertStringIncludes(stderr, "61 requests over 1m");
  assertStringIncludes(
    stderr,
    "--busiest: excluded 59 requests, 49.2% of the log's requests, and kept the requests from " +
      "2026-11-01T00:20:00Z to 2026-11-01T00:21:00Z",
  );
});

Deno.test("convert --stages auto uses as many stages as the log needs", async () => {
  using folder = new CliFolder();
  const log = join(folder.path, "access.log");
  const bursts = Array.from({ length: 45 }, (_, i) => i * 600_000).flatMap((burst) =>
    Array.from({ length: 300 }, (_, i) => START + burst + i * 200)
  );
  await Deno.writeTextFile(log, bursts.map((at) => logLine({ at })).join(""));
  const stages = async (value: string) => {
    const { stdout } = await runCli(["convert", log, "--shape", "curve", "--stages", value]);
    return stdout.match(/target:/g)!.length;
  };
  assertEquals(await stages("30") <= 30, true);
  assertEquals(await stages("auto") > 60, true);
});

const SHOP = fromFileUrl(new URL("../../../testdata/har/demo_shop_forms.har", import.meta.url));

async function review(...options: string[]) {
  using folder = new CliFolder();
  const [html, plan] = [join(folder.path, "review.html"), join(folder.path, "plan.yaml")];
  const { code, stderr } = await runCli([
    "convert",
    SHOP,
    "-o",
    plan,
    "--html",
    html,
    ...options,
  ]);
  assertEquals(code, 0, stderr);
  const text = await Deno.readTextFile(html);
  const page = parseHtml(text);
  const all = (selector: string) => [...selectCss(selector, undefined, page)];
  return { text, all };
}

const result = (table: string, n: number) => `[aria-label="${table}"] tbody td:nth-child(${n})`;

Deno.test("convert --html lists the calls of a HAR and whether they send recorded values", async () => {
  const { all } = await review("--correlate", "json");
  assertEquals(all('[aria-label="Calls"] tbody th').length, 11);
  assertEquals(all(result("Calls", 5)), [
    ...["as recorded", "sends a recorded value", "as recorded", "as recorded", "correlated"],
    ...["sends a recorded value", "as recorded", "as recorded", "sends a recorded value"],
    ...["sends a recorded value", "as recorded"],
  ]);
});

Deno.test("convert --html shows the source of a value, its consumers and the suggested edit", async () => {
  const { all } = await review("--correlate", "json");
  assertEquals(all('[aria-label="Values"] tbody tr:nth-child(1) td').slice(0, 3), [
    "sent as recorded",
    'css meta[name="csrf-token"] attribute content of request 1 (GET /login)',
    "form csrf_token of request 2 (POST /login)",
  ]);
  assertStringIncludes(all("pre.edit")[0]!, "extract:\n  - type: css\n    name: csrf_token\n");
  assert(all('[aria-label="Notes"] tbody th').includes("excluded-value"));
});

Deno.test("convert --html of a fully correlated HAR shows only extracted values", async () => {
  const { all } = await review();
  assertEquals(new Set(all(result("Values", 2))), new Set(["extracted"]));
  assertEquals(all("pre.edit"), []);
});

Deno.test("convert --html does not show recorded credentials", async () => {
  const har = await Deno.readTextFile(SHOP);
  const [, password] = /[&"]password=([^&"]+)/.exec(har)!;
  for (const options of [[], ["--correlate", "json"]]) {
    const { text } = await review(...options);
    assert(!text.includes(decodeURIComponent(password)), options.join(" "));
    assertStringIncludes(text, "********");
  }
});

Deno.test("convert reports log lines that seem to be in another format", async () => {
  const plain = Array.from(
    { length: 9 },
    (_, i) => logLine({ at: Date.UTC(2026, 10, 1) + i * 1e3 }),
  );
  const json = '{"time":"2026-11-21T10:00:00Z","method":"GET","path":"/","status":200}\n';
  const { code, stderr } = await convert(plain.join("") + json.repeat(2));
  assertEquals(code, 0);
  assertStringIncludes(
    stderr,
    "access.log:10 is in the format nginx-json: convert such lines separately, for example with " +
      "`grep … | rehearse convert - --log-format nginx-json --profile …`",
  );
});
