import type { Extractor } from "../plan/kinds/extractors.ts";
import { dynamicBy, isShortNumber } from "../traffic/session/dynamic_value.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import { Assigner, type Assignment, type DecisionKind } from "./assign.ts";
import { SessionEvidence } from "./session_evidence.ts";
import { type SharedValue, sharedValues, type Step } from "./shared_values.ts";
import { isUnreadable } from "./markup_view.ts";
import { Referers, type Use } from "./pieces.ts";
import { extractorFor } from "./propose.ts";
import { SecondSession } from "./second_session.ts";
import { type Replacements, replaceUses } from "./replace.ts";
import { SourceExtractors } from "./source_extractors.ts";
import type { Source } from "./source.ts";
import { type TestedExtractor, withTransform } from "./try_extractor.ts";
import { type Candidate, type Decision, type Variable, VariableNames } from "./variable.ts";
import { forEachView } from "./views.ts";

const NO_USES = { sent: [], left: [], because: [] };

export interface CorrelateOptions {
  /**
   * If true, extracts only dynamic-looking values of JSON bodies. Other values are not replaced,
   * but listed in `Correlation.offers`.
   */
  readonly jsonOnly: boolean;
  /** If true, `decisions` also covers values that the plan does not extract. */
  readonly explain: boolean;
}

/**
 * Result of `correlate`. Lists are in the order of the calls whose responses contain the values.
 */
export interface Correlation {
  readonly variables: readonly Variable[];
  readonly offers: readonly Variable[];
  /**
   * Values that a request sent before the end of the response that contains them. The plan could
   * still extract them if the recording's clock is inaccurate.
   */
  readonly overlaps: readonly Variable[];
  readonly replacements: Replacements;
  /** Without `explain`, only decisions on values of which the plan sends a use as recorded. */
  readonly decisions: readonly Decision[];
  /**
   * Calls whose response is a page that exceeds a markup limit, so that its markup was not read.
   */
  readonly unread: readonly RecordedCall[];
}

/**
 * Finds the values in responses that later requests send, and decides which of them become
 * variables: those that a second recording shows to differ, or, if only one shows a value, those
 * that look and are used like generated ones. Takes time linear in the total length of the requests
 * and responses.
 */
export function correlate(steps: readonly Step[], options: CorrelateOptions): Correlation {
  const { values, extractors, assigned } = assignValues(steps, options.jsonOnly);
  extractors.setVariables(
    assigned.filter(({ kind }) => kind === "correlated").map(({ value }) => value),
  );
  const named = new Map<Assignment, Variable>();
  const names = new VariableNames();
  const variablesOf = (kind: DecisionKind) => {
    const ofKind = assigned.filter((assignment) => assignment.kind === kind);
    return names.nameAll(ofKind).flatMap((name, i) => {
      const decision = decisionOn(ofKind[i], extractors);
      if (decision === undefined) return [];
      const { type, ...options } = decision.candidate.located;
      const variable = { ...decision, extractor: { type, name, ...options } as Extractor };
      named.set(ofKind[i], variable);
      return [variable];
    });
  };
  const variables = variablesOf("correlated");
  const offers = variablesOf("offered");
  const overlaps = variablesOf("overlap");
  const decisions = assigned.flatMap((assignment) =>
    options.explain || assignment.kept.length > 0
      ? named.get(assignment) ?? decisionOn(assignment, extractors) ?? []
      : []
  );
  return {
    variables,
    offers,
    overlaps,
    replacements: replaceUses(variables),
    decisions: options.explain
      ? explained(steps, assigned, [...decisions, ...outweighed(values, assigned, extractors)])
      : decisions,
    unread: steps.map(({ call }) => call)
      .filter(({ exchange }) => isUnreadable(exchange.response)),
  };
}

/** The values that responses contain and later requests send, and what is decided on them. */
export interface AssignedValues {
  readonly values: readonly SharedValue[];
  readonly extractors: SourceExtractors;
  readonly session: SessionEvidence;
  readonly assigned: readonly Assignment[];
}

