import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import fc, { COSTLY } from "fast-check";
import { parseYaml } from "../../../src/base/yaml.ts";
import { Redaction } from "../../../src/convert/accesslog/redaction.ts";
import { convertAccessLog } from "../../../src/convert/from_accesslog.ts";
import { checkPlan } from "../../../src/plan/check_plan.ts";
import { withDoubles } from "../../../src/plan/normalize_plan.ts";
import { printPlan } from "../../../src/plan/print.ts";
import { collectIds, collectQueries } from "../../../src/traffic/accesslog/collect/request_url.ts";
import { Visits } from "../../../src/traffic/accesslog/collect/visits.ts";
import { COMBINED } from "../../../src/traffic/accesslog/formats/formats.ts";
import { logArbitrary } from "../../builders/accesslog_lines.ts";
import { logLine } from "../../builders/log_line.ts";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";
import { readLines } from "../../support/read_lines.ts";

const AT = Date.UTC(2026, 10, 21, 10);
const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.c2lnbmF0dXJl";
const SECRETS = [JWT, "hunter2", "joe@example", "joe%40", "ann@example"];

Deno.test("Redaction replaces equal values with the same placeholder, and different values with different ones", () => {
  const redaction = new Redaction();
  assertEquals(
    redaction.query(`?page=2&token=${JWT}&email=joe%40example.com&q=tea`),
    "?page=2&token=redacted1&email=user1@example.com&q=tea",
  );
  assertEquals(
    redaction.query("?password=hunter2;to=ann@example.com"),
    "?password=redacted2;to=user2@example.com",
  );
  assertEquals(redaction.query(`?${JWT}`), "?redacted1");
  assertEquals(redaction.query("?joe@example.com=1&x"), "?user3@example.com&x");
  assertEquals(redaction.value("joe@example.com"), "user1@example.com");
  for (const query of ["", "?", "?q=tea", "?a=1&b=&c", "?icon@2x.png"]) {
    assertEquals(redaction.query(query), query);
  }
});

Deno.test("convert --redact does not write credentials or e-mail addresses to any output", async () => {
  using folder = new CliFolder();
  const paths = [
    `/reset?token=${JWT}&email=joe%40example.com&password=hunter2`,
    "/users/joe@example.com/orders/17?page=1",
    "/users/ann@example.com/orders/18",
    "/users/ann@example.com/orders/18",
    `/magic/${JWT}`,
    "/search?q=tea",
  ];
  const stdin = paths.map((path) => logLine({ at: AT, path })).join("");
  const [plan, ids, html] = ["plan.yaml", "ids.csv", "log.html"].map((name) =>
    join(folder.path, name)
  );
  const options = ["--query", "keep", "--ids", ids, "--html", html, "-o", plan];
  const args = ["convert", "-", "--from", "accesslog", ...options];
  const { code, stderr } = await runCli([...args, "--redact"], { stdin });
  assertEquals(code, 0, stderr);
  const [planText, idsText, page] = [plan, ids, html].map((path) => Deno.readTextFileSync(path));
  for (const text of [planText, idsText, page, stderr]) {
    for (const secret of SECRETS) assert(!text.includes(secret), `${secret} in ${text}`);
  }
  assertStringIncludes(planText, "?token=redacted");
  assertStringIncludes(planText, "GET /users/${vars.email}/orders/${vars.id}");
  assertStringIncludes(idsText, "@example.com,18,,2");
  assertStringIncludes(stderr, "redacted");
  assert(!stderr.includes("literal-secret"), stderr);
  const { code: valid } = await runCli(["validate", plan]);
  assertEquals(valid, 0);
});

Deno.test("convert suggests --redact if it is not given", async () => {
  const stdin = logLine({ at: AT, path: "/reset?password=hunter2" });
  const { stderr } = await runCli(
    ["convert", "-", "--from", "accesslog", "--query", "keep"],
    { stdin },
  );
  assertStringIncludes(stderr, "replace them with `--redact`");
  const wrong = await runCli(["convert", "-", "--from", "accesslog", "--secrets"], { stdin });
  assertEquals(wrong.code, 2);
  assertStringIncludes(wrong.stderr, "`--redact` replaces the credentials in a log");
});

interface Printed {
  readonly level: string;
  readonly code: string;
  readonly subject: string;
  readonly message: string;
}

