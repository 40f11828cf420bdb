import * as z from "zod";
import { atLeastOne, atMostOne, exactlyOne, extendMap } from "../values/rule.ts";
import { unionOf } from "../values/schema_walk.ts";
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

/**
 * Definition of a kind of response condition in the plan language. `engine/kinds`
 * evaluates it.
 */
interface ConditionVariant {
  /** Schema of the condition in `checks`. Its first key is the literal `type`. */
  readonly schema: z.ZodObject;
}

/** Schema of the `name` key, which all kinds of conditions have. */
const checkName = z.string().optional().meta({
  description: "Name of the condition in reports and messages",
  examples: ["shows the cart"],
});

/**
 * Returns the schema of the `negate` key. `words`, such as "contain the text", completes its
 * description.
 */
function negate(words: string): z.ZodOptional<z.ZodBoolean> {
  return z.boolean().optional().describe(
    `Require that the body does not ${words} (default: false)`,
  );
}

/** Returns the schema of the `exists` key. `what`, such as "a match", completes its description. */
function exists(what: string): z.ZodOptional<z.ZodBoolean> {
  return z.boolean().optional().describe(
    `True if ${what} must be present, false if it must be absent (default: true)`,
  );
}

/**
 * Returns the schemas of the keys that compare a number. `what`, such as "value", is the subject of
 * their descriptions.
 */
export function comparisons(what: string) {
  const number = (words: string, example: number) =>
    exactNumberSchema.optional().meta({
      description: `The ${what} must be ${words}`,
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
export const COMPARISONS = ["gt", "gte", "lt", "lte"] as const;

/** Values of the `gt`, `gte`, `lt` and `lte` keys: the numbers to compare with. */
export type Comparisons = z.infer<z.ZodObject<ReturnType<typeof comparisons>>>;

const countRange = atLeastOne(
  z.strictObject(comparisons("number of matches")).meta({ id: "count_range" }),
  ...COMPARISONS,
);

/**
 * Returns the schema of the `count` key: a required number of matches, or a range. `what` is the
 * word that the description uses for the matches.
 */
function count(what: string) {
  return z.union([countOrZero, countRange]).optional().meta({
    description: `Required number of ${what}: a number, or a range such as \`{gte: 2}\``,
    examples: [1, { gte: 2 }],
  });
}

/** The required number of matches: a number, or a range such as `{gte: 2}`. */
export type Count = NonNullable<z.infer<ReturnType<typeof count>>>;

/** All kinds of conditions on a response, by `type`. The docs list them in this order. */
const CONDITIONS = {
  status: {
    schema: exactlyOne(
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
  },
  body_contains: {
    schema: atMostOne(
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
  },
  body_matches: {
    schema: atMostOne(
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
  },
  jsonpath: {
    schema: atMostOne(
      z.strictObject({
        type: z.literal("jsonpath").describe("Checks a value in a JSON body"),
        name: checkName,
        expression: jsonPathSchema,
        equals: jsonSchema.optional().meta({
          description: "JSON value that the first match must equal",
          examples: ["paid", 3],
        }),
        exists: exists("a match"),
        ...comparisons("first match (a number or numeric text)"),
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
  },
  css: {
    schema: atMostOne(
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
  },
  xpath: {
    schema: atMostOne(
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
  },
  duration: {
    schema: z.strictObject({
      type: z.literal("duration").describe("Checks the duration of the request"),
      name: checkName,
      max: duration.describe("Maximum duration of the request (`http_req_duration`)"),
    }),
  },
  size: {
    schema: atLeastOne(
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
  },
  header: {
    schema: atMostOne(
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
        ...comparisons("header value"),
      }),
      "equals",
      "contains",
      "matches",
      "exists",
    ),
  },
} satisfies Readonly<Record<string, ConditionVariant>>;

export type ConditionKind = keyof typeof CONDITIONS;

/** The schema of a condition on a response. In `checks`, its result is only recorded. */
export const condition = unionOf("type", CONDITIONS).meta({ id: "condition" });

/** The schema of a condition on a WebSocket message. The message is tested like a response body. */
export const messageCondition = z.discriminatedUnion("type", [
  CONDITIONS.jsonpath.schema,
  CONDITIONS.body_contains.schema,
  CONDITIONS.body_matches.schema,
  CONDITIONS.size.schema,
]).meta({ id: "message_condition" });

/**
 * The schema of a condition on a server-sent event. The data of the event is tested like a response
 * body.
 */
export const eventCondition = z.discriminatedUnion("type", [
  CONDITIONS.jsonpath.schema,
  CONDITIONS.body_contains.schema,
  CONDITIONS.body_matches.schema,
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

/** A condition on a response. */
export type Condition = z.infer<typeof condition>;
/** A condition in `assert`. The request fails if the condition is false. */
export type Assertion = Condition & z.infer<z.ZodObject<typeof onFailure>>;
