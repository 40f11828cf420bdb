import { mapLeaves } from "../../traffic/session/body_fields.ts";

/** Returns a review or findings with `hide` applied to each string, so that they show no secrets. */
export function hiddenFindings<Findings>(
  findings: Findings,
  hide: (text: string) => string,
): Findings {
  return mapLeaves(
    findings,
    (value) => typeof value === "string" ? hide(value) : value,
  ) as Findings;
}
