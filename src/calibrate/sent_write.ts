import { alignWords } from "../comparison/align_text.ts";
import type { KnownPairs } from "../comparison/known_pairs.ts";
import { pathWords } from "../correlation/request_words.ts";
import { differingFields } from "../correlation/second_session.ts";
import type { SupervisedVu } from "../engine/flow/scope.ts";
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
import { readVariables } from "../plan/expressions/expression.ts";
import { parseTemplate } from "../plan/text/template.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import { nameHint, nameWords } from "../traffic/session/dynamic_value.ts";
import { type RecordedCall, sentRequest, splitSent } from "../traffic/session/recorded_call.ts";
import { describeRequest } from "../verify/plan_requests.ts";
import type { PlanDraft } from "./draft.ts";
import type { SentExchange } from "./live_target.ts";
import { sendsPassword } from "../correlation/request_words.ts";
import type { VariableWatch } from "./variable_watch.ts";

/** What a write sent, and whether it may have opened a session. */
export interface SentWrite {
  readonly differences: readonly string[];
  /** Texts that are sent at the recorded places (see `callPlaces`), except files. */
  readonly texts: readonly (WorkTrace & { readonly place: string })[];
  readonly sendsPassword: boolean;
  readonly setsCookie: boolean;
}

/** What the request of a call sent in place of the recorded one. */
export interface SentCall {
  readonly call: RecordedCall;
  /** Undefined for a read. */
  readonly write: SentWrite | undefined;
  /**
   * The values sent in place of recorded ones, such as a login from a data file or `${unique}`.
   * Echoes of them in responses then do not count as differences.
   */
  readonly pairs: readonly WorkTrace[];
}

/**
 * Compares what was sent for the request `index` with the recorded request. `known` must not yet
 * contain its values. Returns undefined if no response was received, or if the request was not
 * recorded.
 */
export function readSentCall(
  index: number,
  vu: SupervisedVu,
  known: KnownPairs,
  exchanges: readonly SentExchange[],
  { draft, variables }: { readonly draft: PlanDraft; readonly variables: VariableWatch },
): SentCall | undefined {
  const step = draft.recorded.at(index);
  const hasResponse = exchanges.length > 0 && vu.received.response.error === undefined;
  if (step === undefined || !hasResponse) return undefined;
  const call = splitSent(sentRequest(exchanges[0].request));
  const write = draft.isWrite(index)
    ? {
      ...compareWrite(index, call, vu, known, draft, variables),
      sendsPassword: sendsPassword(step.call),
      setsCookie: exchanges.some(setsCookie),
    }
    : undefined;
  const pairs = differingFields(step.call, call).flatMap(({ field, live }) => [
    { recorded: field.value, live },
    ...alignWords(field.value, live),
  ]);
  return { call, write, pairs };
}

function setsCookie({ response }: SentExchange): boolean {
  return response.headers.some(([name]) => name.toLowerCase() === "set-cookie");
}

export function bodyTexts(texts: SentWrite["texts"]): SentWrite["texts"] {
  return texts.filter(({ place }) => !/^(?:path|query|header) /.test(place));
}

const MOST_DIFFERENCES = 5;
/** Values below this length are equal to others by chance. In UTF-16 code units. */
const SHORTEST_VALUE = 4;

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
    requestTexts(planned).some((sent) => sent.name === name && sent.template === text);
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

function compareWrite(
  index: number,
  sent: RecordedCall,
  vu: SupervisedVu,
  known: KnownPairs,
  draft: PlanDraft,
  variables: VariableWatch,
): Pick<SentWrite, "differences" | "texts"> {
  const { call } = draft.recorded.at(index)!;
  const places = callPlaces(call);
  const toRecorded = (name: string) => known.toRecorded(name);
  const get = (variable: string) => vu.get(variable);
  const changed = variables.changedBefore(index, get);
  const toLive = { get, changed };
  const live = callPlaces(sent, nameMatcher(draft.at(index), places, toLive, toRecorded));
  const differences = [
    ...describeDifferences(index, places, live, draft, known),
    ...describeStale(call, places, live, changed),
  ];
  return {
    differences: differences.slice(0, MOST_DIFFERENCES),
    texts: [...places].flatMap(([place, { text, isFile }]) => {
      const other = isFile ? undefined : live.get(place);
      return other === undefined ? [] : [{ place, recorded: text, live: other.text }];
    }),
  };
}

