import { call, type Expression, namedUuid } from "../../plan/expressions/expression.ts";
import type { Exchange } from "../../traffic/har/recording.ts";
import { looksGenerated, nameWords } from "../../traffic/session/dynamic_value.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { ValueIndex } from "../../traffic/session/value_index.ts";
import type { Replacement, Replacements } from "../../correlation/replacements.ts";
import { UniqueNames } from "../../correlation/variable_names.ts";
import {
  collectionWords,
  createsPath,
  IdOrigins,
  type IdPlace,
  mayNameId,
  type OccurringId,
} from "./id_origin.ts";

/** An id that the client generated, such as a UUID, and its occurrences in requests. */
export interface ClientId extends OccurringId {
  /** Name of the id in the plan's expression, such as NAME in `${uuid(NAME)}`. */
  readonly name: string;
  /** The end of `id` that the client generates at random. */
  readonly random: string;
  /** Expression that generates text with the form of `random`. */
  readonly expression: Expression;
}

/** Ids that occur in requests before they occur in any response. */
export interface ClientIds {
  /** The ids that the client probably generated. */
  readonly generated: readonly ClientId[];
  /**
   * The ids of sessions and connections that the client may have generated. The recording does not
   * show whether they existed before it began.
   */
  readonly unclear: readonly ClientId[];
}

const UUID =
  /(?<![\da-z$-]|%[\da-f]?)[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}(?![\da-z-])/gi;
/**
 * Matches random ids: text of one alphabet, as of `Math.random().toString(36)`, hex digits, ULIDs
 * and CUIDs, or 21 characters of nanoid.
 */
const RANDOM = /^(?=.*\d)(?=.*[A-Za-z])(?:[\da-z]{8,32}|[\dA-Z]{8,32}|[\dA-Za-z]{8,32}|[\w-]{21})$/;
/** Matches text that may be a random id, from its first to its last character. */
const WORD = /(?<![\w$%-])[\w-]{8,32}(?![\w-])/g;
/** Matches the parts of ULIDs and CUIDs that are not random: the time, and the first letter. */
const FIXED = /^(?:[0-7][\dA-HJKMNP-TV-Z]{9}(?=[\dA-HJKMNP-TV-Z]{16}$)|c(?=[\da-z]{24}$))/;

/**
 * Finds the ids in `calls` that the client generated: no earlier response in `exchanges` contains
 * them, and they identify a session that a page began, a request or an event, or an object that the
 * request creates. Other ids may belong to the application or to objects that exist on the server,
 * such as the id of a tenant. Ignores occurrences that `replacements` already replaces.
 */
export function clientIds(
  calls: readonly RecordedCall[],
  exchanges: readonly Exchange[],
  replacements: Replacements,
): ClientIds {
  const origins = new IdOrigins(exchanges);
  const found = [...uuidsIn(calls), ...randomIdsIn(calls)]
    .filter(({ places }) => !places.some((place) => isReplaced(place, replacements)))
    .map((one) => ({ ...one, origin: origins.of(one) }))
    .filter(({ origin }) => origin !== "other");
  const ids: { generated: ClientId[]; unclear: ClientId[] } = { generated: [], unclear: [] };
  if (found.length === 0) return ids;
  const held = firstHolders(found.map(({ id }) => id), exchanges);
  const names = new UniqueNames();
  for (const { origin, ...one } of found) {
    const isHeld = held.get(one.id)! <= origins.firstPosition(one);
    if (isHeld || origin === "other") continue;
    ids[origin].push(clientId(names.next(nameFor(one.places[0])), one));
  }
  return ids;
}

function clientId(name: string, found: OccurringId): ClientId {
  const { id, isUuid } = found;
  if (isUuid) return { ...found, name, random: id, expression: namedUuid(name) };
  const random = id.slice(FIXED.exec(id)?.[0].length ?? 0);
  const { length } = random;
  const hex = call("replace", namedUuid(name), literalOf("-"), literalOf(""));
  const cut = length === 32 ? hex : call("substring", hex, literalOf(0), literalOf(length));
  return { ...found, name, random, expression: /[a-z]/.test(random) ? cut : call("upper", cut) };
}

