import { isShortNumber, isWordy, nameHint } from "../traffic/session/dynamic_value.ts";
import { Base64Field } from "../traffic/session/base64_text.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import { agreement, refererOf } from "./agreement.ts";
import { overlaps, type SharedValue } from "./explain_pieces.ts";
import { lookOf, type SessionEvidence } from "./evidence.ts";
import { isEncoded, isInPath, nameOf, type Use } from "./pieces.ts";
import { type Evidence, evidenceFor, isNarrow, sumOf, THRESHOLD } from "./prior.ts";
import type { Referers } from "./referers.ts";
import type { Source } from "./source.ts";
import type { SourceKind } from "./source_kinds.ts";
import {
  callWords,
  consumerWords,
  contextWords,
  hasSameName,
  haveCommonWord,
  mayChangeData,
  nameBefore,
} from "./words.ts";

/**
 * Outcome for a value: `correlated` (replaced by a variable), `offered` (requires `--correlate`), or
 * the reason why the value stays as recorded.
 */
export type Verdict =
  | "correlated"
  | "offered"
  | "client's own"
  | "overlap"
  | "coincidence"
  | "constant"
  | "after a dollar";

/** Reason why a request keeps the recorded value although a variable has the same value. */
export type Obstacle = "after a dollar" | "encoded";

/** A use for which the plan sends the recorded value, and the reason. */
export interface KeptUse extends Use {
  readonly why: Obstacle;
}

/** The decision on a value and on one of its places in responses. */
export interface Assignment {
  readonly value: string;
  readonly source: Source;
  readonly kind: SourceKind;
  readonly verdict: Verdict;
  /** Uses that the variable of the value replaces or could replace. */
  readonly uses: readonly Use[];
  readonly kept: readonly KeptUse[];
  /** The evidence for the best use. */
  readonly because: readonly Evidence[];
}

/** Weight of a list item in the response that shows a text which the user typed. */
const ROW = 3.5;

/** What is known about the extractors of values. */
export interface ExtractorCheck {
  /** Reports whether an extractor returns the value from a source. */
  canExtract(source: Source): boolean;
  /** Returns whether the extractor finds the list item by a text that the user typed, or by another. */
  selectedBy(source: Source): "typed" | "constant" | undefined;
}

/** Tolerance for recorders that truncate start times, but not durations, to whole milliseconds. */
const CLOCK_STEP_MS = 1;

/** Reports whether a call was sent after the response to `producer` had ended. */
export function isAfter(call: RecordedCall, producer: RecordedCall): boolean {
  return call.order > producer.order && call.startedAt + CLOCK_STEP_MS >= producer.endedAt;
}

/**
 * Decides for each value which response is its source, and which uses its variable replaces. The
 * longest value explains a use. `kinds` are the enabled kinds of sources besides JSON.
 */
export function assign(
  values: readonly SharedValue[],
  session: SessionEvidence,
  kinds: ReadonlySet<SourceKind>,
  extractors: ExtractorCheck,
  referers: Referers,
): Assignment[] {
  const explained = new Map<Use["field"], Use[]>();
  const fieldOf = ({ field }: Use) => field instanceof Base64Field ? field.outer : field;
  const assigned: Assignment[] = [];
  for (const shared of values.toSorted((a, b) => b.value.length - a.value.length)) {
    let uses = shared.uses.filter((use) =>
      !explained.get(fieldOf(use))?.some((other) => overlaps(use, other))
    );
    const keyOf = evidenceKeys(shared.uses);
    const evidenceOf = cachedEvidence(session);
    /** The calls that send the value as a variable; of a digit, which is often equal by chance, in their path. */
    const known = new Set<RecordedCall>();
    const isDigit = shared.value.length === 1;
    const isKnown = ({ call }: Use) => isDigit ? known.has(call) : known.size > 0;
    for (let tries = 0; uses.length > 0 && tries < 20; tries++) {
      const found = choose(
        shared,
        uses,
        (use) => isKnown(use) ? `${keyOf(use)}\0known` : keyOf(use),
        (key, use, ...places) => evidenceOf(key, use, ...places, isKnown(use)),
        kinds,
        extractors,
      );
      if (found === undefined) break;
      if (shared.other === shared.value) {
        assigned.push({ ...found, verdict: "constant", uses: [...found.uses, ...found.kept] });
        break;
      }
      const isVariable = found.verdict === "correlated" || found.verdict === "offered";
      if (tries === 0 || isVariable) assigned.push(found);
      if (isVariable) {
        for (const use of [...found.uses, ...found.kept]) {
          if (!isDigit || isInPath(use)) known.add(use.call);
          const inField = explained.get(fieldOf(use));
          if (inField === undefined) explained.set(fieldOf(use), [use]);
          else inField.push(use);
        }
      }
      const done = Map.groupBy([...found.uses, ...found.kept], ({ field }) => field);
      const rest = uses.filter(({ field, start }) =>
        !done.get(field)?.some((one) => one.start === start)
      );
      if (rest.length === uses.length) break;
      uses = rest;
    }
  }
  return assigned.map((one) => withReferers(one, referers, kinds)).sort((a, b) =>
    a.source.step.order - b.source.step.order || a.source.number - b.source.number
  );
}