function describeDifferences(
  index: number,
  places: CallPlaces,
  live: CallPlaces,
  draft: PlanDraft,
  known: KnownPairs,
): string[] {
  const planned = draft.at(index);
  const literals = describeRequest(planned);
  // Literals of the plan at places where they were recorded: elsewhere, a variable sent this text.
  const kept = new Map<string, number>();
  for (const [place, { text }] of places) {
    if (live.get(place)?.text === text) kept.set(text, (kept.get(text) ?? 0) + 1);
  }
  // A poll may send the ids of all rows of a page.
  const isPoll = draft.recorded.isPoll(index);
  return compareRequests(places, live, {
    isSame: (text, other) => known.toRecorded(other) === text || known.toLive(text) === other,
    isOther: (text, other) =>
      other.length >= SHORTEST_VALUE && (known.recordedOf(other) ?? text) !== text,
    isLiteral: (text) =>
      /^(?:true|false|null)$/.test(text) || literals.wholeLiterals(text) > (kept.get(text) ?? 0),
  }).map((difference) =>
    difference.kind === "variable" && isLiteralAt(difference.place, difference.sent!.text, planned)
      ? { ...difference, kind: "literal" as const }
      : difference
  ).filter(({ place, recorded, kind }) =>
    KINDS[kind] !== "" && isRelevant(place) && !(kind === "other" && isPoll) &&
    // A run sends only the headers it needs, and a placeholder in place of the recorded file.
    !(kind === "missing" && isHeader(place)) &&
    !(kind !== "empty" && recorded?.isFile && kind !== "missing")
  ).map(({ place, kind }) => `\`${place}\` ${KINDS[kind]}`);
}

/**
 * Describes the recorded values that a write sends although a variable now has another value:
 * `changed` has these variables by recorded value. The write then changes another object.
 */
function describeStale(
  call: RecordedCall,
  places: CallPlaces,
  live: CallPlaces,
  changed: ReadonlyMap<string, readonly string[]>,
): string[] {
  return [...places].flatMap(([place, { text }]) => {
    const own = (changed.get(text) ?? []).find((variable) => isPlaceOf(place, variable, call));
    return own === undefined || live.get(place)?.text !== text
      ? []
      : [`\`${place}\` is sent as recorded, not as \`\${${own}}\``];
  });
}

/** The live values of variables, and those that differ from the recorded ones by recorded value. */
interface VariableValues {
  get(variable: string): unknown;
  readonly changed: ReadonlyMap<string, readonly string[]>;
}

/**
 * Returns the recorded name of a field, parameter or member that a request sends: the one with the
 * recorded value of the variable in the template, or the only one that the same template may have
 * produced, otherwise the result of `other`.
 */
function nameMatcher(
  planned: Request,
  recorded: CallPlaces,
  { get, changed }: VariableValues,
  other: (name: string) => string,
): (name: string) => string {
  const templates = requestTexts(planned).filter(({ kind }) => /-name$/.test(kind));
  const literals = new Set(templates.map(({ template }) => template));
  const names = [...recorded.keys()].flatMap((place) =>
    place.startsWith("name ") ? [place.slice("name ".length)] : []
  );
  const byLive = new Map<string, string>();
  const patterns: RegExp[] = [];
  for (const { template } of templates) {
    const parts = parseTemplate(template);
    const [variable, ...more] = new Set(parts.flatMap(readVariables));
    const render = (value: unknown) =>
      parts.map((part) => part.kind === "text" ? part.text : leafText(value)).join("");
    const values = [...changed].flatMap(([value, all]) => all.includes(variable) ? [value] : []);
    const own = [...values, get(variable)].map(render).find((name) => names.includes(name));
    if (more.length === 0 && own !== undefined) byLive.set(render(get(variable)), own);
    else if (template.includes("${")) {
      const pattern = parts.map((part) =>
        part.kind === "text" ? RegExp.escape(part.text) : "(?:.+)"
      );
      patterns.push(new RegExp(`^${pattern.join("")}$`, "s"));
    }
  }
  return (name) => {
    if (literals.has(name)) return name;
    if (byLive.has(name)) return byLive.get(name)!;
    const own = patterns.filter((pattern) => pattern.test(name))
      .flatMap((pattern) => names.filter((name) => pattern.test(name)));
    return own.length === 1 ? own[0] : other(name);
  };
}
