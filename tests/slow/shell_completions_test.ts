import { assert, assertEquals } from "@std/assert";
import { runCli } from "../support/cli.ts";
import { completeInZsh } from "../support/zsh_completions.ts";
import { CliFolder } from "../support/cli_folder.ts";

/** Command lines, and the expected completions of their last words. */
const LINES: readonly [line: readonly string[], words: readonly string[]][] = [
  [["conv"], ["convert"]],
  [["convert", "--from", ""], ["accesslog", "har"]],
  [["convert", "--correlate", "j"], ["json"]],
  [["convert", "--log-format", "ng"], ["nginx-json"]],
  [["run", ""], ["my plan.yaml", "summary.json"]],
  [["run", "my"], ["my plan.yaml"]],
  [["run", "--html", "s"], ["summary.json"]],
  [["run", "--scenario", ""], []],
  [["run", "--base-url", ""], []],
  [["completions", ""], ["bash", "fish", "powershell", "zsh"]],
  [["export", ""], ["k6"]],
  [["export", "k6", "my"], ["my plan.yaml"]],
  [["help", "sc"], ["schema"]],
  [["demo", ""], []],
  [["convert", "--think-time", "my"], ["my plan.yaml"]],
  [["convert", "--checks", ""], ["my plan.yaml", "response", "status", "summary.json"]],
  [["convert", "--top", ""], ["all"]],
  [["convert", "-o", "my"], ["my plan.yaml"]],
];

for (
  const [shell, complete] of [["bash", inBash], ["zsh", inZsh], ["fish", inFish]] as const
) {
  const isInstalled = await exists(shell);
  if (!isInstalled) console.log(`skipped: completions for ${shell}, which is not installed`);
  Deno.test({
    name: `the ${shell} completions complete commands, options, values and arguments`,
    ignore: !isInstalled,
    fn: () =>
      inFolder(async (folder) => {
        const { stdout: script } = await runCli(["completions", shell]);
        for (const [line, words] of LINES) {
          assertEquals((await complete(script, line, folder)).sort(), words, line.join(" "));
        }
      }),
  });
}

for (const shell of ["bash", "zsh"] as const) {
  Deno.test({
    name: `the ${shell} completions complete a value after an equals sign`,
    ignore: !await exists(shell),
    fn: () =>
      inFolder(async (folder) => {
        const { stdout: script } = await runCli(["completions", shell]);
        const words = shell === "bash" ? ["convert", "--from", "=", "h"] : ["convert", "--from=h"];
        const found = await (shell === "bash" ? inBash : inZsh)(script, words, folder);
        assertEquals(found, [shell === "bash" ? "har" : "--from=har"]);
      }),
  });
}

Deno.test({
  name: "zsh inserts a file name with a space as one word",
  ignore: !await exists("zsh"),
  fn: () =>
    inFolder(async (folder) => {
      const { stdout: script } = await runCli(["completions", "zsh"]);
      const { line } = await completeInZsh(script, "rehearse run my", folder, SEARCHED);
      assertEquals(line, "rehearse run my\\ plan.yaml ");
    }),
});

/** `PATH` with a folder that contains `rehearse`, which the scripts call. */
const SEARCHED = await pathWithRehearse();

async function pathWithRehearse(): Promise<string> {
  const folder = await Deno.makeTempDir();
  addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  const main = new URL("../../main.ts", import.meta.url).pathname;
  const program = `#!/bin/sh\nexec "${Deno.execPath()}" run -A --no-check "${main}" "$@"\n`;
  await Deno.writeTextFile(`${folder}/rehearse`, program, { mode: 0o755 });
  return `${folder}:${Deno.env.get("PATH")}`;
}

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  using folder = new CliFolder();
  for (const file of ["my plan.yaml", "summary.json"]) folder.write(file, "");
  await use(folder.path);
}

async function inZsh(script: string, line: readonly string[], cwd: string): Promise<string[]> {
  const { matches } = await completeInZsh(script, ["rehearse", ...line].join(" "), cwd, SEARCHED);
  return matches.map((match) => match.replaceAll("\\ ", " "));
}

async function inBash(script: string, line: readonly string[], cwd: string): Promise<string[]> {
  const words = ["rehearse", ...line].map((word) => `'${word}'`).join(" ");
  return await output("bash", [
    "-euc",
    `${script}
COMP_WORDS=(${words}); COMP_CWORD=${line.length}; _rehearse
for word in \${COMPREPLY[@]+"\${COMPREPLY[@]}"}; do echo "$word"; done`,
  ], cwd);
}

async function inFish(script: string, line: readonly string[], cwd: string): Promise<string[]> {
  const typed = ["rehearse", ...line].join(" ");
  const words = await output("fish", ["-c", `${script}\ncomplete -C'${typed}'`], cwd);
  return words.map((word) => word.split("\t")[0].replaceAll("\\ ", " "));
}

async function output(program: string, args: string[], cwd: string): Promise<string[]> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args,
    cwd,
    env: { PATH: SEARCHED },
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "");
}

async function exists(program: string): Promise<boolean> {
  try {
    await new Deno.Command(program, { args: ["--version"] }).output();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
