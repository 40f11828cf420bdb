import { parseYaml } from "../base/yaml.ts";
import { type CheckOptions, checkPlan } from "./check.ts";
import type { LocatedDiagnostic } from "./diagnostic.ts";
import type { Plan } from "./schema/plan.ts";

/** A plan that can run, perhaps with warnings; or what keeps it from running. */
export type Loaded =
  | { readonly plan: Plan; readonly diagnostics: readonly LocatedDiagnostic[] }
  | { readonly plan: undefined; readonly diagnostics: readonly LocatedDiagnostic[] };

/** Reads and checks a plan. Whatever the text, it gives a plan or diagnostics: it throws nothing. */
// deno-lint-ignore require-await
export async function loadPlan(
  source: string | Uint8Array,
  options: CheckOptions = {},
): Promise<Loaded> {
  const text = typeof source === "string" ? source : new TextDecoder().decode(source);
  const at = { line: 1, column: 1 };
  try {
    const plan = parseYaml(text);
    const diagnostics = checkPlan(plan, options).map((d) => ({ ...d, ...at }));
    const failed = diagnostics.some((d) => d.severity === "error");
    return failed ? { plan: undefined, diagnostics } : { plan: plan as Plan, diagnostics };
  } catch (error) {
    const message = (error as Error).message;
    const syntax = { code: "yaml-syntax", severity: "error", path: [], message, ...at } as const;
    return { plan: undefined, diagnostics: [syntax] };
  }
}
