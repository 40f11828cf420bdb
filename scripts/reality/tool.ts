import { join } from "@std/path";
import { runTool } from "./service.ts";

/** The root of this checkout. */
export const ROOT = new URL("../..", import.meta.url).pathname;

/** Runs the tool of this checkout and returns its exit code and output. */
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
 * Returns the short name of the checked-out commit. It ends in `+` if files were changed since that
 * commit.
 */
export async function checkedOutCommit(): Promise<string> {
  const name = await runTool("git", ["describe", "--always", "--dirty=+"], { cwd: ROOT });
  return name.trim();
}
