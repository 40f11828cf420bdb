import * as z from "zod";
import { checkJsonTemplate } from "../../rules/templates.ts";
import { declareVariable } from "../../rules/variable_uses.ts";
import { type Rule, withRule } from "../../values/rule.ts";
import { jsonSchema, VARIABLE_NAME } from "../../values/values.ts";
import type { StepVariant } from "./step.ts";

const rule: Rule<Readonly<Record<string, unknown>>> = {
  notation: "map of variable → any JSON, with `${…}` in strings and names",
  check(context, values): void {
    for (const [name, value] of Object.entries(values)) {
      context.at(name, () => {
        checkJsonTemplate(context, value);
        if (VARIABLE_NAME.test(name)) return declareVariable(context, name);
        context.report("bad-name", `${JSON.stringify(name)} is not a variable name`, {
          atKey: true,
          hint: "use letters, digits and `_`, and do not start with a digit",
        });
      });
    }
  },
};

export const set = {
  schema: withRule(
    z.record(z.string(), jsonSchema).meta({
      description:
        "Values by variable name, evaluated in order; a single `${…}` keeps the type of its result",
      examples: [{ total: "${price * 2}" }],
    }),
    rule,
  ),
  description: 'Set variables to values, such as `{total: "${price * 2}"}`',
  url: undefined,
} satisfies StepVariant;
