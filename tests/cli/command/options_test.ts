import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import config from "../../../deno.json" with { type: "json" };
import { UsageError } from "../../../src/base/errors.ts";
import { COMMANDS, loadCommands } from "../../../src/cli/cli.ts";
import { readArgs } from "../../../src/cli/command/args.ts";
import { type Flag, permissionsOf } from "../../../src/cli/command/command.ts";
import {
  choice,
  command,
  duration,
  fileToRead,
  fileToWrite,
  type Given,
  grouped,
  httpUrl,
  list,
  positiveNumber,
  repeated,
  text,
  toggle,
  wholeNumber,
} from "../../../src/cli/command/options.ts";
import { printNotes, progressLine } from "../../../src/cli/output/messages.ts";
import { denoIo, type Io, type Sink } from "../../../src/cli/system/io.ts";
import { ignoreCopies } from "../../../src/cli/system/signals.ts";
import type { Note } from "../../../src/convert/notes/notes.ts";
import { runCli, runProcess, withEnv } from "../../support/cli.ts";

const OPTIONS = {
  output: fileToWrite({ short: "o", help: "" }),
  shape: choice(["curve", "exact"], { bare: "curve", help: "" }),
  format: choice(["text", "json"], { default: "text", help: "" }),
  stages: wholeNumber({ default: "30", with: "shape=curve", help: "" }, 1, 40),
  speed: positiveNumber({ value: "FACTOR", help: "" }),
  maxThink: duration({ default: "2m", help: "" }),
  baseUrl: httpUrl({ help: "" }),
  env: text({ value: "NAME", with: ["shape", "output"], help: "" }),
  method: list({ value: "NAME,...", help: "" }),
  status: repeated(
    { value: "CODE", help: "" },
    "a status",
    (text) => /^\d{3}$/.test(text) ? Number(text) : undefined,
  ),
  base: fileToRead({ with: "output", help: "" }),
  ...grouped({ group: "Load", conflicts: { speed: "omit it" } }, { quiet: toggle({ help: "" }) }),
};

async function read(...argv: string[]): Promise<Given<typeof OPTIONS>> {
  let given: Given<typeof OPTIONS> | undefined;
  const made = command({
    name: "try",
    usage: "",
    expects: { what: "at most one file", min: 0, max: 1 },
    about: [],
    needs: [],
    examples: {},
    options: OPTIONS,
    run(values) {
      given = values;
      return Promise.resolve(0);
    },
  });
  await made.run(readArgs(argv, made.flags), undefined!);
  return given!;
}

Deno.test("a command gets a typed value or the default of each option", async () => {
  const { args: _none, ...absent } = await read();
  assertEquals(absent, {
    output: undefined,
    shape: undefined,
    format: "text",
    stages: 30,
    speed: undefined,
    maxThink: 120_000,
    baseUrl: undefined,
    env: undefined,
    method: [],
    status: [],
    base: undefined,
    quiet: false,
  });
  const given = await read(
    ...["-o", "a", "--shape", "--stages=4", "--max-think", "1m30s", "--method", "get, put"],
    ...["--method=head", "--status", "200", "--status", "404", "--quiet", "--env=x", "b"],
  );
  assertEquals([given.output, given.shape, given.stages, given.maxThink, given.quiet], [
    "a",
    "curve",
    4,
    90_000,
    true,
  ]);
  assertEquals([given.method, given.status], [["get", "put", "head"], [200, 404]]);
  assertEquals(given.args.positionals, ["b"]);
});

Deno.test("an invalid value, a missing option and a contradiction are errors that state what to do", async () => {
  const table: [string[], string][] = [
    [["--speed", "0"], "--speed cannot be 0: expected a number above 0, such as 0.5"],
    [
      ["--shape=curve", "--stages", "41"],
      "--stages cannot be 41: expected a whole number from 1 to 40",
    ],
    [
      ["--max-think", "0s"],
      "--max-think cannot be 0s: expected a duration, 300ms, 30s, 1m30s, 1h, or a number of seconds",
    ],
    [
      ["--base-url", "ftp://user:hush@host"],
      "--base-url cannot be ftp://host: expected a URL with scheme and host, such as https://example.com",
    ],
    [["--status", "200", "--status", "2xx"], "--status cannot be 2xx: expected a status"],
    [["--stages", "4"], "--stages works only with --shape curve: add `--shape curve`"],
    [["--base", "b"], "--base works only with --output: add `--output FILE`"],
    [["--env", "x"], "--env works only with --shape or --output: add one of them"],
    [["--quiet", "--speed", "2"], "--quiet cannot be combined with --speed: omit it"],
    [["--speed"], "--speed needs a value: write `--speed FACTOR`"],
    [["a", "b"], "expected at most one file, but got 2"],
    [
      ["-", "-o", "a", "--base", "-"],
      "standard input (-) was given twice, but can be read only once",
    ],
  ];
  for (const [argv, message] of table) {
    const { message: found } = await assertRejects(() => read(...argv), UsageError);
    assertEquals(found, message);
  }
});

