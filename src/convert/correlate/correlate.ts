// Correlation within the conversion of a HAR. The values of one recording flow as follows:
//
//     recording          src/traffic/har: the recorded calls (`Exchange`)
//         │ buildDrafts
//         ▼
//     calls             each request split into replaceable fields (`RecordedCall`, `RequestField`)
//         │ indexRequestValues
//         ▼
//     request values     values that requests send: the prefilter for reading the responses
//         │ collectCandidates: JSON, HTML, headers, cookies, other encodings
//         ▼
//     candidates         values of responses, each with a tested extractor (`CandidatePool`)
//         │ collectUsages
//         ▼
//     usages             positions in requests that contain a candidate (`Usage`)
//         │ decide: which response is the producer, and whether the value may be replaced
//         ▼
//     decisions          correlated, offered, overlap, or the reason why not (`Ruling`, `Decision`)
//         │ applyVariables: writes `${name}` over the usages of correlated values
//         ▼
//     plan               extractors in the producers, templates in the later requests (buildPlan),
//                        and a note for each variable, offer and kept value (correlationNotes)

import type { Extractor } from "../../plan/kinds/extractors/extractors.ts";
import { type Candidate, CandidatePool, type Source } from "./candidate.ts";
import { collectCandidates } from "./collect.ts";
import { decide, type Ruling } from "./decide.ts";
import type { Decision, KeptUsage, Usage } from "./decision.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { dynamicBy, isShortNumber } from "../../traffic/session/dynamic_value.ts";
import { canReplace, expressionFor, findPieces, isLater, obstacleTo } from "./usages.ts";
import { indexRequestValues, type RequestValues } from "./request_values.ts";
import { ValueIndex } from "../../traffic/session/value_index.ts";
import { VariableNames } from "./variable_names.ts";

/** Options of `correlate`. */
export interface CorrelateOptions {
  /**
   * Sources from which values are extracted. A value found only in another source is offered, but not
   * replaced.
   */
  readonly sources: ReadonlySet<Source>;
  /**
   * If true, `decisions` also contains the dynamic-looking values that no later request sends, and those
   * that no response contains.
   */
  readonly explain: boolean;
}

/** A value that an extractor reads from a response into a variable. */
export interface Variable {
  readonly extractor: Extractor;
  readonly candidate: Candidate;
  /** Occurrences in requests. They are replaced by the variable unless it is only offered. */
  readonly sent: readonly Usage[];
  /** Usages that keep the recorded value, each with the obstacle. */
  readonly left: readonly KeptUsage[];
}

/** Result of `correlate`. */
export interface Correlation {
  /** Extracted values whose usages are replaced, in the order of their producers. */
  readonly variables: readonly Variable[];
  /** Values that the plan could extract from sources that are not enabled. */
  readonly offers: readonly Variable[];
  /**
   * Values that a request sent before their response had ended. The plan could extract them if the
   * recording's clock is inaccurate.
   */
  readonly overlaps: readonly Variable[];
  /** Decisions in the order of their responses. Without `explain`, unsent values may be missing. */
  readonly decisions: readonly Decision[];
  /** Dynamic-looking values that fill a whole field of a request. */
  readonly sought: RequestValues["sought"];
  /** Calls whose page exceeds a markup limit; the inputs and meta tags of these pages were not read. */
  readonly unread: readonly RecordedCall[];
}

/**
 * Finds the values of responses that later requests send, and replaces them with variables. Changes the
 * fields of `calls`. Takes time linear in the total length of requests and responses.
 */
export function correlate(calls: readonly RecordedCall[], options: CorrelateOptions): Correlation {
  const sent = indexRequestValues(calls);
  const pool = new CandidatePool();
  const unread = collectCandidates(
    calls,
    sent,
    options.explain,
    (candidate) => pool.add(candidate),
  );
  const rulings = decide(pool, collectUsages(calls, pool), options.sources);
  const names = new VariableNames();
  const variables = named(rulings.filter(({ verdict }) => verdict === "correlated"), names);
  const applied = applyVariables(calls, variables, options.sources);
  const offers = named(rulings.filter(({ verdict }) => verdict === "offered"), names);
  const overlaps = named(rulings.filter(({ verdict }) => verdict === "overlap"), names);
  const decisions = listDecisions(rulings, [...applied, ...offers, ...overlaps]);
  if (options.explain) decisions.push(...sourceless(calls, pool));
  return { variables: applied, offers, overlaps, decisions, sought: sent.sought, unread };
}

