import { httpOrigin } from "../../traffic/har/origins.ts";
import { isText } from "../../traffic/har/body_bytes.ts";
import { isStaticCall, lacksBody } from "../../traffic/har/entry.ts";
import type { Exchange } from "../../traffic/har/recording.ts";
import { isNamedSecret } from "../../traffic/session/secret_names.ts";
import { fieldsIn } from "../../traffic/session/call_url.ts";
import { nameWords } from "../../traffic/session/dynamic_value.ts";
import { methodOf, type RecordedCall } from "../../traffic/session/recorded_call.ts";
import { isPathSegment, type RequestField } from "../../traffic/session/request_field.ts";
import { mayChangeData } from "../../correlation/words.ts";
import { haveCommonWord, resourceWords } from "../../correlation/words.ts";

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
 * Determines how ids that occur in requests came about. Takes time linear in the number of exchanges
 * and occurrences.
 */
export class IdOrigins {
  readonly #exchanges: readonly Exchange[];
  /** Maps `Exchange.index` to the position in the recording. A file may contain calls in any order. */
  readonly #positions: ReadonlyMap<number, number>;
  /**
   * Position of the first exchange with status 200 whose text body was not recorded, or Infinity if
   * every such body was recorded.
   */
  readonly #unknownFrom: number;
  #afterFreshPage: ReadonlySet<number> | undefined;

  /** Uses all `exchanges` of a recording, in the order of the recording. */
  constructor(exchanges: readonly Exchange[]) {
    this.#exchanges = exchanges;
    this.#positions = new Map(exchanges.map(({ index }, position) => [index, position]));
    const unknownFrom = exchanges.findIndex(isWithoutBody);
    this.#unknownFrom = unknownFrom < 0 ? Infinity : unknownFrom;
  }

  /** Returns the position in the recording of the call that first sends an id. */
  firstPosition({ places: [{ call }] }: OccurringId): number {
    return this.#positions.get(call.exchange.index) ?? 0;
  }

  /**
   * Returns how an id came about: the client generated it, may have generated it for a session or a
   * connection, or neither. Assumes that no earlier response contains the id.
   */
  of(occurring: OccurringId): "generated" | "unclear" | "other" {
    const { id, isUuid, places } = occurring;
    const position = this.firstPosition(occurring);
    const isSecret = places.some(({ field }) => isNamedSecret(field.name, id));
    const isAllRead = position <= this.#unknownFrom;
    if ((isUuid || !isSecret) && isMade(places, isUuid, isAllRead)) return "generated";
    const [{ call }] = places;
    const isSession = !isSecret && places.some((place) => place.call !== call) &&
      places.some(({ field }) => namesSession(nameWords(field.name)));
    if (!isSession || isPage(call.exchange)) return "other";
    this.#afterFreshPage ??= findAfterFreshPage(this.#exchanges);
    return this.#afterFreshPage.has(position) ? "generated" : "unclear";
  }
}

function isPage({ request, response }: Exchange): boolean {
  return request.method === "GET" && /html/.test(response.mimeType);
}

/**
 * Returns the positions of the exchanges that can send a new value only if a script generated it
 * after a recorded page was loaded: the browser sent no cookie with its first request to the origin
 * of the page, and the bodies of all responses since the page were recorded, except static assets.
 */
function findAfterFreshPage(exchanges: readonly Exchange[]): ReadonlySet<number> {
  /** Maps each origin to whether the first request to it had neither cookies nor credentials. */
  const isNewTo = new Map<string, boolean>();
  const found = new Set<number>();
  let isFresh = false;
  for (const [position, exchange] of exchanges.entries()) {
    if (isFresh) found.add(position);
    const { request: { url, headers }, response } = exchange;
    const origin = /^https?:/i.test(url) ? httpOrigin(url) : undefined;
    if (origin !== undefined && !isNewTo.has(origin)) {
      isNewTo.set(origin, !headers.some(({ name }) => /^(?:cookie|authorization)$/i.test(name)));
    }
    if (isPage(exchange) && response.status === 200 && response.size > 0) {
      isFresh = origin !== undefined && isNewTo.get(origin) === true;
    }
    if (isWithoutBody(exchange) && !isStaticCall(exchange.request, response.mimeType)) {
      isFresh = false;
    }
  }
  return found;
}

/**
 * Reports whether the client probably generated the id that occurs at `places`, in the order of the
 * recording. This is the case if the id identifies a request, or an event or object that the first
 * request in `places` creates. `isAllRead` is true if the bodies of all earlier responses were
 * recorded. Otherwise one of them may have contained the id, and the function returns false for
 * events and objects.
 */
function isMade(places: readonly IdPlace[], isUuid: boolean, isAllRead: boolean): boolean {
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
  if (!isAllRead || !mayChangeData(call) || call.exchange.response.status >= 400) return false;
  return words.some((word) => PER_OBJECT.has(word)) || isCreated(places);
}

/** Reports whether a field is the last path segment of a PUT request that creates an object. */
export function createsPath({ call, field }: Pick<IdPlace, "call" | "field">): boolean {
  return methodOf(call) === "PUT" && call.exchange.response.status === 201 &&
    field === call.url.path.at(-1);
}

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

function isWithoutBody({ response }: Exchange): boolean {
  return response.status === 200 && lacksBody(response) && isText(response.mimeType);
}
