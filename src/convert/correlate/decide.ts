import { isShortNumber, nameHint } from "../../traffic/session/dynamic_value.ts";
import type { CandidatePool } from "./candidate_pool.ts";
import type { DecisionReason, KeptUsage, Outcome, Ruling } from "./ruling.ts";
import { agreement, type Effect, effectOn, isEchoedConstant, isObstacle } from "./effect.ts";
import { callWords, consumerWords, mayChangeData } from "./place_words.ts";
import { haveCommonWord } from "./resource_names.ts";
import type { OptionalSource } from "./sources/source_kinds.ts";
import type { Candidate } from "./sources/source_search.ts";
import { coveredUsages, filtered, type Usage } from "./usages.ts";

/**
 * Decides for every value in `pool` whether it becomes a variable. Ignores an occurrence in a
 * request if it is part of a longer value in `pool`. `sources` contains the enabled sources.
 * Returns the rulings in the order in which the plan sends the calls whose responses contain the
 * values.
 */
export function decide(
  pool: CandidatePool,
  usages: readonly Usage[],
  sources: ReadonlySet<OptionalSource>,
): Ruling[] {
  const byValue = new Map<string, Usage[]>();
  for (const usage of usages) {
    const known = byValue.get(usage.value);
    if (known === undefined) byValue.set(usage.value, [usage]);
    else known.push(usage);
  }
  const context = { pool, sources, covered: coveredUsages(usages, () => true) };
  const rulings: Ruling[] = [];
  for (const [value, candidates] of pool.entries()) {
    rule(candidates, byValue.get(value) ?? NONE, context, rulings);
  }
  return rulings.sort((a, b) => a.candidate.producer.order - b.candidate.producer.order);
}

const NONE: readonly [] = [];

/**
 * Facts that a decision depends on, in addition to the candidates for the value and its occurrences
 * in requests.
 */
interface RulingContext {
  readonly pool: CandidatePool;
  /** The enabled sources. */
  readonly sources: ReadonlySet<OptionalSource>;
  /** Occurrences that are part of an occurrence of a longer value in `pool`. */
  readonly covered: ReadonlySet<Usage>;
}

/**
 * Decides whether one value becomes a variable, and which candidate (an occurrence in a response)
 * is its source. If this source does not explain all occurrences in requests, because the value is
 * a short number that several resources share, also decides on sources for the other occurrences.
 * Appends the decisions to `rulings`.
 */
function rule(
  candidates: readonly Candidate[],
  usages: readonly Usage[],
  context: RulingContext,
  rulings: Ruling[],
): void {
  let left = usages;
  for (let i = 0; i < candidates.length; i++) {
    const ruling = choose(candidates, left, context);
    if (i > 0 && ruling.verdict !== "correlated" && ruling.verdict !== "offered") return;
    rulings.push(ruling);
    if (candidates.length === 1) return;
    const explained = new Set([...ruling.replaced, ...ruling.others.map(({ usage }) => usage)]);
    const rest = left.filter((usage) => !explained.has(usage));
    if (rest.length === 0 || rest.length === left.length) return;
    left = rest;
  }
}

/**
 * Returns the candidate, or, if its extractor returns text and one of the requests in `replaced`
 * sends the value as a JSON number, a copy with an extractor that converts the text to a number.
 */
function asSent(candidate: Candidate, replaced: readonly Usage[]): Candidate {
  if (candidate.numeric || !replaced.some(({ field }) => field.numeric)) return candidate;
  const transform = [...candidate.located.transform ?? [], "number" as const];
  return { ...candidate, numeric: true, located: { ...candidate.located, transform } };
}

/**
 * Chooses the candidate that is the source of a value in requests, and decides whether a variable
 * replaces the value in them. Considers the candidates whose response ended before any request sent
 * the value. Prefers candidates from enabled sources, then the response that created the value,
 * then the response that ended first.
 */
function choose(
  candidates: readonly Candidate[],
  usages: readonly Usage[],
  { pool, sources, covered }: RulingContext,
): Ruling {
  const visible = covered.size === 0 ? usages : filtered(usages, (usage) => !covered.has(usage));
  const effects = candidates.map((candidate) =>
    usages.map((usage) => ({ usage, effect: effectOn(usage, candidate, sources) }))
  );
  if (isShortNumber(candidates[0].value)) leaveToBest(candidates, effects);
  const options = candidates.map((candidate, i): Choice => {
    const outcomes = effects[i];
    const sent = filtered(
      outcomes,
      ({ usage, effect }) => effect !== "coincidence" && !covered.has(usage),
    );
    return { candidate, usages, outcomes, sent };
  });
  if (visible.length === 0) return createRuling("not sent", options[0], visible);
  const possible = filtered(options, ({ sent }) => sent.length > 0);
  if (possible.length === 0) return createRuling("coincidence", options[0], visible);
  const first = filtered(
    possible,
    ({ sent }) => sent.every(({ effect }) => effect !== "earlier"),
  );
  const isEnabled = ({ candidate }: Choice) => missingSource(candidate, sources) === undefined;
  if (first.length === 0) {
    const overlapped = possible.find((option) =>
      isEnabled(option) && isDistinctive(option.candidate) &&
      option.sent.every(({ usage }) => usage.call.order > option.candidate.producer.order)
    );
    return overlapped
      ? createRuling("overlap", overlapped, usagesIn(overlapped.sent, usages))
      : createRuling("client's own", options[0], visible);
  }
  const chosen = preferred(filtered(first, isEnabled)) ?? preferred(first)!;
  const { candidate } = chosen;
  const sent = usagesIn(chosen.sent, usages);
  if (isEchoedConstant(candidate, sent, pool.isRepeated(candidate.value))) {
    return createRuling("constant", chosen, sent);
  }
  const missing = missingSource(candidate, sources);
  // Equal short numbers often have nothing in common.
  const same = isShortNumber(candidate.value) ? [candidate] : candidates;
  if (missing === "html" && same.some(isCode)) return createRuling("constant", chosen, sent);
  if (missing !== undefined) return createRuling("offered", chosen, sent, NONE, missing);
  const left = keptUsages(chosen.sent);
  if (left.length < sent.length) return createRuling("correlated", chosen, sent);
  const encoded = left.filter(({ why }) => why === "encoded");
  const others = left.filter(({ why }) => why !== "encoded");
  if (encoded.length === 0) return createRuling("after a dollar", chosen, NONE, others);
  const offered = { ...chosen, candidate: { ...candidate, source: "encoded" as const } };
  return createRuling("offered", offered, encoded, others, "encoded");
}

