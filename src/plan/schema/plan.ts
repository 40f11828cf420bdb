import * as z from "zod";
import { isMap } from "../../base/exact_number.ts";
import { didYouMean } from "../../base/nearest.ts";
import { scenario } from "../kinds/executors.ts";
import { output } from "../kinds/outputs.ts";
import { flow } from "../kinds/steps.ts";
import {
  duration,
  exactNumberSchema,
  filePath,
  jsonSchema,
  tags,
  thinkTime,
} from "../values/values.ts";
import { checkColumn, checkStartTemplate } from "../rules/templates.ts";
import { type CheckContext, endFlow, startFlow } from "../rules/check_context.ts";
import { checkThresholds } from "../rules/thresholds.ts";
import { httpDefaults } from "../values/http.ts";
import { type Choice, choiceOf, type Unchecked, withRule } from "../values/schema_walk.ts";
import { DURATION_PATTERN } from "../../base/format.ts";
import { PLAN_SCHEMA_URL } from "../../base/release.ts";

const common = {
  mode: z.enum(["shared", "per_vu"]).optional().describe(
    "`shared`: one cursor for all VUs; `per_vu`: a separate cursor for each VU (default: shared)",
  ),
  pick: z.enum(["sequential", "random", "shuffle", "weighted"]).optional().describe(
    "Order of the rows: `sequential`; `shuffle`, each row once in a random order; `random`, a random " +
      "row each time; `weighted`, the same by `weight_column` (default: sequential)",
  ),
  weight_column: z.string().optional().meta({
    description: "Column with the weight of each row; required with `pick: weighted`",
    examples: ["weight"],
  }),
  on_eof: z.enum(["recycle", "stop"]).optional().describe(
    "What to do after the last row, with `pick: sequential` or `shuffle`: start again (`recycle`) " +
      "or end the scenario (`stop`); with `mode: per_vu`, `stop` ends only the VU (default: recycle)",
  ),
};

const sources = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("csv").describe("Rows from a CSV file"),
    path: filePath.meta({ description: "CSV file, relative to the plan", examples: ["users.csv"] }),
    delimiter: z.string().length(1).optional().meta({
      description: "Field delimiter (default: `,`)",
      examples: [";"],
    }),
    encoding: z.enum(["utf-8", "latin1", "utf-16"]).optional().describe(
      "Encoding of the file; `latin1` is Windows-1252 (default: utf-8)",
    ),
    has_header: z.boolean().optional().describe(
      "Whether the first line contains the column names; otherwise, columns are named 0, 1, … " +
        "(default: true)",
    ),
    ...common,
  }),
  z.strictObject({
    type: z.literal("json").describe("Objects from a JSON file"),
    path: filePath.meta({
      description: "JSON file with a list of objects, relative to the plan",
      examples: ["users.json"],
    }),
    ...common,
  }),
  z.strictObject({
    type: z.literal("inline").describe("Rows in the plan itself"),
    rows: z.array(z.record(z.string(), jsonSchema)).min(1).meta({
      description: "Rows, each a map from column names to values",
      examples: [[{ name: "ada" }, { name: "bob" }]],
    }),
    ...common,
  }),
]);

/** A data source, as written in the plan. */
export type Feeder = z.infer<typeof sources>;

/**
 * The schema of a data source. Each iteration uses one row, whose columns are available as
 * `${data.SOURCE.COLUMN}`.
 */
const feeder = withRule(sources, { check: checkFeeder });

function checkFeeder(context: CheckContext, feeder: Unchecked<Feeder>): void {
  const { weight_column: column, pick } = feeder;
  if (pick === "weighted" && column === undefined) {
    const message = 'missing key "weight_column": `pick: weighted` requires it';
    return context.report("missing-key", message, { below: ["weight_column"] });
  }
  if (typeof column !== "string") return;
  const below = ["weight_column"];
  if (pick !== "weighted") {
    const message = "`weight_column` has no effect without `pick: weighted`";
    const hint = "add `pick: weighted`, or remove `weight_column`";
    context.report("no-effect", message, { below, hint, severity: "warning" });
  }
  checkColumn(context, String(context.path.at(-1)), column, { below });
}

const secret = z.union([
  z.strictObject({
    env: z.string().meta({
      description: "Environment variable that contains the secret",
      examples: ["SHOP_PASSWORD"],
    }),
  }),
  z.strictObject({
    file: filePath.meta({
      description: "File that contains the secret, relative to the plan",
      examples: ["secrets/password.txt"],
    }),
  }),
]);

