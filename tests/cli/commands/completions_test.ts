import { assertEquals, assertStringIncludes } from "@std/assert";
import { loadCommands } from "../../../src/cli/commands.ts";
import { runCli } from "../../support/cli.ts";

for (const shell of ["bash", "zsh", "fish", "powershell"]) {
  Deno.test(`the ${shell} completions contain every command and option`, async () => {
    const { code, stdout } = await runCli(["completions", shell]);
    assertEquals(code, 0);
    for (const { name, summary, flags } of await loadCommands()) {
      assertStringIncludes(stdout, name);
      if (shell !== "bash") assertStringIncludes(stdout, summary.split("'")[0]);
      for (const flag of flags) {
        assertStringIncludes(stdout, shell === "fish" ? `-l ${flag.name}` : `--${flag.name}`);
      }
    }
  });
}

Deno.test("completions rejects an unknown shell", async () => {
  const { code, stderr } = await runCli(["completions", "tcsh"]);
  assertEquals(code, 2);
  assertStringIncludes(stderr, "expected one shell: bash, zsh, fish or powershell");
});
