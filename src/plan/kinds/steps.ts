import * as z from "zod";
import { isMap } from "../../base/exact_number.ts";
import { type CheckContext, declareVariable } from "../rules/check_context.ts";
import { checkColumn, checkItems, checkJsonTemplate, checkName } from "../rules/templates.ts";
import {
  exactlyOne,
  kindsOf,
  once,
  type Rule,
  type Unchecked,
  withRule,
} from "../values/schema_walk.ts";
import {
  countOrZero,
  countSchema,
  declareMetric,
  duration,
  jsonSchema,
  metricKeys,
  rate,
  rateOrZero,
  shortDuration,
  tags,
  templateScalar,
  templateSchema,
  thinkTime,
  VARIABLE_NAME,
  variableName,
} from "../values/values.ts";
import { flowCondition } from "./conditions.ts";
import { request } from "./request.ts";
import { close, expect, send, wait, websocket } from "./websocket.ts";

/** Definition of a kind of step in the plan language. `engine/steps` compiles it. */
export interface StepVariant {
  /**
   * Schema of the value under the key that names the kind, such as `request`. `stepLists` uses it
   * to find nested steps.
   */
  readonly schema: z.ZodType;
  /** Description of the kind in the docs and the JSON Schema, in the imperative. */
  readonly description: string;
  /** URL (a template) to which the step connects. Absent if it sends nothing itself. */
  readonly url?: (value: never) => string;
}