/** Returns the occurrences in requests of each value of the pool. */
function collectUsages(calls: readonly RecordedCall[], pool: CandidatePool): Map<string, Usage[]> {
  const within = new ValueIndex();
  for (const value of pool.values()) within.add(value);
  const usages = new Map<string, Usage[]>();
  for (const call of calls) {
    for (const field of call.fields) {
      for (const { value, start, end } of findPieces(field, (v) => pool.has(v), within)) {
        const known = usages.get(value);
        if (known === undefined) usages.set(value, [{ call, field, start, end }]);
        else known.push({ call, field, start, end });
      }
    }
  }
  return usages;
}

function named(rulings: readonly Ruling[], names: VariableNames): Variable[] {
  return rulings.map(({ candidate, sent, left }) => {
    const name = names.next(candidate.key);
    const { type, ...rest } = candidate.locate();
    return { extractor: { type, name, ...rest } as Extractor, candidate, sent, left };
  });
}

/**
 * Replaces the values of the variables in all requests sent after their responses. Returns the variables
 * with their replaced (`sent`) and unreplaced (`left`) usages.
 */
function applyVariables(
  calls: readonly RecordedCall[],
  variables: readonly Variable[],
  sources: ReadonlySet<Source>,
): Variable[] {
  const byValue = new Map<string, Variable & { sent: Usage[]; left: KeptUsage[] }>();
  const within = new ValueIndex();
  for (const variable of variables) {
    byValue.set(variable.candidate.value, { ...variable, sent: [], left: [] });
    within.add(variable.candidate.value);
  }
  for (const call of calls) {
    for (const field of call.fields) {
      for (const { value, start, end } of findPieces(field, (v) => byValue.has(v), within)) {
        const { candidate, extractor, sent, left } = byValue.get(value)!;
        const usage = { call, field, start, end };
        if (!isLater(call, candidate) || !canReplace(field, candidate)) continue;
        const why = obstacleTo(usage, candidate, sources);
        if (why !== undefined) {
          left.push({ ...usage, why });
          continue;
        }
        const [from, to] = field.recordedRange(start, end);
        const expression = expressionFor(usage, candidate, extractor.name);
        field.spans.push({ start: from, end: to, expression });
        sent.push(usage);
      }
    }
  }
  return [...byValue.values()];
}

function listDecisions(rulings: readonly Ruling[], variables: readonly Variable[]): Decision[] {
  const byCandidate = new Map(variables.map((variable) => [variable.candidate, variable]));
  return rulings.map(({ candidate, verdict, sent, left }) => {
    const variable = byCandidate.get(candidate);
    return {
      value: candidate.value,
      verdict,
      candidate,
      variable: variable?.extractor.name,
      sent: variable?.sent ?? sent,
      left: variable?.left ?? left,
    };
  });
}

/**
 * Returns a `no source` decision for each dynamic-looking value that requests send and no response
 * contains.
 */
function sourceless(calls: readonly RecordedCall[], pool: CandidatePool): Decision[] {
  const found = new Map<string, Usage[]>();
  for (const call of calls) {
    for (const field of call.fields) {
      const [start, end] = field.wholes().at(-1)!;
      const value = field.value.slice(start, end);
      if (pool.has(value) || isShortNumber(value) || !dynamicBy(field.name, value)) continue;
      const known = found.get(value);
      if (known === undefined) found.set(value, [{ call, field, start, end }]);
      else known.push({ call, field, start, end });
    }
  }
  return [...found].map(([value, sent]) => (
    { value, verdict: "no source", candidate: undefined, variable: undefined, sent, left: [] }
  ));
}
