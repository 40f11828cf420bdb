import * as z from "zod";
import { duration as durationSchema } from "../../values/values.ts";
import { checkName, type ConditionVariant } from "./condition.ts";

export const duration = {
  schema: z.strictObject({
    type: z.literal("duration").describe("Checks the duration of the request"),
    name: checkName,
    max: durationSchema.describe("Maximum duration of the request (`http_req_duration`)"),
  }),
} satisfies ConditionVariant;
