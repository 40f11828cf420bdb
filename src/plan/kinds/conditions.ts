import * as z from "zod";
import type { CheckContext } from "../rules/check_context.ts";
import { checkCondition, checkOperand } from "../rules/templates.ts";
import {
  atLeastOne,
  atMostOne,
  exactlyOne,
  extendMap,
  once,
  unionOf,
  withRule,
} from "../values/schema_walk.ts";
import {
  countOrZero,
  cssSelector,
  duration,
  exactNumberSchema,
  jsonPathSchema,
  jsonSchema,
  regex,
  templateSchema,
  xpath,
} from "../values/values.ts";

/** Schema of the `name` key, which all kinds of conditions have. */
const checkName = z.string().optional().meta({
  description: "Name of the condition in reports and messages",
  examples: ["shows the cart"],
});

/** `words`, such as "contain the text", completes the description. */
function negate(words: string): z.ZodOptional<z.ZodBoolean> {
  return z.boolean().optional().describe(
    `Require that the body does not ${words} (default: false)`,
  );
}

/** Returns the schema of the `exists` key. `what`, such as "a match", completes its description. */
function exists(what: string): z.ZodOptional<z.ZodBoolean> {
  return z.boolean().optional().describe(
    `Whether ${what} must be present (true) or absent (false) (default: true)`,
  );
}

function comparisons() {
  const number = (words: string, example: number) =>
    exactNumberSchema.optional().meta({
      description: `Must be ${words}`,
      examples: [example],
    });
  return {
    gt: number("greater than this number", 0),
    gte: number("at least this number", 1),
    lt: number("less than this number", 100),
    lte: number("at most this number", 99),
  };
}

/** Keys of a condition that compare a number with a limit. */
const COMPARISONS = ["gt", "gte", "lt", "lte"] as const;

/** Values of the `gt`, `gte`, `lt` and `lte` keys: the numbers to compare with. */
export type Comparisons = z.infer<z.ZodObject<ReturnType<typeof comparisons>>>;

const countRange = atLeastOne(
  z.strictObject(comparisons()).meta({ id: "count_range" }),
  ...COMPARISONS,
);

function count(what: string) {
  return z.union([countOrZero, countRange]).optional().meta({
    description: `Required number of ${what}, or a range such as \`{gte: 2}\``,
    examples: [1, { gte: 2 }],
  });
}

/** The required number of matches: a number, or a range such as `{gte: 2}`. */
export type Count = NonNullable<z.infer<ReturnType<typeof count>>>;

/** All kinds of conditions on a response, by `type`. The docs list them in this order. */
const CONDITIONS = {
  status: exactlyOne(
    z.strictObject({
      type: z.literal("status").describe("Checks the status code"),
      name: checkName,
      equals: z.int().optional().meta({ description: "Expected status code", examples: [201] }),
      one_of: z.array(z.int()).min(1).optional().meta({
        description: "Accepted status codes",
        examples: [[200, 304]],
      }),
      matches: regex.optional().describe(
        "Regular expression that the status code must match, such as `^2`",
      ),
    }),
    "equals",
    "one_of",
    "matches",
  ),
  body_contains: atMostOne(
    z.strictObject({
      type: z.literal("body_contains").describe(
        "Checks whether the body contains the given text",
      ),
      name: checkName,
      value: templateSchema.meta({ description: "Text to search for", examples: ["Thank you"] }),
      negate: negate("contain the text"),
      count: count("occurrences"),
    }),
    "negate",
    "count",
  ),
  body_matches: atMostOne(
    z.strictObject({
      type: z.literal("body_matches").describe(
        "Checks whether the body matches a regular expression",
      ),
      name: checkName,
      pattern: regex.meta({
        description: "Regular expression to match against the body",
        examples: ["order [0-9]+"],
      }),
      negate: negate("match the expression"),
      count: count("matches"),
    }),
    "negate",
    "count",
  ),
  jsonpath: atMostOne(
    z.strictObject({
      type: z.literal("jsonpath").describe(
        "Checks the first match in a JSON body; text that is a number can be compared",
      ),
      name: checkName,
      expression: jsonPathSchema,
      equals: jsonSchema.optional().meta({
        description: "JSON value that the first match must equal",
        examples: ["paid", 3],
      }),
      exists: exists("a match"),
      ...comparisons(),
      matches: regex.optional().meta({
        description: "Regular expression that the first match must match",
        examples: ["^[0-9]+$"],
      }),
      count: count("matches"),
    }),
    "equals",
    "exists",
    "count",
  ),
  css: atMostOne(
    z.strictObject({
      type: z.literal("css").describe("Checks whether an HTML body contains an element"),
      name: checkName,
      expression: cssSelector.meta({
        description: "CSS selector of the element",
        examples: ["input[name=csrf]"],
      }),
      exists: exists("a matching element"),
      count: count("elements"),
    }),
    "exists",
    "count",
  ),
  xpath: atMostOne(
    z.strictObject({
      type: z.literal("xpath").describe("Checks whether an XPath expression selects a node"),
      name: checkName,
      expression: xpath.meta({
        description: "XPath 1.0 expression that selects the node",
        examples: ["//order/@id"],
      }),
      exists: exists("a matching node"),
      count: count("nodes"),
    }),
    "exists",
    "count",
  ),
  duration: z.strictObject({
    type: z.literal("duration").describe("Checks the duration of the request"),
    name: checkName,
    max: duration.describe("Maximum duration of the request (`http_req_duration`)"),
  }),
  size: atLeastOne(
    z.strictObject({
      type: z.literal("size").describe("Checks the size of the body"),
      name: checkName,
      min: countOrZero.optional().meta({
        description: "Minimum size of the body in bytes, before decompression",
        examples: [1],
      }),
      max: countOrZero.optional().meta({
        description: "Maximum size of the body in bytes, before decompression",
        examples: [100000],
      }),
      equals: countOrZero.optional().meta({
        description: "Exact size of the body in bytes, before decompression",
        examples: [2],
      }),
    }),
    "min",
    "max",
    "equals",
  ),
  header: atMostOne(
    z.strictObject({
      type: z.literal("header").describe("Checks a response header"),
      name: checkName,
      header: z.string().meta({
        description: "Name of the response header",
        examples: ["X-Request-Id"],
      }),
      equals: templateSchema.optional().meta({
        description: "Expected value of the header",
        examples: ["application/json"],
      }),
      contains: templateSchema.optional().meta({
        description: "Text that the header value must contain",
        examples: ["json"],
      }),
      matches: regex.optional().meta({
        description: "Regular expression that the header value must match",
        examples: ["^application/(.+[+])?json"],
      }),
      exists: exists("the header"),
      ...comparisons(),
    }),
    "equals",
    "contains",
    "matches",
    "exists",
  ),
} satisfies Readonly<Record<string, z.ZodObject>>;

