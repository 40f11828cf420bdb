import { z } from "zod";
import { filePath, jsonSchema } from "./values.ts";

const common = {
  mode: z.enum(["shared", "per_vu"]).optional().describe(
    "one cursor for all VUs, or each its own (shared)",
  ),
  pick: z.enum(["sequential", "random", "shuffle", "weighted"]).optional().describe("(sequential)"),
  weight_column: z.string().optional().describe("column that holds the weight, for pick: weighted"),
  on_eof: z.enum(["recycle", "stop"]).optional().describe("after the last row (recycle)"),
};

/** A data feeder: one row per iteration, its columns as `${data.SOURCE.COLUMN}`. */
export const feeder = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("csv"),
    path: filePath,
    delimiter: z.string().length(1).optional().describe("(,)"),
    has_header: z.boolean().optional().describe("(true); without one, columns are 0, 1, …"),
    ...common,
  }),
  z.strictObject({
    type: z.literal("json"),
    path: filePath.describe("a JSON list of objects, relative to the plan"),
    ...common,
  }),
  z.strictObject({
    type: z.literal("inline"),
    rows: z.array(z.record(z.string(), jsonSchema)).min(1),
    ...common,
  }),
]).meta({ kind: "feeder" });

export type Feeder = z.infer<typeof feeder>;