function createRuling(
  verdict: DecisionReason,
  { candidate, usages, outcomes }: Choice,
  sent: readonly Usage[],
  left: readonly KeptUsage[] = NONE,
  offeredBy: OptionalSource | undefined = undefined,
): Ruling {
  const replaced = usagesIn(filtered(outcomes, ({ effect }) => effect === "replaced"), usages);
  const others = filtered(
    outcomes,
    ({ effect }) => effect !== "replaced" && effect !== "coincidence",
  );
  return {
    candidate: asSent(candidate, replaced),
    verdict,
    offeredBy,
    sent,
    left,
    replaced,
    others,
  };
}

/** Returns the usages of `outcomes`, or `all` if these are all usages. */
function usagesIn(outcomes: readonly Outcome[], all: readonly Usage[]): readonly Usage[] {
  return outcomes.length === all.length ? all : outcomes.map(({ usage }) => usage);
}

/**
 * Reports whether a candidate is a default option whose value does not look server-generated, such
 * as the code of a country. Short numbers look server-generated only if the name of the `<select>`
 * suggests an id.
 */
function isCode({ by, key, value }: Candidate): boolean {
  return by === "option" && !(isShortNumber(value) && nameHint(key).idLike);
}

/**
 * Assigns each use of a short number to the candidates whose resource matches it best, because the
 * same number can by chance be the id of several resources. `effects` contains a list for each
 * candidate, with an element for each use. Changes the effects of the other candidates to
 * `coincidence`.
 */
function leaveToBest(candidates: readonly Candidate[], effects: readonly EffectOn[][]): void {
  for (let i = 0; i < effects[0].length; i++) {
    const possible = candidates.flatMap((candidate, c) => {
      const one = effects[c][i];
      return one.effect === "replaced" ? [{ one, share: agreement(one.usage, candidate) }] : [];
    });
    const best = Math.max(...possible.map(({ share }) => share));
    for (const { one, share } of possible) if (share < best) one.effect = "coincidence";
  }
}

interface EffectOn {
  readonly usage: Usage;
  effect: Effect;
}

/** A candidate, and the effects of its variable on occurrences in requests. */
interface Choice {
  readonly candidate: Candidate;
  /** All occurrences of the value in requests. */
  readonly usages: readonly Usage[];
  readonly outcomes: readonly Outcome[];
  /** The outcomes that are no coincidences and not part of a longer value. */
  readonly sent: readonly Outcome[];
}

/**
 * Returns the first choice whose call probably created the value, because the call may change data
 * and its resource is also named where a request sends the value. If there is no such choice,
 * returns the first one. However, if the first one depends on the text around the value, prefers
 * the first choice from a JSON body that can replace at least as many occurrences.
 */
function preferred(choices: readonly Choice[]): Choice | undefined {
  if (choices.length < 2) return choices[0];
  const created = choices.find(({ candidate: { producer }, sent }) => {
    if (!mayChangeData(producer)) return false;
    const written = callWords(producer);
    return sent.some(({ usage }) => haveCommonWord(written, consumerWords(usage)));
  });
  if (created !== undefined) return created;
  const [first] = choices;
  if (!dependsOnText(first.candidate)) return first;
  const { length } = first.sent;
  return choices.find(({ candidate, sent }) =>
    candidate.source === "json" && sent.length >= length
  ) ?? first;
}

/**
 * Reports whether a candidate's extractor finds the value by the text around it, without the
 * option `row`.
 */
function dependsOnText({ source, located }: Candidate): boolean {
  if (source !== "html") return false;
  return (located.type === "boundary" || located.type === "regex") && located.row === undefined;
}

/**
 * Returns those occurrences in `outcomes` for which the plan sends the recorded value because of an
 * `Obstacle`.
 */
export function keptUsages(outcomes: readonly Outcome[]): readonly KeptUsage[] {
  if (!outcomes.some(({ effect }) => isObstacle(effect))) return NONE;
  const kept: KeptUsage[] = [];
  for (const { usage, effect } of outcomes) {
    if (isObstacle(effect)) kept.push({ ...usage, why: effect });
  }
  return kept;
}

/**
 * Returns the source that the user must add to `--correlate` to extract the candidate, or undefined
 * if that source is already enabled.
 */
function missingSource(
  { source }: Candidate,
  sources: ReadonlySet<OptionalSource>,
): OptionalSource | undefined {
  return source === "json" || sources.has(source) ? undefined : source;
}

/**
 * Reports whether a value is so distinctive that two equal occurrences are unlikely to be a
 * coincidence. Amounts and quantities, for example, are not distinctive.
 */
function isDistinctive({ key, value, by }: Candidate): boolean {
  if (by === "number" || value.length < 8) return nameHint(key).idLike && value.length >= 4;
  return true;
}
