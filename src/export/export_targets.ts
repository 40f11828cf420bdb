import { isAbsolute, join, relative } from "@std/path";
import { UsageError } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import { safeSnippet } from "../base/safe_text.ts";
import { kindsOf } from "../plan/values/schema_walk.ts";
import { exportK6 } from "./k6/export_k6.ts";
import type { ExportTarget } from "./target/export_target.ts";

/** All tools to which plans can be exported, by their name on the command line. */
const EXPORT_TARGETS = {
  k6: {
    title: "k6",
    extension: "js",
    runCommand: (path, needsBaseUrl) => [
      ...["k6", "run"],
      ...needsBaseUrl ? ["-e", "BASE_URL=http://127.0.0.1:8080"] : [],
      path,
    ],
    exportPlan: exportK6,
  },
} as const satisfies Readonly<Record<string, ExportTarget>>;

/** Names of all tools to which plans can be exported. */
export const EXPORT_TARGET_NAMES: readonly string[] = kindsOf(EXPORT_TARGETS);

/** Returns the tool with this name. Throws UsageError if no tool has this name. */
export function findTarget(name: string | undefined): ExportTarget {
  const known = kindsOf(EXPORT_TARGETS).find((known) => known === name);
  if (known !== undefined) return EXPORT_TARGETS[known];
  const expected = `expected one of ${EXPORT_TARGET_NAMES.join(", ")}`;
  if (name === undefined) {
    throw new UsageError(`no target: ${expected}, as in \`rehearse export k6 plan.yaml\``);
  }
  const hint = didYouMean(name, EXPORT_TARGET_NAMES);
  throw new UsageError(
    `cannot export to ${safeSnippet(name)}: ${expected}${hint && `; ${hint}`}`,
  );
}

/**
 * Returns the path of a file that the plan uses, relative to the output folder and with forward
 * slashes. Returns an absolute path unchanged.
 */
export function relativePath(planFolder: string, file: string, outputFolder: string): string {
  if (isAbsolute(file)) return file;
  const path = relative(outputFolder, join(planFolder, file)).replaceAll("\\", "/");
  return path.startsWith(".") ? path : `./${path}`;
}
