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
} from "../../values/values.ts";

const name = z.string().optional().describe("Name of the check in reports");

const shapes = {
  status: {
    equals: z.int().optional().describe("Expected status code"),
    one_of: z.array(z.int()).min(1).optional().describe("Accepted status codes"),
    matches: regex.optional().describe(
      "Regular expression that the status code matches, such as `^2`",
    ),
  },
  body_contains: {
    value: templateSchema.describe("Text that the body contains"),
    negate: negate("contain"),
  },
  body_matches: {
    pattern: regex.describe("Regular expression that the body matches"),
    negate: negate("match"),
  },
  jsonpath: {
    expression: jsonPathSchema,
    equals: jsonSchema.optional().describe("Expected JSON value of the first match"),
    exists: exists("a match"),
  },
  css: {
    expression: cssSelector.describe("CSS selector of the element"),
    exists: exists("a matching element"),
  },
  duration: { max: duration.describe("Maximum duration of the request (`http_req_duration`)") },
  size: {
    min: countOrZero.optional().describe("Minimum size of the body in bytes, before decompression"),
    max: countOrZero.optional().describe("Maximum size of the body in bytes, before decompression"),
    equals: countOrZero.optional().describe(
      "Exact size of the body in bytes, before decompression",
    ),
  },
  header: {
    header: z.string().describe("Name of the response header"),
    equals: templateSchema.optional().describe("Expected value of the header"),
    contains: templateSchema.optional().describe("Text that the header value must contain"),
    exists: exists("the header"),
  },
};

function negate(verb: string) {
  return z.boolean().optional().describe(
    `Require that the body does not ${verb} it (default: false)`,
  );
}

function exists(what: string) {
  return z.boolean().optional().describe(
    `Whether ${what} must be present (true) or absent (false) (default: true)`,
  );
}

function conditions<Extra extends z.ZodRawShape>(extra: Extra) {
  return z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("status").describe("Checks the status code"),
      name,
      ...shapes.status,
      ...extra,
    }).meta(
      exactlyOne("equals", "one_of", "matches"),
    ),
    z.strictObject({
      type: z.literal("body_contains").describe("Checks for a text in the body"),
      name,
      ...shapes.body_contains,
      ...extra,
    }),
    z.strictObject({
      type: z.literal("body_matches").describe("Checks the body with a regular expression"),
      name,
      ...shapes.body_matches,
      ...extra,
    }),
    z.strictObject({
      type: z.literal("jsonpath").describe("Checks a value in a JSON body"),
      name,
      ...shapes.jsonpath,
      ...extra,
    }).meta(
      atMostOne("equals", "exists"),
    ),
    z.strictObject({
      type: z.literal("css").describe("Checks for an element in an HTML body"),
      name,
      ...shapes.css,
      ...extra,
    }),
    z.strictObject({
      type: z.literal("duration").describe("Checks the duration of the request"),
      name,
      ...shapes.duration,
      ...extra,
    }),
    z.strictObject({
      type: z.literal("size").describe("Checks the size of the body"),
      name,
      ...shapes.size,
      ...extra,
    }).meta(
      atLeastOne("min", "max", "equals"),
    ),
    z.strictObject({
      type: z.literal("header").describe("Checks a response header"),
      name,
      ...shapes.header,
      ...extra,
    }).meta(
      atMostOne("equals", "contains", "exists"),
    ),
  ]);
}

/** A condition on a response. `checks` record whether it is true. */
export const condition = conditions({}).meta({ id: "condition" });

/** A condition on a response. The request fails if the condition is false. */
export const assertion = conditions({
  on_failure: z.enum(["continue", "abort_iteration", "abort_scenario", "abort_test"]).optional()
    .describe("What ends in addition when the assertion fails (default: continue)"),
}).meta({ id: "assertion" });

/** A condition on a variable, in `if`, `while` and `retry`. */
export const variableCondition = z.strictObject({
  var: z.string().meta({
    description: "Variable or other reference, as in `${…}` but without the braces",
    kind: "operand",
  }),
  equals: jsonSchema.optional().describe("Expected value"),
  matches: regex.optional().describe("Regular expression that the value matches"),
  exists: z.boolean().optional().describe(
    "Whether the variable must be set (true) or unset (false)",
  ),
}).meta({ id: "variable_condition", ...exactlyOne("equals", "matches", "exists") });

/** A condition on the last response or on a variable, in `if`, `while` and `retry`. */
export const flowCondition = z.union([condition, variableCondition]).meta({ id: "flow_condition" });

export type Condition = z.infer<typeof condition>;
export type Assertion = z.infer<typeof assertion>;
export type VariableCondition = z.infer<typeof variableCondition>;
export type FlowCondition = z.infer<typeof flowCondition>;
export type ConditionKind = Condition["type"];