const FLAGS: Flag[] = [
  { name: "output", short: "o", file: "write", help: "" },
  { name: "from", value: "KIND", choices: ["accesslog", "har"], help: "" },
  { name: "var", value: "K=V", repeats: true, help: "" },
  { name: "strict", help: "" },
  { name: "ui", value: "ADDR", optional: true, help: "" },
  { name: "shape", value: "curve", bare: "curve", choices: ["curve"], help: "" },
  { name: "checks", value: "LEVEL", bare: "status", choices: ["status", "response"], help: "" },
];

Deno.test("readArgs reads an optional free-form value only after `=`, not from the next argument", () => {
  const bare = readArgs(["--ui", "plan.yaml"], FLAGS);
  assertEquals([bare.has("ui"), bare.text("ui"), bare.positionals], [true, "", ["plan.yaml"]]);
  assertEquals(readArgs(["--ui=9000"], FLAGS).text("ui"), "9000");
  assertEquals(readArgs([], FLAGS).has("ui"), false);
});

Deno.test("readArgs reads the next argument as an optional value only if the option lists that value as allowed", () => {
  const table: [string[], shape: string | undefined, checks: string | undefined, string[]][] = [
    [["--shape", "a.log"], "curve", undefined, ["a.log"]],
    [["--shape", "curve", "a.log"], "curve", undefined, ["a.log"]],
    [["a.log", "--shape"], "curve", undefined, ["a.log"]],
    [["--checks", "response", "--shape=curve"], "curve", "response", []],
    [["--checks", "a.har"], undefined, "status", ["a.har"]],
    [["--", "--checks"], undefined, undefined, ["--checks"]],
  ];
  for (const [argv, shape, checks, positionals] of table) {
    const args = readArgs(argv, FLAGS);
    assertEquals([args.text("shape"), args.text("checks")], [shape, checks], argv.join(" "));
    assertEquals(args.positionals, positionals);
  }
  assertThrows(() => readArgs(["--checks=all"], FLAGS), UsageError, "--checks cannot be all");
  for (
    const file of ["2024-01-01.log", "access_log", "curve.log", "./20", "-", "20.gz", "a/20", ""]
  ) {
    assertEquals(readArgs(["--shape", file], FLAGS).positionals, [file]);
    assertEquals(readArgs(["--ui", file], FLAGS).positionals, [file]);
  }
  assertThrows(() => readArgs(["--shape", "--shape"], FLAGS), UsageError, "only once");
});

Deno.test("readArgs treats all arguments after `--` as positional", () => {
  assertEquals(readArgs(["--", "--strict"], FLAGS).positionals, ["--strict"]);
});

async function help(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(args);
  assertEquals([code, stderr], [0, ""]);
  return stdout;
}

Deno.test("the help of each command starts with its usage and examples", async () => {
  for (const { name, examples } of await loadCommands()) {
    const text = await help(name, "--help");
    assertStringIncludes(text.split("\n")[2], `Usage: rehearse ${name}`);
    assert(
      Object.keys(examples).length > 0 && text.indexOf("Examples:") < text.indexOf("Options:"),
      name,
    );
  }
});

Deno.test("--help for a command with many options lists them, and --help all describes them", async () => {
  for (const name of ["convert", "run"]) {
    const [short, whole] = [await help(name, "--help"), await help(name, "--help", "all")];
    assert(short.split("\n").length <= 80, name);
    assertMatch(short, new RegExp(`\n\`rehearse ${name} --help all\` describes all options\\.\n$`));
    assertEquals(await help(name, "-h", "all"), whole);
    assertEquals(await help("help", name, "all"), whole);
    const { flags } = (await loadCommands()).find((command) => command.name === name)!;
    for (const flag of flags) {
      assertMatch(short, new RegExp(`--${flag.name}\\b`));
      assertMatch(whole, new RegExp(`^  (-\\w,|   ) --${flag.name}\\b`, "m"));
    }
  }
  assertEquals(await help("diff", "--help"), await help("diff", "--help", "all"));
});

Deno.test("rehearse --help all describes all options of all commands", async () => {
  const text = await help("--help", "all");
  assertEquals(await help("help", "all"), text);
  for (const name of Object.keys(COMMANDS)) assertStringIncludes(text, `Usage: rehearse ${name}`);
  assertStringIncludes(text, "--max-think DURATION");
});

