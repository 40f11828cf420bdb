import * as z from "zod";
import type { OutputVariant } from "./output.ts";

const schema = z.strictObject({
  type: z.literal("json").describe("Samples as JSON lines"),
  path: z.string().meta({
    description: "Path of the JSON lines file (one line per sample), relative to the plan",
    examples: ["samples.jsonl"],
  }),
});

export const json: OutputVariant<typeof schema> = {
  schema,
  files: ({ path }) => [path],
  destinations: ({ path }, resolve) => [`samples go to ${resolve(path)}`],
};
