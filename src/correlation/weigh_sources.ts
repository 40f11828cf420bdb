import { valueAt } from "../extract/jsonpath.ts";
import { readable } from "./try_extractor.ts";
import { dynamicBy, isShortNumber } from "../traffic/session/dynamic_value.ts";
import { Base64Field } from "../traffic/session/base64_text.ts";
import { headerIn, type RecordedCall } from "../traffic/session/recorded_call.ts";
import { evidenceFor } from "./evidence.ts";
import { isLinkTo } from "./place_rules.ts";
import type { SessionEvidence } from "./session_evidence.ts";
import type { SharedValue } from "./shared_values.ts";
import { nameOf, type Use } from "./pieces.ts";
import { type Evidence, sumOf, THRESHOLD } from "./prior.ts";
import type { Source } from "./source.ts";
import type { SourceExtractors } from "./source_extractors.ts";
import { callWords, consumerWords, contextWords, nameBefore } from "./request_words.ts";
import { isCount } from "./words.ts";

/** A place of a value in a response, with the uses of the value that it explains. */
export interface WeighedSource {
  readonly source: Source;
  readonly followsJsonRule: boolean;
  readonly scores: ReadonlyMap<Use, readonly Evidence[]>;
}

type Scores = WeighedSource["scores"];

/** Tolerance for recorders that truncate start times, but not durations, to whole milliseconds. */
export const CLOCK_STEP_MS = 1;

/** Reports whether a call was sent after the response to `producer` had ended. */
export function isAfter(call: RecordedCall, producer: RecordedCall): boolean {
  return call.order > producer.order && call.startedAt + CLOCK_STEP_MS >= producer.endedAt;
}

/** Weighs the sources of a value. Keeps the evidence, which is the same for most uses. */
export class SourceWeigher {
  readonly #shared: SharedValue;
  readonly #session: SessionEvidence;
  readonly #extractors: SourceExtractors;
  readonly #keys: ReadonlyMap<Use, string>;
  readonly #fields: ReadonlyMap<Use, string>;
  readonly #evidence = new Map<Source, Map<string, Evidence[]>>();

  constructor(shared: SharedValue, session: SessionEvidence, extractors: SourceExtractors) {
    this.#shared = shared;
    this.#session = session;
    this.#extractors = extractors;
    this.#keys = evidenceKeys(shared.uses);
    this.#fields = new Map(shared.uses.map((use) => [use, fieldKey(use)]));
  }

  /**
   * Returns the sources in the order of the responses, with the uses that each one explains.
   * `isKnown` reports whether the value is already a variable in other uses that are evidence for a
   * use.
   */
  weigh(uses: readonly Use[], isKnown: (use: Use) => boolean): WeighedSource[] {
    const { value, sources } = this.#shared;
    const left = new Set(uses);
    const groupsOf = (some: Iterable<Use>) =>
      Map.groupBy(some, (use) => `${this.#keys.get(use)}${isKnown(use) ? "\0known" : ""}`);
    const all = groupsOf(uses);
    const fieldOf = (use: Use) => this.#fields.get(use)!;
    const byField = Map.groupBy(uses, fieldOf);
    const firsts = new Map<string, Source>();
    return sources.map((source) => {
      const { nearestTo } = source;
      const firstPlace = firsts.getOrInsert(`${source.left}\0${source.collection}`, source);
      const asked = nearestTo === undefined ? all : groupsOf(nearestTo.intersection(left));
      const scores = this.#scores(source, firstPlace, asked, isKnown);
      return {
        source,
        followsJsonRule: followsJsonRule(source, value, uses),
        scores: nearestTo === undefined ? withSameFields(scores, fieldOf, byField) : scores,
      };
    });
  }

