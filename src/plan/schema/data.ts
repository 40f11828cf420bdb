import * as z from "zod";
import type { CheckContext } from "../rules/check_context.ts";
import { checkColumn } from "../rules/check_column.ts";
import { type Unchecked, withRule } from "../values/rule.ts";
import { filePath, jsonSchema } from "../values/values.ts";

const common = {
  mode: z.enum(["shared", "per_vu"]).optional().describe(
    "`shared`: one cursor for all VUs; `per_vu`: a separate cursor for each VU (default: shared)",
  ),
  pick: z.enum(["sequential", "random", "shuffle", "weighted"]).optional().describe(
    "Order of the rows: `sequential`, in the order of the source; `shuffle`, each row once in a " +
      "random order; `random`, a random row each time; `weighted`, a random row each time, weighted by " +
      "`weight_column` (default: sequential)",
  ),
  weight_column: z.string().optional().meta({
    description: "Column with the weight of each row; required with `pick: weighted`",
    examples: ["weight"],
  }),
  on_eof: z.enum(["recycle", "stop"]).optional().describe(
    "What to do after the last row, with `pick: sequential` or `shuffle`: start again (`recycle`) " +
      "or end the scenario (`stop`); with `mode: per_vu`, `stop` ends only the VU (default: recycle)",
  ),
};

const sources = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("csv").describe("Rows from a CSV file"),
    path: filePath.meta({ description: "CSV file, relative to the plan", examples: ["users.csv"] }),
    delimiter: z.string().length(1).optional().meta({
      description: "Field delimiter (default: `,`)",
      examples: [";"],
    }),
    encoding: z.enum(["utf-8", "latin1", "utf-16"]).optional().describe(
      "Encoding of the file; `latin1` is Windows-1252 (default: utf-8)",
    ),
    has_header: z.boolean().optional().describe(
      "Whether the first line contains the column names; otherwise, columns are named 0, 1, … " +
        "(default: true)",
    ),
    ...common,
  }),
  z.strictObject({
    type: z.literal("json").describe("Objects from a JSON file"),
    path: filePath.meta({
      description: "JSON file with a list of objects, relative to the plan",
      examples: ["users.json"],
    }),
    ...common,
  }),
  z.strictObject({
    type: z.literal("inline").describe("Rows in the plan itself"),
    rows: z.array(z.record(z.string(), jsonSchema)).min(1).meta({
      description: "Rows, each a map from column names to values",
      examples: [[{ name: "ada" }, { name: "bob" }]],
    }),
    ...common,
  }),
]);

/** A data source, as written in the plan. */
export type Feeder = z.infer<typeof sources>;

/**
 * The schema of a data source. Each iteration uses one row, whose columns are available as
 * `${data.SOURCE.COLUMN}`.
 */
export const feeder = withRule(sources, { check: checkFeeder });

/**
 * Checks that `weight_column` is the name of a column, and that it is set if and only if `pick` is
 * `weighted`.
 */
function checkFeeder(context: CheckContext, feeder: Unchecked<Feeder>): void {
  const { weight_column: column, pick } = feeder;
  if (pick === "weighted" && column === undefined) {
    const message = 'missing key "weight_column": `pick: weighted` requires it';
    return context.report("missing-key", message, { below: ["weight_column"] });
  }
  if (typeof column !== "string") return;
  const below = ["weight_column"];
  if (pick !== "weighted") {
    const message = "`weight_column` has no effect without `pick: weighted`";
    const hint = "add `pick: weighted`, or remove `weight_column`";
    context.report("no-effect", message, { below, hint, severity: "warning" });
  }
  checkColumn(context, String(context.path.at(-1)), column, { below });
}
