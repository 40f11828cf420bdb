import * as z from "zod";
import { atLeastOne, shapeOf, unionOf } from "../values/schema_walk.ts";
import { shortDuration } from "../values/values.ts";

/** Definition of a kind of output in the plan language. `engine/outputs` implements it. */
interface OutputVariant<Schema extends z.ZodObject> {
  /** Schema of the output. Its first key is the literal `type`. */
  readonly schema: Schema;
  /** Returns the paths of the files that the output writes, as written in the plan. */
  files?(output: z.infer<Schema>): string[];
  /** A line for each destination, such as `metrics go to URL`. `resolve` makes paths absolute. */
  destinations(output: z.infer<Schema>, resolve: (path: string) => string): string[];
}

/** Schemas of the keys shared by the outputs that push metrics at an interval. */
const pushKeys = {
  interval: shortDuration("Time between pushes (default: 5s)").optional(),
  headers: z.record(z.string(), z.string()).optional().meta({
    description: "HTTP headers to send with each push",
    examples: [{ "X-Scope-OrgID": "load-tests" }],
  }),
};

function kind<Schema extends z.ZodObject>(variant: OutputVariant<Schema>): OutputVariant<Schema> {
  return variant;
}

/** All kinds of outputs, by `type`. The docs list them in this order. */
export const OUTPUTS = {
  json: kind({
    schema: z.strictObject({
      type: z.literal("json").describe("Samples as JSON lines"),
      path: z.string().meta({
        description: "Path of the JSON lines file (one line per sample), relative to the plan",
        examples: ["samples.jsonl"],
      }),
    }),
    files: ({ path }) => [path],
    destinations: ({ path }, resolve) => [`samples go to ${resolve(path)}`],
  }),
  csv: kind({
    schema: z.strictObject({
      type: z.literal("csv").describe("Samples as CSV"),
      path: z.string().meta({
        description: "Path of the CSV file (one line per sample), relative to the plan",
        examples: ["samples.csv"],
      }),
    }),
    files: ({ path }) => [path],
    destinations: ({ path }, resolve) => [`samples go to ${resolve(path)}`],
  }),
  prometheus: kind({
    schema: atLeastOne(
      z.strictObject({
        type: z.literal("prometheus").describe("Metrics for Prometheus: scraped, pushed or both"),
        listen: z.string().optional().meta({
          description: "Address to serve `/metrics` on for scraping, such as 127.0.0.1:9464",
          examples: ["127.0.0.1:9464"],
        }),
        remote_write: z.string().optional().meta({
          description: "Remote-write URL to push metrics to",
          examples: ["http://127.0.0.1:9090/api/v1/write"],
        }),
        ...pushKeys,
      }),
      "listen",
      "remote_write",
    ),
    destinations: ({ listen, remote_write: url }) => [
      ...(listen === undefined ? [] : [`metrics are served at ${listen}`]),
      ...(url === undefined ? [] : [`metrics go to ${url}`]),
    ],
  }),
  otlp: kind({
    schema: z.strictObject({
      type: z.literal("otlp").describe("Metrics, pushed to an OpenTelemetry collector"),
      endpoint: z.string().meta({
        description:
          "OTLP/HTTP URL, such as http://127.0.0.1:4318; the default path is `/v1/metrics`",
        examples: ["http://127.0.0.1:4318"],
      }),
      ...pushKeys,
    }),
    destinations: ({ endpoint }) => [`metrics go to ${endpoint}`],
  }),
};

export type OutputKind = keyof typeof OUTPUTS;

/** The schema of an output: a destination for samples or metrics during the run. */
export const output = unionOf("type", shapeOf(OUTPUTS));

export type Output = z.infer<typeof output>;

/** Returns the definition of an output's kind. */
export function outputVariant({ type }: Output): OutputVariant<z.ZodObject> {
  return OUTPUTS[type];
}