/** Adds the uses in `Referer` headers that repeat a URL. */
function withReferers(
  assignment: Assignment,
  referers: Referers,
  kinds: ReadonlySet<SourceKind>,
): Assignment {
  const repeated = assignment.uses.flatMap((use) => referers.repeating(use));
  if (repeated.length === 0) return assignment;
  const why = (use: Use) => obstacleTo(use, assignment.kind, kinds);
  return {
    ...assignment,
    uses: [...assignment.uses, ...repeated.filter((use) => why(use) === undefined)],
    kept: [
      ...assignment.kept,
      ...repeated.flatMap((use): KeptUse[] => why(use) ? [{ ...use, why: why(use)! }] : []),
    ],
  };
}

interface Option {
  readonly source: Source;
  readonly kind: SourceKind;
  /** Uses that the source explains, each with the evidence. */
  readonly scores: ReadonlyMap<Use, readonly Evidence[]>;
}

/** Minimum number of uses of a value among which those with the same evidence are sought. */
const MANY_USES = 16;
/** Maximum length, in UTF-16 code units, of fields that are compared to find equal uses. */
const LONGEST_COMPARED = 200;

/** Returns a function that returns a text that is equal for uses with the same evidence. */
function evidenceKeys(uses: readonly Use[]): (use: Use) => string {
  const keys = new Map(uses.map((use, i) => [use, keyOf(use) ?? `${i}`]));
  return (use) => keys.get(use)!;
  function keyOf(use: Use): string | undefined {
    const { call, field, start, fills, part } = use;
    if (
      uses.length < MANY_USES || field instanceof Base64Field ||
      field.value.length > LONGEST_COMPARED
    ) return undefined;
    const { request: { url } } = call.exchange;
    const words = [consumerWords(use), contextWords(use), callWords(call)].map((some) =>
      some.join()
    );
    const names = [field.name, part?.name, part?.inPath, nameBefore(use), refererOf(call)];
    return [url, field.kind, field.value, start, fills, ...names, ...words].join("\0");
  }
}

/** Returns a function that keeps the evidence for equal uses of one value at its places. */
function cachedEvidence(session: SessionEvidence) {
  const known = new Map<Source, Map<string, Evidence[]>>();
  return (key: string, use: Use, source: Source, first: Source, isKnown: boolean): Evidence[] => {
    let byKey = known.get(source);
    if (byKey === undefined) known.set(source, byKey = new Map());
    let found = byKey.get(key);
    if (found === undefined) {
      byKey.set(key, found = evidenceFor(use, source, first, session, isKnown));
    }
    return found;
  };
}

