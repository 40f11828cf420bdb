import { assertEquals, assertRejects } from "@std/assert";
import { UsageError } from "../../../src/base/errors.ts";
import { readArgs } from "../../../src/cli/command/args.ts";
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