/** Finds the values that requests have from responses. `jsonOnly`: see `CorrelateOptions`. */
export function assignValues(steps: readonly Step[], jsonOnly = false): AssignedValues {
  const calls = steps.map(({ call }) => call);
  const referers = new Referers(calls);
  const values = new SecondSession(steps).split(
    sharedValues(steps, (field) => !referers.has(field)),
  );
  const extractors = new SourceExtractors(steps, values);
  const session = new SessionEvidence(calls);
  const assigned = new Assigner(session, extractors, referers, jsonOnly).assign(values);
  return { values, extractors, session, assigned };
}

/** Returns the decision on a value. Undefined if no extractor can find the value. */
function decisionOn(
  { value, kind, source, uses: sent, kept: left, because }: Assignment,
  extractors: SourceExtractors,
): Omit<Variable, "extractor"> | undefined {
  const tested = extractors.stable(source);
  if (tested === undefined) return undefined;
  const candidate = candidateAt(source, tested, sent.some(({ field }) => field.numeric));
  return { value, kind, candidate, sent, left, because };
}

/** Describes a place of a value. If requests send a number, its extractor returns one. */
function candidateAt(
  { key, call: producer }: Pick<Source, "key" | "call">,
  { extractor, numeric }: TestedExtractor,
  isSentAsNumber = false,
): Candidate {
  const located = isSentAsNumber && !numeric ? withTransform(extractor, "number") : extractor;
  return { key, producer, located, numeric: numeric || isSentAsNumber };
}

/** Returns a decision for each dynamic-looking value that has too little evidence of a source. */
function outweighed(
  values: readonly SharedValue[],
  assigned: readonly Assignment[],
  extractors: SourceExtractors,
): Decision[] {
  const known = new Set(assigned.map(({ value }) => value));
  return values.flatMap(({ value, uses, sources: [source] }): Decision[] => {
    const whole = uses.filter(({ fills, field, call }) =>
      fills === "whole" && call.fields.includes(field) && call.order > source.call.order
    );
    const tested = whole.length === 0 || known.has(value) || isShortNumber(value) ||
        !dynamicBy(source.key, value)
      ? undefined
      : extractors.stable(source);
    if (tested === undefined) return [];
    const candidate = candidateAt(source, tested);
    return [{ ...NO_USES, value, kind: "outweighed", candidate, sent: whole }];
  });
}

/**
 * Adds decisions on the dynamic-looking values that no request sends or that no response contains.
 * Sorts the decisions by the calls whose responses contain the values.
 */
function explained(
  steps: readonly Step[],
  assigned: readonly Assignment[],
  decisions: readonly Decision[],
): Decision[] {
  const known = new Set([...assigned, ...decisions].map(({ value }) => value));
  const unsent: Decision[] = [];
  for (const { call, responses: [response] } of steps) {
    forEachView(response, (view) => {
      const { text: value, key, place } = view;
      if (place.kind !== "json" || known.has(value) || !dynamicBy(key, value)) return;
      known.add(value);
      const tested = isShortNumber(value)
        ? undefined
        : extractorFor({ view, start: 0, end: value.length });
      if (tested === undefined) return;
      const candidate = candidateAt({ key, call }, tested);
      unsent.push({ ...NO_USES, value, kind: "not sent", candidate });
    });
  }
  const received = [...decisions, ...unsent].sort((a, b) =>
    a.candidate!.producer.order - b.candidate!.producer.order
  );
  return [...received, ...sourceless(steps.map(({ call }) => call), known)];
}

/** Returns a decision for each dynamic-looking value of a request that no response contains. */
function sourceless(
  calls: readonly RecordedCall[],
  known: ReadonlySet<string>,
): Decision[] {
  const uses = calls.flatMap((call) =>
    call.fields.flatMap((field): Use[] => {
      const [start, end] = field.wholes().at(-1)!;
      const value = field.value.slice(start, end);
      if (known.has(value) || isShortNumber(value) || !dynamicBy(field.name, value)) return [];
      return [{ value, call, field, start, end, fills: "whole" }];
    })
  );
  return [...Map.groupBy(uses, ({ value }) => value)].map(([value, sent]) => ({
    ...NO_USES,
    value,
    kind: "no source",
    sent,
  }));
}
