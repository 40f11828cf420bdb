import { z } from "zod";
import { filePath, jsonSchema } from "../values/values.ts";

const common = {
  mode: z.enum(["shared", "per_vu"]).optional().describe(
    "One cursor for all VUs (`shared`) or a separate cursor per VU (`per_vu`) (default: shared)",
  ),
  pick: z.enum(["sequential", "random", "shuffle", "weighted"]).optional().describe(
    "Order in which rows are picked (default: sequential)",
  ),
  weight_column: z.string().optional().describe(
    "Column with the weight of each row; required with `pick: weighted`",
  ),
  on_eof: z.enum(["recycle", "stop"]).optional().describe(
    "After the last row: start again (`recycle`), or end the scenario or, with `mode: per_vu`, " +
      "the VU (`stop`) (default: recycle)",
  ),
};

/** A data source: one row per iteration, with its columns as `${data.SOURCE.COLUMN}`. */
export const feeder = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("csv").describe("Rows of a CSV file"),
    path: filePath.describe("CSV file, relative to the plan"),
    delimiter: z.string().length(1).optional().describe("Field delimiter (default: `,`)"),
    has_header: z.boolean().optional().describe(
      "Whether the first line has the column names; without them, columns are named 0, 1, … " +
        "(default: true)",
    ),
    ...common,
  }),
  z.strictObject({
    type: z.literal("json").describe("Objects of a JSON file"),
    path: filePath.describe("JSON file with a list of objects, relative to the plan"),
    ...common,
  }),
  z.strictObject({
    type: z.literal("inline").describe("Rows in the plan itself"),
    rows: z.array(z.record(z.string(), jsonSchema)).min(1).describe("Rows, each a map of columns"),
    ...common,
  }),
]).meta({ kind: "feeder" });

export type Feeder = z.infer<typeof feeder>;
