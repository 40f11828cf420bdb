import * as z from "zod";
import type { OutputVariant } from "./output.ts";

const schema = z.strictObject({
  type: z.literal("csv").describe("Samples as CSV"),
  path: z.string().meta({
    description: "Path of the CSV file (one line per sample), relative to the plan",
    examples: ["samples.csv"],
  }),
});

export const csv: OutputVariant<typeof schema> = {
  schema,
  files: ({ path }) => [path],
  destinations: ({ path }, resolve) => [`samples go to ${resolve(path)}`],
};
