import { fixedRow } from "../extract/extractors.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import { dynamicBy, isShortNumber, isWordy } from "../traffic/session/dynamic_value.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import { assign, type Assignment, type KeptUse, type Verdict } from "./assign.ts";
import { KnownTexts, SessionEvidence } from "./evidence.ts";
import { lookOf } from "./look.ts";
import { sharedValues, type Step } from "./explain_pieces.ts";
import type { ExtractorCheck } from "./weigh_sources.ts";
import { isUnreadable } from "./markup_view.ts";
import { Referers, type Use } from "./pieces.ts";
import type { Evidence } from "./prior.ts";
import { extractorFor } from "./propose.ts";
import { SecondSession } from "./second_session.ts";
import { type Replacements, replaceUses } from "./replace.ts";
import type { Source } from "./source.ts";
import { extractValue, type TestedExtractor, withTransform } from "./try_extractor.ts";
import { type Candidate, type Variable, VariableNames } from "./variable.ts";
import { forEachView } from "./views.ts";

/** The decision on one value in the recording. */
export interface Decision {
  readonly value: string;
  readonly verdict: Verdict | "not sent" | "no source";
  readonly candidate: Candidate | undefined;
  readonly variable: string | undefined;
  readonly sent: readonly Use[];
  readonly left: readonly KeptUse[];
  /** The evidence for a variable. */
  readonly because: readonly Evidence[];
}

/** Parts of a decision on a value that is in no request or in no response. */
const UNDECIDED = { candidate: undefined, variable: undefined, sent: [], left: [], because: [] };

/** Options for `correlate`. */
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
  const calls = steps.map(({ call }) => call);
  const known = new KnownTexts(calls);
  const referers = new Referers(calls);
  const values = new SecondSession(steps).split(
    sharedValues(steps, (field) => !referers.has(field)),
  );
  known.setReceived(values);
  const extractors = new SourceExtractors(known, steps);
  const session = new SessionEvidence(calls);
  const assigned = assign(values, session, options.jsonOnly, extractors, referers);
  known.setVariables(
    assigned.filter(({ verdict }) => verdict === "correlated").map(({ value }) => value),
  );
  const variableOf = new Map<Assignment, Variable>();
  const names = new VariableNames();
  const variablesOf = (verdict: Verdict) => {
    const some = assigned.filter((one) => one.verdict === verdict);
    return names.nameAll(some).flatMap((name, i) => {
      const extractor = extractors.stable(some[i].source);
      if (extractor === undefined) return [];
      const variable = createVariable(some[i], name, extractor);
      variableOf.set(some[i], variable);
      return [variable];
    });
  };
  const variables = variablesOf("correlated");
  const offers = variablesOf("offered");
  const overlaps = variablesOf("overlap");
  const decisions = assigned.flatMap((one) =>
    options.explain || one.kept.length > 0
      ? decisionOn(one, variableOf.get(one), extractors) ?? []
      : []
  );
  return {
    variables,
    offers,
    overlaps,
    replacements: replaceUses(variables),
    decisions: options.explain ? explained(steps, assigned, decisions) : decisions,
    unread: calls.filter(({ exchange }) => isUnreadable(exchange.response)),
  };
}

/**
 * Maximum number of values that are searched in the text of one response. Each search reads the
 * whole text, and nobody can review more variables. The other values stay as recorded.
 */
const MOST_IN_TEXT = 1_000;

/** The extractors of values, which are tested once for each source. */
class SourceExtractors implements ExtractorCheck {
  readonly #known: KnownTexts;
  readonly #steps: ReadonlyMap<RecordedCall, Step>;
  readonly #found = new Map<Source, TestedExtractor | undefined>();
  /** Number of values that were searched in the text of the response to a call. */
  readonly #searched = new Map<RecordedCall, number>();

  constructor(known: KnownTexts, steps: readonly Step[]) {
    this.#known = known;
    this.#steps = new Map(steps.map((step) => [step.call, step]));
  }

