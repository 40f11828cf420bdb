import { z } from "zod";
import { feeder } from "./data.ts";
import { httpDefaults } from "./http.ts";
import { output } from "./output.ts";
import { scenario } from "./scenario.ts";
import { thinkTime } from "./step.ts";
import { duration, exactNumberSchema, filePath, jsonSchema, tags } from "./values.ts";

const secret = z.union([
  z.strictObject({ env: z.string().describe("environment variable") }),
  z.strictObject({ file: filePath }),
]);

/** The value of `${vars.NAME}`, worked out once, at the start. */
const startValue = z.union([
  z.string().meta({ description: "text with `${env.NAME}`", kind: "start-template" }),
  exactNumberSchema,
  z.boolean(),
]);

/** One threshold: an expression in k6's grammar, or one with what to do when it fails. */
export const threshold = z.union([
  z.string(),
  z.strictObject({
    threshold: z.string().describe("such as `p(95)<400`"),
    abort_on_fail: z.boolean().optional().describe("end the run as soon as it fails (false)"),
    delay_abort_eval: duration.optional().describe("do not judge before (0)"),
    optional: z.boolean().optional().describe("pass when the selector matches no sample (false)"),
  }),
]);

/** A whole plan: the single source of the types, the checks, the JSON Schema and the reference. */
export const plan = z.strictObject({
  name: z.string().optional(),
  description: z.string().optional(),
  defaults: z.strictObject({
    http: httpDefaults.optional(),
    tags: tags.optional(),
    think_time: thinkTime.optional().describe("pause between the requests of every flow"),
  }).optional(),
  env: z.record(z.string(), z.record(z.string(), jsonSchema)).optional()
    .describe("overlays, merged over the plan by `run -e NAME`"),
  variables: z.record(z.string(), startValue).optional().describe("used as `${vars.NAME}`"),
  secrets: z.record(z.string(), secret).optional().describe(
    "used as `${secrets.NAME}`, never shown",
  ),
  data: z.record(z.string(), feeder).optional().describe("used as `${data.SOURCE.COLUMN}`"),
  scenarios: z.record(z.string(), scenario)
    .meta({ description: "all run at once; at least one", kind: "scenarios" }),
  thresholds: z.record(z.string(), z.array(threshold).min(1))
    .meta({ description: "metric selector → what must hold", kind: "thresholds" }).optional(),
  outputs: z.array(output).optional(),
});

/** A plan as it stands in YAML: durations, templates and thresholds still as text. */
export type Plan = z.infer<typeof plan>;
export type Threshold = z.infer<typeof threshold>;
