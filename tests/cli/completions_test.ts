import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../../src/cli/commands.ts";
import { runCli } from "../support/cli.ts";

for (const shell of ["bash", "zsh", "fish"]) {
  Deno.test(`${shell} completions know every command and option`, async () => {
    const { code, stdout } = await runCli(["completions", shell]);
    assertEquals(code, 0);
    for (const load of Object.values(COMMANDS)) {
      const { name, flags } = await load();
      assertStringIncludes(stdout, name);
      for (const flag of flags) {
        assertStringIncludes(stdout, shell === "fish" ? `-l ${flag.name}` : `--${flag.name}`);
      }
    }
  });
}

Deno.test("bash reads its completions without an error and completes a command", async () => {
  const { stdout } = await runCli(["completions", "bash"]);
  const script = `${stdout}
COMP_WORDS=(rehearse conv); COMP_CWORD=1; _rehearse; echo "\${COMPREPLY[@]}"
COMP_WORDS=(rehearse convert --from ""); COMP_CWORD=3; _rehearse; echo "\${COMPREPLY[@]}"`;
  const bash = new Deno.Command("bash", { args: ["-euc", script] });
  const { success, stdout: words, stderr } = await bash.output();
  assert(success, new TextDecoder().decode(stderr));
  assertEquals(new TextDecoder().decode(words), "convert\naccesslog har\n");
});

Deno.test("an unknown shell is a usage error", async () => {
  const { code, stderr } = await runCli(["completions", "tcsh"]);
  assertEquals(code, 2);
  assertStringIncludes(stderr, "expected one shell: bash, zsh or fish");
});
