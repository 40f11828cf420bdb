import type { KnownPairs } from "../correlation/known_pairs.ts";
import { pathWords } from "../correlation/words.ts";
import {
  type CallPlaces,
  callPlaces,
  compareRequests,
  isHeader,
  isRelevant,
  type PlaceDifference,
  placeName,
} from "../outcome/compare_requests.ts";
import type { WorkTrace } from "../outcome/work.ts";
import type { Request } from "../plan/kinds/request.ts";
import { requestTexts } from "../plan/request_texts.ts";
import { parseTemplate } from "../plan/text/template.ts";
import { nameHint, nameWords } from "../traffic/session/dynamic_value.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import { describeRequest } from "../verify/plan_requests.ts";
import type { PlanDraft } from "./draft.ts";

/** A text of a write, as recorded and live, and its place (see `callPlaces`). */
export interface WrittenText extends WorkTrace {
  readonly place: string;
}

/** What a write sent, and whether it may have opened a session. */
export interface SentWrite {
  readonly differences: readonly string[];
  /** Texts that are sent at the recorded places, except files. */
  readonly texts: readonly WrittenText[];
  readonly sendsPassword: boolean;
  readonly setsCookie: boolean;
}

const MOST_DIFFERENCES = 5;
/** Values below this length are equal to others by chance. In UTF-16 code units. */
export const SHORTEST_VALUE = 4;

const KINDS: Readonly<Record<PlaceDifference["kind"], string>> = {
  missing: "is not sent",
  added: "",
  type: "is sent as another JSON type",
  empty: "is sent empty",
  other: "is sent with the value of another object",
  literal: "is sent with another value than recorded",
  variable: "",
};

/** Reports whether a request contains a text as a literal in a field with the name of a place. */
function isLiteralAt(place: string, text: string, planned: Request): boolean {
  const name = placeName(place);
  return name !== "" &&
    requestTexts(planned).some((one) => one.name === name && one.template === text);
}

/**
 * Reports whether a place is that of the id in a variable, such as `category.id`, or the id in a
 * path that names only an action, such as `/delete/3`.
 */
function isPlaceOf(place: string, variable: string, call: RecordedCall): boolean {
  const resource = nameWords(variable).filter((word) => !/^(?:id|\d+)$/.test(word));
  if (resource.length === 0) return false;
  if (place.startsWith("path ")) return pathWords(call).length === 0;
  const words = nameWords(place);
  return nameHint(placeName(place)).idLike && resource.every((word) => words.includes(word));
}

/**
 * Compares a sent write with the recorded request (see `compareRequests`). `known` must not yet
 * contain the values of this request. `changed` are the variables with other live values, by their
 * recorded value: a write that sends such a value in their place changes another object.
 */
export function compareWrite(
  index: number,
  sent: RecordedCall,
  draft: PlanDraft,
  known: KnownPairs,
  changed: ReadonlyMap<string, readonly string[]>,
): Pick<SentWrite, "differences" | "texts"> {
  const planned = draft.at(index);
  const literals = describeRequest(planned);
  const { call } = draft.recorded.at(index)!;
  const places = callPlaces(call);
  const live = callPlaces(sent, nameMatcher(planned, places, (name) => known.toRecorded(name)));
  // Literals of the plan at places where they were recorded: elsewhere, a variable sent this text.
  const kept = new Map<string, number>();
  for (const [place, { text }] of places) {
    if (live.get(place)?.text === text) kept.set(text, (kept.get(text) ?? 0) + 1);
  }
  // A poll may send the ids of all rows of a page.
  const isPoll = draft.recorded.isPoll(index);
  const found = compareRequests(places, live, {
    isSame: (text, other) => known.toRecorded(other) === text || known.toLive(text) === other,
    isOther: (text, other) =>
      other.length >= SHORTEST_VALUE && (known.recordedOf(other) ?? text) !== text,
    isLiteral: (text) =>
      /^(?:true|false|null)$/.test(text) || literals.wholeLiterals(text) > (kept.get(text) ?? 0),
  }).map((one) =>
    one.kind === "variable" && isLiteralAt(one.place, one.sent!.text, planned)
      ? { ...one, kind: "literal" as const }
      : one
  ).filter(({ place, recorded, kind }) =>
    KINDS[kind] !== "" && isRelevant(place) && !(kind === "other" && isPoll) &&
    // A run sends only the headers it needs, and a placeholder in place of the recorded file.
    !(kind === "missing" && isHeader(place)) &&
    !(kind !== "empty" && recorded?.isFile && kind !== "missing")
  );
  const stale = [...places].flatMap(([place, { text }]) => {
    const own = (changed.get(text) ?? []).find((variable) => isPlaceOf(place, variable, call));
    return own === undefined || live.get(place)?.text !== text
      ? []
      : [`\`${place}\` is sent as recorded, not as \`\${${own}}\``];
  });
  const differences = found.map(({ place, kind }) => `\`${place}\` ${KINDS[kind]}`);
  return {
    differences: [...differences, ...stale].slice(0, MOST_DIFFERENCES),
    texts: [...places].flatMap(([place, { text, isFile }]): WrittenText[] => {
      const other = isFile ? undefined : live.get(place);
      return other === undefined ? [] : [{ place, recorded: text, live: other.text }];
    }),
  };
}

/**
 * Returns the recorded name of a field, parameter or member that a request sends: the only one that
 * the same template of the plan may have produced, otherwise the result of `other`.
 */
function nameMatcher(
  planned: Request,
  recorded: CallPlaces,
  other: (name: string) => string,
): (name: string) => string {
  const patterns = requestTexts(planned).filter(({ kind, template }) =>
    /-name$/.test(kind) && template.includes("${")
  ).map(({ template }) => {
    const parts = parseTemplate(template)
      .map((part) => part.kind === "text" ? RegExp.escape(part.text) : "(?:.+)");
    return new RegExp(`^${parts.join("")}$`, "s");
  });
  const names = [...recorded.keys()].flatMap((place) =>
    place.startsWith("name ") ? [place.slice("name ".length)] : []
  );
  return (name) => {
    const own = patterns.filter((pattern) => pattern.test(name))
      .flatMap((pattern) => names.filter((one) => pattern.test(one)));
    return own.length === 1 ? own[0] : other(name);
  };
}

export function bodyTexts(texts: readonly WrittenText[]): WrittenText[] {
  return texts.filter(({ place }) => !/^(?:path|query|header) /.test(place));
}
