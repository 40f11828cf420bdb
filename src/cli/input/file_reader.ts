import { InputError } from "../../base/errors.ts";
import { paths } from "../../base/paths.ts";

/** Creates a function that resolves paths relative to the folder of the plan (for `-`: the current directory). */
export function pathResolver(planPath: string): (path: string) => string {
  const folder = planPath === "-" ? "." : paths.dirname(planPath);
  return (path) => paths.resolve(folder, path);
}

/** Creates a function that reads a file at a path relative to the plan's folder. It throws InputError. */
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
