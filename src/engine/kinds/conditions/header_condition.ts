import { constant, type Rendered } from "../../flow/rendered.ts";
import type { Scope } from "../../flow/scope.ts";
import { compileTemplate } from "../../flow/compile_template.ts";
import { READS_HEADERS } from "../../../extract/response_view.ts";
import { compileComparison } from "./comparison.ts";
import type { ConditionRuntime } from "./condition_runtime.ts";

/** `header` condition: tests the value of a response header, or whether the header is present. */
export const header: ConditionRuntime<"header"> = {
  reads: READS_HEADERS,
  compile(condition, scope) {
    const name = condition.header.toLowerCase();
    const { exists } = condition;
    const compare = compileComparison(condition);
    const equals = compileOptional(condition.equals, scope);
    const contains = compileOptional(condition.contains, scope);
    const pattern = condition.matches === undefined ? undefined : new RegExp(condition.matches);
    return (vu) => {
      const value = vu.received.header(name);
      if (value === undefined) return exists === false;
      return exists !== false && value === (equals.render(vu) ?? value) &&
        value.includes(contains.render(vu) ?? "") && (pattern?.test(value) ?? true) &&
        (compare?.(value) ?? true);
    };
  },
};

function compileOptional(template: string | undefined, scope: Scope): Rendered<string | undefined> {
  return template === undefined ? constant(undefined) : compileTemplate(template, scope);
}