async function convert(
  paths: readonly string[],
  ...options: string[]
): Promise<{ secrets: Printed[]; stderr: string; plan: string }> {
  const stdin = paths.map((path) => logLine({ at: AT, path })).join("");
  const args = ["convert", "-", "--from", "accesslog", "--warnings", "json", ...options];
  const { code, stdout, stderr } = await runCli(args, { stdin });
  assertEquals(code, 0, stderr);
  const notes = stderr.trimEnd().split("\n").map((line) => JSON.parse(line) as Printed);
  return { secrets: notes.filter(({ code }) => code === "literal-secret"), stderr, plan: stdout };
}

Deno.test("convert --query keep lists the parameters that contain credentials or e-mail addresses", async () => {
  const { secrets, stderr, plan } = await convert(
    [
      `/reset?token=${JWT}&email=joe%40example.com&password=hunter2`,
      "/search?q=tea&page=2",
      `/open?${JWT}`,
    ],
    "--query",
    "keep",
  );
  assertEquals(secrets.map(({ subject, level }) => [subject, level]), [
    ["data.query_1", "warning"],
    ["data.query_3", "warning"],
  ]);
  assertStringIncludes(
    secrets[0].message,
    "the query strings of GET /reset contain credentials (token, password) and e-mail addresses (email)",
  );
  assertStringIncludes(secrets[1].message, "credentials (an unnamed value)");
  for (const value of [JWT, "joe", "hunter2"]) {
    assert(!stderr.includes(value), `${value} is printed`);
    assert(!plan.split("\nname:")[0].includes(value), `${value} is in the plan's header`);
  }
});

Deno.test("without --query keep, convert does not warn about credentials in query strings", async () => {
  const { secrets } = await convert(["/reset?password=hunter2"]);
  assertEquals(secrets, []);
});

Deno.test("convert warns about e-mail addresses and tokens in kept paths without printing them", async () => {
  const { secrets, stderr } = await convert(
    [
      "/users/joe@example.com/orders",
      "/users/ann%40example.org",
      `/confirm/${JWT}?a=joe@example.net`,
      "/a",
    ],
    "--query",
    "keep",
  );
  assertEquals(secrets.map(({ subject }) => subject), ["data.query_1", "url"]);
  assertStringIncludes(
    secrets[1].message,
    "the paths of 3 endpoints contain credentials and e-mail addresses",
  );
  for (const value of [JWT, "joe", "ann%40", "ann@"]) assert(!stderr.includes(value));
});

Deno.test("convert does not warn about query strings and paths without credentials", async () => {
  const { secrets } = await convert(
    [
      "/img/logo@2x.png?v=1.2.3",
      "/lib/react@18.2.0/umd.min.js",
      "/search?q=pass+the+salt&page=2&sort=new&csrf=off",
      "/files/d41d8cd98f00b204e9800998ecf8427e",
      "/p?id=550e8400-e29b-41d4-a716-446655440000",
    ],
    "--query",
    "keep",
  );
  assertEquals(secrets, []);
});

Deno.test("convertAccessLog creates a valid, parsable plan from any log with any options", () => {
  const options = fc.record({ journeys: fc.boolean(), curve: fc.boolean(), keep: fc.boolean() });
  fc.assert(
    fc.property(fc.array(logArbitrary, { maxLength: 3 }), options, (logs, asked) => {
      const log = Uint8Array.from(logs.flatMap((one) => [...one, 0x0a]));
      const ids = collectIds();
      const queries = collectQueries();
      const visits = new Visits();
      const profile = readLines(log, COMBINED, { collectors: [ids, queries, visits] });
      const hasClients = visits.list().length > 0;
      if (profile.requests === 0) return;
      const { plan, header } = convertAccessLog(profile, {
        top: 20,
        ids: { seen: ids, path: "ids.csv" },
        ...(asked.keep && { queries }),
        ...(asked.journeys && hasClients &&
          { visits: { seen: visits, path: "plan.visits", maxBytes: 8e6 } }),
        ...(asked.curve && { load: { stages: 5 } }),
      });
      assertEquals(checkPlan(plan).filter(({ severity }) => severity === "error"), []);
      assertEquals(
        withDoubles(parseYaml(printPlan(plan, header))),
        JSON.parse(JSON.stringify(plan)),
      );
    }),
    COSTLY,
  );
});
