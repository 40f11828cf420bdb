import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../src/base/errors.ts";
import { readArgs } from "../../../src/cli/command/args.ts";
import type { Flag } from "../../../src/cli/command/command.ts";

const FLAGS: Flag[] = [
  { name: "output", short: "o", file: "write", similar: ["outfile"], help: "" },
  { name: "from", value: "KIND", choices: ["accesslog", "har"], help: "" },
  { name: "var", value: "K=V", repeats: true, help: "" },
  { name: "strict", help: "" },
  { name: "ui", value: "ADDR", optional: true, help: "" },
  { name: "shape", value: "curve", bare: "curve", choices: ["curve"], help: "" },
  { name: "checks", value: "LEVEL", bare: "status", choices: ["status", "response"], help: "" },
];

Deno.test("readArgs separates options, switches and positional arguments", () => {
  const args = readArgs(
    ["a.log", "-o", "-", "--strict", "1e3", "--var", "a=1", "--var=b=2"],
    FLAGS,
  );
  assertEquals(args.positionals, ["a.log", "1e3"]);
  assertEquals(args.text("output"), "-");
  assertEquals(readArgs(["--output", "-", "b"], FLAGS).text("output"), "-");
  assertEquals(args.has("strict"), true);
  assertEquals(args.has("from"), false);
  assertEquals(args.all("var"), ["a=1", "b=2"]);
});

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
  const rejected: [string[], string][] = [
    [
      ["a.log", "--shape", "20"],
      "--shape cannot be 20: expected curve or no value; for a file with " +
      "this name, write `./20`",
    ],
    [["--shape", "20/s"], "--shape cannot be 20/s"],
    [["--shape", "1.5x"], "--shape cannot be 1.5x"],
    [["--shape", "curv"], 'write `./curv`; did you mean "curve"?'],
    [
      ["--checks", "respones", "a.har"],
      "--checks cannot be respones: expected one of status, response",
    ],
    [["--ui", "9000"], "--ui takes its value after an equals sign: write `--ui=9000`"],
    [["--ui", "localhost:9000"], "write `--ui=localhost:9000`"],
  ];
  for (const [argv, message] of rejected) {
    assertThrows(() => readArgs(argv, FLAGS), UsageError, message);
  }
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

Deno.test("readArgs throws an error that explains how to fix an invalid command line", () => {
  const table: [string[], string][] = [
    [["--outptu", "x"], 'unknown option --outptu: did you mean "--output"?'],
    [["--outfile=x"], 'unknown option --outfile=x: did you mean "--output"?'],
    [["-z"], "unknown option -z"],
    [["-o"], "--output needs a value: write `--output FILE`"],
    [["-o", "--strict"], "--output needs a value: write `--output FILE`"],
    [["-o", "a", "-o", "b"], "--output was given 2 times, but is allowed only once"],
    [
      ["--from", "hr"],
      '--from cannot be hr: expected one of accesslog, har; did you mean "har"?',
    ],
    [["--\x1b[31m"], "unknown option --\\x1b[31m"],
  ];
  for (const [argv, message] of table) {
    assertEquals(assertThrows(() => readArgs(argv, FLAGS), UsageError).message, message);
  }
});
