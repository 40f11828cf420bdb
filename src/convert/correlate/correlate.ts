import type { Extractor } from "../../plan/schema/extract.ts";
import { type Candidate, CandidatePool, type Source } from "./candidate.ts";
import { collectCandidates } from "./collect.ts";
import { decide, type Ruling } from "./decide.ts";
import type { Decision, KeptSending, Usage } from "./decision.ts";
import type { Draft } from "./draft.ts";
import { dynamicBy, isShortNumber } from "./dynamic.ts";
import { blocker, canReplace, expressionFor, findPieces, isLater } from "./usages.ts";
import { indexRequestValues, type RequestValues } from "./request_values.ts";
import { ValueIndex } from "./value_index.ts";
import { VariableNames } from "./variable_names.ts";

/** What may be correlated beyond JSON bodies, and whether to account for every value. */
export interface CorrelateOptions {
  readonly sources: ReadonlySet<Source>;
  /** Decisions on values that no request sends are given too. */
  readonly explain: boolean;
}

/** A value taken from a response into a variable. */
export interface Variable {
  readonly extractor: Extractor;
  readonly candidate: Candidate;
  /** Where requests send it; replaced there, unless the variable is only offered. */
  readonly sent: readonly Usage[];
  /** Where they keep it as recorded, because something is in the way. */
  readonly left: readonly KeptSending[];
}

/** What correlation found. */
export interface Correlation {
  /** Extracted and put in place of the literals, by producer. */
  readonly variables: readonly Variable[];
  /** What could be extracted but was not asked for. */
  readonly offers: readonly Variable[];
  /** What could be extracted if the recording's clock is wrong: it is sent before its response had ended. */
  readonly overlaps: readonly Variable[];
  /** In the order of the responses; complete only with `explain`. */
  readonly decisions: readonly Decision[];
  /** The whole values of requests that look dynamic. */
  readonly sought: RequestValues["sought"];
  /** Calls whose page exceeds a limit, so that its inputs and meta tags were not read. */
  readonly unread: readonly Draft[];
}

/**
 * Finds the values that responses give and later requests send, and replaces them in the drafts' slots.
 * Time is linear in the texts of requests and responses.
 */
export function correlate(drafts: readonly Draft[], options: CorrelateOptions): Correlation {
  const sent = indexRequestValues(drafts);
  const pool = new CandidatePool();
  const unread = collectCandidates(
    drafts,
    sent,
    options.explain,
    (candidate) => pool.add(candidate),
  );
  const rulings = decide(pool, collectUsages(drafts, pool), options.sources);
  const names = new VariableNames();
  const variables = named(rulings.filter(({ verdict }) => verdict === "correlated"), names);
  const applied = apply(drafts, variables, options.sources);
  const offers = named(rulings.filter(({ verdict }) => verdict === "offered"), names);
  const overlaps = named(rulings.filter(({ verdict }) => verdict === "overlap"), names);
  const decisions = listDecisions(rulings, [...applied, ...offers, ...overlaps]);
  if (options.explain) decisions.push(...sourceless(drafts, pool));
  return { variables: applied, offers, overlaps, decisions, sought: sent.sought, unread };
}

/** Every place where the requests hold a value of the pool. */
function collectUsages(drafts: readonly Draft[], pool: CandidatePool): Map<string, Usage[]> {
  const within = new ValueIndex();
  for (const value of pool.values()) within.add(value);
  const sendings = new Map<string, Usage[]>();
  for (const draft of drafts) {
    for (const slot of draft.slots) {
      for (const { value, start, end } of findPieces(slot, (v) => pool.has(v), within)) {
        const known = sendings.get(value);
        if (known === undefined) sendings.set(value, [{ draft, slot, start, end }]);
        else known.push({ draft, slot, start, end });
      }
    }
  }
  return sendings;
}

function named(rulings: readonly Ruling[], names: VariableNames): Variable[] {
  return rulings.map(({ candidate, sent, left }) => {
    const name = names.next(candidate.key);
    const { type, ...rest } = candidate.locate();
    return { extractor: { type, name, ...rest } as Extractor, candidate, sent, left };
  });
}

/** Replaces the variables' values wherever they stand after their responses. */
function apply(
  drafts: readonly Draft[],
  variables: readonly Variable[],
  sources: ReadonlySet<Source>,
): Variable[] {
  const byValue = new Map<string, Variable & { sent: Usage[]; left: KeptSending[] }>();
  const within = new ValueIndex();
  for (const variable of variables) {
    byValue.set(variable.candidate.value, { ...variable, sent: [], left: [] });
    within.add(variable.candidate.value);
  }
  for (const draft of drafts) {
    for (const slot of draft.slots) {
      for (const { value, start, end } of findPieces(slot, (v) => byValue.has(v), within)) {
        const { candidate, extractor, sent, left } = byValue.get(value)!;
        const sending = { draft, slot, start, end };
        if (!isLater(draft, candidate) || !canReplace(slot, candidate)) continue;
        const why = blocker(sending, candidate, sources);
        if (why !== undefined) {
          left.push({ ...sending, why });
          continue;
        }
        const [from, to] = slot.recordedRange(start, end);
        const expression = expressionFor(sending, candidate, extractor.name);
        slot.spans.push({ start: from, end: to, expression });
        sent.push(sending);
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

/** Dynamic-looking values that requests send and no response holds. */
function sourceless(drafts: readonly Draft[], pool: CandidatePool): Decision[] {
  const found = new Map<string, Usage[]>();
  for (const draft of drafts) {
    for (const slot of draft.slots) {
      const [start, end] = slot.wholes().at(-1)!;
      const value = slot.value.slice(start, end);
      if (pool.has(value) || isShortNumber(value) || !dynamicBy(slot.name, value)) continue;
      const known = found.get(value);
      if (known === undefined) found.set(value, [{ draft, slot, start, end }]);
      else known.push({ draft, slot, start, end });
    }
  }
  return [...found].map(([value, sent]) => (
    { value, verdict: "no source", candidate: undefined, variable: undefined, sent, left: [] }
  ));
}
