import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { logLine } from "../../builders/log_line.ts";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";

const START = Date.UTC(2026, 10, 1);
/** One request per minute for an hour, and 60 more in the minute that starts at 00:20. */
const LOG = [
  ...Array.from({ length: 60 }, (_, i) => START + 60_000 * i),
  ...Array.from({ length: 60 }, (_, i) => START + 60_000 * 20 + 1_000 * i),
].sort((a, b) => a - b).map((at) => logLine({ at })).join("");

Deno.test("convert --busiest keeps only the busiest part of the log", async () => {
  using folder = new CliFolder();
  const log = join(folder.path, "access.log");
  await Deno.writeTextFile(log, LOG);
  const { code, stderr } = await runCli(["convert", log, "--busiest", "1m"]);
  assertEquals(code, 0);
  assertStringIncludes(stderr, "61 requests over 1m");
  assertStringIncludes(
    stderr,
    "--busiest: excluded 59 requests, 49.2% of the log's requests, and kept the requests from " +
      "2026-11-01T00:20:00Z to 2026-11-01T00:21:00Z",
  );
});

Deno.test("convert --busiest rejects standard input, HARs and invalid durations", async () => {
  const har = new URL("../../../src/demo/sample/session.har", import.meta.url).pathname;
  for (
    const [args, message] of [
      [["-", "--from", "accesslog", "--busiest", "1h"], "give a file instead of standard input"],
      [[har, "--busiest", "1h"], "--busiest"],
      [["a.log", "--busiest", "soon"], "--busiest cannot be soon: expected a duration"],
    ] as const
  ) {
    const { code, stderr } = await runCli(["convert", ...args]);
    assertEquals(code, 2);
    assertStringIncludes(stderr, message);
  }
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
