import { assertEquals, assertStringIncludes } from "@std/assert";
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
