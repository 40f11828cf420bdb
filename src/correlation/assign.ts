import { isShortNumber, isWordy, nameHint } from "../traffic/session/dynamic_value.ts";
import { Base64Field } from "../traffic/session/base64_text.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import { overlaps, type SharedValue } from "./shared_values.ts";
import type { SessionEvidence } from "./session_evidence.ts";
import { isEncoded, isInPath, nameOf, type Referers, type Use } from "./pieces.ts";
import { type Evidence, lookOf, sumOf } from "./prior.ts";
import type { Source } from "./source.ts";
import type { SourceExtractors } from "./source_extractors.ts";
import { chooseSource, divideUses, isEchoOf, isOfVariable } from "./choose_source.ts";
import { isAfter, SourceWeigher, type WeighedSource } from "./weigh_sources.ts";
import { hasSameName } from "./words.ts";

/**
 * Outcome for a value: `correlated` (replaced by a variable), `offered` (excluded by
 * `--correlate json`), or the reason why the value stays as recorded.
 */
export type DecisionKind =
  | "correlated"
  | "offered"
  | "client's own"
  | "overlap"
  | "constant"
  | "after a dollar";

export type Obstacle = "after a dollar" | "encoded";

/** A use for which the plan sends the recorded value, and the reason. */
export interface KeptUse extends Use {
  readonly why: Obstacle;
}

/** The decision on a value and on one of its places in responses. */
export interface Assignment {
  readonly value: string;
  readonly source: Source;
  /** True if `--correlate json` finds the value. */
  readonly followsJsonRule: boolean;
  readonly kind: DecisionKind;
  readonly uses: readonly Use[];
  readonly kept: readonly KeptUse[];
  readonly because: readonly Evidence[];
}

/** Maximum number of sources among which the uses of a value are divided. */
const MOST_SOURCES = 20;

/**
 * Decides for each value which response is its source, and which uses its variable replaces. The
 * longest value explains a use.
 */
export class Assigner {
  readonly #session: SessionEvidence;
  readonly #extractors: SourceExtractors;
  readonly #referers: Referers;
  readonly #jsonOnly: boolean;

  /** `jsonOnly` excludes values that `--correlate json` does not find. */
  constructor(
    session: SessionEvidence,
    extractors: SourceExtractors,
    referers: Referers,
    jsonOnly: boolean,
  ) {
    this.#session = session;
    this.#extractors = extractors;
    this.#referers = referers;
    this.#jsonOnly = jsonOnly;
  }

  assign(values: readonly SharedValue[]): Assignment[] {
    const explained = new UsesByField();
    const overlapped = new UsesByField();
    const assigned: Assignment[] = [];
    for (const shared of values.toSorted((a, b) => b.value.length - a.value.length)) {
      const uses = shared.uses.filter((use) => !explained.overlaps(use));
      const divided = withoutEchoes(this.#divide(shared, uses));
      let free = without(uses, divided.flatMap(doneBy));
      for (const undivided of divided) {
        const assignment = withNames(undivided, free);
        free = without(free, assignment.uses);
        const { kind, uses: own } = assignment;
        // A part of a value that was sent too early says nothing new.
        if (kind === "overlap" && own.every((use) => overlapped.overlaps(use))) continue;
        assigned.push(assignment);
        if (kind === "overlap") overlapped.add(own);
        else if (isVariable(assignment) || kind === "after a dollar") {
          explained.add(doneBy(assignment));
        }
      }
    }
    return assigned.map((assignment) =>
      this.#withReferers(
        assignment.kind === "correlated" && this.#isReceivedAgain(assignment)
          ? { ...assignment, kind: "constant" }
          : assignment,
      )
    ).sort((a, b) =>
      a.source.call.order - b.source.call.order || a.source.number - b.source.number
    );
  }

