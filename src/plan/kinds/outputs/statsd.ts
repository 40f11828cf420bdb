import { z } from "zod";
import type { OutputVariant } from "./output.ts";

const schema = z.strictObject({
  type: z.literal("statsd").describe("Metrics to a StatsD server"),
  address: z.string().describe("UDP address of the StatsD server, as `host:port`"),
  prefix: z.string().optional().describe("Prefix of metric names (default: `rehearse.`)"),
});

export const statsd: OutputVariant<typeof schema> = {
  schema,
  files: () => [],
  destinations: ({ address }) => [`metrics go to ${address}`],
};
