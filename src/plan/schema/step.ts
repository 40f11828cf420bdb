import { z } from "zod";
import { assertion, condition, flowCondition } from "./condition.ts";
import { extractor } from "./extract.ts";
import { body } from "./http.ts";
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
} from "./values.ts";

/** One HTTP request. */
export const request = z.strictObject({
  name: z.string().optional().describe("metric name (`METHOD url`, before interpolation)"),
  method: z.string().regex(/^[A-Z][A-Z0-9_-]*$/, "a method in capitals, such as GET").optional()
    .describe("GET, or POST with a body"),
  url: templateSchema.meta({ description: "absolute, or relative to base_url", kind: "url" }),
  params: z.record(z.string(), z.union([templateScalar, z.array(templateScalar)])).optional()
    .describe("query parameters, added to the URL; a list repeats the name"),
  headers: headers.optional(),
  body: body.optional(),
  timeout: duration.optional(),
  follow_redirects: z.boolean().optional(),
  tags: tags.optional(),
  extract: z.array(extractor).optional(),
  assert: z.array(assertion).optional().describe("fail the request when false"),
  checks: z.array(condition).optional().describe("recorded only"),
}).meta({ id: "request", kind: "request" });

/** A pause: a duration, or a distribution. */
export const thinkTime = z.union([
  duration,
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("constant"), duration }),
    z.strictObject({ type: z.literal("uniform"), min: duration, max: duration }).meta({
      kind: "uniform",
    }),
    z.strictObject({ type: z.literal("gaussian"), mean: duration, std_dev: duration }),
  ]),
]).meta({ id: "think_time" });

// Steps hold steps: each getter's type is written out because TypeScript cannot infer the circle.
const choice = z.strictObject({
  weight: rateOrZero.optional().describe("share of this choice (1)"),
  name: z.string().optional(),
  get steps(): z.ZodArray<typeof step> {
    return steps;
  },
});

const group = z.strictObject({
  name: z.string().regex(/^(?!.*::)/s, "a name without `::`, which separates nested groups"),
  get steps(): z.ZodArray<typeof step> {
    return steps;
  },
});

const random = z.strictObject({
  strategy: z.enum(["weighted", "uniform", "round_robin"]).optional().describe("(weighted)"),
  choices: z.array(choice).min(1),
}).meta({ kind: "random" });

const repeat = z.strictObject({
  times: countOrZero,
  get steps(): z.ZodArray<typeof step> {
    return steps;
  },
});

const foreach = z.strictObject({
  items: z.union([z.array(jsonSchema), templateSchema.meta({ kind: "items" })]).describe(
    "a list, or a variable that holds one",
  ),
  as: variableName.describe("the item, as `${name}`"),
  get steps(): z.ZodArray<typeof step> {
    return steps;
  },
});

const branch = z.strictObject({
  condition: flowCondition,
  get then(): z.ZodArray<typeof step> {
    return steps;
  },
  get else(): z.ZodOptional<z.ZodArray<typeof step>> {
    return steps.optional();
  },
});

const whileLoop = z.strictObject({
  condition: flowCondition,
  max_iterations: countSchema.optional().describe("(10000)"),
  get steps(): z.ZodArray<typeof step> {
    return steps;
  },
});

const during = z.strictObject({
  duration,
  get steps(): z.ZodArray<typeof step> {
    return steps;
  },
});

const retry = z.strictObject({
  attempts: countSchema,
  backoff: duration.optional().describe("pause before the next attempt (0)"),
  until: flowCondition,
  get steps(): z.ZodArray<typeof step> {
    return steps;
  },
});

const parallel = z.strictObject({
  get branches(): z.ZodArray<z.ZodArray<typeof step>> {
    return z.array(steps).min(1);
  },
  max: countSchema.optional().describe("branches at a time (all)"),
});

const KINDS = {
  request: request.optional(),
  think_time: thinkTime.optional().describe("a pause"),
  group: group.optional().describe("steps under one name"),
  random: random.optional().describe("one of several lists of steps"),
  repeat: repeat.optional().describe("steps several times"),
  foreach: foreach.optional().describe("steps for each item of a list"),
  if: branch.optional().describe("steps when a condition holds"),
  while: whileLoop.optional().describe("steps as long as a condition holds"),
  during: during.optional().describe("steps over and over for a time"),
  retry: retry.optional().describe("steps until a condition holds"),
  parallel: parallel.optional().describe("lists of steps at the same time"),
};

/** One step: a map with a single key that names its kind. */
export const step = z.strictObject(KINDS).meta({
  id: "step",
  ...exactlyOne(...Object.keys(KINDS)),
});

const steps = z.array(step).min(1);

/** A flow: what one iteration does, in order. */
export const flow = steps;

export type Request = z.infer<typeof request>;
export type ThinkTime = z.infer<typeof thinkTime>;
export type Step = z.infer<typeof step>;
