import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { ListedCommand } from "../../../src/cli/command/command.ts";
import { SHELLS } from "../../../src/cli/command/shell_completions.ts";

const COMMAND: ListedCommand = {
  name: "shop",
  summary: "Buy what's ‘new’",
  usage: "",
  takes: "files",
  first: ["k6"],
  about: [],
  examples: [],
  needs: [],
  flags: [
    { name: "strict", help: "Fail" },
    { name: "out", short: "o", file: "write", help: "Write" },
    { name: "rate", value: "N", help: "Rate" },
    { name: "kind", value: "KIND,...", choices: ["a", "b"], help: "Kind" },
    { name: "checks", value: "KIND", bare: "all", choices: ["all", "none"], help: "Checks" },
    { name: "only", value: "KIND", bare: "all", choices: ["all"], help: "Only" },
    { name: "tag", value: "TAG", optional: true, help: "Tag" },
  ],
  run: () => Promise.resolve(0),
};

Deno.test("the PowerShell completions list what each option and argument accepts", () => {
  const script = SHELLS.powershell([COMMAND]);
  const options = script.match(/^ {8}@\{ (.*) \}$/gm)!.map((line) => line.trim());
  assertEquals(options, [
    "@{ Name = '--strict'; Help = 'Fail' }",
    "@{ Name = '--out'; Short = '-o'; Help = 'Write'; Offers = @{ Kind = 'files' } }",
    "@{ Name = '--rate'; Help = 'Rate'; Offers = @{ Kind = 'nothing' } }",
    "@{ Name = '--kind'; Help = 'Kind'; Offers = @{ Kind = 'list'; Words = @('a', 'b') } }",
    "@{ Name = '--checks'; Help = 'Checks'; Offers = @{ Kind = 'words'; Words = @('all', 'none'); OrFiles = $true } }",
    "@{ Name = '--only'; Help = 'Only' }",
    "@{ Name = '--tag'; Help = 'Tag' }",
    "@{ Name = '--help'; Short = '-h'; Help = 'Show this help; `--help all` describes all options' }",
  ]);
  assertStringIncludes(script, "First = @{ Kind = 'words'; Words = @('k6') }");
  assertStringIncludes(script, "      Offers = @{ Kind = 'files' }\n");
});

Deno.test("the PowerShell completions double all characters that PowerShell reads as single quotes", () => {
  assertStringIncludes(SHELLS.powershell([COMMAND]), "Help = 'Buy what''s ‘‘new’’'; First");
});

Deno.test("the PowerShell completions use no key that is also a property of a PowerShell hashtable", () => {
  const keys = SHELLS.powershell([COMMAND]).match(/\b\w+(?= = (?:'|@|\$null|\$true))/g)!;
  const properties = ["Count", "Keys", "Values", "IsReadOnly", "IsFixedSize", "SyncRoot"];
  assert(keys.length > 0);
  assertEquals(keys.filter((key) => properties.includes(key)), []);
});
