import { namedUuid } from "../../plan/expressions/expression.ts";
import { isText } from "../../traffic/har/media_type.ts";
import { lacksBody } from "../../traffic/har/response.ts";
import type { Exchange } from "../../traffic/har/recording.ts";
import { fieldsIn } from "../../traffic/session/call_url.ts";
import { nameWords } from "../../traffic/session/dynamic_value.ts";
import { methodOf, type RecordedCall } from "../../traffic/session/recorded_call.ts";
import { isPathSegment, type RequestField } from "../../traffic/session/request_field.ts";
import { ValueIndex } from "../../traffic/session/value_index.ts";
import { mayChangeData } from "../correlate/call_words.ts";
import type { Replacement, Replacements } from "../correlate/replacements.ts";
import { haveCommonWord, resourceWords } from "../correlate/resource_names.ts";

/** A UUID that the client generated, and its occurrences in requests. */
export interface ClientUuid {
  /** Name of the UUID in the plan's expression `${uuid(NAME)}`. */
  readonly name: string;
  /** The recorded UUID. */
  readonly uuid: string;
  readonly places: readonly UuidPlace[];
}

/**
 * An occurrence of a UUID in a request field. Offsets are in UTF-16 code units of the recorded
 * text.
 */
export interface UuidPlace {
  readonly call: RecordedCall;
  readonly field: RequestField;
  readonly start: number;
  readonly end: number;
}

const UUID =
  /(?<![\da-z$-]|%[\da-f]?)[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}(?![\da-z-])/gi;

/** Words in the names of values that a client generates for each request or login. */
const PER_REQUEST = new Set(
  "idempotency correlation trace span nonce cnonce attempt mutation requestid traceid state".split(
    " ",
  ),
);
/** Words in the names of values that a client generates for each event, message or draft. */
const PER_OBJECT = new Set(
  ("temp tmp draft visitor anonymous event message msg request req upload local offline transaction")
    .split(" "),
);
/** Words in the names of values that are the same for all users of an application. */
const SHARED = new Set(
  ("app application client clientid tenant api apikey org organization organisation company account customer " +
    "workspace site store shop channel license instance env environment region subscription partner merchant " +
    "integration version build public token secret").split(" "),
);
/** Words in the paths of calls that read or change an existing object. */
const EXISTING = new Set(
  ("get find search query list lookup check load fetch delete remove destroy update edit change patch archive restore " +
    "select open view show cancel approve reject assign move rename login signin auth oauth").split(
      " ",
    ),
);
const IDENTIFYING = new Set(["id", "ids", "uuid", "guid", "key"]);

/**
 * Finds the UUIDs in `calls` that the client generated: no earlier response in `exchanges` contains
 * them, and they identify a request or an event, or an object that the request creates. Other UUIDs
 * may belong to the application or to objects that exist on the server, such as the id of a tenant.
 * Ignores occurrences that `replacements` already replaces.
 */
export function clientUuids(
  calls: readonly RecordedCall[],
  exchanges: readonly Exchange[],
  replacements: Replacements,
): ClientUuid[] {
  const unknownFrom = firstWithoutBody(exchanges);
  const made = [...placesByUuid(calls)].filter(([, places]) =>
    !places.some((place) => isReplaced(place, replacements)) && isMade(places, unknownFrom)
  );
  if (made.length === 0) return [];
  const held = firstHolders(made.map(([uuid]) => uuid), exchanges);
  const taken = new Set<string>();
  return made.flatMap(([uuid, places]): ClientUuid[] => {
    const isHeld = (held.get(uuid) ?? Infinity) <= places[0].call.exchange.index;
    return isHeld ? [] : [{ name: unusedName(places[0], taken), uuid, places }];
  });
}

/** Returns replacements that send `${uuid(NAME)}` instead of the recorded UUIDs. */
export function uuidReplacements(uuids: readonly ClientUuid[]): Replacement[] {
  return uuids.flatMap(({ name, places }) =>
    places.map(({ field, start, end }): Replacement => (
      { field, start, end, expression: namedUuid(name) }
    ))
  );
}

function placesByUuid(calls: readonly RecordedCall[]): Map<string, UuidPlace[]> {
  const found = new Map<string, UuidPlace[]>();
  for (const call of calls) {
    for (const field of call.fields) {
      if (field.recorded.length < 36) continue;
      for (const { 0: uuid, index: start } of field.recorded.matchAll(UUID)) {
        const place = { call, field, start, end: start + uuid.length };
        const known = found.get(uuid);
        if (known === undefined) found.set(uuid, [place]);
        else known.push(place);
      }
    }
  }
  return found;
}

function isReplaced({ field, start, end }: UuidPlace, replacements: Replacements): boolean {
  return replacements.of(field).some((range) => range.start < end && start < range.end);
}

