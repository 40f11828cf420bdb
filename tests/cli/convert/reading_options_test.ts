import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { logLine } from "../../builders/log_line.ts";
import { runCli } from "../../support/cli.ts";

const FORMAT = '$time_iso8601 $remote_addr "$request" $status "$http_x_client"';
const LINES = Array.from(
  { length: 60 },
  (_, i) =>
    `2026-07-01T12:00:${String(i).padStart(2, "0")} 10.0.0.1 "GET /${i % 3} HTTP/1.1" 200 ` +
    `"203.0.113.${i % 20}"\n`,
).join("");

async function convert(log: string, ...options: string[]) {
  const folder = await Deno.makeTempDir();
  try {
    const path = join(folder, "access.log");
    await Deno.writeTextFile(path, log);
    return await runCli(["convert", path, ...options], { now: Date.UTC(2026, 10, 22) });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
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

Deno.test("convert rejects an unknown time zone and suggests a known one", async () => {
  const { code, stderr } = await convert(LINES, "--time-zone", "Europe/Berln");
  assertEquals(code, 2);
  assertStringIncludes(stderr, "--time-zone cannot be Europe/Berln");
  assertStringIncludes(stderr, 'did you mean "Europe/Berlin"?');
});

Deno.test("convert --client selects the field that identifies visitors", async () => {
  const one = await convert(LINES, "--log-format", FORMAT, "--journeys");
  assertStringIncludes(one.stderr, "one-client");
  const many = await convert(
    LINES,
    "--log-format",
    FORMAT,
    "--client",
    "http_x_client",
    "--journeys",
  );
  assertEquals(many.code, 0);
  assertEquals(many.stderr.includes("one-client"), false);
  assertStringIncludes(many.stderr, "20 visits");
});

Deno.test("convert rejects a --client field that the log does not have", async () => {
  const unknown = await convert(LINES, "--log-format", FORMAT, "--client", "http_client");
  assertEquals(unknown.code, 2);
  assertStringIncludes(unknown.stderr, "the log format has no such field");
  const plain = await convert(logLine({ at: Date.UTC(2026, 10, 1) }), "--client", "x");
  assertEquals(plain.code, 2);
  assertStringIncludes(plain.stderr, "describe them with `--log-format`");
  const json = '{"time":"2026-11-21T10:00:00Z","method":"GET","path":"/","status":200}\n';
  const absent = await convert(json, "--client", "user");
  assertEquals(absent.code, 1);
  assertStringIncludes(absent.stderr, "has the field user, which `--client` names");
});

Deno.test("convert reports log lines that seem to be in another format", async () => {
  const plain = Array.from(
    { length: 9 },
    (_, i) => logLine({ at: Date.UTC(2026, 10, 1) + i * 1e3 }),
  );
  const json = '{"time":"2026-11-21T10:00:00Z","method":"GET","path":"/","status":200}\n';
  const { code, stderr } = await convert(plain.join("") + json.repeat(2));
  assertEquals(code, 0);
  assertStringIncludes(stderr, "2 lines in the format nginx-json");
});