  #scores(
    source: Source,
    firstPlace: Source,
    groups: ReadonlyMap<string, readonly Use[]>,
    isKnown: (use: Use) => boolean,
  ): Scores {
    const cached = this.#evidence.getOrInsertComputed(source, () => new Map<string, Evidence[]>());
    const scores = new Map<Use, readonly Evidence[]>();
    for (const [key, alike] of groups) {
      const [use] = alike;
      const evidence = cached.getOrInsertComputed(
        key,
        () => evidenceFor(use, source, firstPlace, this.#session, isKnown(use)),
      );
      if (sumOf(evidence) >= THRESHOLD) {
        for (const same of alike) scores.set(same, evidence);
        continue;
      }
      const inRow: Evidence[] = [...evidence, "row"];
      if (sumOf(inRow) < THRESHOLD) continue;
      const agrees = evidence.includes("agreement") || isLinkTo(use, source.occurrence);
      const picked = agrees
        ? alike
        : alike.filter((same) => evidence.includes("sourceId") && this.#isPicked(same, source));
      if (picked.length === 0 || this.#extractors.writerOfRow(source) === undefined) continue;
      for (const same of picked) scores.set(same, inRow);
    }
    return scores;
  }

  /**
   * Reports whether the response directly before a call offers one item, which only the use picks.
   */
  #isPicked(use: Use, source: Source): boolean {
    return source.call.order === use.call.order - 1 && !isCount(nameOf(use)) &&
      isInOnlyItem(source) &&
      this.#shared.uses.every((other) =>
        other === use || other.call !== use.call || other.field.kind === "header"
      );
  }
}

/** Adds the uses in the same fields of other requests: they contain the same value. */
function withSameFields(
  scores: Scores,
  fieldOf: (use: Use) => string,
  byField: ReadonlyMap<string, readonly Use[]>,
): Scores {
  const all = new Map(scores);
  for (const field of new Set(scores.keys().map(fieldOf))) {
    for (const use of byField.get(field)!) all.getOrInsert(use, []);
  }
  return all;
}

function fieldKey(use: Use): string {
  const { field: { kind }, call, fills, part } = use;
  const isInJson = kind === "json" || part?.within !== undefined;
  const resource = isInJson
    ? [...callWords(call), "", ...consumerWords(use)].join(" ")
    : isShortNumber(use.value)
    ? contextWords(use).join(" ")
    : "";
  return [kind, nameBefore(use), fills, resource].join("\0");
}

/**
 * Reports whether `--correlate json` finds a value: it is in JSON, and its shape, the name of its
 * member or that of a request's field suggests that it is dynamic.
 */
function followsJsonRule(source: Source, value: string, uses: readonly Use[]): boolean {
  return source.isInJson && (dynamicBy(source.key, value) !== undefined ||
    uses.some((use) => use.fills !== "piece" && dynamicBy(nameOf(use), value) === "name"));
}

/** Minimum number of uses of a value among which those with the same evidence are sought. */
const MANY_USES = 16;
/** Maximum length, in UTF-16 code units, of fields that are compared to find equal uses. */
const LONGEST_COMPARED = 200;

/** Returns a text for each use, which is equal for uses with the same evidence. */
function evidenceKeys(uses: readonly Use[]): ReadonlyMap<Use, string> {
  return new Map(uses.map((use, i) => [use, keyOf(use) ?? `${i}`]));
  function keyOf(use: Use): string | undefined {
    const { call, field, start, fills, part } = use;
    if (uses.length < MANY_USES || field.value.length > LONGEST_COMPARED) return undefined;
    // A header does not depend on the address.
    const url = field.kind === "header" ? "" : call.exchange.request.url;
    const words = [consumerWords(use), contextWords(use), callWords(call)].map((some) =>
      some.join()
    );
    const names = [
      field.name,
      part?.name,
      part?.inPath,
      nameBefore(use),
      headerIn(call, "referer")?.value,
    ];
    const kind = field instanceof Base64Field ? `base64 ${field.kind}` : field.kind;
    return [url, kind, field.value, start, fills, ...names, ...words].join("\0");
  }
}

function isInOnlyItem({ occurrence: { view } }: Source): boolean {
  if (view.place.kind !== "json") return false;
  const { path } = view.place;
  const list = valueAt(
    readable(view.response).json,
    path.slice(0, path.findLastIndex((step) => typeof step === "number")),
  );
  return Array.isArray(list) && list.length === 1;
}
