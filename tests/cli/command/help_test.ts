import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { COMMANDS, loadCommands } from "../../../src/cli/cli.ts";
import { runCli } from "../../support/cli.ts";

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
