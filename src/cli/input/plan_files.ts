import { InputError } from "../../base/errors.ts";
import { paths } from "../../base/paths.ts";
import type { PlanFiles } from "../../plan/rules/check_context.ts";

/** Number of bytes to read from the start of a file to find its first line. */
const HEAD = 64 * 1024;

/**
 * Creates a function that resolves a path relative to the folder of a plan. For a plan on standard
 * input (`-`), that is the current directory.
 */
export function pathResolver(planPath: string): (path: string) => string {
  const folder = planPath === "-" ? "." : paths.dirname(planPath);
  return (path) => paths.resolve(folder, path);
}

/**
 * Creates a function that reads a file, whose path is relative to the folder of a plan. The
 * function throws InputError.
 */
export function fileReader(planPath: string): (path: string) => Uint8Array {
  const resolve = pathResolver(planPath);
  return (path) => {
    const file = resolve(path);
    try {
      return Deno.readFileSync(file);
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) throw error;
      const missing = error instanceof Deno.errors.NotFound;
      const why = missing ? "the file does not exist" : (error as Error).message;
      throw new InputError(`cannot read ${file}: ${why}`, { source: planPath }, {
        cause: error,
      });
    }
  };
}

/**
 * Creates access for `loadPlan` to the files that a plan names. Paths are relative to the folder of
 * the plan, or to the current directory if `plan` is `-`.
 */
export function planFiles(plan: string): PlanFiles {
  const at = pathResolver(plan);
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
