import { z } from "lean-zod";
import type { OutputVariant } from "./output.ts";

const schema = z.strictObject({
  type: z.literal("statsd").describe("Metrics, sent to a StatsD server"),
  address: z.string().meta({
    description: "UDP address of the StatsD server, as `host:port`",
    examples: ["127.0.0.1:8125"],
  }),
  prefix: z.string().optional().meta({
    description: "Prefix of metric names (default: `rehearse.`)",
    examples: ["shop.load."],
  }),
});

export const statsd: OutputVariant<typeof schema> = {
  schema,
  files: () => [],
  destinations: ({ address }) => [`metrics go to ${address}`],
};
