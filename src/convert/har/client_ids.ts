import { UUID } from "../../base/random.ts";
import { mayChangeData, membersAround } from "../../correlation/request_words.ts";
import { haveCommonWord, resourceWords } from "../../correlation/words.ts";
import type { Replacement, Replacements } from "../../correlation/replace.ts";
import { idName, UniqueNames } from "../../correlation/variable.ts";
import { call as callOf, type Expression, namedUuid } from "../../plan/expressions/expression.ts";
import type { Extractor } from "../../plan/kinds/extractors.ts";
import { isText } from "../../traffic/har/media_type.ts";
import { isStaticCall, lacksBody } from "../../traffic/har/entry.ts";
import { httpOrigin } from "../../traffic/har/origins.ts";
import type { Exchange } from "../../traffic/har/recording.ts";
import { fieldsIn } from "../../traffic/session/call_url.ts";
import { looksGenerated, nameWords } from "../../traffic/session/dynamic_value.ts";
import { methodOf, type RecordedCall } from "../../traffic/session/recorded_call.ts";
import { IN_BODY, isPathSegment, type RequestField } from "../../traffic/session/request_field.ts";
import { ValueIndex } from "../../traffic/session/value_index.ts";

export interface ClientId {
  /** Name of the id in the plan's expression, such as NAME in `${uuid(NAME)}`. */
  readonly name: string;
  readonly random: string;
  readonly expression: Expression;
  readonly places: readonly IdPlace[];
}

export interface IdPlace {
  readonly call: RecordedCall;
  readonly field: RequestField;
  readonly start: number;
  readonly end: number;
}

interface SentId {
  readonly id: string;
  readonly kind: "uuid" | "random" | "clock";
  readonly places: readonly IdPlace[];
}

/** UUIDs with a version. */
const UUIDS = new RegExp(
  String.raw`(?<![\da-z$-]|%[\da-f]?)(?=.{14}[1-8].{4}[89ab])${UUID}(?![\da-z-])`,
  "gi",
);
/** Random ids: of `Math.random().toString(36)`, hex digits, ULIDs, CUIDs, or nanoid (21). */
const RANDOM = /^(?=.*\d)(?=.*[A-Za-z])(?:[\da-z]{8,32}|[\dA-Z]{8,32}|[\dA-Za-z]{8,32}|[\w-]{21})$/;
/** Text that may be a random id. */
const WORD = /(?<![\w$%-])[\w-]{8,32}(?![\w-])/g;
/** What is not random in ULIDs and CUIDs: the time, and the first letter. */
const FIXED = /^(?:[0-7][\dA-HJKMNP-TV-Z]{9}(?=[\dA-HJKMNP-TV-Z]{16}$)|c(?=[\da-z]{24}$))/;
/** Users type shorter ids of objects. */
const SHORTEST_OF_OBJECT = 16;

/** Matches a Unix time in milliseconds that is a part of an id, as in `k3x9:1796100505780`. */
const CLOCK = /(?<=[\w-][:._-])\d{13}(?![\w.-])|(?<![\w.-])\d{13}(?=[:._-][\w-])/g;
/** A time of the last minutes: two requests can be sent in the same millisecond. */
const RECENT: Expression = {
  kind: "binary",
  operator: "-",
  left: callOf("now"),
  right: callOf("random_int", literal(0), literal(999_999)),
};
/** Between reading the clock and sending the time, in milliseconds. */
const CLOCK_RANGE = 60_000;

const wordSet = (words: string) => new Set(words.split(" "));
const PER_PAGE = wordSet("session connection conn tab window");
const PER_PAGE_END = new Set([...PER_PAGE, "id", "uuid", "guid", "hash"]);
const PER_REQUEST = wordSet(
  "idempotency correlation trace span nonce cnonce attempt mutation requestid traceid state",
);
const PER_OBJECT = wordSet(
  "temp tmp draft visitor anonymous event message msg request req upload local offline transaction",
);
const SHARED = wordSet(
  "app application client clientid tenant api apikey org organization organisation company " +
    "account customer workspace site store shop channel license instance env environment region " +
    "subscription partner merchant integration version build public token secret",
);
const IDENTIFYING = wordSet("id ids uuid guid key");

