import type { RequestField } from "../../traffic/session/request_field.ts";
import type { Usage } from "../correlate/usages.ts";
import type { HarFacts } from "./facts.ts";

/**
 * Describes where a request sends a value, for use in a note, such as
 * `query page of request 3 (GET /orders)`.
 */
export function describeUsage(
  { call, field }: Pick<Usage, "call" | "field">,
  nameOf: HarFacts["nameOf"],
): string {
  return `${describeField(field)} of ${nameOf(call)}`;
}

/** Describes a field of a request, such as `query page`. */
export function describeField({ kind, name, value }: RequestField): string {
  const shown = kind === "name" ? value : name;
  return `${kind}${shown && ` ${shown}`}`;
}
