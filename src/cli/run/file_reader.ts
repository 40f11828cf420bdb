import { InputError } from "../../base/errors.ts";
import { paths } from "../../base/paths.ts";

/** Says where a file is that a plan names, relative to the plan's own place. */
export function besidePlan(planPath: string): (path: string) => string {
  const folder = planPath === "-" ? "." : paths.dirname(planPath);
  return (path) => paths.resolve(folder, path);
}

/** Reads the files that a plan names, relative to the plan's own place. Throws InputError. */
export function fileReader(planPath: string): (path: string) => Uint8Array {
  const at = besidePlan(planPath);
  return (path) => {
    const place = at(path);
    try {
      return Deno.readFileSync(place);
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) throw error;
      const missing = error instanceof Deno.errors.NotFound;
      const why = missing ? "there is no such file" : (error as Error).message;
      throw new InputError(`could not read ${place}: ${why}`, { source: planPath }, {
        cause: error,
      });
    }
  };
}
