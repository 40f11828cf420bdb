import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { Redaction } from "../../../src/convert/accesslog/redaction.ts";
import { logLine } from "../../builders/log_line.ts";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";

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