/**
 * Finds ids of the client: no earlier response contains them, and they identify a session that a
 * page began, a request, an event, or an object that the request creates. Others may belong to the
 * application or to existing objects, such as a tenant. Omits those that `extractors` contain, as
 * the texts of rows (default: none). Takes linear time.
 */
export function clientIds(
  calls: readonly RecordedCall[],
  exchanges: readonly Exchange[],
  replacements: Replacements,
  extractors: readonly Extractor[] = [],
): ClientId[] {
  const extracting = JSON.stringify(extractors);
  const renewed = findRenewed(calls);
  const sent = [...uuidsIn(calls), ...randomIdsIn(calls, renewed), ...clockIdsIn(calls)]
    .filter(({ id, places }) =>
      places.every((place) => replacements.isFree(place)) && !extracting.includes(id)
    );
  if (sent.length === 0) return [];
  // A file may have any order.
  const positions = new Map(exchanges.map(({ index }, position) => [index, position]));
  const firstOf = ({ places: [{ call }] }: SentId) => positions.get(call.exchange.index) ?? 0;
  const unread = exchanges.findIndex(isWithoutBody);
  const fresh = findAfterFreshPage(exchanges);
  const made = sent.filter((id) =>
    identifiesWrite(id, unread < 0 || firstOf(id) <= unread) ||
    fresh.has(firstOf(id)) && identifiesSession(id, renewed)
  );
  const memberOf = ({ places: [{ call, field }] }: SentId) =>
    [
      methodOf(call),
      ...fieldsIn(call.url.path).map(({ value }) => value),
      field.name,
      ...membersAround(call, field),
    ].join(" ");
  // The next id in the same member is also one of the client.
  const members = new Set(made.map(memberOf));
  const all = sent.filter((id) => members.has(memberOf(id)));
  const held = firstHolders(all.map(({ id }) => id), exchanges);
  const names = new UniqueNames();
  return all.filter((own) => held(own.id) > firstOf(own)).map(({ id, kind, places }) => {
    const name = names.next(nameFor(places[0]));
    if (kind === "clock") return { name, random: id, places, expression: RECENT };
    if (kind === "uuid") return { name, random: id, places, expression: namedUuid(name) };
    const random = id.slice(FIXED.exec(id)?.[0].length ?? 0);
    return { name, random, places, expression: textLike(random, name) };
  });
}

function literal(value: string | number): Expression {
  return { kind: "literal", value };
}

function textLike(random: string, name: string): Expression {
  const { length } = random;
  const hex = callOf("replace", namedUuid(name), literal("-"), literal(""));
  const cut = length === 32 ? hex : callOf("substring", hex, literal(0), literal(length));
  return /[a-z]/.test(random) ? cut : callOf("upper", cut);
}

export function idReplacements(ids: readonly ClientId[]): Replacement[] {
  return ids.flatMap(({ random, expression, places }) =>
    places.map(({ field, end }): Replacement => (
      { field, start: end - random.length, end, expression }
    ))
  );
}

function uuidsIn(calls: readonly RecordedCall[]): SentId[] {
  const mayContain = (text: string) => text.length >= 36 && text.includes("-");
  return occurrences(calls, UUIDS, mayContain).map((found) => ({ ...found, kind: "uuid" }));
}

/** Random values of headers with several of them, each in several requests. */
function findRenewed(calls: readonly RecordedCall[]): ReadonlySet<string> {
  const callsOf = new Map<string, Map<string, Set<RecordedCall>>>();
  for (const call of calls) {
    for (const { kind, name, recorded } of call.fields) {
      if (kind !== "header" || !RANDOM.test(recorded) || !looksGenerated(recorded)) continue;
      callsOf.getOrInsertComputed(name.toLowerCase(), () => new Map())
        .getOrInsertComputed(recorded, () => new Set()).add(call);
    }
  }
  const isRenewed = (values: ReadonlyMap<string, ReadonlySet<RecordedCall>>) =>
    values.size > 1 && values.values().every(({ size }) => size > 1);
  return new Set(callsOf.values().filter(isRenewed).flatMap((values) => values.keys()));
}

