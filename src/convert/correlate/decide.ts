import { isShortNumber, nameHint } from "../../traffic/session/dynamic_value.ts";
import { callWords, mayChangeData } from "./call_words.ts";
import type { CandidatePool } from "./candidate_pool.ts";
import type { DecisionReason, KeptUsage, Outcome, Ruling } from "./ruling.ts";
import { agreement, type Effect, effectOn, isEchoedConstant, isObstacle } from "./effect.ts";
import { consumerWords } from "./place_words.ts";
import { haveCommonWord } from "./resource_names.ts";
import type { OptionalSource } from "./sources/source_kinds.ts";
import type { Candidate } from "./sources/source_search.ts";
import { type FieldUsages, type Usage, withoutCovered } from "./usages.ts";

/**
 * Decides for every value in `pool` whether it becomes a variable. Ignores an occurrence in a
 * request if it is part of a longer value in `pool`. `sources` contains the enabled sources.
 * Returns the rulings in the order in which the plan sends the calls whose responses contain the
 * values.
 */
export function decide(
  pool: CandidatePool,
  usages: readonly FieldUsages[],
  sources: ReadonlySet<OptionalSource>,
): Ruling[] {
  const all = new Map<string, Usage[]>();
  const uncovered = new Set<Usage>();
  const add = (usage: Usage) => {
    const known = all.get(usage.value);
    if (known === undefined) all.set(usage.value, [usage]);
    else known.push(usage);
  };
  const isAny = () => true;
  for (const inField of usages) {
    const { wholes, parts, within } = inField;
    wholes.forEach(add);
    parts.forEach(add);
    within.forEach(add);
    for (const usage of withoutCovered(inField, isAny)) uncovered.add(usage);
  }
  const rulings: Ruling[] = [];
  for (const [value, candidates] of pool.entries()) {
    const context = { sources, isRepeated: pool.isRepeated(value) };
    for (const ruling of rule(candidates, all.get(value) ?? NONE, uncovered, context)) {
      rulings.push(ruling);
    }
  }
  return rulings.sort((a, b) => a.candidate.producer.order - b.candidate.producer.order);
}

const NONE: readonly Usage[] = [];

/**
 * Facts that a decision depends on, in addition to the candidates for the value and its occurrences
 * in requests.
 */
interface RulingContext {
  /** The enabled sources. */
  readonly sources: ReadonlySet<OptionalSource>;
  /** True if several responses contain the value. */
  readonly isRepeated: boolean;
}

/**
 * Decides whether one value becomes a variable, and which candidate (an occurrence in a response)
 * is its source. If this source does not explain all occurrences in requests, because the value is
 * a short number that several resources share, also decides on sources for the other occurrences.
 */
function rule(
  candidates: readonly Candidate[],
  usages: readonly Usage[],
  uncovered: ReadonlySet<Usage>,
  context: RulingContext,
): Ruling[] {
  const rulings: Ruling[] = [];
  let left = usages;
  while (rulings.length < candidates.length) {
    const chosen = choose(candidates, left, uncovered, context);
    const isFirst = rulings.length === 0;
    if (!isFirst && chosen.verdict !== "correlated" && chosen.verdict !== "offered") break;
    const outcomes = filtered(chosen.outcomes, ({ effect }) => effect !== "coincidence");
    rulings.push({ ...chosen, outcomes, candidate: asSent(chosen) });
    if (rulings.length === candidates.length) break;
    const explained = new Set(outcomes.map(({ usage }) => usage));
    const rest = left.filter((usage) => !explained.has(usage));
    if (rest.length === 0 || rest.length === left.length) break;
    left = rest;
  }
  return rulings;
}

/**
 * Returns the candidate (a value in a response) that a ruling is about. If its extractor returns
 * text and a request sends the value as a JSON number, returns a copy with an extractor that
 * converts the text to a number.
 */
function asSent({ candidate, outcomes }: Ruling): Candidate {
  const isSentAsNumber = outcomes.some(({ usage, effect }) =>
    effect === "replaced" && usage.field.numeric
  );
  if (candidate.numeric || !isSentAsNumber) return candidate;
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
  uncovered: ReadonlySet<Usage>,
  context: RulingContext,
): Ruling {
  const { sources, isRepeated } = context;
  const visible = filtered(usages, (usage) => uncovered.has(usage));
  const effects = candidates.map((candidate) =>
    usages.map((usage) => ({ usage, effect: effectOn(usage, candidate, sources) }))
  );
  if (isShortNumber(candidates[0].value)) leaveToBest(candidates, effects);
  const options = candidates.map((candidate, i) => {
    const outcomes = effects[i];
    const sent = filtered(
      outcomes,
      ({ usage, effect }) => effect !== "coincidence" && uncovered.has(usage),
    );
    return { candidate, outcomes, sent };
  });
  const ruling = (
    verdict: DecisionReason,
    { candidate, outcomes } = options[0],
    more: Partial<Ruling> = {},
  ): Ruling => (
    { candidate, verdict, offeredBy: undefined, sent: visible, left: [], outcomes, ...more }
  );
  if (visible.length === 0) return ruling("not sent");
  const possible = filtered(options, ({ sent }) => sent.length > 0);
  if (possible.length === 0) return ruling("coincidence");
  const first = filtered(
    possible,
    ({ sent }) => sent.every(({ effect }) => effect !== "earlier"),
  );
  const isEnabled = ({ candidate }: { candidate: Candidate }) =>
    missingSource(candidate, sources) === undefined;
  if (first.length === 0) {
    const overlapped = possible.find((option) =>
      isEnabled(option) && isDistinctive(option.candidate) &&
      option.sent.every(({ usage }) => usage.call.order > option.candidate.producer.order)
    );
    return overlapped
      ? ruling("overlap", overlapped, { sent: overlapped.sent.map(({ usage }) => usage) })
      : ruling("client's own");
  }
  const chosen = preferred(filtered(first, isEnabled)) ?? preferred(first)!;
  const { candidate } = chosen;
  const sent = chosen.sent.map(({ usage }) => usage);
  if (isEchoedConstant(candidate, sent, isRepeated)) return ruling("constant", chosen, { sent });
  const missing = missingSource(candidate, sources);
  if (missing !== undefined) return ruling("offered", chosen, { sent, offeredBy: missing });
  const left = keptUsages(chosen.sent);
  if (left.length < sent.length) return ruling("correlated", chosen, { sent });
  const encoded = left.filter(({ why }) => why === "encoded");
  const others = left.filter(({ why }) => why !== "encoded");
  if (encoded.length === 0) return ruling("after a dollar", chosen, { sent: [], left: others });
  return ruling("offered", chosen, {
    candidate: { ...candidate, source: "encoded" },
    sent: encoded,
    left: others,
    offeredBy: "encoded",
  });
}

/** Returns the elements that `test` accepts. Returns `list` itself if it accepts all of them. */
function filtered<T>(list: readonly T[], test: (element: T) => boolean): readonly T[] {
  return list.every(test) ? list : list.filter(test);
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

/** A candidate, and the occurrences in requests that its variable could replace. */
interface Choice {
  readonly candidate: Candidate;
  readonly sent: readonly Outcome[];
}

/**
 * Returns the first choice whose call probably created the value, because the call may change data
 * and its resource is also named where a request sends the value. If there is no such choice,
 * returns the first one. However, if the first one depends on the text around the value, prefers
 * the first choice from a JSON body that can replace at least as many occurrences.
 */
function preferred<C extends Choice>(choices: readonly C[]): C | undefined {
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
export function keptUsages(outcomes: readonly Outcome[]): KeptUsage[] {
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
