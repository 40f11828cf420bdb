import { z } from "zod";
import { assertion, condition, flowCondition } from "../conditions/conditions.ts";
import { extractor } from "../extractors/extractors.ts";
import { body } from "../bodies/bodies.ts";
import {
  countOrZero,
  countSchema,
  duration,
  exactlyOne,
  headers,
  jsonSchema,
  rateOrZero,
  tags,
  templateScalar,
  templateSchema,
  variableName,
} from "../../values/values.ts";

/** An HTTP request. */
export const request = z.strictObject({
  name: z.string().optional().describe(
    "Name in metrics and reports (default: `METHOD url`, before interpolation)",
  ),
  method: z.string().regex(/^[A-Z][A-Z0-9_-]*$/, "a method in capitals, such as GET").optional()
    .describe("HTTP method (default: GET, or POST with a body)"),
  url: templateSchema.meta({
    description: "URL, absolute or relative to `defaults.http.base_url`",
    kind: "url",
  }),
  params: z.record(z.string(), z.union([templateScalar, z.array(templateScalar)])).optional()
    .describe("Query parameters to add to the URL; a list repeats the name"),
  headers: headers.optional().describe("Headers, in addition to `defaults.http.headers`"),
  body: body.optional().describe("Body: text, or a map with one kind of content"),
  timeout: duration.optional().describe(
    "Timeout of the whole request (default: `defaults.http.timeout`)",
  ),
  follow_redirects: z.boolean().optional().describe(
    "Follow 3xx responses (default: `defaults.http.follow_redirects`)",
  ),
  tags: tags.optional().describe("Tags to add to this request's samples"),
  extract: z.array(extractor).optional().describe("Variables to extract from the response"),
  assert: z.array(assertion).optional().describe("Conditions; the request fails if one is false"),
  checks: z.array(condition).optional().describe(
    "Conditions that are recorded; they do not fail the request",
  ),
}).meta({ id: "request", kind: "request" });

/** A pause: a fixed duration or a distribution. */
export const thinkTime = z.union([
  duration,
  z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("constant").describe("Always the same pause"),
      duration: duration.describe("Length of the pause"),
    }),
    z.strictObject({
      type: z.literal("uniform").describe("A random pause between `min` and `max`"),
      min: duration.describe("Shortest pause"),
      max: duration.describe("Longest pause"),
    }).meta({ kind: "uniform" }),
    z.strictObject({
      type: z.literal("gaussian").describe("A random pause with a normal distribution"),
      mean: duration.describe("Mean of the distribution; negative pauses count as 0"),
      std_dev: duration.describe("Standard deviation of the distribution"),
    }),
  ]),
]).meta({ id: "think_time" });

// Steps contain steps: getters with explicit types, because TypeScript cannot infer a cycle.
const choice = z.strictObject({
  weight: rateOrZero.optional().describe("Relative weight of the choice (default: 1)"),
  name: z.string().optional().describe("Descriptive name of the choice; does not affect the run"),
  get steps(): z.ZodArray<typeof step> {
    return steps;
  },
});

const group = z.strictObject({
  name: z.string().regex(/^(?!.*::)/s, "a name without `::`, which separates nested groups")
    .describe("Name of the group, part of the tag `group`"),
  get steps(): z.ZodArray<typeof step> {
    return steps;
  },
});

const random = z.strictObject({
  strategy: z.enum(["weighted", "uniform", "round_robin"]).optional().describe(
    "How a choice is selected (default: weighted)",
  ),
  choices: z.array(choice).min(1).describe("Lists of steps, of which one runs"),
}).meta({ kind: "random" });

const repeat = z.strictObject({
  times: countOrZero.describe("Number of repetitions"),
  get steps(): z.ZodArray<typeof step> {
    return steps;
  },
});

const foreach = z.strictObject({
  items: z.union([z.array(jsonSchema), templateSchema.meta({ kind: "items" })]).describe(
    "List, or `${…}` of a variable that contains a list",
  ),
  as: variableName.describe("Variable for the current item, used as `${name}`"),
  get steps(): z.ZodArray<typeof step> {
    return steps;
  },
});

const branch = z.strictObject({
  condition: flowCondition.describe("Condition on the last response or on a variable"),
  get then(): z.ZodArray<typeof step> {
    return thenSteps;
  },
  get else(): z.ZodOptional<z.ZodArray<typeof step>> {
    return elseSteps;
  },
});

const whileLoop = z.strictObject({
  condition: flowCondition.describe("Condition that is checked before each repetition"),
  max_iterations: countSchema.optional().describe("Maximum repetitions (default: 10000)"),
  get steps(): z.ZodArray<typeof step> {
    return steps;
  },
});

const during = z.strictObject({
  duration: duration.describe("Time for which the steps are repeated"),
  get steps(): z.ZodArray<typeof step> {
    return steps;
  },
});

const retry = z.strictObject({
  attempts: countSchema.describe("Maximum number of attempts"),
  backoff: duration.optional().describe("Pause before the next attempt (default: 0)"),
  until: flowCondition.describe("Condition that ends the attempts, checked after each of them"),
  get steps(): z.ZodArray<typeof step> {
    return steps;
  },
});

const parallel = z.strictObject({
  get branches(): z.ZodArray<z.ZodArray<typeof step>> {
    return branches;
  },
  max: countSchema.optional().describe("Maximum branches at a time (default: all)"),
});

const KINDS = {
  request: request.optional().describe("Send an HTTP request"),
  think_time: thinkTime.optional().describe("Pause"),
  group: group.optional().describe("Run steps under a common name"),
  random: random.optional().describe("Run one of several lists of steps"),
  repeat: repeat.optional().describe("Repeat steps a number of times"),
  foreach: foreach.optional().describe("Run steps once for each item of a list"),
  if: branch.optional().describe("Run steps if a condition is true"),
  while: whileLoop.optional().describe("Repeat steps while a condition is true"),
  during: during.optional().describe("Repeat steps for a time"),
  retry: retry.optional().describe("Repeat steps until a condition is true"),
  parallel: parallel.optional().describe("Run several lists of steps at the same time"),
};

/** A step: a map with a single key, the kind of the step. */
export const step = z.strictObject(KINDS).meta({
  id: "step",
  ...exactlyOne(...Object.keys(KINDS)),
});

const steps = z.array(step).min(1).describe("Steps, run in order");
const thenSteps = steps.describe("Steps to run if the condition is true");
const elseSteps = steps.optional().describe("Steps to run if the condition is false");
const branches = z.array(steps).min(1).describe("Lists of steps, each run in parallel");

/** A flow: the steps of one iteration, in order. */
export const flow = steps;

export type Request = z.infer<typeof request>;
export type ThinkTime = z.infer<typeof thinkTime>;
export type Step = z.infer<typeof step>;
export type StepKind = keyof Step;