export type ConditionKind = keyof typeof CONDITIONS;

/** The schema of a condition on a response. In `checks`, its result is only recorded. */
export const condition = unionOf("type", CONDITIONS).meta({ id: "condition" });

/** The schema of a condition on a WebSocket message. The message is tested like a response body. */
export const messageCondition = z.discriminatedUnion("type", [
  CONDITIONS.jsonpath,
  CONDITIONS.body_contains,
  CONDITIONS.body_matches,
  CONDITIONS.size,
]).meta({ id: "message_condition" });

/** The data of the event is tested like a response body. */
export const eventCondition = z.discriminatedUnion("type", [
  CONDITIONS.jsonpath,
  CONDITIONS.body_contains,
  CONDITIONS.body_matches,
]).meta({ id: "event_condition" });

const onFailure = {
  on_failure: z.enum(["continue", "abort_iteration", "abort_scenario", "abort_test"]).optional()
    .describe(
      "What to do when the assertion fails, in addition to failing the request (default: continue)",
    ),
};

const [firstAssertion, ...otherAssertions] = Object.values(CONDITIONS)
  .map((schema) => extendMap(schema, onFailure));

/** The schema of a condition in `assert`. The request fails if the condition is false. */
export const assertion = z.discriminatedUnion("type", [firstAssertion, ...otherAssertions])
  .meta({ id: "assertion" }) as z.ZodType as z.ZodType<Assertion>;

/** A condition on a response. */
export type Condition = z.infer<typeof condition>;
/** A condition in `assert`. The request fails if the condition is false. */
export type Assertion = Condition & z.infer<z.ZodObject<typeof onFailure>>;

const expressionCondition = withRule(
  z.string().describe(
    "Expression, as it would be written inside `${…}`, such as `total > 10 and not done`",
  ).meta({
    id: "expression",
  }),
  { notation: "expression", check: checkCondition },
);

const TESTS = ["equals", "matches", "exists"] as const;

/** The schema of a condition on a variable, in `if`, `while` and `retry`. */
const variableCondition = withRule(
  atMostOne(
    z.strictObject({
      var: withRule(
        z.string().meta({
          description: "Variable or expression, as it would be written inside `${…}`",
          examples: ["total", "total > 10"],
        }),
        { check: checkOperand },
      ),
      equals: jsonSchema.optional().meta({ description: "Expected value", examples: ["paid", 3] }),
      matches: regex.optional().meta({
        description: "Regular expression that the value must match",
        examples: ["^[0-9]+$"],
      }),
      exists: z.boolean().optional().describe(
        "Whether the variable must be set (true) or unset (false)",
      ),
      ...comparisons(),
    }).meta({ id: "variable_condition" }),
    ...TESTS,
  ),
  { check: requireTest },
);

export type VariableCondition = z.infer<typeof variableCondition>;

function requireTest(context: CheckContext, condition: Readonly<Record<string, unknown>>): void {
  const keys = [...TESTS, ...COMPARISONS];
  if (keys.some((key) => condition[key] !== undefined)) return;
  if (Object.keys(condition).some((key) => key !== "var")) return; // an unknown key, already reported
  context.report("missing-key", `expected at least one of ${keys.join(", ")}, found none`);
}

interface FlowConditionSchema extends z.ZodType<FlowCondition> {}

/** Tests the last response or variables, in `if`, `while` and `retry`. */
export const flowCondition: FlowConditionSchema = z.union([
  condition,
  variableCondition,
  expressionCondition,
  combined(() => flowCondition),
]).meta({ id: "flow_condition" });

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

function combined<Conditions extends z.ZodType>(one: () => Conditions) {
  const many = () => z.array(one()).min(1).optional();
  const [all, any] = [
    once(() => many().describe("Conditions that must all be true")),
    once(() => many().describe("Conditions, at least one of which must be true")),
  ];
  const none = once(() => one().optional().describe("Condition that must be false"));
  return exactlyOne(
    z.strictObject({
      get and(): ReturnType<typeof many> {
        return all();
      },
      get or(): ReturnType<typeof many> {
        return any();
      },
      get not(): z.ZodOptional<Conditions> {
        return none();
      },
    }).meta({ id: "combined_condition" }),
    "and",
    "or",
    "not",
  );
}
