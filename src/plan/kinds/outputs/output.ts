import * as z from "zod";
import { shortDuration } from "../../values/values.ts";

/** Definition of a kind of output in the plan language. `engine/kinds/outputs` implements it. */
export interface OutputVariant<Schema extends z.ZodObject> {
  /** Schema of the output. Its first key is the literal `type`. */
  readonly schema: Schema;
  /** Returns the paths of the files that the output writes, as written in the plan. */
  files(output: z.infer<Schema>): string[];
  /**
   * Returns one line of text for each destination, such as `metrics go to URL`. `resolve` returns
   * the absolute path of a file that the output writes.
   */
  destinations(output: z.infer<Schema>, resolve: (path: string) => string): string[];
}

/** Schemas of the keys shared by the outputs that push metrics at an interval. */
export const pushKeys = {
  interval: shortDuration("Time between pushes (default: 5s)").optional(),
  headers: z.record(z.string(), z.string()).optional().meta({
    description: "HTTP headers to send with each push",
    examples: [{ "X-Scope-OrgID": "load-tests" }],
  }),
};
