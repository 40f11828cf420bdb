import * as z from "zod";
import { checkColumn, checkName } from "../../rules/templates.ts";
import { withRule } from "../../values/rule.ts";
import { duration, rate } from "../../values/values.ts";
import type { StepVariant } from "./step.ts";

/** Columns that the data source of a `visits` step must have. */
const COLUMNS = ["start", "pause", "request"];

/** Defines the `visits` step. `steps` returns the schema of a list of steps. */
export function visits<Steps extends z.ZodType>(steps: () => Steps) {
  const data = withRule(
    z.string().meta({
      description:
        "Data source with one row per request, in the order of the visits. Columns: `start`, set " +
        "only in the first row of a visit; `pause`, the seconds since the previous request; and " +
        "`request`, a name from `requests`. Other columns are for the steps, such as `${data.visits.url}`",
      examples: ["visits"],
    }),
    {
      check(context, source) {
        checkName(context, "data", "data", source, undefined);
        for (const column of COLUMNS) checkColumn(context, source, column, {});
      },
    },
  );
  const request = z.strictObject({
    name: z.string().meta({
      description: "Value of the column `request`",
      examples: ["GET /product"],
    }),
    get steps(): Steps {
      return steps();
    },
  });
  return {
    schema: z.strictObject({
      data,
      mean_requests: rate.optional().meta({
        description: "Mean number of requests in a visit, only for predictions",
        examples: [5.5],
      }),
      max_pause: duration.optional().describe(
        "Maximum pause between two requests (default: no limit)",
      ),
      requests: z.array(request).min(1).describe("Steps for each name of a request"),
    }),
    description: "Replay a recorded visit: its requests in order, at the recorded intervals. An " +
      "iteration of an open executor replays the visit at the same position among the visits as " +
      "the iteration has in the schedule; other iterations replay a random visit",
    url: undefined,
  } satisfies StepVariant;
}