const setRule: Rule<Readonly<Record<string, unknown>>> = {
  notation: "map of variable → JSON with templates",
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

const set = {
  schema: withRule(
    z.record(z.string(), jsonSchema).meta({
      description:
        "Values by variable name, evaluated in order; a single `${…}` keeps the type of its result",
      examples: [{ total: "${price * 2}" }],
    }),
    setRule,
  ),
  description: 'Set variables to values, such as `{total: "${price * 2}"}`',
};

const metric = {
  schema: withRule(
    z.strictObject({
      ...metricKeys,
      value: templateScalar.optional().meta({
        description:
          "Value to record: a number, or a condition if the metric is a rate (default: 1)",
        examples: ["${total}"],
      }),
      tags: tags.optional(),
    }),
    { check: declareMetric },
  ),
  description: "Record a value for one of the plan's own metrics",
};

function group<Steps extends z.ZodType>(steps: () => Steps) {
  const schema = z.strictObject({
    name: z.string().regex(
      /^(?!.*::)/s,
      "expected a name without `::`, which separates nested groups",
    )
      .meta({
        description: "Name of the group, which becomes part of the tag `group`",
        examples: ["checkout"],
      }),
    get steps(): Steps {
      return steps();
    },
  });
  const rule: Rule<{ readonly name?: unknown }> = {
    enter: (context, { name }) => void context.groups.push(String(name)),
    check: (context) => void context.groups.pop(),
  };
  return {
    schema: withRule(schema, rule),
    description: "Run steps under a common name",
  };
}

function random<Steps extends z.ZodType>(steps: () => Steps) {
  const choice = z.strictObject({
    weight: rateOrZero.optional().describe("Relative weight of the choice (default: 1)"),
    name: z.string().optional().meta({
      description: "Name of the choice, only for readers of the plan; it has no effect",
      examples: ["buyers"],
    }),
    get steps(): Steps {
      return steps();
    },
  });
  const schema = z.strictObject({
    strategy: z.enum(["weighted", "uniform", "round_robin"]).optional().describe(
      "How to select a choice: at random by `weight` (`weighted`), at random (`uniform`), or in turn " +
        "(`round_robin`) (default: weighted)",
    ),
    choices: z.array(choice).min(1).describe("Lists of steps; one of them runs each time"),
  });
  return {
    schema: withRule(schema, { check: checkWeights }),
    description: "Run one of several lists of steps",
  };
}

function checkWeights(
  context: CheckContext,
  { strategy, choices }: { readonly strategy?: unknown; readonly choices?: unknown },
): void {
  if (!Array.isArray(choices) || strategy !== undefined && strategy !== "weighted") return;
  if (choices.length > 0 && choices.every((choice) => isMap(choice) && choice.weight === 0)) {
    const message = "every weight is 0: expected at least one above 0, or another `strategy`";
    context.report("bad-value", message, { below: ["choices"] });
  }
}

/** Columns that the data source of a `visits` step must have. */
const COLUMNS = ["start", "pause", "request"];

function visits<Steps extends z.ZodType>(steps: () => Steps) {
  const data = withRule(
    z.string().meta({
      description:
        "Data source with one row per request, in the order of the visits. Columns: `start`, set " +
        "only in the first row of a visit; `pause`, the seconds since the previous request; and " +
        "`request`, a name from `requests`. Other columns are for the steps, such as `${data.visits.url}`",
      examples: ["visits"],
    }),
    {
      check(context, source) {
        checkName(context, "data", "data", source, undefined);
        for (const column of COLUMNS) checkColumn(context, source, column, {});
      },
    },
  );
  const request = z.strictObject({
    name: z.string().meta({
      description: "Value of the column `request`",
      examples: ["GET /product"],
    }),
    get steps(): Steps {
      return steps();
    },
  });
  return {
    schema: z.strictObject({
      data,
      mean_requests: rate.optional().meta({
        description: "Mean number of requests in a visit, only for predictions",
        examples: [5.5],
      }),
      max_pause: duration.optional().describe(
        "Maximum pause between two requests (default: no limit)",
      ),
      requests: z.array(request).min(1).describe("Steps for each name of a request"),
    }),
    description:
      "Replay a recorded visit at its recorded intervals: with an open executor, the visit " +
      "at the iteration's position in the schedule, otherwise a random one",
  };
}

function repeat<Steps extends z.ZodType>(steps: () => Steps) {
  return {
    schema: z.strictObject({
      times: countOrZero.meta({ description: "Number of repetitions", examples: [3] }),
      get steps(): Steps {
        return steps();
      },
    }),
    description: "Repeat steps a given number of times",
  };
}

/** Returns a function that renames a key of maps to the name that plans use, such as loadr's. */
function renamed(alias: string, name: string): (value: unknown) => unknown {
  return (value) => {
    if (!isMap(value) || value[alias] === undefined || value[name] !== undefined) return value;
    const { [alias]: given, ...rest } = value;
    return { [name]: given, ...rest };
  };
}

const reference = withRule(templateSchema.meta({}), { check: checkItems });

function foreach<Steps extends z.ZodType>(steps: () => Steps) {
  const schema = z.strictObject({
    items: z.union([z.array(jsonSchema), reference]).meta({
      description: "List, or a single `${…}` whose value is a list",
      examples: [["books", "games"], "${product_ids}"],
    }),
    as: variableName.meta({
      description: "Variable for the current item, used as `${name}`",
      examples: ["product"],
    }),
    get steps(): Steps {
      return steps();
    },
  });
  return {
    schema: withRule(schema, { accept: renamed("var", "as") }),
    description: "Run steps once for each item of a list",
  };
}

function ifStep<Steps extends z.ZodType>(steps: () => Steps) {
  const thenSteps = once(() => steps().describe("Steps to run if the condition is true"));
  const elseSteps = once(() =>
    steps().optional().describe("Steps to run if the condition is false")
  );
  return {
    schema: z.strictObject({
      condition: flowCondition.describe("Condition on the last response or on a variable"),
      get then(): Steps {
        return thenSteps();
      },
      get else(): z.ZodOptional<Steps> {
        return elseSteps();
      },
    }),
    description: "Run steps if a condition is true",
  };
}

function whileStep<Steps extends z.ZodType>(steps: () => Steps) {
  return {
    schema: z.strictObject({
      condition: flowCondition.describe("Condition that is checked before each repetition"),
      max_iterations: countSchema.optional().describe(
        "Maximum number of repetitions (default: 10000)",
      ),
      get steps(): Steps {
        return steps();
      },
    }),
    description: "Repeat steps while a condition is true",
  };
}

function during<Steps extends z.ZodType>(steps: () => Steps) {
  return {
    schema: z.strictObject({
      duration: duration.describe("How long to repeat the steps"),
      get steps(): Steps {
        return steps();
      },
    }),
    description: "Repeat steps for a set duration",
  };
}

function retry<Steps extends z.ZodType>(steps: () => Steps) {
  return {
    schema: withRule(
      z.strictObject({
        attempts: countSchema.meta({ description: "Maximum number of attempts", examples: [3] }),
        backoff: shortDuration("Pause before the next attempt (default: 0)").optional(),
        until: flowCondition.describe(
          "Condition that ends the attempts, checked after each attempt",
        ),
        required: z.boolean().optional().describe(
          "Fail the last request if the condition is still false after the last attempt " +
            "(default: false)",
        ),
        get steps(): Steps {
          return steps();
        },
      }),
      { accept: renamed("times", "attempts"), check: checkRequired },
    ),
    description:
      "Repeat steps until a condition is true, up to `attempts` times; stop early if the last " +
      "request needs an unset variable that further attempts cannot set",
  };
}

/**
 * Reports an error if `required` is true and the last step is not a request, because only a request
 * can fail.
 */
function checkRequired(
  context: CheckContext,
  { required, steps }: Unchecked<{ required?: boolean; steps: unknown }>,
): void {
  if (required !== true || !Array.isArray(steps)) return;
  const last: unknown = steps.at(-1);
  if (typeof last === "object" && last !== null && "request" in last) return;
  context.report("bad-value", "`required` needs a `request` as the last step in `steps`", {
    below: ["required"],
  });
}

function parallel<Steps extends z.ZodType>(steps: () => Steps) {
  const branches = once(() =>
    z.array(steps()).min(1).meta({
      description: "Lists of steps to run in parallel",
      examples: [[[{ request: { url: "/style.css" } }], [{ request: { url: "/logo.svg" } }]]],
    })
  );
  return {
    schema: z.strictObject({
      get branches(): z.ZodArray<Steps> {
        return branches();
      },
      max: countSchema.optional().meta({
        description: "Maximum number of branches that run at the same time (default: all)",
        examples: [6],
      }),
    }),
    description: "Run several lists of steps at the same time",
  };
}

// Steps contain steps. The interfaces make the types recursive, and the function makes the schemas
// recursive.
interface StepList extends Array<Step> {}
interface FlowSchema extends z.ZodType<StepList> {}
const nested = (): FlowSchema => flow;

/** All kinds of steps, by their key in the plan. The docs list them in this order. */
export const STEPS = {
  request,
  think_time: { schema: thinkTime, description: "Pause" },
  set,
  metric,
  group: group(nested),
  random: random(nested),
  visits: visits(nested),
  repeat: repeat(nested),
  foreach: foreach(nested),
  if: ifStep(nested),
  while: whileStep(nested),
  during: during(nested),
  retry: retry(nested),
  parallel: parallel(nested),
  websocket: websocket(nested),
  send,
  expect,
  wait,
  close,
} satisfies Readonly<Record<string, StepVariant>>;

export type StepKind = keyof typeof STEPS;

/** A step: a map with exactly one key, the kind of the step. */
export type Step = { [Kind in StepKind]?: z.infer<(typeof STEPS)[Kind]["schema"]> };

const kinds = kindsOf(STEPS);

const stepSchema = z.strictObject(
  Object.fromEntries(kinds.map((kind) => {
    const { schema, description }: StepVariant = STEPS[kind];
    return [kind, schema.optional().describe(description)];
  })),
).meta({ id: "step" });

export const step = exactlyOne(stepSchema, ...kinds) as z.ZodType as z.ZodType<Step>;

/** The schema of a flow: the steps of one iteration, run in order. */
export const flow: FlowSchema = z.array(step).min(1).describe("Steps, run in order");
