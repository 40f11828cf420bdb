import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runCli } from "../../support/cli.ts";
import { CSRF_SHOP } from "../../support/model_apps.ts";
import { ModelBrowser } from "../../support/model_app.ts";
import { CliFolder } from "../../support/cli_folder.ts";

async function inFolder(
  use: (first: string, second: string) => Promise<void>,
  leaveOut = 0,
): Promise<void> {
  using folder = new CliFolder();
  const paths = await Promise.all([1, 2].map(async (seed) => {
    const browser = new ModelBrowser(CSRF_SHOP.create(seed));
    CSRF_SHOP.use(browser);
    const har = JSON.parse(browser.har);
    if (seed === 2 && leaveOut > 0) har.log.entries.splice(-leaveOut);
    const path = `${folder.path}/${seed}.har`;
    await Deno.writeTextFile(path, JSON.stringify(har));
    return path;
  }));
  await use(paths[0], paths[1]);
}

Deno.test("convert --again replaces values that differ between the recordings, and the plan passes --verify", async () => {
  await inFolder(async (first, second) => {
    const { code, stdout, stderr } = await runCli([
      "convert",
      first,
      "--again",
      second,
      "--correlate",
      "json",
      "--verify",
    ]);
    assertEquals(code, 0, stderr);
    assertMatch(
      stdout,
      /^# A second recording of the session, which contains \d+ of /m,
    );
    assertMatch(stderr, /^info\[correlation\]|\(info\)/m);
    assertEquals(/\[excluded-value\]|excluded-value/.test(stderr + stdout), false);
    assertMatch(stderr, /; verification: no stale values found(?:, but .*)?\n$/);
  });
});

Deno.test("convert --again warns about calls that the second recording does not contain", async () => {
  await inFolder(async (first, second) => {
    const args = ["convert", first, "--again", second, "--warnings", "json", "--strict"];
    const { code, stderr } = await runCli(args);
    const notes = stderr.trim().split("\n").map((line) => JSON.parse(line));
    assertEquals(notes.filter((note) => note.code === "again-unpaired").length, 1);
    assertEquals(code, 3);
  }, 1);
});

Deno.test("convert --again rejects access logs and the option --har", async () => {
  const log = '1.1.1.1 - - [21/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 1\n';
  const { code, stderr } = await runCli(["convert", "-", "--again", "x.har"], { stdin: log });
  assertStringIncludes(stderr, "--again works only for a HAR file, but the input is an access log");
  const both = await runCli(["convert", "-", "--again", "x.har", "--har", "y.har"], { stdin: log });
  assertStringIncludes(both.stderr, "--again cannot be combined with --har");
  assertEquals([code, both.code], [2, 2]);
});

Deno.test("convert --again reports the path of the second recording if that file cannot be read", async () => {
  await inFolder(async (first, second) => {
    await Deno.writeTextFile(second, "not JSON");
    const { code, stdout, stderr } = await runCli(["convert", first, "--again", second]);
    assertStringIncludes(stderr, "2.har");
    assertEquals([code, stdout], [1, ""]);
  });
});
