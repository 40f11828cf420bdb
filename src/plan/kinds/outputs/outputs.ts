import type { z } from "zod";
import { unionOf } from "../../values/variants.ts";
import { csv } from "./csv.ts";
import { json } from "./json.ts";
import { otlp } from "./otlp.ts";
import type { OutputVariant } from "./output.ts";
import { prometheus } from "./prometheus.ts";
import { statsd } from "./statsd.ts";

/** The kinds of outputs, by `type`, in the order of the docs. */
export const OUTPUTS = { json, csv, prometheus, otlp, statsd };

export type OutputKind = keyof typeof OUTPUTS;

/** A destination for samples or metrics during a run. */
export const output = unionOf("type", OUTPUTS);

export type Output = z.infer<typeof output>;

/** Returns the language half of the kind of an output. */
export function outputVariant({ type }: Output): OutputVariant<z.ZodObject> {
  return OUTPUTS[type];
}