  /** Divides the uses of a value among its sources: those of the best source first. */
  #divide(shared: SharedValue, uses: readonly Use[]): Assignment[] {
    const weigher = new SourceWeigher(shared, this.#session, this.#extractors);
    const assigned: Assignment[] = [];
    const known = new KnownUses();
    let rest = uses;
    for (let tries = 0; rest.length > 0 && tries < MOST_SOURCES; tries++) {
      const weighed = weigher.weigh(rest, (use) => known.support(use));
      const best = this.#choose(shared, rest, divideUses(weighed, shared.value));
      if (best === undefined) break;
      const done = doneBy(best);
      // A second recording sends the same value.
      if (shared.value === shared.other) return [{ ...best, kind: "constant", uses: done }];
      if (isVariable(best)) {
        const at = assigned.findIndex((variable) =>
          isVariable(variable) &&
          isOfVariable(best.source, variable.source, shared, this.#extractors)
        );
        if (at < 0) assigned.push(best);
        else assigned[at] = withUses(assigned[at], best);
        known.add(done);
      } else if (tries === 0) assigned.push(best);
      const left = without(rest, done);
      if (left.length === rest.length) break;
      rest = left;
    }
    return assigned;
  }

  #withReferers(assignment: Assignment): Assignment {
    const repeated = assignment.uses.flatMap((use) => this.#referers.repeating(use));
    return repeated.length === 0
      ? assignment
      : withUses(assignment, this.#split(repeated, assignment.followsJsonRule));
  }

  /** Chooses the source of some uses of a value among the `possible` ones, and decides on it. */
  #choose(
    shared: SharedValue,
    uses: readonly Use[],
    possible: readonly WeighedSource[],
  ): Assignment | undefined {
    if (possible.length === 0) return undefined;
    // A request that sent text first typed or chose it. Equal numbers are not always the same.
    const isText = /\D/.test(shared.value);
    const before = possible.filter(({ source, scores }) =>
      (isText ? uses : [...scores.keys()]).every((use) => isAfter(use.call, source.call))
    );
    if (before.length === 0) return this.#sentEarlier(shared, possible);
    const allowed = before.filter((weighed) => this.#isAllowed(weighed));
    const chosen = chooseSource(allowed, this.#extractors) ??
      chooseSource(before, this.#extractors);
    if (chosen === undefined) return undefined;
    const isSeenDifferent = chosen.source.others !== undefined;
    return !isSeenDifferent && isEchoed(shared, chosen, uses)
      ? this.#create(shared, chosen, "constant")
      : this.#replace(shared, chosen);
  }

  #isAllowed({ followsJsonRule }: WeighedSource): boolean {
    return followsJsonRule || !this.#jsonOnly;
  }

  /** Decides on a value that was sent before the end of each response that contains it. */
  #sentEarlier(shared: SharedValue, possible: readonly WeighedSource[]): Assignment {
    const overlapped = possible.find((candidate) =>
      this.#isAllowed(candidate) && isDistinctive(shared.value, candidate.source) &&
      this.#extractors.canExtract(candidate.source) &&
      [...candidate.scores.keys()].every(({ call }) => call.order > candidate.source.call.order)
    );
    const chosen = overlapped ?? possible[0];
    const kind = overlapped === undefined ? "client's own" : "overlap";
    return { ...this.#create(shared, chosen, kind), uses: [...chosen.scores.keys()] };
  }

  /** Decides on a variable: which uses it replaces, or which source must be enabled for that. */
  #replace(shared: SharedValue, chosen: WeighedSource): Assignment {
    const variable = this.#create(shared, chosen, "correlated");
    if (!this.#isAllowed(chosen)) {
      return { ...variable, kind: "offered", uses: doneBy(variable), kept: [] };
    }
    if (variable.uses.length > 0) return variable;
    return variable.kept.every(({ why }) => why === "after a dollar")
      ? { ...variable, kind: "after a dollar" }
      : { ...variable, kind: "offered", uses: variable.kept, kept: [] };
  }

  #create(
    { value, uses }: SharedValue,
    { source, followsJsonRule, scores }: WeighedSource,
    kind: DecisionKind,
  ): Assignment {
    const later = uses.filter((use) => scores.has(use) && isAfter(use.call, source.call));
    const [because] = [...scores.values()].sort((a, b) => sumOf(b) - sumOf(a));
    return {
      value,
      source,
      followsJsonRule,
      kind,
      ...this.#split(later, followsJsonRule),
      because,
    };
  }

  /** Separates the uses that a plan cannot replace. `--correlate json` replaces only plain text. */
  #split(all: readonly Use[], followsJsonRule: boolean): Pick<Assignment, "uses" | "kept"> {
    const uses: Use[] = [];
    const kept: KeptUse[] = [];
    for (const use of all) {
      const why = obstacleTo(use, followsJsonRule && this.#jsonOnly);
      if (why === undefined) uses.push(use);
      else kept.push({ ...use, why });
    }
    return { uses, kept };
  }

  /** Reports whether the extractor returns the value from all other responses to the call. */
  #isReceivedAgain({ value, source }: Assignment): boolean {
    const others = source.others === undefined ? this.#extractors.inOtherResponses(source) : [];
    return others.length > 0 && others.every((other) => other === value);
  }
}

/** The uses of a value that are a variable, as evidence for its other uses. */
class KnownUses {
  readonly #calls = new Set<RecordedCall>();

  add(uses: readonly Use[]): void {
    for (const use of uses) if (!isDigit(use) || isInPath(use)) this.#calls.add(use.call);
  }

  support(use: Use): boolean {
    return isDigit(use) ? this.#calls.has(use.call) : this.#calls.size > 0;
  }
}

