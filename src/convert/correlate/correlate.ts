// How correlation fits into the conversion of a HAR. The data of one recording flows as follows:
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
//     rulings            correlated, offered, or why the value stays as recorded (`Ruling`)
//         │ replaceUsages: replaces the usages of correlated values with `${name}`
//         ▼
//     correlation        variables, offers, decisions and `Replacements`
//         │
//         ▼
//     plan               extractors in the producers, templates in the later requests (buildPlan),
//                        and a note for each variable, offer and kept value (correlationNotes)

import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { indexRequestValues } from "./sources/request_values.ts";
import { CandidatePool } from "./candidate_pool.ts";
import { collectCandidates } from "./candidates.ts";
import { decide } from "./decide.ts";
import { addGluedValues } from "./glued_search.ts";
import { addQuotedIds } from "./quoted_ids.ts";
import { type Decision, listDecisions, sourcelessDecisions } from "./decisions.ts";
import type { DecisionReason, Ruling } from "./ruling.ts";
import type { Replacements } from "./replacements.ts";
import { withRowText } from "./row_text.ts";
import type { OptionalSource } from "./sources/source_kinds.ts";
import { withStablePath } from "./stable_path.ts";
import { RowNames, typedNames } from "./sources/typed_names.ts";
import { findUsages, type Usage } from "./usages.ts";
import {
  createVariable,
  type Offer,
  replaceUsages,
  type Variable,
  VariableNames,
  withoutVariables,
} from "./variables.ts";

/** Options for `correlate`. */
export interface CorrelateOptions {
  /**
   * Sources from which values are extracted, in addition to JSON bodies. A value that occurs only
   * in other sources is not replaced, but listed in `Correlation.offers`.
   */
  readonly sources: ReadonlySet<OptionalSource>;
  /**
   * If true, `decisions` also covers dynamic-looking values that no later request sends, and
   * dynamic-looking values that no response contains.
   */
  readonly explain: boolean;
}

/** Result of `correlate`. */
export interface Correlation {
  /**
   * Values that the plan extracts and replaces, in the order of the calls whose responses contain
   * them.
   */
  readonly variables: readonly Variable[];
  /** Values that the plan could extract if their source were enabled. */
  readonly offers: readonly Offer[];
  /**
   * Values that a request sent before the end of the response that contains them. The plan could
   * still extract them if the recording's clock is inaccurate.
   */
  readonly overlaps: readonly Variable[];
  /** Expressions that the plan sends instead of the values of `variables`. */
  readonly replacements: Replacements;
  /**
   * Decisions, in the order of the calls whose responses contain the values. Without `explain`,
   * only decisions on values of which the plan sends an occurrence as recorded because of an
   * `Obstacle`.
   */
  readonly decisions: readonly Decision[];
  /**
   * Values that fill a whole request field, and that are dynamic because of the field's name or
   * their shape (`RequestValues.sought`).
   */
  readonly sought: readonly string[];
  /**
   * Calls whose response is a page that exceeds a markup limit. The inputs and meta tags of such a
   * page were not read.
   */
  readonly unread: readonly RecordedCall[];
}

/** Verdicts on values that the plan extracts, or that a note suggests extracting. */
const EXTRACTED: ReadonlySet<DecisionReason> = new Set(["correlated", "offered", "overlap"]);

/**
 * Finds the values in responses that later requests send, and decides which of them become
 * variables. Takes time linear in the total length of the requests and responses.
 */
export function correlate(
  calls: readonly RecordedCall[],
  options: CorrelateOptions,
): Correlation {
  const { rulings, usages, sourceless, sought, unread } = findValues(calls, options);
  const withVerdict = (wanted: DecisionReason) =>
    rulings.filter(({ verdict }) => verdict === wanted);
  const names = new VariableNames();
  const correlated = withVerdict("correlated");
  const { variables, replacements } = replaceUsages(correlated, names.nameAll(correlated), usages);
  const offered = rulings.filter(({ offeredBy }) => offeredBy !== undefined);
  const offerNames = names.nameAll(offered);
  const offers = offered.map((ruling, i): Offer => (
    { ...createVariable(ruling, offerNames[i]), source: ruling.offeredBy! }
  ));
  const overlapped = withVerdict("overlap");
  const overlapNames = names.nameAll(overlapped);
  const overlaps = overlapped.map((ruling, i) => createVariable(ruling, overlapNames[i]));
  const decided = listDecisions(rulings, [...variables, ...offers, ...overlaps], options.explain);
  const decisions = [...decided, ...sourceless];
  return { variables, offers, overlaps, replacements, decisions, sought, unread };
}

/** What `findValues` returns. */
interface FoundValues extends Pick<Correlation, "sought" | "unread"> {
  /** Decisions on the values in responses. */
  readonly rulings: readonly Ruling[];
  /** Occurrences of these values in requests. */
  readonly usages: readonly Usage[];
  /** Decisions on values that no response contains. Empty without `explain`. */
  readonly sourceless: readonly Decision[];
}

/**
 * Finds the values in responses, and decides which of them become variables. A separate function,
 * because its indexes are then freed before the plan is built.
 */
function findValues(calls: readonly RecordedCall[], options: CorrelateOptions): FoundValues {
  const sent = indexRequestValues(calls);
  const typed = typedNames(calls);
  const pool = new CandidatePool();
  const unread = collectCandidates(
    calls,
    sent,
    typed,
    options.explain,
    (candidate) => pool.add(candidate),
  );
  addGluedValues(calls, sent, pool);
  addQuotedIds(calls, sent, pool);
  const usages = findUsages(calls, pool);
  const rowNames = new RowNames(typed, calls);
  const decided = decide(pool, usages, options.sources);
  const variables = new Set(
    decided.flatMap(({ verdict, candidate }) => verdict === "correlated" ? candidate.value : []),
  );
  const rulings = decided.map((ruling) => {
    if (!EXTRACTED.has(ruling.verdict)) return ruling;
    const stable = withRowText(withStablePath(ruling.candidate, typed), rowNames);
    const candidate = withoutVariables(stable, variables);
    return candidate === ruling.candidate ? ruling : { ...ruling, candidate };
  });
  const sourceless = options.explain ? sourcelessDecisions(calls, pool) : [];
  const sought: string[] = [];
  for (const [value, { sure }] of sent.sought) if (sure) sought.push(value);
  return { rulings, usages, sourceless, sought, unread };
}