function choose(
  { value, sources }: SharedValue,
  uses: readonly Use[],
  keyOf: (use: Use) => string,
  evidenceOf: (key: string, use: Use, source: Source, first: Source) => Evidence[],
  kinds: ReadonlySet<SourceKind>,
  extractors: ExtractorCheck,
): Assignment | undefined {
  const firsts = new Map<string, Source>();
  const placesOf = new Map(uses.map((use) => [use, placeOf(use)]));
  const keysOf = new Map(uses.map((use) => [use, keyOf(use)]));
  const firstByKey = new Map(uses.toReversed().map((use) => [keyOf(use), use]));
  const options = sources.map((source): Option => {
    const scores = new Map<Use, readonly Evidence[]>();
    const words = `${source.left}\0${source.collection}`;
    const first = firsts.get(words) ?? source;
    firsts.set(words, first);
    const near = source.nearestTo && [...source.nearestTo].filter((use) => keysOf.has(use));
    const asked = near ? new Map(near.map((use) => [keysOf.get(use)!, use])) : firstByKey;
    const explained = new Map<string, readonly Evidence[]>();
    for (const [key, use] of asked) {
      const evidence = evidenceOf(key, use, source, first);
      const score = sumOf(evidence);
      const mayBeInRow = score >= THRESHOLD - ROW && evidence.includes("agreement");
      if (score >= THRESHOLD || mayBeInRow && extractors.selectedBy(source) === "typed") {
        explained.set(key, evidence);
      }
    }
    for (const use of explained.size > 0 ? near ?? uses : []) {
      const evidence = explained.get(keysOf.get(use)!);
      if (evidence !== undefined) scores.set(use, evidence);
    }
    // The same field of other requests contains the same value.
    const places = new Set([...scores.keys()].map((use) => placesOf.get(use)!));
    if (places.size > 0 && source.nearestTo === undefined) {
      for (const use of uses) {
        if (places.has(placesOf.get(use)!)) { if (!scores.has(use)) scores.set(use, []); }
      }
    }
    return { source, kind: kindOf(value, source, uses), scores };
  });
  if (isShortNumber(value)) leaveToBest(options);
  leaveToLatest(options);
  const possible = options.filter(({ scores }) => scores.size > 0);
  if (possible.length === 0) return undefined;
  const build = (verdict: Verdict, { source, kind, scores }: Option): Assignment => {
    const later = [...scores.keys()].filter((use) => isAfter(use.call, source.step));
    const kept = later.flatMap((use): KeptUse[] => {
      const why = obstacleTo(use, kind, kinds);
      return why === undefined ? [] : [{ ...use, why }];
    });
    const replaced = later.filter((use) => obstacleTo(use, kind, kinds) === undefined);
    const [because] = [...scores.values()].sort((a, b) => sumOf(b) - sumOf(a));
    return { value, source, kind, verdict, uses: replaced, kept, because };
  };
  const isEnabled = ({ kind }: Option) => kind === "json" || kinds.has(kind);
  // A request that sent text first typed or chose it. Equal numbers are not always the same.
  const isText = /\D/.test(value);
  const first = possible.filter(({ source, scores }) =>
    (isText ? uses : [...scores.keys()]).every((use) => isAfter(use.call, source.step))
  );
  if (first.length === 0) {
    const overlapped = possible.find((option) =>
      isEnabled(option) && isDistinctive(value, option.source) &&
      extractors.canExtract(option.source) &&
      [...option.scores.keys()].every(({ call }) => call.order > option.source.step.order)
    );
    if (overlapped === undefined) {
      return { ...build("client's own", possible[0]), uses: [...possible[0].scores.keys()] };
    }
    return { ...build("overlap", overlapped), uses: [...overlapped.scores.keys()] };
  }
  const chosen = preferred(first.filter(isEnabled), extractors) ??
    preferred(first, extractors);
  if (chosen === undefined) return undefined;
  const isConstant = chosen.source.others === undefined &&
    (isEchoedConstant(value, chosen, sources) || isReference(value, chosen, extractors));
  if (isConstant) return build("constant", chosen);
  if (!isEnabled(chosen)) {
    const { uses, kept, ...offered } = build("offered", chosen);
    return { ...offered, uses: [...uses, ...kept], kept: [] };
  }
  const decided = build("correlated", chosen);
  if (decided.uses.length > 0) return decided;
  if (decided.kept.every(({ why }) => why === "after a dollar")) {
    return build("after a dollar", chosen);
  }
  return { ...decided, verdict: "offered", kind: "encoded", uses: decided.kept, kept: [] };
}

/** Returns a text that is equal for the same field of several requests. */
function placeOf(use: Use): string {
  const { kind } = use.field;
  const resource = kind === "json" ? callWords(use.call).join(" ") : "";
  return [kind, nameBefore(use), use.fills, resource].join("\0");
}

/** Returns the kind of content from which a value is extracted. */
function kindOf(value: string, { kind, key }: Source, uses: readonly Use[]): SourceKind {
  return kind !== "json" || isNarrow(key, value, uses) ? kind : "html";
}

/** Reports whether the response to a write contains a value because the write created it. */
function isByCreator(evidence: readonly Evidence[], { step }: Source): boolean {
  return evidence.includes("created") && evidence.includes("agreement") && mayChangeData(step);
}

/** Leaves each use of a short number to the sources whose resource matches it best. */
function leaveToBest(options: readonly Option[]): void {
  const best = new Map<Use, number>();
  const shares = options.map(({ source, scores }) => {
    const ofUses = new Map([...scores].map(([use, evidence]) => {
      const share = agreement(use, source);
      return [use, isByCreator(evidence, source) ? Math.max(share, 1) : share];
    }));
    for (const [use, share] of ofUses) {
      if (isAfter(use.call, source.step)) best.set(use, Math.max(best.get(use) ?? 0, share));
    }
    return ofUses;
  });
  for (const [i, { scores }] of options.entries()) {
    for (const [use, share] of shares[i]) {
      if (share < (best.get(use) ?? 0)) (scores as Map<Use, unknown>).delete(use);
    }
  }
}

