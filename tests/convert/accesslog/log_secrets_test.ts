import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { runCli } from "../../support/cli.ts";
import { logLine } from "../../builders/log_line.ts";

const AT = Date.UTC(2026, 10, 21, 10);
const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.c2lnbmF0dXJl";

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
