import { z } from "zod";
import { duration } from "../../values/values.ts";

/** The language half of a kind of output. */
export interface OutputVariant<Schema extends z.ZodObject> {
  /** Schema of the output, with the literal `type` as its first key. */
  readonly schema: Schema;
  /** Returns the paths of the files that the output writes, as written in the plan. */
  files(output: z.infer<Schema>): string[];
  /** Returns a line for each destination, such as `metrics go to URL`. `resolve` maps its files. */
  destinations(output: z.infer<Schema>, resolve: (path: string) => string): string[];
}

/** Keys of outputs that push metrics at intervals. */
export const pushKeys = {
  interval: duration.optional().describe("Time between pushes (default: 5s)"),
  headers: z.record(z.string(), z.string()).optional().describe("Headers of each push"),
};
