// Correlation within the conversion of a HAR. The values of one recording flow as follows:
//
//     recording          src/traffic/har: the recorded calls (`Exchange`)
//         │ splitCalls
//         ▼
//     calls              each request split into replaceable fields (`RecordedCall`, `RequestField`)
//         │ indexRequestValues
//         ▼
//     request values     values that requests send: the prefilter for reading the responses
//         │ collectCandidates: sources/ (JSON, HTML, headers, cookies, other encodings)
//         ▼
//     candidates         values of responses, each with a tested extractor (`CandidatePool`)
//         │ findUsages
//         ▼
//     usages             positions in requests that contain a candidate (`Usage`)
//         │ decide: which response is the producer, and what its variable does to each usage
//         ▼
//     rulings            correlated, offered, overlap, or the reason why not (`Ruling`)
//         │ replaceUsages: writes `${name}` over the usages of correlated values
//         ▼
//     correlation        variables, offers, decisions and `Replacements`
//         │
//         ▼
//     plan               extractors in the producers, templates in the later requests (buildPlan),
//                        and a note for each variable, offer and kept value (correlationNotes)

import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { indexRequestValues, type RequestValues } from "../../traffic/session/request_values.ts";
import { CandidatePool, collectCandidates } from "./candidates.ts";
import { decide, type DecisionReason } from "./decide.ts";
import { type Decision, listDecisions, sourcelessDecisions } from "./decisions.ts";
import type { Replacements } from "./replacements.ts";
import type { OptionalSource } from "./sources/source_kinds.ts";
import { findUsages } from "./usages.ts";
import {
  nameVariable,
  type Offer,
  replaceUsages,
  type Variable,
  VariableNames,
} from "./variables.ts";

/** Options of `correlate`. */
export interface CorrelateOptions {
  /**
   * Sources from which values are extracted, in addition to JSON bodies. A value found only in another
   * source is offered, but not replaced.
   */
  readonly sources: ReadonlySet<OptionalSource>;
  /**
   * If true, `decisions` also contains the dynamic-looking values that no later request sends, and those
   * that no response contains.
   */
  readonly explain: boolean;
}

/** Result of `correlate`. */
export interface Correlation {
  /** Values that the plan extracts and replaces, in the order of the calls that produce them. */
  readonly variables: readonly Variable[];
  /** Values that the plan could extract if their source were enabled. */
  readonly offers: readonly Offer[];
  /**
   * Values that a request sent before the response with the value had ended. The plan could extract
   * them if the recording's clock is inaccurate.
   */
  readonly overlaps: readonly Variable[];
  /** Expressions that the plan sends instead of the values of `variables`. */
  readonly replacements: Replacements;
  /**
   * Decisions in the order of the calls that produce the values. Without `explain`, values that no
   * request sends may be missing.
   */
  readonly decisions: readonly Decision[];
  /** Dynamic-looking values that fill a field of a request. */
  readonly sought: RequestValues["sought"];
  /** Calls whose page exceeds a markup limit, so that its inputs and meta tags were not read. */
  readonly unread: readonly RecordedCall[];
}

/**
 * Finds the values of responses that later requests send, and decides which of them become variables.
 * Takes time linear in the total length of requests and responses.
 */
export function correlate(
  calls: readonly RecordedCall[],
  options: CorrelateOptions,
): Correlation {
  const sent = indexRequestValues(calls);
  const pool = new CandidatePool();
  const unread = collectCandidates(
    calls,
    sent,
    options.explain,
    (candidate) => pool.add(candidate),
  );
  const usages = findUsages(calls, pool);
  const rulings = decide(pool, usages, options.sources);
  const withVerdict = (wanted: DecisionReason) =>
    rulings.filter(({ verdict }) => verdict === wanted);
  const names = new VariableNames();
  const { variables, replacements } = replaceUsages(withVerdict("correlated"), names, usages);
  const offers = rulings.flatMap((ruling): Offer[] =>
    ruling.offeredBy === undefined
      ? []
      : [{ ...nameVariable(ruling, names), source: ruling.offeredBy }]
  );
  const overlaps = withVerdict("overlap").map((ruling) => nameVariable(ruling, names));
  const decisions = listDecisions(rulings, [...variables, ...offers, ...overlaps]);
  if (options.explain) decisions.push(...sourcelessDecisions(calls, pool));
  return { variables, offers, overlaps, replacements, decisions, sought: sent.sought, unread };
}
