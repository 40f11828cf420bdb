import type * as z from "zod";
import { unionOf } from "../../values/schema_walk.ts";
import { csv } from "./csv.ts";
import { json } from "./json.ts";
import { otlp } from "./otlp.ts";
import type { OutputVariant } from "./output.ts";
import { prometheus } from "./prometheus.ts";

/** All kinds of outputs, by `type`. The docs list them in this order. */
export const OUTPUTS = { json, csv, prometheus, otlp };

export type OutputKind = keyof typeof OUTPUTS;

/** The schema of an output: a destination for samples or metrics during the run. */
export const output = unionOf("type", OUTPUTS);

export type Output = z.infer<typeof output>;

/** Returns the definition of an output's kind. */
export function outputVariant({ type }: Output): OutputVariant<z.ZodObject> {
  return OUTPUTS[type];
}
