import * as z from "zod";
import { type OutputVariant, pushKeys } from "./output.ts";

const schema = z.strictObject({
  type: z.literal("otlp").describe("Metrics, pushed to an OpenTelemetry collector"),
  endpoint: z.string().meta({
    description: "OTLP/HTTP URL, such as http://127.0.0.1:4318; the default path is `/v1/metrics`",
    examples: ["http://127.0.0.1:4318"],
  }),
  ...pushKeys,
});

export const otlp: OutputVariant<typeof schema> = {
  schema,
  files: () => [],
  destinations: ({ endpoint }) => [`metrics go to ${endpoint}`],
};
