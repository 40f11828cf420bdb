import { join } from "@std/path";
import { runTool } from "./service.ts";

/** The root of this checkout. */
export const ROOT = new URL("../..", import.meta.url).pathname;

/** Runs `rehearse` from this checkout and returns its exit code and output. */
export async function rehearse(
  args: readonly string[],
): Promise<{ code: number; output: string; errors: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--frozen", "-A", join(ROOT, "main.ts"), ...args],
    env: { NO_COLOR: "1" },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, output: text(stdout), errors: text(stderr) };
}

/**
 * Returns the name of the checked-out commit as printed by `git describe`, such as an abbreviated
 * hash. Appends `+` if tracked files have uncommitted changes.
 */
export async function checkedOutCommit(): Promise<string> {
  const name = await runTool("git", ["describe", "--always", "--dirty=+"], { cwd: ROOT });
  return name.trim();
}