/** The schema of a value in `variables`. The value is evaluated once, at the start of the run. */
const startValue = z.union([
  withRule(z.string().describe("Text with `${env.NAME}`"), {
    notation: "text with `${env.NAME}`",
    check: checkStartTemplate,
  }),
  exactNumberSchema,
  z.boolean(),
]);

/** The schema of a threshold: an expression in k6 syntax, by itself or with options. */
const threshold = z.union([
  z.string(),
  z.strictObject({
    threshold: z.string().describe("Expression, such as `p(95)<400`"),
    abort_on_fail: z.boolean().optional().describe(
      "End the run as soon as the threshold fails (default: false)",
    ),
    delay_abort_eval: duration.optional().describe(
      "Time at the start of the run during which the threshold cannot end the run (default: 0)",
    ),
    optional: z.boolean().optional().describe(
      "Pass if the selector matches no sample (default: false)",
    ),
  }),
]);

/**
 * The schema of the expressions for one metric. In the tool loadr, a single expression is text, and
 * `slo(99%)` is a percentile.
 */
const thresholdList = withRule(z.array(threshold).min(1), {
  accept(list) {
    const items = typeof list === "string" ? [list] : list;
    return !Array.isArray(items)
      ? items
      : items.map((item) =>
        isMap(item) ? { ...item, threshold: asPercentile(item.threshold) } : asPercentile(item)
      );
  },
});

function asPercentile(threshold: unknown): unknown {
  if (typeof threshold !== "string") return threshold;
  return threshold.replace(/^\s*slo\(\s*(\d+(?:\.\d+)?)\s*%?\s*\)/, "p($1)");
}

/** The types, the checks, the JSON Schema and the plan reference derive from it. */
export const plan = z.strictObject({
  name: z.string().optional().meta({
    description: "Name of the plan in reports",
    examples: ["checkout"],
  }),
  description: z.string().optional().meta({
    description: "Description of the plan",
    examples: ["Weekday traffic from the shop's access log"],
  }),
  defaults: z.strictObject({
    http: httpDefaults.optional().describe("Defaults for every request"),
    tags: tags.optional().meta({
      description: "Tags to add to every sample of the plan",
      examples: [{ team: "shop" }],
    }),
    think_time: thinkTime.optional().describe("Pause between the requests of every flow"),
  }).optional().describe("Defaults for every scenario"),
  env: z.record(z.string(), z.record(z.string(), jsonSchema)).optional()
    .meta({
      description: "Overlays by name; `run -e NAME` merges the overlay `NAME` into the plan",
      examples: [{ staging: { defaults: { http: { base_url: "https://staging.example" } } } }],
    }),
  variables: z.record(z.string(), startValue).optional().meta({
    description: "Values to use as `${vars.NAME}`, evaluated once at the start",
    examples: [{ region: "eu", limit: 20 }],
  }),
  secrets: z.record(z.string(), secret).optional().meta({
    description: "Secrets to use as `${secrets.NAME}`; they are never shown",
    examples: [{ PASSWORD: { env: "SHOP_PASSWORD" } }],
  }),
  data: z.record(z.string(), feeder).optional().meta({
    description: "Data sources to use as `${data.SOURCE.COLUMN}`; each iteration uses one row",
    examples: [{ users: { type: "csv", path: "users.csv" } }],
  }),
  setup: withRule(
    flow.describe(
      "Steps that run once before the load, without metrics. Scenarios can use their variables as " +
        "`${setup.NAME}`. The run ends if a step fails",
    ),
    {
      enter: startFlow,
      check(context): void {
        for (const name of context.given.keys()) context.setupGiven.add(name);
        endFlow(context);
      },
    },
  ).optional(),
  teardown: withRule(
    flow.describe(
      "Steps that run once after the load, without metrics, unless the run is aborted. The run fails " +
        "if a step fails",
    ),
    { enter: startFlow, check: endFlow },
  ).optional(),
  scenarios: withRule(
    z.record(z.string(), scenario).meta({
      description:
        "Scenarios by name, at least one; they run at the same time unless they have `after`",
      examples: [{
        main: {
          executor: "constant-vus",
          vus: 10,
          duration: "5m",
          flow: [{ request: { url: "/" } }],
        },
      }],
    }),
    { check: checkScenarios },
  ),
  thresholds: withRule(
    z.record(z.string(), thresholdList).meta({
      description: "Pass/fail criteria by metric, such as `http_req_duration` or " +
        "`http_req_duration{name:login}`",
      examples: [{
        http_req_duration: ["p(95)<400"],
        "http_req_failed{name:login}": ["rate<0.01"],
      }],
    }),
    { check: checkThresholds },
  ).optional(),
  recorded: z.strictObject({
    left_out: z.array(z.int().min(1)).min(1).optional().meta({
      description: "Numbers of the HAR entries that the plan does not send on purpose, from 1",
      examples: [[7, 12]],
    }),
  }).optional().describe(
    "What the plan takes from its recording; `verify` uses it, and a run ignores it",
  ),
  calibration: z.strictObject({
    constants: z.array(z.string()).min(1).optional().meta({
      description:
        "Values that the plan sends as recorded, because live responses contained the same values",
      examples: [["4711"]],
    }),
  }).optional().describe(
    "What `calibrate` observed; `verify` uses it, and a run ignores it",
  ),
  outputs: z.array(output).optional().meta({
    description: "Where samples and metrics are sent during the run",
    examples: [[{ type: "prometheus", listen: "127.0.0.1:9464" }]],
  }),
});

