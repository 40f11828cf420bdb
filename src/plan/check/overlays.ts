import { type Diagnostic, formatPath, type Path } from "../rules/diagnostic.ts";
import { withDoubles } from "../doubles.ts";
import { mergeMaps } from "../overlay.ts";
import { isMap } from "../values/schema_walk.ts";
import { inSection } from "../rules/variables.ts";

/** Checks the plan merged with each overlay, and returns the diagnostics that are not in `before`. */
export function checkOverlays(
  plan: Record<string, unknown>,
  before: readonly Diagnostic[],
  check: (merged: unknown) => Diagnostic[],
): Diagnostic[] {
  const known = new Set(before.map(identity));
  return Object.entries(inSection(plan, "env")).flatMap(([name, overlay]) => {
    if (!isMap(overlay)) return [];
    if (Object.hasOwn(overlay, "env")) return [nestedOverlay(name)];
    const found = check(withDoubles(mergeMaps({ ...plan, env: undefined }, overlay)));
    return found.filter((d) => !known.has(identity(d))).map((d) => moved(d, name, overlay));
  });
}

/**
 * Changes the path of a diagnostic of the merged plan to the same value in the overlay, or to the
 * overlay itself if it contains neither the value nor its parent.
 */
function moved(diagnostic: Diagnostic, name: string, overlay: unknown): Diagnostic {
  const { path, message } = diagnostic;
  if (hasPath(overlay, path) || path.length > 1 && hasPath(overlay, path.slice(0, -1))) {
    return { ...diagnostic, path: ["env", name, ...path] };
  }
  const { within: _, atKey: __, ...rest } = diagnostic;
  return {
    ...rest,
    path: ["env", name],
    message: `with this overlay, \`${formatPath(path)}\`: ${message}`,
  };
}

function nestedOverlay(name: string): Diagnostic {
  const message = "an overlay cannot contain overlays";
  return {
    code: "unknown-key",
    severity: "error",
    path: ["env", name, "env"],
    message,
    atKey: true,
  };
}

function identity({ code, path, message }: Diagnostic): string {
  return JSON.stringify([code, path, message]);
}

function hasPath(value: unknown, path: Path): boolean {
  let at = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return false;
    at = (at as Record<string | number, unknown>)[key];
  }
  return true;
}