/** A digit is often equal by chance: only a path of the same request with it is evidence. */
function isDigit({ value }: Use): boolean {
  return value.length === 1;
}

class UsesByField {
  readonly #uses = new Map<Use["field"], Use[]>();

  add(uses: readonly Use[]): void {
    for (const use of uses) {
      this.#uses.getOrInsertComputed(outerField(use), () => []).push(use);
    }
  }

  overlaps(use: Use): boolean {
    return this.#uses.get(outerField(use))?.some((other) => overlaps(use, other)) ?? false;
  }
}

function outerField({ field }: Use): Use["field"] {
  return field instanceof Base64Field ? field.outer : field;
}

function isVariable({ kind }: Assignment): boolean {
  return kind === "correlated" || kind === "offered";
}

function doneBy({ uses, kept }: Assignment): Use[] {
  return [...uses, ...kept];
}

/**
 * Adds the fields whose name is the value of a variable that the same request sends: the button
 * that the user clicked, for example. Also adds the other fields with this value.
 */
function withNames(assignment: Assignment, uses: readonly Use[]): Assignment {
  if (assignment.kind !== "correlated") return assignment;
  const sent = new Set(
    assignment.uses.filter(({ fills }) => fills === "whole").map(({ call }) => call),
  );
  const whole = uses.filter(({ call, fills }) => fills === "whole" && sent.has(call));
  const isOfName = ({ field, value }: Use) => field.kind === "name" || field.name === value;
  const named = isShortNumber(assignment.value) ? [] : [...assignment.uses, ...whole]
    .filter((use) => use.fills === "whole" && isOfName(use)).map(({ call }) => call);
  const names = whole.filter((use) => isOfName(use) || named.includes(use.call));
  return withUses(assignment, { uses: names, kept: [] });
}

/** Leaves the uses of echoes to the variable of the created object. */
function withoutEchoes(assigned: readonly Assignment[]): readonly Assignment[] {
  if (assigned.length < 2 || !isShortNumber(assigned[0].value)) return assigned;
  const kept: Assignment[] = [];
  for (const assignment of assigned.toSorted((a, b) => a.source.call.order - b.source.call.order)) {
    const at = assignment.kind === "correlated"
      ? kept.findIndex((creator) => isEchoOf(assignment, creator))
      : -1;
    if (at < 0) kept.push(assignment);
    else kept[at] = withUses(kept[at], assignment);
  }
  return kept;
}

function withUses(
  assignment: Assignment,
  { uses, kept }: Pick<Assignment, "uses" | "kept">,
): Assignment {
  return {
    ...assignment,
    uses: [...assignment.uses, ...uses],
    kept: [...assignment.kept, ...kept],
  };
}

function without(uses: readonly Use[], done: readonly Use[]): Use[] {
  const byField = Map.groupBy(done, ({ field }) => field);
  return uses.filter(({ field, start }) => !byField.get(field)?.some((use) => use.start === start));
}

function obstacleTo(use: Use, plainOnly: boolean): Obstacle | undefined {
  const { field, start, end } = use;
  const [outer, from] = field instanceof Base64Field
    ? [field.outer, field.outer.recordedRange(field.start, field.end)[0]]
    : [field, field.recordedRange(start, end)[0]];
  if (from > 0 && outer.recorded[from - 1] === "$") return "after a dollar";
  const isWrapped = field instanceof Base64Field || field.kind !== "form" && isEncoded(use);
  return isWrapped && plainOnly ? "encoded" : undefined;
}

/** Reports whether two equal values are unlikely to be equal by chance. */
function isDistinctive(value: string, { key }: Source): boolean {
  if (lookOf(value) === "number" || value.length < 8) {
    return nameHint(key).idLike && value.length >= 4;
  }
  return true;
}

/**
 * Reports whether the client only echoes a constant, such as a client id. It consists of words, and
 * requests send it only under the name that it has in the response, or also where the plan would
 * send it as recorded.
 */
function isEchoed(
  { value, sources }: SharedValue,
  { source, followsJsonRule, scores }: WeighedSource,
  uses: readonly Use[],
): boolean {
  if (!isWordy(value) || nameHint(source.key).token) return false;
  const isCreated = scores.values().some((evidence) => evidence.includes("created"));
  if (!isCreated && uses.some((use) => !scores.has(use) && use.fills !== "piece")) return true;
  const isRepeated = new Set(sources.map(({ call }) => call)).size > 1;
  return (isRepeated || !followsJsonRule && source.where !== "header") &&
    [...scores.keys()].every((use) =>
      !isInPath(use) && (use.part !== undefined || use.field.kind !== "header") &&
      hasSameName(source.key, nameOf(use))
    );
}
