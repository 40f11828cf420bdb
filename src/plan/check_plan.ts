import { checkOverlays } from "./check/overlays.ts";
import { describeValue } from "./check/describe_schema.ts";
import { checkShape } from "./check/shape.ts";
import { inSection, reportUses } from "./rules/variables.ts";
import { CheckContext } from "./rules/check_context.ts";
import { MAX_DEPTH, tooDeep } from "./source/depth.ts";
import type { Diagnostic } from "./rules/diagnostic.ts";
import type { PlanFiles } from "./files.ts";
import { isMap } from "./values/schema_walk.ts";
import { plan as planSchema } from "./schema/plan.ts";
import type { SelectorSyntax } from "./selector_syntax.ts";

/** Options of `checkPlan`. */
export interface CheckOptions {
  /** Access to the files that the plan names; without it, files are not checked. */
  readonly files?: PlanFiles;
  /** Parsers of CSS selectors and XPath expressions; without them, their syntax is not checked. */
  readonly selectors?: SelectorSyntax;
}

/**
 * Checks a plan, alone and with each of its overlays merged, and returns all diagnostics. If none of
 * them is an error, `value` is a `Plan`.
 */
export function checkPlan(value: unknown, options: CheckOptions = {}): Diagnostic[] {
  const refused = refuse(value);
  if (refused) return [{ severity: "error", path: [], ...refused }];
  const check = (merged: unknown) => checkMerged(merged, options);
  const before = check(value);
  return [...before, ...checkOverlays(value as Record<string, unknown>, before, check)];
}

/** Returns the diagnostic of a value that cannot be a plan at all; undefined for any other value. */
function refuse(value: unknown): Partial<Diagnostic> & Refusal | undefined {
  if (value === null || value === undefined) {
    return { code: "empty-plan", message: "the plan is empty: expected at least `scenarios`" };
  }
  const hint = "use `rehearse convert` to create a plan from a recording";
  if (!isMap(value)) {
    const message = `expected a map with \`scenarios\`, found ${describeValue(value)}`;
    return { code: "not-a-plan", message, hint };
  }
  if (isMap(value.log) && Array.isArray(value.log.entries)) {
    return { code: "not-a-plan", message: "this is a HAR recording, not a plan", hint };
  }
  const path = tooDeep(value);
  const message = `nested too deeply: expected at most ${MAX_DEPTH} levels`;
  return path && { code: "too-deep", message, path: path.slice(0, 20) };
}

type Refusal = Pick<Diagnostic, "code" | "message">;

function checkMerged(plan: unknown, { files, selectors }: CheckOptions): Diagnostic[] {
  const context = new CheckContext(plan, files, selectors);
  checkShape(context, planSchema, plan);
  reportUses(
    context,
    context.outerUses.map((use) => ({ ...use, early: false })),
    context.everGiven,
  );
  warnAboutBaseUrl(context);
  return context.diagnostics;
}

function warnAboutBaseUrl(context: CheckContext): void {
  const http = (of: unknown) => inSection(inSection(of, "defaults"), "http");
  const overlays = Object.values(inSection(context.plan, "env"));
  if (context.relativeUrls === 0) return;
  if ([context.plan, ...overlays].some((of) => http(of).base_url !== undefined)) return;
  const message = `not set, but the plan has relative URLs (requests: ${context.relativeUrls})`;
  const below = ["defaults", "http", "base_url"];
  context.report("no-base-url", message, {
    below,
    hint: "set it here or in an overlay, or use `run --base-url URL`",
    severity: "warning",
  });
}
