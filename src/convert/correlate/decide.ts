import type { Candidate, CandidatePool, Source } from "./candidate.ts";
import type { DecisionReason, KeptUsage, Usage } from "./decision.ts";
import { nameHint } from "../../traffic/session/field_names.ts";
import { canReplace, isLater, obstacleTo } from "./usages.ts";

/** The decision on one value, before its variable has a name. */
export interface Ruling {
  readonly candidate: Candidate;
  readonly verdict: DecisionReason;
  readonly sent: readonly Usage[];
  /**
   * Usages that keep the recorded value. For a correlated value, `applyVariables` determines the final
   * list.
   */
  readonly left: readonly KeptUsage[];
}

/**
 * Decides for every value of the pool whether a variable replaces it. `usages` maps each value to its
 * occurrences in requests; `sources` are the enabled sources. Returns the rulings in the order of the
 * producers in the plan.
 */
export function decide(
  pool: CandidatePool,
  usages: ReadonlyMap<string, readonly Usage[]>,
  sources: ReadonlySet<Source>,
): Ruling[] {
  const rulings: Ruling[] = [];
  for (const [value, candidates] of pool.entries()) {
    rulings.push(rule(candidates, usages.get(value) ?? [], sources));
  }
  return rulings.sort((a, b) => a.candidate.producer.order - b.candidate.producer.order);
}

/**
 * Decides on one value. The producer is the first response that contains it before any request sends it,
 * preferably from an enabled source.
 */
function rule(
  candidates: readonly Candidate[],
  usages: readonly Usage[],
  sources: ReadonlySet<Source>,
): Ruling {
  const ruling = (
    verdict: DecisionReason,
    candidate = candidates[0],
    sent = usages,
    left: readonly KeptUsage[] = [],
  ) => ({ candidate, verdict, sent, left });
  if (usages.length === 0) return ruling("not sent");
  const fitting = (candidate: Candidate) =>
    usages.filter(({ field }) => canReplace(field, candidate));
  const possible = candidates.filter((candidate) => fitting(candidate).length > 0);
  if (possible.length === 0) return ruling("short number");
  const first = possible.filter((candidate) =>
    fitting(candidate).every(({ call }) => isLater(call, candidate))
  );
  if (first.length === 0) {
    const overlapped = possible.find((candidate) =>
      sources.has(candidate.source) && isDistinctive(candidate) &&
      fitting(candidate).every(({ call }) => call.order > candidate.producer.order)
    );
    return overlapped ? ruling("overlap", overlapped, fitting(overlapped)) : ruling("client's own");
  }
  const chosen = first.find(({ source }) => sources.has(source)) ?? first[0];
  const sent = fitting(chosen);
  if (!sources.has(chosen.source)) return ruling("offered", chosen, sent);
  const left = sent.flatMap((usage): KeptUsage[] => {
    const why = obstacleTo(usage, chosen, sources);
    return why === undefined ? [] : [{ ...usage, why }];
  });
  if (left.length < sent.length) return ruling("correlated", chosen, sent);
  const { encoded = [], others = [] } = Object.groupBy(
    left,
    ({ why }) => why === "encoded" ? "encoded" : "others",
  );
  if (encoded.length === 0) return ruling(others[0].why as DecisionReason, chosen, [], others);
  return ruling("offered", { ...chosen, source: "encoded" }, encoded, others);
}

/**
 * Reports whether a value is so distinctive that two equal occurrences are unlikely to be a coincidence,
 * unlike amounts and quantities.
 */
function isDistinctive({ key, value, by }: Candidate): boolean {
  if (by === "number" || value.length < 8) return nameHint(key).idLike && value.length >= 4;
  return true;
}
