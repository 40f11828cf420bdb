import type { PlanFiles } from "../../plan/files.ts";
import { paths } from "../../base/paths.ts";

/** Number of bytes to read from the start of a file to find its first line. */
const HEAD = 64 * 1024;

/**
 * Creates access to the files that a plan references. Paths are relative to the plan's folder, or
 * to the current directory for a plan from standard input.
 */
export function planFiles(plan: string): PlanFiles {
  const folder = plan === "-" ? "." : paths.dirname(plan);
  const at = (path: string) => paths.resolve(folder, path);
  return {
    exists: (path) => statOrNothing(at(path))?.isFile ?? false,
    firstLine: (path) => statOrNothing(at(path))?.isFile ? firstLine(at(path)) : undefined,
  };
}

function statOrNothing(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch (error) {
    // Rethrown: the command reports the permission flag to add.
    if (error instanceof Deno.errors.NotCapable) throw error;
    return undefined;
  }
}

function firstLine(path: string): string {
  using file = Deno.openSync(path);
  const bytes = new Uint8Array(HEAD);
  const count = file.readSync(bytes) ?? 0;
  return new TextDecoder().decode(bytes.subarray(0, count)).split(/\r?\n/, 1)[0];
}
