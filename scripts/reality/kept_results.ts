import { join } from "@std/path";
import type { Application } from "./application.ts";
import type { Measured } from "./measure.ts";
import type { PlanKind } from "./plan_kinds.ts";

/** Writes a result to `folder`, next to its plan. */
export function keepResult(folder: string, result: Measured): void {
  Deno.writeTextFileSync(
    resultFile(folder, result.application, result.kind),
    JSON.stringify(result),
  );
}

/** Reads the results of an application from `folder`, in the order of `kinds`. */
export function keptResults(
  folder: string,
  { name }: Application,
  kinds: readonly PlanKind[],
): Measured[] {
  return kinds.flatMap((kind) => {
    try {
      return [JSON.parse(Deno.readTextFileSync(resultFile(folder, name, kind.name)))];
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
  });
}

function resultFile(folder: string, application: string, kind: string): string {
  return join(folder, `${application}.${kind}.json`);
}
