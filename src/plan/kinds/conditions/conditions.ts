import * as z from "zod";
import { extendMap } from "../../values/rule.ts";
import { unionOf } from "../../values/schema_walk.ts";
import { bodyContains } from "./body_contains.ts";
import { bodyMatches } from "./body_matches.ts";
import { combined, expressionCondition } from "./combined.ts";
import type { ConditionVariant } from "./condition.ts";
import { css } from "./css_condition.ts";
import { duration } from "./duration.ts";
import { header } from "./header_condition.ts";
import { jsonpath } from "./jsonpath_condition.ts";
import { size } from "./size.ts";
import { status } from "./status.ts";
import { type VariableCondition, variableCondition } from "./variable.ts";
import { xpath } from "./xpath_condition.ts";

/** All kinds of conditions on a response, by `type`. The docs list them in this order. */
export const CONDITIONS = {
  status,
  body_contains: bodyContains,
  body_matches: bodyMatches,
  jsonpath,
  css,
  xpath,
  duration,
  size,
  header,
} satisfies Readonly<Record<string, ConditionVariant>>;

export type ConditionKind = keyof typeof CONDITIONS;

/** The schema of a condition on a response. In `checks`, its result is only recorded. */
export const condition = unionOf("type", CONDITIONS).meta({ id: "condition" });

/** The schema of a condition on a WebSocket message. The message is tested like a response body. */
export const messageCondition = z.discriminatedUnion("type", [
  jsonpath.schema,
  bodyContains.schema,
  bodyMatches.schema,
  size.schema,
]).meta({ id: "message_condition" });

/**
 * The schema of a condition on a server-sent event. The data of the event is tested like a response
 * body.
 */
export const eventCondition = z.discriminatedUnion("type", [
  jsonpath.schema,
  bodyContains.schema,
  bodyMatches.schema,
]).meta({ id: "event_condition" });

const onFailure = {
  on_failure: z.enum(["continue", "abort_iteration", "abort_scenario", "abort_test"]).optional()
    .describe(
      "What to do when the assertion fails, in addition to failing the request (default: continue)",
    ),
};

const [firstAssertion, ...otherAssertions] = Object.values(CONDITIONS)
  .map(({ schema }) => extendMap(schema, onFailure));

/** The schema of a condition in `assert`. The request fails if the condition is false. */
export const assertion = z.discriminatedUnion("type", [firstAssertion, ...otherAssertions])
  .meta({ id: "assertion" }) as z.ZodType as z.ZodType<Assertion>;

interface FlowConditionSchema extends z.ZodType<FlowCondition> {}

/**
 * The schema of a condition in `if`, `while` and `retry`. It tests the last response or variables.
 */
export const flowCondition: FlowConditionSchema = z.union([
  condition,
  variableCondition,
  expressionCondition,
  combined(() => flowCondition),
]).meta({ id: "flow_condition" });

/** A condition on a response. */
export type Condition = z.infer<typeof condition>;
/** A condition in `assert`. The request fails if the condition is false. */
export type Assertion = Condition & z.infer<z.ZodObject<typeof onFailure>>;
/** A condition that combines other conditions. Exactly one key is set. */
export interface CombinedCondition {
  and?: FlowCondition[];
  or?: FlowCondition[];
  not?: FlowCondition;
}

/**
 * A condition in `if`, `while` or `retry`: a condition on the last response or on a variable, an
 * expression, or a combination of conditions.
 */
export type FlowCondition = Condition | VariableCondition | CombinedCondition | string;