  of(source: Source): TestedExtractor | undefined {
    if (!this.#found.has(source)) {
      const searched = (this.#searched.get(source.call) ?? 0) + (source.where === "leaf" ? 0 : 1);
      this.#searched.set(source.call, searched);
      const found = searched > MOST_IN_TEXT ? undefined : extractorAt(source, this.#known);
      this.#found.set(source, found);
    }
    return this.#found.get(source);
  }

  /**
   * Prefers an extractor without the values of variables, which are known when all are assigned.
   */
  stable(source: Source): TestedExtractor | undefined {
    return extractorAt(source, this.#known) ?? this.of(source);
  }

  canExtract(source: Source): boolean {
    // A path to a whole string of a JSON body always exists.
    return source.where === "leaf" && source.others === undefined || this.of(source) !== undefined;
  }

  writerOfRow(source: Source): number | undefined {
    const extractor = this.of(source)?.extractor;
    const row = extractor && fixedRow(extractor);
    return row === undefined ? undefined : this.#known.writerOf(row);
  }

  isByPosition(source: Source): boolean {
    const extractor = this.of(source)?.extractor;
    return extractor?.type === "jsonpath" && /\[-?\d+\]/.test(extractor.expression);
  }

  inOtherResponses(source: Source): (string | undefined)[] {
    const [, ...others] = this.#steps.get(source.call)!.responses;
    const extractor = others.length === 0 ? undefined : this.of(source)?.extractor;
    return extractor === undefined
      ? []
      : others.map((other) => leafText(extractValue(extractor, other)));
  }
}

/** Returns the decision on a value. Undefined if no extractor can find the value. */
function decisionOn(
  assignment: Assignment,
  known: Variable | undefined,
  extractors: SourceExtractors,
): Decision | undefined {
  const { value, verdict, source, uses, kept, because } = assignment;
  const extractor = known === undefined ? extractors.stable(source) : undefined;
  const { candidate } = known ?? (extractor && createVariable(assignment, "", extractor)) ?? {};
  return candidate && {
    value,
    verdict,
    candidate,
    variable: known?.extractor.name,
    sent: uses,
    left: kept,
    because,
  };
}

/**
 * Returns the first extractor that works, also on the second response if it contains the value;
 * else one that finds nothing there, because the second recording may be of another deployment.
 */
function extractorAt(
  { occurrence, others, call }: Source,
  known: KnownTexts,
): TestedExtractor | undefined {
  const before = known.before(call);
  if (others === undefined) return extractorFor(occurrence, before);
  for (const other of others) {
    const found = extractorFor(occurrence, before, [other]);
    if (found !== undefined) return found;
  }
  const alone = extractorFor(occurrence, before);
  const isUnseen = ({ extractor }: TestedExtractor) =>
    others.every(({ view }) => extractValue(extractor, view.response) === undefined);
  return alone !== undefined && isUnseen(alone) ? alone : undefined;
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
  const known = new Set(assigned.map(({ value }) => value));
  const unsent: Decision[] = [];
  for (const { call, responses: [response] } of steps) {
    forEachView(response, (view) => {
      const { text: value, key, place } = view;
      if (place.kind !== "json" || known.has(value) || !dynamicBy(key, value)) return;
      known.add(value);
      const found = isShortNumber(value)
        ? undefined
        : extractorFor({ view, start: 0, end: value.length });
      if (found === undefined) return;
      const { extractor: located, numeric } = found;
      const candidate: Candidate = { value, key, numeric, producer: call, located };
      unsent.push({ ...UNDECIDED, value, verdict: "not sent", candidate });
    });
  }
  const received = [...decisions, ...unsent].sort((a, b) =>
    a.candidate!.producer.order - b.candidate!.producer.order
  );
  return [...received, ...sourceless(steps.map(({ call }) => call), assigned)];
}

/** Returns a decision for each dynamic-looking value of a request that no response contains. */
function sourceless(
  calls: readonly RecordedCall[],
  assigned: readonly Assignment[],
): Decision[] {
  const known = new Set(assigned.map(({ value }) => value));
  const uses = calls.flatMap((call) =>
    call.fields.flatMap((field): Use[] => {
      const [start, end] = field.wholes().at(-1)!;
      const value = field.value.slice(start, end);
      if (known.has(value) || isShortNumber(value) || !dynamicBy(field.name, value)) return [];
      return [{ value, call, field, start, end, fills: "whole" }];
    })
  );
  return [...Map.groupBy(uses, ({ value }) => value)].map(([value, sent]) => ({
    ...UNDECIDED,
    value,
    verdict: "no source",
    sent,
  }));
}

function createVariable(
  { value, source, uses, kept }: Assignment,
  name: string,
  tested: TestedExtractor,
): Variable {
  const isSentAsNumber = uses.some(({ field }) => field.numeric) && !tested.numeric;
  const numeric = tested.numeric || isSentAsNumber;
  const located = isSentAsNumber ? withTransform(tested.extractor, "number") : tested.extractor;
  // `type` and `name` are the first keys, so that they come first when the extractor is printed.
  const extractor = { type: located.type, name, ...(located as object) } as Extractor;
  const candidate = {
    value,
    key: source.key,
    numeric,
    producer: source.call,
    located,
  } as const;
  return { extractor, candidate, sent: uses, left: kept };
}

/** Returns the values that fill a field of a request and look dynamic, but are no words. */
export function soughtValues(calls: readonly RecordedCall[]): string[] {
  const found = new Set<string>();
  for (const { fields } of calls) {
    for (const field of fields) {
      for (const [start, end] of field.wholes()) {
        const value = field.value.slice(start, end);
        if (value.length < 4 || isWordy(value)) continue;
        if (dynamicBy(field.name, value) ?? lookOf(value) === "generated") found.add(value);
      }
    }
  }
  return [...found];
}
