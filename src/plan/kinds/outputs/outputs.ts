import { z } from "zod";
import { atLeastOne, duration } from "../../values/values.ts";

/** A destination for samples or metrics during a run. */
export const output = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("json").describe("Samples as JSON lines"),
    path: z.string().describe("File for JSON lines, one per sample, relative to the plan"),
  }),
  z.strictObject({
    type: z.literal("csv").describe("Samples as CSV"),
    path: z.string().describe("File for CSV, one line per sample, relative to the plan"),
  }),
  z.strictObject({
    type: z.literal("prometheus").describe("Metrics for Prometheus: scraped, pushed or both"),
    listen: z.string().optional().describe(
      "Address to serve `/metrics` on for scraping, such as 127.0.0.1:9464",
    ),
    remote_write: z.string().optional().describe("Remote-write URL to push metrics to"),
    interval: duration.optional().describe("Time between pushes (default: 5s)"),
    headers: z.record(z.string(), z.string()).optional().describe("Headers of each push"),
  }).meta(atLeastOne("listen", "remote_write")),
  z.strictObject({
    type: z.literal("otlp").describe("Metrics to an OpenTelemetry collector"),
    endpoint: z.string().describe(
      "OTLP/HTTP URL, such as http://127.0.0.1:4318; the default path is `/v1/metrics`",
    ),
    interval: duration.optional().describe("Time between pushes (default: 5s)"),
    headers: z.record(z.string(), z.string()).optional().describe("Headers of each push"),
  }),
  z.strictObject({
    type: z.literal("statsd").describe("Metrics to a StatsD server"),
    address: z.string().describe("UDP address of the StatsD server, as `host:port`"),
    prefix: z.string().optional().describe("Prefix of metric names (default: `rehearse.`)"),
  }),
]);

export type Output = z.infer<typeof output>;
export type OutputKind = Output["type"];