function literalOf(value: string | number): Expression {
  return { kind: "literal", value };
}

/** Returns replacements that send generated ids instead of the recorded ones. */
export function idReplacements(ids: readonly ClientId[]): Replacement[] {
  return ids.flatMap(({ random, expression, places }) =>
    places.map(({ field, end }): Replacement => (
      { field, start: end - random.length, end, expression }
    ))
  );
}

function uuidsIn(calls: readonly RecordedCall[]): OccurringId[] {
  const mayContain = (text: string) => text.length >= 36 && text.includes("-");
  return occurrences(calls, UUID, mayContain, () => true)
    .map((one) => ({ ...one, isUuid: true }));
}

function randomIdsIn(calls: readonly RecordedCall[]): OccurringId[] {
  const ids = new Set<string>();
  for (const call of calls) {
    for (const field of call.fields) {
      const { recorded } = field;
      if (recorded.length < 8 || recorded.length > 32 || !RANDOM.test(recorded)) continue;
      if (mayNameId(field) || createsPath({ call, field })) ids.add(recorded);
    }
  }
  const random = new Set([...ids].filter(looksGenerated));
  if (random.size === 0) return [];
  return occurrences(calls, WORD, (text) => text.length >= 8, (word) => random.has(word))
    .map((one) => ({ ...one, isUuid: false }));
}

function occurrences(
  calls: readonly RecordedCall[],
  pattern: RegExp,
  mayContain: (text: string) => boolean,
  isId: (text: string) => boolean,
): Omit<OccurringId, "isUuid">[] {
  const found = new Map<string, IdPlace[]>();
  for (const call of calls) {
    for (const field of call.fields) {
      if (!mayContain(field.recorded)) continue;
      for (const { 0: id, index: start } of field.recorded.matchAll(pattern)) {
        if (!isId(id)) continue;
        const place = { call, field, start, end: start + id.length };
        const known = found.get(id);
        if (known === undefined) found.set(id, [place]);
        else known.push(place);
      }
    }
  }
  return [...found].map(([id, places]) => ({ id, places }));
}

function isReplaced({ field, start, end }: IdPlace, replacements: Replacements): boolean {
  return replacements.of(field).some((range) => range.start < end && start < range.end);
}

/** Added to the position of an exchange if its response, rather than its request, contains an id. */
const IN_RESPONSE = 0.5;

/**
 * Maps each id to the position of the first of the `exchanges` that contains it in a request cookie
 * or in the response, in any case. Adds `IN_RESPONSE` to the position if no cookie of this request
 * contains the id. Takes time linear in the length of the responses.
 */
function firstHolders(
  ids: readonly string[],
  exchanges: readonly Exchange[],
): Map<string, number> {
  const formsOf = (id: string) => [id, id.toLowerCase(), id.toUpperCase()];
  const index = new ValueIndex();
  for (const id of ids) formsOf(id).forEach((form) => index.add(form));
  const held = new Map<string, number>();
  const note = (text: string, at: number) => {
    for (const { value } of index.findAll(text)) if (!held.has(value)) held.set(value, at);
  };
  for (const [position, { request, response }] of exchanges.entries()) {
    for (const { name, value } of request.headers) {
      if (name.toLowerCase() === "cookie") note(value, position);
    }
    for (const { value } of response.headers) note(value, position + IN_RESPONSE);
    note(response.text ?? "", position + IN_RESPONSE);
  }
  const first = (id: string) => Math.min(...formsOf(id).map((form) => held.get(form) ?? Infinity));
  return new Map(ids.map((id) => [id, first(id)]));
}

function nameFor({ call, field }: IdPlace): string {
  const own = nameWords(field.name);
  const words = own.length > 0 ? own : [...collectionWords(call).slice(-1), "id"];
  return words.join("_").replace(/[^a-z0-9_]/g, "").replace(/^[\d_]+|_+$/g, "") || "id";
}
