import { isShortNumber, nameHint } from "../../traffic/session/dynamic_value.ts";
import type { CandidatePool } from "./candidates.ts";
import type { OptionalSource } from "./sources/source_kinds.ts";
import type { Candidate } from "./sources/source_search.ts";
import { type FieldUsages, type Usage, withoutCovered } from "./usages.ts";

/**
 * Reason why a request keeps the recorded value although a variable has the same value. `other type`:
 * the value is a string in the response but a number in the request. `after a dollar`: the value
 * directly follows a `$`, where `${…}` would be an escape. `encoded`: the request contains the value
 * percent-encoded.
 */
export type Obstacle = "other type" | "after a dollar" | "encoded";

/**
 * Effect of a variable on a usage of its value. `replaced`: the plan sends the variable. An
 * `Obstacle`: the plan sends the recorded value for that reason. `short number`: the value has
 * fewer than four digits and the field does not look like an id, so the match is treated as a
 * coincidence. `earlier`: the request was sent before the response had ended.
 */
export type Effect = "replaced" | Obstacle | "short number" | "earlier";

/**
 * Outcome of correlation for a value: `correlated` (replaced by a variable), `offered` (requires
 * `--correlate`), or the reason why the value stays as recorded.
 */
export type DecisionReason =
  | "correlated"
  | "offered"
  | "not sent"
  | "client's own"
  | "overlap"
  | "short number"
  | "other type"
  | "after a dollar"
  | "no source";

/** A usage that keeps the recorded value, and the obstacle that prevents its replacement. */
export interface KeptUsage extends Usage {
  readonly why: Obstacle;
}

/** The decision on one value, before its variable has a name. */
export interface Ruling {
  /** The value in a response that the decision is about. */
  readonly candidate: Candidate;
  readonly verdict: DecisionReason;
  /**
   * Source that the user must add to `--correlate` to extract the value. Undefined unless the
   * verdict is `offered`.
   */
  readonly offeredBy: OptionalSource | undefined;
  readonly sent: readonly Usage[];
  /**
   * Usages that keep the recorded value because of an obstacle. Empty if the value is correlated,
   * because `outcomes` then lists them.
   */
  readonly left: readonly KeptUsage[];
  /**
   * Effects of the candidate's variable on all usages of the value, including usages inside a usage of
   * another value.
   */
  readonly outcomes: readonly Outcome[];
}

/** A usage of a value, and the effect of a variable on it. */
export interface Outcome {
  readonly usage: Usage;
  readonly effect: Effect;
}

/**
 * Decides for every value in the pool whether it becomes a variable. Ignores usages inside a usage
 * of another value in the pool. `sources` are the enabled sources. Returns the rulings in the order
 * in which the plan sends the calls whose responses contain the values.
 */
export function decide(
  pool: CandidatePool,
  usages: readonly FieldUsages[],
  sources: ReadonlySet<OptionalSource>,
): Ruling[] {
  const all = new Map<string, Usage[]>();
  const uncovered = new Set<Usage>();
  for (const inField of usages) {
    for (const list of [inField.wholes, inField.addressParts, inField.within]) {
      for (const usage of list) {
        const known = all.get(usage.value);
        if (known === undefined) all.set(usage.value, [usage]);
        else known.push(usage);
      }
    }
    for (const usage of withoutCovered(inField, () => true)) uncovered.add(usage);
  }
  const rulings: Ruling[] = [];
  for (const [value, candidates] of pool.entries()) {
    rulings.push(rule(candidates, all.get(value) ?? [], uncovered, sources));
  }
  return rulings.sort((a, b) => a.candidate.producer.order - b.candidate.producer.order);
}

/**
 * Decides on one value. Chooses the first candidate whose response ended before any request sent
 * the value. Prefers candidates from enabled sources.
 */
