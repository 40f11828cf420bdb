import { assertEquals, assertStringIncludes } from "@std/assert";
import type { ListedCommand } from "../../../src/cli/command/command.ts";
import { COMMANDS, loadCommand } from "../../../src/cli/cli.ts";
import { findCandidates } from "../../../src/cli/commands/completions.ts";
import { runCli } from "../../support/cli.ts";

/** Arguments that the shells pass for `rehearse export --warnings=t`, and the result. */
const PASSED: readonly [shell: string, words: readonly string[], line: string][] = [
  ["bash", ["export", "--warnings", "=", "t"], "text\t\n"],
  ["zsh", ["export", "--warnings=t"], "--warnings=text\t\n"],
  ["fish", ["export", "--warnings=t"], "--warnings=text\t\n"],
  ["powershell", ["rehearse export --warnings=t"], "--warnings=text\t\n"],
];

for (const [shell, words, line] of PASSED) {
  Deno.test(`completions ${shell} prints a script, and the words that the script asks for`, async () => {
    const { code, stdout } = await runCli(["completions", shell]);
    assertEquals(code, 0);
    assertStringIncludes(stdout, `rehearse completions ${shell} -- `);
    assertEquals((await runCli(["completions", shell, "--", ...words])).stdout, line);
  });
}

Deno.test("completions offers file names with a line that scripts recognize", async () => {
  assertEquals((await runCli(["completions", "zsh", "--", "run", ""])).stdout, ":files\n");
});

Deno.test("completions rejects an unknown shell", async () => {
  const { code, stderr } = await runCli(["completions", "tcsh"]);
  assertEquals(code, 2);
  assertStringIncludes(stderr, "expected one shell: bash, zsh, fish or powershell");
});

const COMMAND: ListedCommand = {
  name: "shop",
  summary: "Buy",
  usage: "",
  takes: "files",
  first: ["k6"],
  about: [],
  examples: {},
  needs: [],
  flags: [
    { name: "strict", help: "Fail" },
    { name: "out", short: "o", file: "write", help: "Write" },
    { name: "rate", value: "N", conflicts: { only: "omit it" }, help: "Rate" },
    { name: "kind", value: "KIND,...", choices: ["ant", "bee"], help: "Kind" },
    { name: "checks", value: "KIND", bare: "all", choices: ["all", "none"], help: "Checks" },
    { name: "only", value: "KIND", bare: "all", choices: ["all"], help: "Only" },
    { name: "tag", value: "TAG", optional: true, help: "Tag" },
  ],
  run: () => Promise.resolve(0),
};

/** Command lines without `rehearse`, and what may replace their last words. */
const LINES: readonly [line: string, expected: string][] = [
  ["", "shop help"],
  ["sh", "shop"],
  ["help ", "shop"],
  ["other ", ""],
  ["shop ", "k6"],
  ["shop k6 ", "files"],
  ["shop k6 --st", "--strict"],
  ["shop --strict ", "files"],
  ["shop --strict --o", "--out --only"],
  ["shop --strict --st", ""],
  ["shop --rate=3 --o", "--out"],
  ["shop --only --ra", ""],
  ["shop -o ", "files"],
  ["shop --out=x", "files"],
  ["shop --rate ", ""],
  ["shop --kind a", "ant"],
  ["shop --kind ant,b", "ant,bee"],
  ["shop --kind=b", "--kind=bee"],
  ["shop --checks ", "all none files"],
  ["shop --checks=", "--checks=all --checks=none"],
  ["shop --only ", "files"],
  ["shop --tag ", "files"],
  ["shop --tag=", ""],
];

for (const [line, expected] of LINES) {
  Deno.test(`completes \`rehearse ${line}\` with ${expected || "nothing"}`, async () => {
    const commands = { shop: COMMAND };
    const load = () => Promise.resolve(COMMAND);
    const { words, files } = await findCandidates(line.split(" "), commands, load);
    const found = [...words.map(([word]) => word), ...(files ? ["files"] : [])].join(" ");
    assertEquals(found, expected);
  });
}

Deno.test("completes every option of every command, with its description", async () => {
  for (const name of Object.keys(COMMANDS)) {
    const { words } = await findCandidates([name, "--"], COMMANDS, loadCommand);
    const { flags } = await loadCommand(name);
    assertEquals(words.slice(0, -1), flags.map(({ name, help }) => [`--${name}`, help]));
  }
});
