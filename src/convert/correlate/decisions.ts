import { dynamicBy, isShortNumber } from "../../traffic/session/dynamic_value.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { CandidatePool } from "./candidate_pool.ts";
import type { DecisionReason, KeptUsage, Ruling } from "./ruling.ts";
import type { Candidate } from "./sources/source_search.ts";
import type { Usage } from "./usages.ts";
import type { Variable } from "./variables.ts";

/** The decision on one dynamic-looking value in the recording. */
export interface Decision {
  readonly value: string;
  readonly verdict: DecisionReason;
  /**
   * Response value from which the variable is or could be extracted. Undefined if no response
   * contains the value.
   */
  readonly candidate: Candidate | undefined;
  /** Name of the variable, or undefined if the value cannot be extracted. */
  readonly variable: string | undefined;
  /**
   * Occurrences of the value in requests. If the verdict is `client's own`, includes occurrences
   * sent before the response.
   */
  readonly sent: readonly Usage[];
  /**
   * Occurrences of the value in requests for which the plan sends the recorded value, although a
   * variable has the same value.
   */
  readonly left: readonly KeptUsage[];
}

/**
 * Converts rulings to decisions. `variables` must contain the variables of all correlated, offered
 * and overlapping values. If `all` is false, returns only decisions with `left` occurrences.
 */
export function listDecisions(
  rulings: readonly Ruling[],
  variables: readonly Variable[],
  all: boolean,
): Decision[] {
  const listed = all ? variables : variables.filter(({ left }) => left.length > 0);
  const byCandidate = new Map(listed.map((variable) => [variable.candidate, variable]));
  const decisions: Decision[] = [];
  for (const { candidate, verdict, sent, left } of rulings) {
    const variable = byCandidate.get(candidate);
    if (!all && variable === undefined && left.length === 0) continue;
    decisions.push({
      value: candidate.value,
      verdict,
      candidate,
      variable: variable?.extractor.name,
      sent: variable?.sent ?? sent,
      left: variable?.left ?? left,
    });
  }
  return decisions;
}

/**
 * Returns a `no source` decision for each dynamic-looking value that requests send but no response
 * contains.
 */
export function sourcelessDecisions(
  calls: readonly RecordedCall[],
  pool: CandidatePool,
): Decision[] {
  const found = new Map<string, Usage[]>();
  for (const call of calls) {
    for (const field of call.fields) {
      const [start, end] = field.wholes().at(-1)!;
      const value = field.value.slice(start, end);
      if (pool.has(value) || isShortNumber(value) || !dynamicBy(field.name, value)) continue;
      const known = found.get(value);
      const usage = { value, call, field, start, end, fills: "whole" } as const;
      if (known === undefined) found.set(value, [usage]);
      else known.push(usage);
    }
  }
  return [...found].map(([value, sent]) => (
    { value, verdict: "no source", candidate: undefined, variable: undefined, sent, left: [] }
  ));
}