function randomIdsIn(calls: readonly RecordedCall[], renewed: ReadonlySet<string>): SentId[] {
  const ids = new Set<string>();
  for (const call of calls) {
    for (const field of call.fields) {
      const { recorded } = field;
      if (recorded.length < 8 || recorded.length > 32 || !RANDOM.test(recorded)) continue;
      if (renewed.has(recorded) || mayNameId(field) || createsPath({ call, field })) {
        ids.add(recorded);
      }
    }
  }
  const random = new Set([...ids].filter(looksGenerated));
  if (random.size === 0) return [];
  return occurrences(calls, WORD, (text) => text.length >= 8)
    .filter(({ id }) => random.has(id)).map((found) => ({ ...found, kind: "random" }));
}

/** Ids with the time of the client, each in one place: its clock shows another time at the next. */
function clockIdsIn(calls: readonly RecordedCall[]): SentId[] {
  const times = new Set(
    occurrences(calls, CLOCK, (text) => text.length > 13)
      .filter(({ places: [{ field }] }) => IN_BODY.has(field.kind) && mayNameId(field))
      .map(({ id }) => id),
  );
  if (times.size === 0) return [];
  return occurrences(calls, /\d{13}/g, (text) => text.length > 13)
    .filter(({ id, places: [{ call }, ...others] }) =>
      times.has(id) && others.length === 0 &&
      Math.abs(Number(id) - call.exchange.startedAt) < CLOCK_RANGE
    ).map((found) => ({ ...found, kind: "clock" }));
}

function occurrences(
  calls: readonly RecordedCall[],
  pattern: RegExp,
  mayContain: (text: string) => boolean,
): Omit<SentId, "kind">[] {
  const found = new Map<string, IdPlace[]>();
  for (const call of calls) {
    for (const field of call.fields) {
      if (!mayContain(field.recorded)) continue;
      for (const { 0: id, index: start } of field.recorded.matchAll(pattern)) {
        const place = { call, field, start, end: start + id.length };
        found.getOrInsertComputed(id, () => []).push(place);
      }
    }
  }
  return [...found].map(([id, places]) => ({ id, places }));
}

function firstHolders(
  ids: readonly string[],
  exchanges: readonly Exchange[],
): (id: string) => number {
  const formsOf = (id: string) => [id, id.toLowerCase(), id.toUpperCase()];
  const index = new ValueIndex();
  for (const form of ids.flatMap(formsOf)) index.add(form);
  const held = new Map<string, number>();
  const note = (text: string, at: number) => {
    for (const { value } of index.findAll(text)) if (!held.has(value)) held.set(value, at);
  };
  for (const [position, { request, response }] of index.isEmpty ? [] : exchanges.entries()) {
    for (const { name, value } of request.headers) {
      if (name.toLowerCase() === "cookie") note(value, position);
    }
    for (const { value } of response.headers) note(value, position + 0.5);
    note(response.text ?? "", position + 0.5);
  }
  return (id) => Math.min(...formsOf(id).map((form) => held.get(form) ?? Infinity));
}

/**
 * Returns the positions of exchanges whose new values only a script can have generated: the browser
 * sent no cookie to the page's origin before, and all bodies since the page were recorded.
 */
function findAfterFreshPage(exchanges: readonly Exchange[]): ReadonlySet<number> {
  const isNewTo = new Map<string, boolean>();
  const found = new Set<number>();
  let isFresh = false;
  for (const [position, exchange] of exchanges.entries()) {
    if (isFresh) found.add(position);
    const { request: { url, headers }, response } = exchange;
    const origin = /^https?:/i.test(url) ? httpOrigin(url) : "";
    if (!isNewTo.has(origin)) {
      isNewTo.set(origin, !headers.some(({ name }) => /^(?:cookie|authorization)$/i.test(name)));
    }
    if (isPage(exchange) && response.status === 200 && response.size > 0) {
      isFresh = isNewTo.get(origin)!;
    }
    if (isWithoutBody(exchange)) isFresh = false;
  }
  return found;
}

