import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { BINARY_FLAGS } from "../../scripts/binary.ts";
import { runProcess } from "../support/cli.ts";
import { assertSafeOutput } from "../support/safe_output.ts";
import { CliFolder } from "../support/cli_folder.ts";

const at = (path: string) => new URL(path, import.meta.url).pathname;
const file = (name: string) => at(`../../testdata/hostile/${name}`);
const PRELOAD = ["-A", `--preload=${at("../support/peak_memory.ts")}`];
const MAX_KB = 300 * 1024;
/** Maximum CPU time of a command, in seconds. */
const MAX_CPU_SECONDS = 20;

/**
 * Commands to run on hostile files, each with the expected exit code and a pattern for the output.
 */
const ENDS: readonly [command: string, file: string, code: number, says: RegExp][] = [
  ["convert", "bomb.log.gz", 0, /^1 request over/m],
  ["convert", "bomb.log.zst", 0, /^1 request over.*1 line skipped/m],
  ["convert", "deep.har", 1, /deep\.har:2:1: cannot read the HAR: the text ends/],
  ["convert", "terminal.log", 0, /^5 requests over/m],
  ["validate", "deep.yaml", 1, /nested too deep/],
  ["validate", "alias_bomb.yaml", 1, /error\[/],
];

for (const [command, name, code, says] of ENDS) {
  Deno.test({
    name:
      `${command} ${name} uses limited time and memory, and prints a clear message without raw bytes`,
    ignore: Deno.build.os !== "linux", // Only Linux reports the peak memory.
    fn: async () => {
      const ended = await runProcess(PRELOAD, [command, file(name)]);
      assertEquals(ended.code, code, ended.stderr);
      assertMatch(ended.stdout + ended.stderr, says);
      assertSafeOutput(ended);
      const peak = Number(/^peak: (\d+) kB/m.exec(ended.stderr)?.[1]);
      assert(peak < MAX_KB, `${peak} kB`);
      const seconds = Number(/^cpu: ([\d.]+) s/m.exec(ended.stderr)?.[1]);
      assert(seconds < MAX_CPU_SECONDS, `${seconds} s`);
    },
  });
}

Deno.test({
  name: "run uses bounded memory for a plan whose data file has a million rows",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    using folder = new CliFolder();
    await using server = serving("");
    folder.write("users.csv", "id,name\n" + "7,Ada\n".repeat(1_000_000));
    await Deno.copyFile(at("../../testdata/plans/login.yaml"), `${folder.path}/login.yaml`);
    const to = ["--quiet", "--base-url", `http://${server.host}`];
    const ended = await runProcess(PRELOAD, ["run", `${folder.path}/login.yaml`, ...to], {
      env: { SHOP_PASSWORD: "sesame" },
    });
    assertEquals(ended.code, 0, ended.stderr);
    const peak = Number(/^peak: (\d+) kB/m.exec(ended.stderr)?.[1]);
    assert(peak < 3 * MAX_KB, `${peak} kB`);
    assertEquals(server.requested.length, 1);
  },
});

Deno.test("a plan cannot read a file outside its folder without permission", async () => {
  using folder = new CliFolder();
  await using server = serving("");
  await Deno.mkdir(`${folder.path}/plans`);
  folder.write("outside.csv", "secret\nthe-family-silver\n");
  await Deno.copyFile(file("traversal.yaml"), `${folder.path}/plans/plan.yaml`);
  const ended = await runProcess(
    ["--allow-read=plans", `--allow-net=${server.host}`],
    ["run", "plans/plan.yaml", "--base-url", `http://${server.host}`],
    { cwd: folder.path },
  );
  assertEquals(ended.code, 1);
  assertStringIncludes(ended.stderr, "--allow-read");
  assertEquals(server.requested, []);
});

Deno.test("the flags of the compiled binary prevent a pattern from taking exponential time", async () => {
  await using server = serving("a".repeat(40));
  const ended = await runProcess(
    ["-A", ...BINARY_FLAGS],
    ["run", file("regex.yaml"), "--base-url", `http://${server.host}`, "--quiet"],
  );
  assertEquals(ended.code, 0, ended.stderr);
});

function serving(text: string) {
  const requested: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, ({ url }) => {
    requested.push(url);
    return new Response(text);
  });
  return {
    requested,
    host: `127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