/**
 * Leaves each use of a short id in scripts, which servers use again, to the latest response that
 * contains it after the same word as the first one.
 */
function leaveToLatest(options: readonly Option[]): void {
  const isReused = ({ scores }: Option) =>
    [...scores.values()].some((evidence) => evidence.includes("quoted"));
  const all = options.filter(isReused);
  const [first] = all.map(({ source }) => wordBefore(source));
  const reused = all.filter(({ source }) => wordBefore(source) === first);
  for (const other of all) {
    if (!reused.includes(other)) (other.scores as Map<Use, unknown>).clear();
  }
  for (const { source, scores } of reused.length < 2 ? [] : reused) {
    for (const use of [...scores.keys()]) {
      const isReplaced = reused.some((other) =>
        other.source.step.order > source.step.order && other.scores.has(use) &&
        isAfter(use.call, other.source.step)
      );
      if (isReplaced) (scores as Map<Use, unknown>).delete(use);
    }
  }
}

/** Returns the last word before a value. */
function wordBefore({ occurrence: { view, start } }: Source): string {
  return /(\w+)\W*$/.exec(view.text.slice(Math.max(0, start - 60), start))?.[1] ?? "";
}

/**
 * Returns the option whose call probably created the value, because it may change data and its
 * resource is also named where a request sends the value. If there is none, returns the first
 * option; rather one from JSON than one from a page, and rather one from a page than one from text.
 */
function preferred(
  options: readonly Option[],
  extractors: ExtractorCheck,
): Option | undefined {
  const ranked = options.toSorted((a, b) => rank(a) - rank(b));
  return ranked.find(({ source }) => extractors.canExtract(source));
  function rank(option: Option): number {
    const { source, scores } = option;
    const words = callWords(source.step);
    const isCreator = mayChangeData(source.step) &&
      [...scores.keys()].some((use) => haveCommonWord(words, consumerWords(use)));
    const place = option.kind === "json"
      ? 0
      : /leaf|field|option|header/.test(source.where)
      ? 1
      : 2;
    return (isCreator ? 0 : 10) + place;
  }
}

/** Returns why a plan cannot replace a use. */
function obstacleTo(
  use: Use,
  kind: SourceKind,
  kinds: ReadonlySet<SourceKind>,
): Obstacle | undefined {
  const { field, start, end } = use;
  const [outer, from] = field instanceof Base64Field
    ? [field.outer, field.outer.recordedRange(field.start, field.end)[0]]
    : [field, field.recordedRange(start, end)[0]];
  if (from > 0 && outer.recorded[from - 1] === "$") return "after a dollar";
  const isOther = field instanceof Base64Field || field.kind !== "form" && isEncoded(use);
  return isOther && kind === "json" && !kinds.has("encoded") ? "encoded" : undefined;
}

/** Reports whether two equal values are unlikely to be equal by chance. */
function isDistinctive(value: string, { key }: Source): boolean {
  if (lookOf(value) === "number" || value.length < 8) {
    return nameHint(key).idLike && value.length >= 4;
  }
  return true;
}

/**
 * Reports whether a value is a constant that the client only echoes, such as a client id. It consists
 * of words, and requests send it only under the name that it has in the response.
 */
function isEchoedConstant(
  value: string,
  { source, kind, scores }: Option,
  sources: readonly Source[],
): boolean {
  const isRepeated = new Set(sources.map(({ step }) => step)).size > 1;
  return isWordy(value) && (isRepeated || kind === "html") && !nameHint(source.key).token &&
    [...scores.keys()].every((use) =>
      !isInPath(use) && (use.part !== undefined || use.field.kind !== "header") &&
      hasSameName(source.key, nameOf(use))
    );
}

/**
 * Reports whether a value is the number of an entry that has the same name on every server, such as
 * a status: a response to a read contains it next to a text that the user did not type, and requests
 * do not send it as an id.
 */
function isReference(
  value: string,
  { source, scores }: Option,
  extractors: ExtractorCheck,
): boolean {
  return isShortNumber(value) && !mayChangeData(source.step) &&
    ![...scores].some(([use, evidence]) => isInPath(use) || evidence.includes("useId")) &&
    extractors.selectedBy(source) === "constant";
}
