import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { logLine } from "../../builders/log_line.ts";
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

Deno.test("convert rejects two outputs to standard output", async () => {
  for (const options of [["--html", "-"], ["-o", "-", "--ids", "-"]]) {
    const { code, stderr } = await convert(LINES, "--log-format", FORMAT, ...options);
    assertEquals(code, 2);
    assertStringIncludes(stderr, "standard output (-) was given twice");
  }
});

Deno.test("convert rejects an unknown time zone and suggests a known one", async () => {
  const { code, stderr } = await convert(LINES, "--time-zone", "Europe/Berln");
  assertEquals(code, 2);
  assertStringIncludes(stderr, "--time-zone cannot be Europe/Berln");
  assertStringIncludes(stderr, 'did you mean "Europe/Berlin"?');
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

Deno.test("convert rejects a --client field that the log does not have", async () => {
  const unknown = await convert(LINES, "--log-format", FORMAT, "--client", "http_client");
  assertEquals(unknown.code, 2);
  assertStringIncludes(unknown.stderr, "the log format has no such field");
  const plain = await convert(logLine({ at: Date.UTC(2026, 10, 1) }), "--client", "x");
  assertEquals(plain.code, 2);
  assertStringIncludes(plain.stderr, "describe the lines with `--log-format`");
  const json = '{"time":"2026-11-21T10:00:00Z","method":"GET","path":"/","status":200}\n';
  const absent = await convert(json, "--client", "user");
  assertEquals(absent.code, 1);
  assertStringIncludes(absent.stderr, "has the field user, which `--client` specifies");
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

/** Returns JSON lines that have the given members in addition to the time and the method. */
function jsonLines(members: (i: number) => object): string {
  return Array.from({ length: 20 }, (_, i) =>
    JSON.stringify({
      ts: `2026-11-21T10:00:${String(i + 10)}Z`,
      method: "GET",
      ...members(i),
    }) + "\n").join("");
}

Deno.test("convert rejects a --json value that specifies both `seconds` and `milliseconds`", async () => {
  const log = jsonLines(() => ({ http: { url: "/" }, s: 1, ms: 1000 }));
  const { code, stderr } = await convert(
    log,
    "--json",
    "time=ts,method=method,url=http.url,seconds=s,milliseconds=ms",
  );
  assertEquals(code, 2);
  assertStringIncludes(stderr, "`seconds` and `milliseconds` cannot be combined");
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

Deno.test("convert quotes a time that is not in the notation of --log-format", async () => {
  const { code, stderr } = await convert(
    "10.0.0.1|21.11.2026 10:00:00|GET /a|200\n",
    "--log-format",
    "$remote_addr|$time_iso8601|$request|$status",
  );
  assertEquals(code, 1);
  assertStringIncludes(
    stderr,
    "no line could be read as a request (no-timestamp); 21.11.2026 10:00:00 is not a time in the " +
      "notation that `--log-format` specifies; specify its layout, such as `%{%d.%m.%Y %H:%M:%S}t`",
  );
});