function rule(
  candidates: readonly Candidate[],
  usages: readonly Usage[],
  uncovered: ReadonlySet<Usage>,
  sources: ReadonlySet<OptionalSource>,
): Ruling {
  const visible = usages.filter((usage) => uncovered.has(usage));
  const options = candidates.map((candidate) => {
    const outcomes = usages.map((usage) => ({
      usage,
      effect: effectOn(usage, candidate, sources),
    }));
    const sent = outcomes.filter(({ usage, effect }) =>
      effect !== "short number" && uncovered.has(usage)
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
  const possible = options.filter(({ sent }) => sent.length > 0);
  if (possible.length === 0) return ruling("short number");
  const first = possible.filter(({ sent }) => sent.every(({ effect }) => effect !== "earlier"));
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
  const chosen = first.find(isEnabled) ?? first[0];
  const { candidate } = chosen;
  const sent = chosen.sent.map(({ usage }) => usage);
  const missing = missingSource(candidate, sources);
  if (missing !== undefined) return ruling("offered", chosen, { sent, offeredBy: missing });
  const left = keptUsages(chosen.sent);
  if (left.length < sent.length) return ruling("correlated", chosen, { sent });
  const encoded = left.filter(({ why }) => why === "encoded");
  const others = left.filter(({ why }) => why !== "encoded");
  const obstacle = left.map(({ why }) => why).find((why) => why !== "encoded");
  if (encoded.length === 0 && obstacle !== undefined) {
    return ruling(obstacle, chosen, { sent: [], left: others });
  }
  return ruling("offered", chosen, {
    candidate: { ...candidate, source: "encoded" },
    sent: encoded,
    left: others,
    offeredBy: "encoded",
  });
}

/** Returns the usages among `outcomes` that keep the recorded value because of an obstacle. */
export function keptUsages(outcomes: readonly Outcome[]): KeptUsage[] {
  return outcomes.flatMap(({ usage, effect }): KeptUsage[] =>
    isObstacle(effect) ? [{ ...usage, why: effect }] : []
  );
}

function isObstacle(effect: Effect): effect is Obstacle {
  return effect !== "replaced" && effect !== "short number" && effect !== "earlier";
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
 * Tolerance in ms, because recorders truncate start times, but not durations, to whole milliseconds.
 */
const CLOCK_STEP_MS = 1;

/**
 * Returns the effect of the candidate's variable on a usage of its value:
 * - A number of fewer than four digits is replaced only if its name in the response suggests an id, and
 *   only in paths and in request fields whose name suggests an id.
 * - The request must have been sent after the candidate's response had ended, with a tolerance of 1 ms.
 * - A percent-encoded usage of a value from a JSON body is replaced only if `sources` contains `encoded`.
 */
function effectOn(
  usage: Usage,
  candidate: Candidate,
  sources: ReadonlySet<OptionalSource>,
): Effect {
  const { call, field, start, end } = usage;
  const { producer } = candidate;
  if (isShortNumber(candidate.value)) {
    const isId = nameHint(candidate.key).idLike &&
      (field.kind === "path" || nameHint(field.name).idLike);
    if (!isId) return "short number";
  }
  const isLater = call.order > producer.order && call.startedAt + CLOCK_STEP_MS >= producer.endedAt;
  if (!isLater) return "earlier";
  if (field.numeric && !candidate.numeric) return "other type";
  const [from] = field.recordedRange(start, end);
  if (from > 0 && field.recorded[from - 1] === "$") return "after a dollar";
  const isAnyEncoding = candidate.source !== "json" || sources.has("encoded");
  return !isAnyEncoding && isEncoded(usage) ? "encoded" : "replaced";
}

/** Reports whether the request contains the value percent-encoded. */
export function isEncoded({ value, field, start, end }: Usage): boolean {
  return field.recorded.slice(...field.recordedRange(start, end)) !== value;
}

/**
 * Reports whether a value is so distinctive that two equal occurrences are unlikely to be a
 * coincidence. Amounts and quantities, for example, are not distinctive.
 */
function isDistinctive({ key, value, by }: Candidate): boolean {
  if (by === "number" || value.length < 8) return nameHint(key).idLike && value.length >= 4;
  return true;
}
