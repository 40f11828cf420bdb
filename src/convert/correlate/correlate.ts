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

import type { Extractor } from "../../plan/kinds/extractors/extractors.ts";
import { type Expression, RESERVED } from "../../plan/text/template.ts";
import { dynamicBy, isShortNumber } from "../../traffic/session/dynamic_value.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { CandidatePool } from "./candidate_pool.ts";
import type { Candidate } from "./sources/candidate.ts";
import { collectCandidates } from "./collect.ts";
import {
  decide,
  type DecisionReason,
  isEncoded,
  type KeptUsage,
  keptUsages,
  type Ruling,
} from "./decide.ts";
import { type Replacement, Replacements } from "./replacements.ts";
import { indexRequestValues, type RequestValues } from "../../traffic/session/request_values.ts";
import type { OptionalSource } from "./sources/source_kinds.ts";
import { type FieldUsages, findUsages, type Usage, withoutCovered } from "./usages.ts";

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

/** A value that an extractor reads from a response into a variable. */
export interface Variable {
  readonly extractor: Extractor;
  readonly candidate: Candidate;
  /** Occurrences in requests. They are replaced by the variable unless it is only offered. */
  readonly sent: readonly Usage[];
  /** Usages that keep the recorded value, each with the obstacle. */
  readonly left: readonly KeptUsage[];
}

/** A value that an extractor could read from a response, if its source were enabled. */
export interface Offer extends Variable {
  readonly source: OptionalSource;
}

/** The decision on one dynamic-looking value of the recording. */
export interface Decision {
  readonly value: string;
  readonly verdict: DecisionReason;
  /**
   * Response value that the variable is, or could be, extracted from. Undefined if no response contains
   * the value.
   */
  readonly candidate: Candidate | undefined;
  /** Name of the variable; undefined unless the value is correlated, offered or overlapping. */
  readonly variable: string | undefined;
  /**
   * Places in requests that contain the value. For `client's own`, includes those sent before the
   * response.
   */
  readonly sent: readonly Usage[];
  /** Usages that keep the recorded value although a variable exists, each with the obstacle. */
  readonly left: readonly KeptUsage[];
}

/** Result of `correlate`. */
export interface Correlation {
  /** Extracted values whose usages are replaced, in the order of their producers. */
  readonly variables: readonly Variable[];
  /** Values that the plan could extract from sources that are not enabled. */
  readonly offers: readonly Offer[];
  /**
   * Values that a request sent before their response had ended. The plan could extract them if the
   * recording's clock is inaccurate.
   */
  readonly overlaps: readonly Variable[];
  /** Expressions that the plan sends instead of the values of `variables`. */
  readonly replacements: Replacements;
  /** Decisions in the order of their responses. Without `explain`, unsent values may be missing. */
  readonly decisions: readonly Decision[];
  /** Dynamic-looking values that fill a whole field of a request. */
  readonly sought: RequestValues["sought"];
  /** Calls whose page exceeds a markup limit; the inputs and meta tags of these pages were not read. */
  readonly unread: readonly RecordedCall[];
}

/**
 * Finds the values of responses that later requests send, and decides which of them variables replace.
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
    ruling.offeredBy === undefined ? [] : [{ ...named(ruling, names), source: ruling.offeredBy }]
  );
  const overlaps = withVerdict("overlap").map((ruling) => named(ruling, names));
  const decisions = listDecisions(rulings, [...variables, ...offers, ...overlaps]);
  if (options.explain) decisions.push(...sourceless(calls, pool));
  return { variables, offers, overlaps, replacements, decisions, sought: sent.sought, unread };
}

function named({ candidate, sent, left }: Ruling, names: VariableNames): Variable {
  const name = names.next(candidate.key);
  const { type, ...rest } = candidate.locate();
  return { extractor: { type, name, ...rest } as Extractor, candidate, sent, left };
}

/**
 * Replaces the correlated values in the requests, unless an occurrence lies within one of another
 * correlated value. Returns a variable for each ruling, with the replaced (`sent`) and unreplaced
 * (`left`) usages.
 */
function replaceUsages(
  rulings: readonly Ruling[],
  names: VariableNames,
  usages: readonly FieldUsages[],
): { variables: Variable[]; replacements: Replacements } {
  const correlated = new Set(rulings.map(({ candidate }) => candidate.value));
  const uncovered = Map.groupBy(
    usages.flatMap((inField) => withoutCovered(inField, (value) => correlated.has(value))),
    ({ value }) => value,
  );
  const replaced: Replacement[] = [];
  const variables = rulings.map((ruling) => {
    const { candidate, effects } = ruling;
    const all = uncovered.get(candidate.value) ?? [];
    const sent = all.filter((usage) => effects.get(usage) === "replaced");
    const variable = { ...named(ruling, names), sent, left: keptUsages(all, effects) };
    for (const usage of sent) {
      const [start, end] = usage.field.recordedRange(usage.start, usage.end);
      replaced.push({ field: usage.field, start, end, expression: expressionFor(usage, variable) });
    }
    return variable;
  });
  return { variables, replacements: new Replacements(replaced) };
}

/**
 * Returns the expression that replaces a usage of a variable's value. Uses `url_encode` for a
 * percent-encoded value, and in a JSON body to write a number as a string.
 */
export function expressionFor(
  usage: Usage,
  { candidate, extractor }: Pick<Variable, "candidate" | "extractor">,
): Expression {
  const { field, start, end } = usage;
  const asText = candidate.numeric && field.kind === "json" && !field.numeric &&
    end - start === field.value.length;
  const variable = { kind: "variable", name: extractor.name } as const;
  return isEncoded(usage) || asText ? { kind: "url_encode", argument: variable } : variable;
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
      const usage = { value, call, field, start, end };
      if (known === undefined) found.set(value, [usage]);
      else known.push(usage);
    }
  }
  return [...found].map(([value, sent]) => (
    { value, verdict: "no source", candidate: undefined, variable: undefined, sent, left: [] }
  ));
}

/** Generates unique variable names. */
class VariableNames {
  readonly #taken = new Set<string>(RESERVED);
  /** Last number appended to each base name. */
  readonly #numbers = new Map<string, number>();

  /**
   * Returns a unique variable name for a value from the field `key` (`value` if `key` is empty).
   * Converts it to lower case and replaces other characters than letters, digits and `_` with `_`.
   * Appends a number if the name is already used or reserved.
   */
  next(key: string): string {
    const bare = key.toLowerCase().replace(/[^a-z0-9_]/g, "_") || "value";
    const base = /^\d/.test(bare) ? "_" + bare : bare;
    let name = base;
    let number = this.#numbers.get(base) ?? 1;
    while (this.#taken.has(name)) name = `${base}_${++number}`;
    this.#numbers.set(base, number);
    this.#taken.add(name);
    return name;
  }
}