function isPage({ request, response }: Exchange): boolean {
  return request.method === "GET" && /html/.test(response.mimeType);
}

/** Reports whether the body of a response was not recorded, except that of a static asset. */
function isWithoutBody({ request, response }: Exchange): boolean {
  return response.status === 200 && lacksBody(response) && isText(response.mimeType) &&
    !isStaticCall(request, response.mimeType);
}

function mayNameId({ kind, name }: RequestField): boolean {
  if (kind === "name" || name === "") return false;
  const words = nameWords(name);
  return IDENTIFYING.has(words.at(-1) ?? "") || namesSession(words);
}

function namesSession(words: readonly string[]): boolean {
  return words.some((word) => PER_PAGE.has(word)) && PER_PAGE_END.has(words.at(-1) ?? "") &&
    !words.some((word) => SHARED.has(word));
}

function identifiesSession({ id, places }: SentId, renewed: ReadonlySet<string>): boolean {
  const [{ call }] = places;
  return !isPage(call.exchange) && places.some((place) => place.call !== call) &&
    (renewed.has(id) || places.some(({ field }) => namesSession(nameWords(field.name))));
}

/** With an unrecorded body before (`isAllRead` is false), the id of an object may be from it. */
function identifiesWrite({ places, kind }: SentId, isAllRead: boolean): boolean {
  const [{ call, field, start, end }] = places;
  if (kind === "clock") return mayChangeData(call);
  const words = nameWords(field.name);
  const isUuid = kind === "uuid";
  if (!isUuid && !isPathSegment(field)) {
    if (!IDENTIFYING.has(words.at(-1) ?? "") || end - start < SHORTEST_OF_OBJECT) return false;
  }
  if (words.some((word) => PER_REQUEST.has(word))) {
    // Trace ids in URLs and bodies often belong to traces that exist on the server.
    return isUuid || field.kind === "header" || words.includes("idempotency");
  }
  const noun = words.findLast((word) => !IDENTIFYING.has(word)) ?? "";
  if (words.some((word) => SHARED.has(word)) && !PER_OBJECT.has(noun)) return false;
  if (!isAllRead || !mayChangeData(call) || call.exchange.response.status >= 400) return false;
  return words.some((word) => PER_OBJECT.has(word)) || isCreated(places);
}

function createsPath({ call, field }: Pick<IdPlace, "call" | "field">): boolean {
  return methodOf(call) === "PUT" && call.exchange.response.status === 201 &&
    field === call.url.path.at(-1);
}

function isCreated(places: readonly IdPlace[]): boolean {
  const [{ call, field }] = places;
  if (isPathSegment(field)) return createsPath(places[0]);
  if (!IN_BODY.has(field.kind) || !IDENTIFYING.has(nameWords(field.name).at(-1) ?? "")) {
    return false;
  }
  if (["DELETE", "PATCH"].includes(methodOf(call))) return false;
  const named = resourceWords(field.name);
  if (named.length > 0) return haveCommonWord(collectionWords(call).slice(-1), named);
  return places.some((place) =>
    isEchoedByCreation(place) || place.call !== call && isPathSegment(place.field)
  );
}

/** Reports whether the response to a write that creates an object contains the id. */
function isEchoedByCreation({ call, field, start, end }: IdPlace): boolean {
  const { status, text = "" } = call.exchange.response;
  return status === 201 && text.includes(field.recorded.slice(start, end));
}

function collectionWords({ url }: RecordedCall): string[] {
  return fieldsIn(url.path).filter(({ value }) => !/\d/.test(value))
    .flatMap(({ value }) => resourceWords(value));
}

function nameFor({ call, field }: IdPlace): string {
  const own = nameWords(field.name);
  const words = own.length > 0 ? own : [...collectionWords(call).slice(-1), "id"];
  return idName(words);
}
