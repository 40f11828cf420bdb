import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { printNotes, progressLine } from "../../../src/cli/output/messages.ts";
import type { Io, Sink } from "../../../src/cli/system/io.ts";
import type { Note } from "../../../src/convert/notes/notes.ts";
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

/** Creates an `Io` that collects the strings written to standard error. */
function collectErrors(columns?: number): { io: Io; texts: string[] } {
  const texts: string[] = [];
  const stderr = { write: (text: string) => void texts.push(text), columns: () => columns };
  return { io: { stderr } as unknown as Io, texts };
}

function notes(count: number): Note[] {
  return Array.from({ length: count }, (_, i): Note => (
    { code: "correlation", subject: `id_${i}`, message: "is used by 1 later request" }
  ));
}

for (const format of ["text", "json"] as const) {
  Deno.test(`printNotes prints thousands of notes as ${format} in order, in chunks of limited size`, () => {
    const { io, texts } = collectErrors();
    printNotes(notes(2_500), format, io);
    assert(texts.every((text) => text.length < 200_000));
    const lines = texts.join("").split("\n");
    assertEquals(lines.pop(), "");
    const subjects = lines.map((line) => /id_\d+/.exec(line)?.[0]);
    assertEquals(subjects, notes(2_500).map(({ subject }) => subject));
  });
}

Deno.test("printNotes prints nothing if there are no notes", () => {
  const { io, texts } = collectErrors();
  printNotes([], "text", io);
  assertEquals(texts.join(""), "");
});

function terminal(columns: number | undefined): Sink & { written: string[] } {
  const written: string[] = [];
  return { written, write: (text) => void written.push(text), columns: () => columns };
}

Deno.test("progressLine appears after half a second and is updated at most ten times per second", () => {
  const sink = terminal(80);
  let time = 0;
  const line = progressLine(sink, () => time);
  for (time = 100; time <= 1_000; time += 50) line.update(time * 1e6, 2_000e6);
  line.clear();
  assertEquals(sink.written.length, 7);
  assertEquals(sink.written[0], "\r\x1b[K25% of 2000 MB, 1000 MB/s, 2s left");
  assertEquals(sink.written.at(-1), "\r\x1b[K");
});

Deno.test("progressLine prints nothing if the output is not a terminal", () => {
  const sink = terminal(undefined);
  let time = 0;
  const line = progressLine(sink, () => time += 1_000);
  line.update(1, 2);
  line.clear();
  assertEquals(sink.written, []);
});
