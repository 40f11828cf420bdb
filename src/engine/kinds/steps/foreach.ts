import { parseTemplate } from "../../../plan/text/template.ts";
import { constant, type Rendered } from "../../flow/rendered.ts";
import { assignedIndex, type Scope } from "../../flow/scope.ts";
import { compileExpression } from "../../flow/compile_expression.ts";
import { TemplateFault } from "../../vu/flow_end.ts";
import type { Vu } from "../../vu/vu.ts";
import type { StepRuntime, StepValue } from "./step_runtime.ts";

/**
 * `foreach` step: runs its steps once for each item of a list. Does not run them if `items` is a
 * variable that is not set or is not a list.
 */
export const foreach: StepRuntime<"foreach"> = {
  compile({ items, as, steps }, scope, compileSteps) {
    const list = compileItems(items, scope);
    const index = assignedIndex(scope, as);
    const body = compileSteps(steps, scope);
    return async (vu) => {
      for (const item of listOrNone(list, vu)) {
        vu.variables[index] = item;
        await body(vu);
        if (vu.mustYield()) await vu.yieldToOthers();
      }
    };
  },
  conditions: () => [],
  lists: ({ steps }) => [steps],
};

function compileItems(items: StepValue<"foreach">["items"], scope: Scope): Rendered<unknown> {
  if (typeof items !== "string") return constant(items);
  const [expression, ...more] = parseTemplate(items);
  if (more.length > 0 || expression.kind === "text") return constant([]);
  return compileExpression(expression, scope);
}

function listOrNone(items: Rendered<unknown>, vu: Vu): readonly unknown[] {
  try {
    const list = items.render(vu);
    return Array.isArray(list) ? list : [];
  } catch (error) {
    if (error instanceof TemplateFault) return [];
    throw error;
  }
}
