import { z } from "zod";
import {
  atLeastOne,
  atMostOne,
  countOrZero,
  cssSelector,
  duration,
  exactlyOne,
  jsonPathSchema,
  jsonSchema,
  regex,
  templateSchema,
} from "./values.ts";

const name = z.string().optional().describe("what reports call it");

const shapes = {
  status: {
    equals: z.int().optional(),
    one_of: z.array(z.int()).min(1).optional(),
    matches: regex.optional().describe("regular expression, such as `^2`"),
  },
  body_contains: { value: templateSchema, negate: z.boolean().optional() },
  body_matches: { pattern: regex, negate: z.boolean().optional() },
  jsonpath: {
    expression: jsonPathSchema,
    equals: jsonSchema.optional(),
    exists: z.boolean().optional(),
  },
  css: { expression: cssSelector, exists: z.boolean().optional() },
  duration: { max: duration },
  size: {
    min: countOrZero.optional(),
    max: countOrZero.optional(),
    equals: countOrZero.optional(),
  },
  header: {
    header: z.string(),
    equals: templateSchema.optional(),
    contains: templateSchema.optional(),
    exists: z.boolean().optional(),
  },
};

function conditions<Extra extends z.ZodRawShape>(extra: Extra) {
  return z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("status"), name, ...shapes.status, ...extra }).meta(
      exactlyOne("equals", "one_of", "matches"),
    ),
    z.strictObject({ type: z.literal("body_contains"), name, ...shapes.body_contains, ...extra }),
    z.strictObject({ type: z.literal("body_matches"), name, ...shapes.body_matches, ...extra }),
    z.strictObject({ type: z.literal("jsonpath"), name, ...shapes.jsonpath, ...extra }).meta(
      atMostOne("equals", "exists"),
    ),
    z.strictObject({ type: z.literal("css"), name, ...shapes.css, ...extra }),
    z.strictObject({ type: z.literal("duration"), name, ...shapes.duration, ...extra }),
    z.strictObject({ type: z.literal("size"), name, ...shapes.size, ...extra }).meta(
      atLeastOne("min", "max", "equals"),
    ),
    z.strictObject({ type: z.literal("header"), name, ...shapes.header, ...extra }).meta(
      atMostOne("equals", "contains", "exists"),
    ),
  ]);
}

/** Something that is true or false of a response; `checks` record it. */
export const condition = conditions({}).meta({ id: "condition" });

/** A condition that fails the request when it is false. */
export const assertion = conditions({
  on_failure: z.enum(["continue", "abort_iteration", "abort_scenario", "abort_test"]).optional()
    .describe("what else happens (continue)"),
}).meta({ id: "assertion" });

/** A condition over a variable, in `if`, `while` and `retry`. */
export const variableCondition = z.strictObject({
  var: z.string().meta({
    description: "a variable, or whatever else can stand in `${…}`, without the braces",
    kind: "operand",
  }),
  equals: jsonSchema.optional(),
  matches: regex.optional(),
  exists: z.boolean().optional(),
}).meta({ id: "variable_condition", ...exactlyOne("equals", "matches", "exists") });

export const flowCondition = z.union([condition, variableCondition]).meta({ id: "flow_condition" });

export type Condition = z.infer<typeof condition>;
export type Assertion = z.infer<typeof assertion>;
export type VariableCondition = z.infer<typeof variableCondition>;
export type FlowCondition = z.infer<typeof flowCondition>;
