import type { Candidate, CandidatePool, Source } from "./candidate.ts";
import type { Sending, Verdict } from "./decision.ts";
import { nameHint } from "./names.ts";
import { isLater, mayStandIn, obstacle } from "./sendings.ts";

/** What is to be done with one value. */
export interface Ruling {
  readonly candidate: Candidate;
  readonly verdict: Verdict;
  readonly sent: readonly Sending[];
}

/** Rules on every value of the pool; the rulings come in the order of the responses in the plan. */
export function decide(
  pool: CandidatePool,
  sendings: ReadonlyMap<string, readonly Sending[]>,
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
  sendings: readonly Sending[],
  sources: ReadonlySet<Source>,
): Ruling {
  const ruling = (verdict: Verdict, candidate = candidates[0], sent = sendings) => ({
    candidate,
    verdict,
    sent,
  });
  if (sendings.length === 0) return ruling("not sent");
  const fitting = (candidate: Candidate) =>
    sendings.filter(({ slot }) => mayStandIn(slot, candidate));
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
  const obstacles = sent.map((sending) => obstacle(sending, chosen, sources));
  if (obstacles.includes(undefined)) return ruling("correlated", chosen, sent);
  const encoded = sent.filter((_, i) => obstacles[i] === "encoded");
  return encoded.length > 0
    ? ruling("offered", { ...chosen, source: "encoded" }, encoded)
    : ruling(obstacles[0] as Verdict, chosen, sent);
}

/** Whether the same value twice is hardly chance: amounts and quantities are numbers too. */
function isTelling({ key, value, by }: Candidate): boolean {
  if (by === "number" || value.length < 8) return nameHint(key).idLike && value.length >= 4;
  return true;
}