/** A plan as written in YAML: durations, templates and thresholds are not parsed yet. */
export type Plan = z.infer<typeof plan>;
/** A threshold: an expression, or a map with an expression and options. */
export type Threshold = z.infer<typeof threshold>;

function checkScenarios(context: CheckContext, scenarios: Record<string, unknown>): void {
  if (Object.keys(scenarios).length === 0) {
    context.report("no-scenarios", "the plan has no scenarios: expected at least one");
  }
  checkSequence(context, scenarios);
}

function checkSequence(context: CheckContext, scenarios: Record<string, unknown>): void {
  const names = Object.keys(scenarios);
  for (const name of names) {
    const chain = [name];
    for (let next = afterIn(scenarios, name); next !== undefined;) {
      const below = [name, "after"];
      if (!names.includes(next)) {
        if (chain.length > 1) break; // Reported for the scenario that names it.
        const hint = didYouMean(next, names);
        context.report("bad-value", `the plan has no scenario ${JSON.stringify(next)}`, {
          below,
          hint: hint || undefined,
        });
        break;
      }
      if (chain.includes(next)) {
        if (next !== name) break; // Reported for the scenarios of the cycle.
        const cycle = [...chain, next].map((one) => JSON.stringify(one)).join(" after ");
        context.report("bad-value", `scenarios cannot wait for each other: ${cycle}`, { below });
        break;
      }
      chain.push(next);
      next = afterIn(scenarios, next);
    }
  }
}

function afterIn(scenarios: Record<string, unknown>, name: string): string | undefined {
  const scenario = scenarios[name];
  if (!isMap(scenario)) return undefined;
  return typeof scenario.after === "string" ? scenario.after : undefined;
}

/** A JSON Schema as a JavaScript object. */
type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * Draft 2020-12: each key with type, described default and example, and which keys exclude or
 * require each other.
 */
export function planJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(plan, {
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      const choice = choiceOf(zodSchema);
      if (choice) Object.assign(jsonSchema, required(choice));
      if (jsonSchema.id === "duration") {
        Object.assign(jsonSchema, { pattern: DURATION_PATTERN, minimum: 0 });
      }
      Object.assign(jsonSchema, stated(jsonSchema));
      delete jsonSchema.id;
    },
  });
  return { $id: PLAN_SCHEMA_URL, ...schema, title: "A plan for rehearse" };
}

function stated(schema: JsonSchema): JsonSchema {
  const { description = "", type, enum: names = [], examples } = schema;
  const [, value] = /\(default: ([^()`]+)\)/.exec(description) ?? [];
  const [, example] = /such as `([^`]+)`/.exec(description) ?? [];
  const isDuration = schema.$ref?.endsWith("/duration") === true;
  const isDefault = value !== undefined &&
    (isDuration
      ? DURATION.test(value)
      : type === "boolean"
      ? /^(?:true|false)$/.test(value)
      : type === "integer" || type === "number"
      ? /^\d+$/.test(value)
      : names.includes(value));
  const isText = type === "string" || isDuration && !/^\d+$/.test(value);
  return {
    ...(isDefault && { default: isText ? value : JSON.parse(value) }),
    ...(examples === undefined && example !== undefined && type === "string" &&
      names.length === 0 && { examples: [example] }),
  };
}

const DURATION = new RegExp(DURATION_PATTERN);

function required({ from, least, most }: Choice): JsonSchema {
  const each = from.map((key) => ({ required: [key] }));
  if (least === 1) return most === 1 ? { oneOf: each } : { anyOf: each };
  return { oneOf: [...each, { not: { anyOf: each } }] };
}
