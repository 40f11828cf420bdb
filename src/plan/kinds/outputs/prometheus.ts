import * as z from "zod";
import { atLeastOne } from "../../values/rule.ts";
import { type OutputVariant, pushKeys } from "./output.ts";

const schema = atLeastOne(
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
);

export const prometheus: OutputVariant<typeof schema> = {
  schema,
  files: () => [],
  destinations: ({ listen, remote_write: url }) => [
    ...(listen === undefined ? [] : [`metrics are served at ${listen}`]),
    ...(url === undefined ? [] : [`metrics go to ${url}`]),
  ],
};
