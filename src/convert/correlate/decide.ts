import type { Candidate, CandidatePool, Source } from "./candidate.ts";
import type { DecisionReason, KeptSending, Usage } from "./decision.ts";
import { nameHint } from "./names.ts";
import { blocker, canReplace, isLater } from "./usages.ts";

/** What is to be done with one value. */
export interface Ruling {
  readonly candidate: Candidate;
  readonly verdict: DecisionReason;
  readonly sent: readonly Usage[];
  /** The places that keep the recorded value; those of a value that is replaced are found later. */
  readonly left: readonly KeptSending[];
}

/** Rules on every value of the pool; the rulings come in the order of the responses in the plan. */
export function decide(
  pool: CandidatePool,
  sendings: ReadonlyMap<string, readonly Usage[]>,
  sources: ReadonlySet<Source>,
): Ruling[] {
  const rulings: Ruling[] = [];
  for (const [value, candidates] of pool.entries()) {
    rulings.push(rule(candidates, sendings.get(value) ?? [], sources));
  }
  return rulings.sort((a, b) => a.candidate.producer.order - b.candidate.producer.order);
}

/** The first response that gives the value before any request sends it is its producer. */
function rule(
  candidates: readonly Candidate[],
  sendings: readonly Usage[],
  sources: ReadonlySet<Source>,
): Ruling {
  const ruling = (
    verdict: DecisionReason,
    candidate = candidates[0],
    sent = sendings,
    left: readonly KeptSending[] = [],
  ) => ({ candidate, verdict, sent, left });
  if (sendings.length === 0) return ruling("not sent");
  const fitting = (candidate: Candidate) =>
    sendings.filter(({ slot }) => canReplace(slot, candidate));
  const possible = candidates.filter((candidate) => fitting(candidate).length > 0);
  if (possible.length === 0) return ruling("short number");
  const first = possible.filter((candidate) =>
    fitting(candidate).every(({ draft }) => isLater(draft, candidate))
  );
  if (first.length === 0) {
    const overlapped = possible.find((candidate) =>
      sources.has(candidate.source) && isTelling(candidate) &&
      fitting(candidate).every(({ draft }) => draft.order > candidate.producer.order)
    );
    return overlapped ? ruling("overlap", overlapped, fitting(overlapped)) : ruling("client's own");
  }
  const chosen = first.find(({ source }) => sources.has(source)) ?? first[0];
  const sent = fitting(chosen);
  if (!sources.has(chosen.source)) return ruling("offered", chosen, sent);
  const left = sent.flatMap((sending): KeptSending[] => {
    const why = blocker(sending, chosen, sources);
    return why === undefined ? [] : [{ ...sending, why }];
  });
  if (left.length < sent.length) return ruling("correlated", chosen, sent);
  const { encoded = [], others = [] } = Object.groupBy(
    left,
    ({ why }) => why === "encoded" ? "encoded" : "others",
  );
  if (encoded.length === 0) return ruling(others[0].why as DecisionReason, chosen, [], others);
  return ruling("offered", { ...chosen, source: "encoded" }, encoded, others);
}

/** Whether the same value twice is hardly chance: amounts and quantities are numbers too. */
function isTelling({ key, value, by }: Candidate): boolean {
  if (by === "number" || value.length < 8) return nameHint(key).idLike && value.length >= 4;
  return true;
}
