import { z } from "zod";
import { atLeastOne, duration } from "./values.ts";

/** Where samples go while a plan runs. */
export const output = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("json"),
    path: z.string().describe("JSON lines, one a sample"),
  }),
  z.strictObject({ type: z.literal("csv"), path: z.string() }),
  z.strictObject({
    type: z.literal("prometheus"),
    listen: z.string().optional().describe("address to be scraped at, such as 127.0.0.1:9464"),
    remote_write: z.string().optional().describe("URL to push to"),
    interval: duration.optional().describe("between pushes (5s)"),
    headers: z.record(z.string(), z.string()).optional(),
  }).meta(atLeastOne("listen", "remote_write")),
  z.strictObject({
    type: z.literal("otlp"),
    endpoint: z.string(),
    interval: duration.optional().describe("between pushes (5s)"),
    headers: z.record(z.string(), z.string()).optional(),
  }),
  z.strictObject({
    type: z.literal("statsd"),
    address: z.string().describe("host:port"),
    prefix: z.string().optional().describe("(rehearse.)"),
  }),
]);

export type Output = z.infer<typeof output>;
