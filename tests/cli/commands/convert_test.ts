import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { parseYaml } from "../../../src/base/yaml.ts";
import { withDoubles } from "../../../src/plan/normalize_plan.ts";
import { logLine } from "../../builders/log_line.ts";
import { runCli, runProcess } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";
import { ModelBrowser } from "../../support/model_app.ts";
import { CSRF_SHOP } from "../../support/model_apps.ts";

const LINE = '10.0.0.1 - - [21/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 1\n';
const bytes = (text: string) => new TextEncoder().encode(text);

function withFolder(test: (folder: string) => Promise<void>): () => Promise<void> {
  return async () => {
    using folder = new CliFolder();
    folder.write("access.log", LINE);
    await test(folder.path);
  };
}

Deno.test(
  "convert reads a large log on one thread if it may not read `src`, and reports this",
  withFolder(async (cwd) => {
    const log = Array.from({ length: 1000 }, (_, i) => {
      const line = logLine({ at: Date.UTC(2026, 10, 1) + i * 10_000, path: "/a" });
      return line.repeat(Math.ceil(101_000 / line.length));
    });
    await Deno.writeTextFile(join(cwd, "access.log"), log.join(""));
    const args = ["convert", "access.log"];
    const { code, stdout, stderr } = await runProcess(["--allow-read=access.log"], args, { cwd });
    assertEquals(code, 0, stderr);
    assertStringIncludes(stdout, "url: /a\n");
    assertStringIncludes(stderr, "info[one-thread] threads: the log was read on one thread");
    assertStringIncludes(stderr, "/src` to `deno run`\n");
  }),
);

Deno.test("convert needs no permissions for a log on standard input", async () => {
  const { code, stdout, stderr } = await runProcess([], ["convert", "-"], { stdin: bytes(LINE) });
  assertEquals(code, 0, stderr);
  assertStringIncludes(stdout, "url: /a\n");
});

Deno.test(
  "convert reports a missing permission in one line that states the flag to add",
  withFolder(async (cwd) => {
    const read = await runProcess([], ["convert", "access.log"], { cwd });
    assertEquals([read.code, read.stdout], [1, ""]);
    assertEquals(
      read.stderr,
      "error: cannot read access.log: the permission is missing; " +
        "add `--allow-read=access.log` to `deno run`\n",
    );
    const args = ["convert", "access.log", "-o", "plan.yaml"];
    const write = await runProcess(["--allow-read=access.log"], args, { cwd });
    assertEquals(write.code, 1);
    assertEquals(write.stderr.trim().split("\n").length, 1);
    assertStringIncludes(write.stderr, "--allow-write=.");
    const both = await runProcess(["--allow-read=.", "--allow-write=."], args, { cwd });
    assertEquals(both.code, 0, both.stderr);
  }),
);

Deno.test(
  "after a failure, convert leaves the existing plan unchanged and deletes its temporary file",
  withFolder(async (cwd) => {
    await Deno.writeTextFile(join(cwd, "plan.yaml"), "old");
    await Deno.writeTextFile(join(cwd, "bad.log"), "nonsense\n");
    const args = ["convert", join(cwd, "bad.log"), "-o", join(cwd, "plan.yaml")];
    assertEquals((await runCli(args)).code, 1);
    assertEquals(await Deno.readTextFile(join(cwd, "plan.yaml")), "old");
    const names = [...Deno.readDirSync(cwd)].map(({ name }) => name).sort();
    assertEquals(names, ["access.log", "bad.log", "plan.yaml"]);
  }),
);

Deno.test("convert recognizes a compressed log by its content", async () => {
  const zipped = new Blob([LINE]).stream().pipeThrough(new CompressionStream("gzip"));
  const stdin = new Uint8Array(await new Response(zipped).arrayBuffer());
  const { code, stdout } = await runCli(["convert", "-"], { stdin });
  assertEquals(code, 0);
  const plan = withDoubles(parseYaml(stdout)) as { scenarios: Record<string, { rate: number }> };
  assertEquals(plan.scenarios.replayed_traffic.rate, 1);
});

Deno.test("convert writes the same plan each time for the same input", async () => {
  const first = await runCli(["convert", "-"], { stdin: LINE });
  assertEquals(await runCli(["convert", "-"], { stdin: LINE }), first);
  assert(!first.stdout.includes("standard input"));
});

Deno.test("convert warns about a file that is specified twice, and reads it only once", async () => {
  using folder = new CliFolder();
  const [log, hard, soft] = ["a.log", "b.log", "c.log"].map((name) => `${folder.path}/${name}`);
  const line = (path: string) =>
    `10.0.0.1 - - [21/Nov/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 5\n`;
  await Deno.writeTextFile(log, line("/a") + line("/b"));
  await Deno.link(log, hard);
  await Deno.symlink(log, soft);
  const copy = `${folder.path}/d.log`;
  await Deno.copyFile(log, copy);
  const { stderr } = await runCli(["convert", log, hard, log, soft, copy]);
  assertStringIncludes(stderr, "\n4 requests over 1s");
  for (const name of [hard, soft]) {
    assertStringIncludes(
      stderr,
      `warning[same-file] ${name}: the same file was also given as \`${log}\``,
    );
  }
  assertStringIncludes(stderr, `warning[same-file] ${log}: the file was given twice`);
});

Deno.test("convert warns about malformed lines and shows the first line for each reason, with control characters escaped", async () => {
  const log = '10.0.0.1 - - [21/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 5\n' +
    "\x1b[31mno time\n" +
    '10.0.0.1 - - [21/Nov/2026:10:00:00 +0000] "get /a HTTP/1.1" 200 5\n' +
    `later ${"x".repeat(300)}\n`;
  const { stderr } = await runCli(["convert", "-"], { stdin: log });
  const [warning] = stderr.split("\n").filter((text) => text.includes("malformed-lines"));
  assertStringIncludes(warning, "skipped 3 lines");
  assertStringIncludes(warning, 'no-timestamp 2, first standard input:2: "\\u001b[31mno time"');
  assertStringIncludes(warning, "bad-request 1, first standard input:3: ");
  assertEquals(warning.includes("\x1b"), false);
  assertEquals(warning.includes("later"), false);
});

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

Deno.test("convert --again replaces values that differ between the recordings", async () => {
  await inFolder(async (first, second) => {
    const { code, stdout, stderr } = await runCli([
      "convert",
      first,
      "--again",
      second,
      "--correlate",
      "json",
    ]);
    assertEquals(code, 0, stderr);
    assertMatch(
      stdout,
      /^# A second recording of the session, which contains \d+ of /m,
    );
    assertMatch(stderr, /^info\[correlation\]|\(info\)/m);
    assertEquals(/\[excluded-value\]|excluded-value/.test(stderr + stdout), false);
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

Deno.test("convert --again reports the path of the second recording if that file cannot be read", async () => {
  await inFolder(async (first, second) => {
    await Deno.writeTextFile(second, "not JSON");
    const { code, stdout, stderr } = await runCli(["convert", first, "--again", second]);
    assertStringIncludes(stderr, "2.har");
    assertEquals([code, stdout], [1, ""]);
  });
});
