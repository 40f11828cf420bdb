import { checkOverlays } from "./check/overlays.ts";
import { describeValue } from "./check/describe_schema.ts";
import { checkShape } from "./check/shape.ts";
import { inSection, reportUses } from "./check/variables.ts";
import { CheckContext } from "./check/check_context.ts";
import { MAX_DEPTH, tooDeep } from "./depth.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { PlanFiles } from "./files.ts";
import { isMap } from "./schema/branch.ts";
import { plan as planSchema } from "./schema/plan.ts";
import type { SelectorSyntax } from "./selector_syntax.ts";

/** How a plan is checked. */
export interface CheckOptions {
  /** The files that the plan names are looked at through this; without it they are not. */
  readonly files?: PlanFiles;
  /** The syntax of CSS selectors and XPath is checked with this; without it it is not. */
  readonly selectors?: SelectorSyntax;
}

/**
 * Everything wrong with a plan, its overlays merged included. When there is no error among it, the
 * value is a `Plan`.
 */
export function checkPlan(value: unknown, options: CheckOptions = {}): Diagnostic[] {
  const refused = refuse(value);
  if (refused) return [{ severity: "error", path: [], ...refused }];
  const check = (merged: unknown) => checkMerged(merged, options);
  const before = check(value);
  return [...before, ...checkOverlays(value as Record<string, unknown>, before, check)];
}

/** What is wrong with a value of which nothing can be said but that it is no plan. */
function refuse(value: unknown): Partial<Diagnostic> & Words | undefined {
  if (value === null || value === undefined) {
    return { code: "empty-plan", message: "the plan is empty: expected at least `scenarios`" };
  }
  const hint = "`convert` makes a plan of a recording";
  if (!isMap(value)) {
    const message = `expected a map with \`scenarios\`, found ${describeValue(value)}`;
    return { code: "not-a-plan", message, hint };
  }
  if (isMap(value.log) && Array.isArray(value.log.entries)) {
    return { code: "not-a-plan", message: "this is a HAR recording, not a plan", hint };
  }
  const path = tooDeep(value);
  const message = `nested too deep: expected at most ${MAX_DEPTH} levels`;
  return path && { code: "too-deep", message, path: path.slice(0, 20) };
}

type Words = Pick<Diagnostic, "code" | "message">;

function checkMerged(plan: unknown, { files, selectors }: CheckOptions): Diagnostic[] {
  const walk = new CheckContext(plan, files, selectors);
  checkShape(walk, planSchema, plan);
  reportUses(walk, walk.outerUses.map((use) => ({ ...use, early: false })), walk.everGiven);
  warnOfNoBaseUrl(walk);
  return walk.diagnostics;
}

function warnOfNoBaseUrl(walk: CheckContext): void {
  const http = (of: unknown) => inSection(inSection(of, "defaults"), "http");
  const overlays = Object.values(inSection(walk.plan, "env"));
  if (walk.relativeUrls === 0) return;
  if ([walk.plan, ...overlays].some((of) => http(of).base_url !== undefined)) return;
  const message = `not set, and the plan has relative URLs (requests: ${walk.relativeUrls})`;
  const below = ["defaults", "http", "base_url"];
  walk.report("no-base-url", message, {
    below,
    hint: "set it before the plan is run",
    severity: "warning",
  });
}
