import { httpOrigin } from "../../traffic/har/http_origin.ts";
import { isText } from "../../traffic/har/media_type.ts";
import { isStaticCall, lacksBody } from "../../traffic/har/response.ts";
import type { Exchange } from "../../traffic/har/recording.ts";
import { isNamedSecret } from "../../traffic/secrets/secret_names.ts";
import { fieldsIn } from "../../traffic/session/call_url.ts";
import { nameWords } from "../../traffic/session/dynamic_value.ts";
import { methodOf, type RecordedCall } from "../../traffic/session/recorded_call.ts";
import { isPathSegment, type RequestField } from "../../traffic/session/request_field.ts";
import { mayChangeData } from "../correlate/call_words.ts";
import { haveCommonWord, resourceWords } from "../correlate/resource_names.ts";

/**
 * An occurrence of an id in a request field. Offsets are in UTF-16 code units of the recorded text.
 */
export interface IdPlace {
  readonly call: RecordedCall;
  readonly field: RequestField;
  readonly start: number;
  readonly end: number;
}

/** An id that requests contain. */
export interface OccurringId {
  readonly id: string;
  /** True if the id has the format of a UUID. */
  readonly isUuid: boolean;
  /** Occurrences of the id, in the order of the recording. */
  readonly places: readonly IdPlace[];
}

/** Minimum length of the random id of an object. Users type shorter ids. */
const SHORTEST_OF_OBJECT = 16;
/** Words in the names of ids that a script generates when its page loads. */
const PER_PAGE = new Set("session connection conn tab window".split(" "));
/** Last words of the names of ids that a script generates when its page loads. */
const PER_PAGE_END = new Set([...PER_PAGE, "id", "uuid", "guid", "hash"]);

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

/** Reports whether the name of a field suggests an id of a session, a request or an object. */
export function mayNameId({ kind, name }: RequestField): boolean {
  if (kind === "name" || name === "") return false;
  const words = nameWords(name);
  return IDENTIFYING.has(words.at(-1) ?? "") || namesSession(words);
}

function namesSession(words: readonly string[]): boolean {
  return words.some((word) => PER_PAGE.has(word)) && PER_PAGE_END.has(words.at(-1) ?? "") &&
    !words.some((word) => SHARED.has(word));
}

/**
 * Returns how the id that occurs at `places`, in the order of the recording, came about: the client
 * generated it, may have generated it for a session or a connection, or neither. Assumes that no
 * earlier response contains it. `unknownFrom` is the index of the first exchange without a recorded
 * response body.
 */
export function originOf(
  { id, isUuid, places }: OccurringId,
  unknownFrom: number,
  exchanges: readonly Exchange[],
): "generated" | "unclear" | "other" {
  const isSecret = places.some(({ field }) => isNamedSecret(field.name, id));
  if ((isUuid || !isSecret) && isMade(places, isUuid, unknownFrom)) return "generated";
  const [{ call }] = places;
  const isSession = !isSecret && places.some((place) => place.call !== call) &&
    places.some(({ field }) => namesSession(nameWords(field.name)));
  if (!isSession || isPage(call.exchange)) return "other";
  return followsFreshPage(call.exchange, exchanges) ? "generated" : "unclear";
}

function isPage({ request, response }: Exchange): boolean {
  return request.method === "GET" && /html/.test(response.mimeType);
}

/**
 * Reports whether a script that ran since a recorded page was loaded must have generated a value
 * that `exchange` sends first: the browser sent no cookie with its first request to the origin of
 * the page, and the bodies of all responses since the page were recorded, except static assets.
 */
function followsFreshPage({ index }: Exchange, exchanges: readonly Exchange[]): boolean {
  const page = exchanges.findLast((one) =>
    one.index < index && isPage(one) && one.response.status === 200 && one.response.size > 0
  );
  if (page === undefined) return false;
  const isLost = exchanges.some((one) =>
    page.index <= one.index && one.index < index && isWithoutBody(one) &&
    !isStaticCall(one.request, one.response.mimeType)
  );
  if (isLost) return false;
  const origin = httpOrigin(page.request.url);
  const first = exchanges.find(({ request: { url } }) =>
    /^https?:/i.test(url) && httpOrigin(url) === origin
  );
  return first !== undefined &&
    !first.request.headers.some(({ name }) => /^(?:cookie|authorization)$/i.test(name));
}

/**
 * Reports whether the client probably generated the id that occurs at `places`, in the order of the
 * recording. This is the case if the id identifies a request, or an event or object that the first
 * request in `places` creates. `unknownFrom` is the index of the first exchange without a recorded
 * response body. Because this body may have contained the id, the function returns false for events
 * and objects that a later request creates.
 */
function isMade(places: readonly IdPlace[], isUuid: boolean, unknownFrom: number): boolean {
  const [{ call, field, start, end }] = places;
  const words = nameWords(field.name);
  if (!isUuid && !isPathSegment(field)) {
    if (!IDENTIFYING.has(words.at(-1) ?? "") || end - start < SHORTEST_OF_OBJECT) return false;
  }
  if (words.some((word) => PER_REQUEST.has(word))) {
    // Trace ids in URLs and bodies often belong to traces that exist on the server.
    return isUuid || field.kind === "header" || words.includes("idempotency");
  }
  if (words.some((word) => SHARED.has(word))) return false;
  if (unknownFrom < call.exchange.index) return false;
  if (!mayChangeData(call) || call.exchange.response.status >= 400) return false;
  return words.some((word) => PER_OBJECT.has(word)) || isCreated(places);
}

/** Reports whether a field is the last path segment of a PUT request that creates an object. */
export function createsPath({ call, field }: Pick<IdPlace, "call" | "field">): boolean {
  return methodOf(call) === "PUT" && call.exchange.response.status === 201 &&
    field === call.url.path.at(-1);
}

/** Reports whether the first call that sends an id creates an object with this id. */
function isCreated(places: readonly IdPlace[]): boolean {
  const [{ call, field, start, end }] = places;
  const { status, text = "" } = call.exchange.response;
  if (isPathSegment(field)) return createsPath(places[0]);
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
export function collectionWords({ url }: RecordedCall): string[] {
  return fieldsIn(url.path).filter(({ value }) => !/\d/.test(value))
    .flatMap(({ value }) => resourceWords(value));
}

/**
 * Returns the index of the first exchange with status 200 whose text body was not recorded, or
 * Infinity if every such body was recorded.
 */
export function firstWithoutBody(exchanges: readonly Exchange[]): number {
  return exchanges.filter(isWithoutBody)
    .reduce((first, { index }) => Math.min(first, index), Infinity);
}

/** Reports whether an exchange has status 200 and a text body that was not recorded. */
function isWithoutBody({ response }: Exchange): boolean {
  return response.status === 200 && lacksBody(response) && isText(response.mimeType);
}
