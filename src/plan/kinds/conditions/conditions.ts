import { z } from "zod";
import { extendMap } from "../../values/rule.ts";
import { unionOf } from "../../values/variants.ts";
import { bodyContains } from "./body_contains.ts";
import { bodyMatches } from "./body_matches.ts";
import type { ConditionVariant } from "./condition.ts";
import { css } from "./css.ts";
import { duration } from "./duration.ts";
import { header } from "./header.ts";
import { jsonpath } from "./jsonpath.ts";
import { size } from "./size.ts";
import { status } from "./status.ts";
import { variableCondition } from "./variable.ts";

/** The kinds of conditions on a response, by `type`, in the order of the docs. */
export const CONDITIONS = {
  status,
  body_contains: bodyContains,
  body_matches: bodyMatches,
  jsonpath,
  css,
  duration,
  size,
  header,
} satisfies Readonly<Record<string, ConditionVariant>>;

export type ConditionKind = keyof typeof CONDITIONS;

/** A condition on a response. `checks` record whether it is true. */
export const condition = unionOf("type", CONDITIONS).meta({ id: "condition" });

const onFailure = {
  on_failure: z.enum(["continue", "abort_iteration", "abort_scenario", "abort_test"]).optional()
    .describe("What ends in addition when the assertion fails (default: continue)"),
};

const [firstAssertion, ...otherAssertions] = Object.values(CONDITIONS)
  .map(({ schema }) => extendMap(schema, onFailure));

/** A condition on a response. The request fails if the condition is false. */
export const assertion = z.discriminatedUnion("type", [firstAssertion, ...otherAssertions])
  .meta({ id: "assertion" }) as z.ZodType as z.ZodType<Assertion>;

/** A condition on the last response or on a variable, in `if`, `while` and `retry`. */
export const flowCondition = z.union([condition, variableCondition]).meta({ id: "flow_condition" });

export type Condition = z.infer<typeof condition>;
export type Assertion = Condition & z.infer<z.ZodObject<typeof onFailure>>;
export type FlowCondition = z.infer<typeof flowCondition>;
