import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { startDemo } from "../../src/demo/server.ts";
import { Terminal } from "../oracles/terminal.ts";

const MAIN = fromFileUrl(new URL("../../main.ts", import.meta.url));
const PLAN = `
name: browse
thresholds: {http_reqs: ["count>1000000"]}
scenarios:
  main:
    executor: constant-arrival-rate
    rate: 50
    duration: 10m
    pre_allocated_vus: 10
    flow: [{request: {url: /api/products}}]
`;

const hasTools = await canRecord();
if (!hasTools) {
  console.log("skipped: the test needs `script` and `stty` from util-linux and coreutils");
}

for (const [columns, rows] of [[80, 24], [200, 50]]) {
  Deno.test({
    name: `after a resize and Ctrl-C, run restores a pseudo-terminal of ${columns} x ${rows}`,
    ignore: !hasTools,
    fn: () => recorded(columns, rows),
  });
}

/**
 * Runs `rehearse` in a pseudo-terminal of the given size and interprets its output with the test
 * terminal.
 */
async function recorded(columns: number, rows: number): Promise<void> {
  const demo = startDemo();
  const plan = await Deno.makeTempFile({ suffix: ".yaml" });
  await Deno.writeTextFile(plan, PLAN);
  const terminal = new Terminal(columns, rows);
  const command = `stty cols ${columns} rows ${rows}; tty; exec ` +
    `"${Deno.execPath()}" run --quiet -A "${MAIN}" run "${plan}" --base-url ${demo.origin}`;
  const script = startInTerminal(command);
  const keyboard = script.stdin.getWriter();
  let isSmaller = false;
  let isInterrupted = false;
  try {
    for await (const text of script.stdout.pipeThrough(new TextDecoderStream())) {
      terminal.write(text);
      if (!terminal.isOther || isInterrupted) continue;
      assert(!terminal.cursorShown);
      if (!isSmaller) {
        assertEquals(terminal.screen[0].length, columns - 1);
        terminal.resize(100, 20);
        await resize(terminal.history[0], 100, 20);
        isSmaller = true;
      } else if (terminal.screen[0].length === 99) {
        isInterrupted = true;
        await keyboard.write(new Uint8Array([3]));
      }
    }
    assertEquals((await script.status).code, 130);
  } finally {
    if (!isInterrupted) script.kill();
    await keyboard.close().catch(() => {});
    await demo.stop();
    await Deno.remove(plan);
  }
  assert(isInterrupted && terminal.cursorShown && terminal.wraps && !terminal.isOther);
  const [device, where, load, ...summary] = terminal.history;
  assertMatch(device, /^\/dev\//);
  assertEquals(where, `Sending load to ${demo.origin}`);
  assertMatch(load, /^Load: 1 scenario, at most 10 VUs, 10m, about 30,000 requests/);
  assertEquals(summary[0], "Thresholds");
  assertMatch(summary[1], /^ {5}Metric +Threshold +Actual$/);
  assertMatch(summary[2], /^ {2}✗ {2}http_reqs +count>1000000 +\d+$/);
  assertMatch(summary.at(-2)!, /^browse: interrupted after /);
  assertEquals(summary.at(-1), "✗ FAILED 1 of 1 threshold");
  assertEquals(summary.filter((line) => /[━─█]|Ctrl-C|\^C/.test(line)), []);
}

/** Starts a shell command in a new pseudo-terminal. */
function startInTerminal(command: string) {
  return new Deno.Command("script", {
    args: ["--quiet", "--return", "--flush", "--command", command, "/dev/null"],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
    env: { TERM: "xterm-256color", NO_COLOR: "", SHELL: "/bin/sh" },
  }).spawn();
}

async function resize(device: string, columns: number, rows: number): Promise<void> {
  const size = ["cols", String(columns), "rows", String(rows)];
  const { success } = await new Deno.Command("stty", { args: ["-F", device, ...size] }).output();
  assert(success);
}

async function canRecord(): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  try {
    const { stdout } = await new Deno.Command("script", { args: ["--version"] }).output();
    await new Deno.Command("stty", { args: ["--version"] }).output();
    return new TextDecoder().decode(stdout).includes("util-linux");
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

Deno.test({
  name: "keys pressed in the terminal pause and stop a run",
  ignore: !hasTools,
  async fn() {
    const demo = startDemo();
    const plan = await Deno.makeTempFile({ suffix: ".yaml" });
    await Deno.writeTextFile(plan, PLAN);
    const terminal = new Terminal(100, 24);
    const command =
      `stty cols 100 rows 24; exec "${Deno.execPath()}" run --quiet -A "${MAIN}" run ` +
      `"${plan}" --base-url ${demo.origin}`;
    const script = startInTerminal(command);
    const keyboard = script.stdin.getWriter();
    const press = (key: string) => keyboard.write(new TextEncoder().encode(key));
    // Each key is pressed as soon as the screen shows the effect of the previous one.
    const steps: [shown: RegExp, key: string][] = [
      [/p pauses, \+ and - change the rate by 10%, q stops/, "+"],
      [/Load: rate 110% /, "p"],
      [/Paused: p resumes, q stops/, "q"],
    ];
    try {
      for await (const text of script.stdout.pipeThrough(new TextDecoderStream())) {
        terminal.write(text);
        if (!terminal.isOther || steps.length === 0) continue;
        if (!steps[0][0].test(terminal.screen.join("\n"))) continue;
        await press(steps.shift()![1]);
      }
      assertEquals([(await script.status).code, steps.length], [130, 0]);
    } finally {
      if (steps.length > 0) script.kill();
      await keyboard.close().catch(() => {});
      await demo.stop();
      await Deno.remove(plan);
    }
    assertStringIncludes(
      terminal.history.join(" ").replaceAll(/ +/g, " "),
      "the load was changed during the run",
    );
  },
});
