import { dirname, resolve } from "@std/path";
import { InputError } from "../../base/errors.ts";

/** Reads the files that a plan names, relative to the plan's own place. They throw InputError. */
export function fileReader(planPath: string): (path: string) => Uint8Array {
  const folder = planPath === "-" ? "." : dirname(planPath);
  return (path) => {
    const place = resolve(folder, path);
    try {
      return Deno.readFileSync(place);
    } catch (error) {
      throw new InputError(`could not read ${place}: ${whyNot(error, place)}`, {
        source: planPath,
      }, { cause: error });
    }
  };
}

function whyNot(error: unknown, place: string): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file";
  if (error instanceof Deno.errors.NotCapable) {
    return `permission is missing; add --allow-read=${place} to deno run`;
  }
  return error instanceof Error
    ? error.message.replace(/ \(os error \d+\).*$/s, "")
    : String(error);
}