Deno.test("options require and exclude only options of the same command", async () => {
  for (const { name: command, flags } of await loadCommands()) {
    const names = new Set(flags.map(({ name }) => name));
    for (const { name, with: needed = [], conflicts = {} } of flags) {
      for (const other of [needed, Object.keys(conflicts)].flat()) {
        assert(names.has(other.split("=")[0]), `${command} --${name}: ${other}`);
      }
    }
  }
});

Deno.test("each command's permission set in deno.json contains exactly the permissions that the command always needs", async () => {
  const sets: Readonly<Record<string, object>> = config.permissions;
  for (const command of await loadCommands()) {
    const set = Object.keys(sets[command.name] ?? {});
    const always = permissionsOf({ ...command, needsFor: undefined });
    assertEquals(set.sort(), always.sort(), command.name);
  }
});

Deno.test("a duplicate signal within 250 ms is ignored, but a second Ctrl-C is not", () => {
  let time = 0;
  const calls: number[] = [];
  const act = ignoreCopies(() => calls.push(time), () => time);
  for (const at of [10, 11, 150, 259, 260, 400, 700]) {
    time = at;
    act();
  }
  assertEquals(calls, [10, 260, 700]);
});

Deno.test("process 1 exits on a signal that arrives before the command listens for signals", async () => {
  const signals = new URL("../../../src/cli/system/signals.ts", import.meta.url).href;
  const script = (pid: number) =>
    `import { exitOnEarlySignal, systemInterrupts } from ${JSON.stringify(signals)};
     exitOnEarlySignal(Deno.exit, ${pid});
     if (${pid} === 2) systemInterrupts(() => Deno.exit(7));
     Deno.kill(Deno.pid, "SIGTERM");
     setTimeout(() => {}, 60_000);`;
  const code = async (pid: number, text = script(pid)) => {
    const args = ["eval", "--no-lock", "--ext=ts", text];
    return (await new Deno.Command(Deno.execPath(), { args, stderr: "null" }).output()).code;
  };
  const listening = script(1).replace(
    "Deno.kill",
    "systemInterrupts(() => Deno.exit(7)); Deno.kill",
  );
  assertEquals(await Promise.all([code(1), code(1, listening), code(2)]), [143, 7, 7]);
});

const LOG = '203.0.113.5 - - [21/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 1\n';
const STDIN = new TextEncoder().encode(LOG);

/**
 * Environment variables, and whether a command with these variables colors its output in a pipe.
 */
const COLORED: readonly [env: Record<string, string>, isColored: boolean][] = [
  [{}, false],
  [{ FORCE_COLOR: "1" }, true],
  [{ FORCE_COLOR: "0" }, false],
  [{ CLICOLOR_FORCE: "1" }, true],
  [{ FORCE_COLOR: "1", NO_COLOR: "1" }, true],
  [{ FORCE_COLOR: "0", NO_COLOR: "" }, false],
];

for (const [env, isColored] of COLORED) {
  Deno.test(`a command ${isColored ? "colors" : "does not color"} its output in a pipe with ${JSON.stringify(env)}`, async () => {
    const variables = { FORCE_COLOR: undefined, CLICOLOR_FORCE: undefined, ...env };
    const { stdout, stderr } = await withEnv(variables, () => Promise.resolve(denoIo()));
    assertEquals([stdout.colors, stderr.colors], [isColored, isColored]);
  });
}

Deno.test("convert colors warnings in a pipe with FORCE_COLOR", async () => {
  const options = { stdin: STDIN, env: { FORCE_COLOR: "1" } };
  const { code, stderr } = await runProcess(["--allow-env"], ["convert", "-"], options);
  assertEquals(code, 0);
  assertStringIncludes(stderr, "\x1b[33mwarning[base-url]\x1b[0m defaults");
  assertStringIncludes(stderr, "\x1b[2minfo[average-rate]\x1b[0m scenarios");
});

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
  const { now } = performance;
  // A line about the progress appears after half a second.
  performance.now = () => 0;
  try {
    const { stderr } = await runCli(["convert", "-"], { stdin: LOG, columns: 60, colors: false });
    const words = (text: string) => text.split(/\s+/).filter(Boolean);
    const piped = await runCli(["convert", "-"], { stdin: LOG });
    assertEquals(words(stderr).slice(0, words(piped.stderr).length), words(piped.stderr));
    for (const line of stderr.split("\n")) {
      assertEquals(line.length <= 60 || words(line).length <= 2, true, line);
    }
  } finally {
    performance.now = now;
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
  Deno.test(`printNotes prints thousands of notes as ${format} in order`, () => {
    const { io, texts } = collectErrors();
    printNotes(notes(2_500), format, io);
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
