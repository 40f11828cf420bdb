import { assertEquals, assertStringIncludes } from "@std/assert";
import { runCli, runProcess } from "../../support/cli.ts";

const LOG = '203.0.113.5 - - [21/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 1\n';
const STDIN = new TextEncoder().encode(LOG);

/**
 * Environment variables, and whether a command with these variables colors its output in a pipe.
 */
const TABLE: readonly [env: Record<string, string>, isColored: boolean][] = [
  [{}, false],
  [{ FORCE_COLOR: "1" }, true],
  [{ FORCE_COLOR: "0" }, false],
  [{ CLICOLOR_FORCE: "1" }, true],
  [{ FORCE_COLOR: "1", NO_COLOR: "1" }, true],
  [{ FORCE_COLOR: "0", NO_COLOR: "" }, false],
];

for (const [env, isColored] of TABLE) {
  Deno.test(`convert ${isColored ? "colors" : "does not color"} warnings in a pipe with ${JSON.stringify(env)}`, async () => {
    const options = { stdin: STDIN, env: { NO_COLOR: "", ...env } };
    const { code, stderr } = await runProcess(["--allow-env"], ["convert", "-"], options);
    assertEquals(code, 0);
    assertEquals(stderr.includes("\x1b[33mwarning[base-url]\x1b[0m defaults"), isColored, stderr);
    assertEquals(stderr.includes("\x1b[2minfo[average-rate]\x1b[0m scenarios"), isColored, stderr);
  });
}

Deno.test("on a terminal, validate and error messages use colors", async () => {
  const plan = "scenarios:\n  main: {executor: constant-vus, vuss: 1, duration: 1s, flow: []}\n";
  const { stdout } = await runCli(["validate", "-"], { stdin: plan, columns: 80, colors: true });
  assertStringIncludes(stdout, "\x1b[31merror[unknown-key]\x1b[0m scenarios.main.vuss");
  const { stderr } = await runCli(["validate"], { columns: 80, colors: true });
  assertStringIncludes(stderr, "\x1b[31merror:\x1b[0m expected a plan");
  const json = await runCli(["validate", "-", "--format", "json"], { stdin: plan, colors: true });
  assertEquals(json.stdout.includes("\x1b"), false);
});

Deno.test("convert wraps warnings between words to fit the width of the terminal", async () => {
  const { stderr } = await runCli(["convert", "-"], { stdin: LOG, columns: 60, colors: false });
  const lines = stderr.split("\n");
  const words = (text: string) => text.split(/\s+/).filter(Boolean);
  const piped = await runCli(["convert", "-"], { stdin: LOG });
  assertEquals(words(stderr).slice(0, words(piped.stderr).length), words(piped.stderr));
  for (const line of lines) {
    assertEquals(line.length <= 60 || words(line).length <= 2, true, line);
  }
});