/**
 * Reports whether the client probably generated the UUID that occurs at `places`, in the order of
 * the recording. This is the case if the UUID identifies a request, or an event or object that the
 * first request in `places` creates. `unknownFrom` is the index of the first exchange without a
 * recorded response body. Because this body may have contained the UUID, the function returns false
 * for events and objects that a later request creates.
 */
function isMade(places: readonly UuidPlace[], unknownFrom: number): boolean {
  const [{ call, field }] = places;
  const words = nameWords(field.name);
  if (words.some((word) => PER_REQUEST.has(word))) return true;
  if (words.some((word) => SHARED.has(word))) return false;
  if (unknownFrom < call.exchange.index) return false;
  if (!mayChangeData(call) || call.exchange.response.status >= 400) return false;
  return words.some((word) => PER_OBJECT.has(word)) || isCreated(places);
}

/** Reports whether the first call that sends a UUID creates an object whose id is this UUID. */
function isCreated(places: readonly UuidPlace[]): boolean {
  const [{ call, field, start, end }] = places;
  const { status, text = "" } = call.exchange.response;
  if (isPathSegment(field)) {
    return status === 201 && methodOf(call) === "PUT" && field === call.url.path.at(-1);
  }
  const words = nameWords(field.name);
  const inBody = ["json", "form", "multipart"].includes(field.kind);
  if (!inBody || !IDENTIFYING.has(words.at(-1) ?? "")) return false;
  const resources = collectionWords(call);
  const isChange = ["DELETE", "PATCH"].includes(methodOf(call));
  if (isChange || namesExisting(call)) return false;
  const named = resourceWords(field.name);
  if (named.length > 0) return haveCommonWord(resources.slice(-1), named);
  const isEchoed = status === 201 && text.includes(field.recorded.slice(start, end));
  return isEchoed || places.some((place) => place.call !== call && isPathSegment(place.field));
}

/** Reports whether the path of a call specifies an action on an existing object. */
function namesExisting({ url }: RecordedCall): boolean {
  return fieldsIn(url.path).some(({ value }) =>
    nameWords(value).some((word) => EXISTING.has(word))
  );
}

/**
 * Returns the words of the path segments that contain no digits. Such segments name collections and
 * actions.
 */
function collectionWords({ url }: RecordedCall): string[] {
  return fieldsIn(url.path).filter(({ value }) => !/\d/.test(value))
    .flatMap(({ value }) => resourceWords(value));
}

/**
 * Returns the index of the first exchange with status 200 whose text body was not recorded, or
 * Infinity if every such body was recorded.
 */
function firstWithoutBody(exchanges: readonly Exchange[]): number {
  const lacking = exchanges.filter(({ response }) =>
    response.status === 200 && lacksBody(response) && isText(response.mimeType)
  );
  return lacking.reduce((first, { index }) => Math.min(first, index), Infinity);
}

/** Added to the index of an exchange if its response, rather than its request, contains a UUID. */
const IN_RESPONSE = 0.5;

/**
 * Maps each UUID to the index of the first exchange that contains it in a request cookie or in the
 * response. Adds `IN_RESPONSE` to the index if no cookie of this request contains the UUID. Takes
 * time linear in the length of the responses.
 */
function firstHolders(
  uuids: readonly string[],
  exchanges: readonly Exchange[],
): Map<string, number> {
  const index = new ValueIndex();
  const forms = new Map<string, string[]>();
  for (const uuid of uuids) {
    for (const form of new Set([uuid, uuid.toLowerCase(), uuid.toUpperCase()])) {
      forms.set(form, [...forms.get(form) ?? [], uuid]);
      index.add(form);
    }
  }
  const held = new Map<string, number>();
  const note = (text: string, at: number) => {
    for (const { value } of index.findAll(text)) {
      for (const uuid of forms.get(value)!) {
        held.set(uuid, Math.min(held.get(uuid) ?? Infinity, at));
      }
    }
  };
  for (const { index: at, request, response: { headers, text = "" } } of exchanges) {
    for (const { name, value } of request.headers) {
      if (name.toLowerCase() === "cookie") note(value, at);
    }
    for (const { value } of headers) note(value, at + IN_RESPONSE);
    note(text, at + IN_RESPONSE);
  }
  return held;
}

/**
 * Returns a unique name for a UUID, based on the name of its field or of the resource in the path.
 */
function unusedName({ call, field }: UuidPlace, taken: Set<string>): string {
  const own = nameWords(field.name);
  const words = own.length > 0 ? own : [...collectionWords(call).slice(-1), "id"];
  const base = words.join("_").replace(/[^a-z0-9_]/g, "").replace(/^[\d_]+|_+$/g, "") || "id";
  let name = base;
  for (let n = 2; taken.has(name); n++) name = `${base}_${n}`;
  taken.add(name);
  return name;
}
