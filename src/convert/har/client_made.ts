import { UUID } from "../../base/random.ts";
import { createHash } from "node:crypto";
import { call as callOf, type Expression, namedUuid } from "../../plan/expressions/expression.ts";
import { nameWords } from "../../traffic/session/dynamic_value.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { IN_BODY, type RequestField } from "../../traffic/session/request_field.ts";
import type { Step } from "../../correlation/shared_values.ts";
import type { Replacement, Replacements } from "../../correlation/replace.ts";
import { differingFields, type DifferingValue } from "../../correlation/second_session.ts";
import { idName, UniqueNames } from "../../correlation/variable.ts";

/** A value of the client, and where it is sent first. */
export interface ClientValue {
  readonly call: RecordedCall;
  readonly field: RequestField;
  readonly expression: Expression;
}

/** Values that differ between two recordings, and are in no response. */
export interface ClientMade {
  readonly replacements: readonly Replacement[];
  readonly values: readonly ClientValue[];
  /** Sent as recorded, because no rule generates their values. */
  readonly unexplained: readonly { readonly call: RecordedCall; readonly field: RequestField }[];
}

interface Found {
  readonly kind: "uuid" | "now" | "unique";
  readonly start: number;
  readonly end: number;
}

const UUIDS = new RegExp(`(?<![\\da-fA-F])${UUID}(?![\\da-fA-F])`, "g");
const MILLISECONDS = /(?<![A-Za-z0-9.])\d{13}(?![A-Za-z0-9.])/g;
const SECRET = /pass|token|secret|csrf|xsrf|nonce|session|auth|captcha|state|verifier|challenge/i;
/** Between reading the clock and sending the time. */
const CLOCK_RANGE = 24 * 3_600_000;
const LONGEST_STAMPED = 200;

/** Finds values of the client. `taken` are names of UUIDs that the plan already generates. */
export function clientMade(
  steps: readonly Step[],
  replacements: Replacements,
  taken: Iterable<string>,
): ClientMade {
  const search = new ClientSearch(steps, replacements, taken);
  search.replacePkce();
  for (const [order, { call, again }] of steps.entries()) {
    for (const differing of again === undefined ? [] : differingFields(call, again)) {
      search.replaceIn(differing, call, again!, steps.slice(0, order));
    }
  }
  return search.result();
}

type Places = readonly Omit<Replacement, "expression">[];

class ClientSearch {
  readonly #calls: readonly RecordedCall[];
  readonly #fields: readonly RequestField[];
  readonly #given: Replacements;
  readonly #names: UniqueNames;
  readonly #values: ClientValue[] = [];
  readonly #unexplained = new Map<string, ClientMade["unexplained"][number]>();
  /** Texts with a stamp, by what is around it and the number after it. */
  readonly #stamped = new Map<string, string>();
  #known: Replacements;

  constructor(steps: readonly Step[], replacements: Replacements, taken: Iterable<string>) {
    this.#calls = steps.map(({ call }) => call);
    this.#fields = this.#calls.flatMap(({ fields }) => fields);
    this.#given = this.#known = replacements;
    this.#names = new UniqueNames(taken);
  }

  replacePkce(): void {
    for (const { verifier, challenge } of pkcePairs(this.#fields)) {
      for (
        const [text, name] of [[verifier, "pkce_verifier"], [challenge, "pkce_challenge"]] as const
      ) {
        const call = this.#calls.find(({ fields }) => fields.some(({ value }) => value === text))!;
        const field = call.fields.find(({ value }) => value === text)!;
        this.#replace({ call, field }, callOf(name), placesOf(text, this.#fields));
      }
    }
  }

  /** `earlier` are the steps before the call. */
  replaceIn(
    differing: DifferingValue,
    call: RecordedCall,
    again: RecordedCall,
    earlier: readonly Step[],
  ): void {
    const { field } = differing;
    for (const found of clientValues(differing, call, again)) {
      const text = field.value.slice(found.start, found.end);
      const [from, to] = field.recordedRange(found.start, found.end);
      const sought = found.kind === "unique" ? field.value : text;
      if (!this.#known.isFree({ field, start: from, end: to }) || isReceived(sought, earlier)) {
        continue;
      }
      this.#replaceFound({ call, field }, found, text);
    }
    if (this.#known.of(field).length === 0 && !this.#unexplained.has(field.value)) {
      this.#unexplained.set(field.value, { call, field });
    }
  }

  #replaceFound(at: Omit<ClientValue, "expression">, found: Found, text: string): void {
    const { field } = at;
    const places = placesOf(text, this.#fields);
    switch (found.kind) {
      case "uuid": {
        const name = this.#names.next(idName(nameWords(field.name)));
        return this.#replace(at, namedUuid(name), places);
      }
      case "now": {
        // A time that two requests send is an identifier, and a JSON string keeps its type.
        const isString = field.kind === "json" && !field.numeric && field.value === text;
        if (places.length === 1 && !isString) this.#replace(at, callOf("now"), places);
        return;
      }
      case "unique":
        this.#replace(at, { kind: "unique" }, this.#stampPlaces(field, found));
    }
  }

  #stampPlaces({ value: text }: RequestField, { start, end }: Found): Places {
    const around = `${text.slice(0, start)}\0${text.slice(end)}`;
    let suffix = "";
    // Different texts must stay different.
    for (let n = 2; (this.#stamped.get(around + suffix) ?? text) !== text; n++) suffix = `${n}`;
    this.#stamped.set(around + suffix, text);
    return this.#fields.filter(({ value }) => value === text).map((field) => {
      const [from, to] = field.recordedRange(start, end);
      return { field, start: from, end: to, suffix };
    });
  }

  #replace(at: Omit<ClientValue, "expression">, expression: Expression, places: Places): void {
    const free = places.filter((place) => this.#known.isFree(place));
    if (free.length === 0) return;
    this.#known = this.#known.with(free.map((place) => ({ ...place, expression })));
    this.#values.push({ ...at, expression });
  }

  result(): ClientMade {
    const replacements = this.#fields.flatMap((field) => {
      const before = this.#given.of(field);
      return this.#known.of(field).filter((replacement) => !before.includes(replacement));
    });
    return { replacements, values: this.#values, unexplained: [...this.#unexplained.values()] };
  }
}

/** Ranges of fields with a text as recorded, between borders of words. */
function placesOf(
  text: string,
  fields: readonly RequestField[],
): Omit<Replacement, "expression">[] {
  const pattern = new RegExp(`(?<![A-Za-z0-9])${RegExp.escape(text)}(?![A-Za-z0-9])`, "g");
  return fields.flatMap((field) =>
    field.recorded.includes(text)
      ? [...field.recorded.matchAll(pattern)].map(({ index }) => (
        { field, start: index, end: index + text.length }
      ))
      : []
  );
}

function isReceived(text: string, steps: readonly Step[]): boolean {
  return steps.some(({ responses: [{ text: body, headers }] }) =>
    body?.includes(text) || headers.some(({ value }) => value.includes(text))
  );
}

function clientValues(
  { field, live }: DifferingValue,
  call: RecordedCall,
  again: RecordedCall,
): Found[] {
  const uuids = differingMatches(UUIDS, field.value, live)
    .map((match) => ({ ...match, kind: "uuid" }));
  const times = differingMatches(MILLISECONDS, field.value, live)
    .filter(({ start, end, other }) =>
      isNear(Number(field.value.slice(start, end)), call) && isNear(Number(other), again)
    ).map((match) => ({ ...match, kind: "now" }));
  const found = [...uuids, ...times] as Found[];
  return found.length > 0 ? found : stampIn(field, live);
}

function differingMatches(pattern: RegExp, value: string, live: string) {
  const [found, liveFound] = [value, live].map((text) => [...text.matchAll(pattern)]);
  if (found.length !== liveFound.length) return [];
  return found.map(({ 0: text, index }, i) => (
    { start: index, end: index + text.length, text, other: liveFound[i][0] }
  )).filter(({ text, other }) => text !== other);
}

function isNear(time: number, { exchange: { startedAt } }: RecordedCall): boolean {
  return Math.abs(time - startedAt) < CLOCK_RANGE;
}

/** The number or date that makes a text of the user unique. */
function stampIn({ name, value, kind, numeric }: RequestField, live: string): Found[] {
  if (!IN_BODY.has(kind) || numeric || SECRET.test(name) || value.length > LONGEST_STAMPED) {
    return [];
  }
  const shortest = Math.min(value.length, live.length);
  let start = 0;
  while (start < shortest && value[start] === live[start]) start++;
  let end = 0;
  while (end < shortest - start && value.at(-1 - end) === live.at(-1 - end)) end++;
  // A stamp may begin or end with the same digits in both recordings.
  while (start > 0 && isDigit(value[start - 1])) start--;
  while (end > 0 && isDigit(value[value.length - end])) end--;
  const around = value.slice(0, start) + value.slice(value.length - end);
  const stamps = [value, live].map((text) => text.slice(start, text.length - end));
  const isStamp = stamps.every((stamp) => /\d/.test(stamp) && /^[\w:. -]+$/.test(stamp));
  if (!isStamp || !/\p{L}{2}/u.test(around)) return [];
  return [{ kind: "unique", start, end: value.length - end }];
}

function isDigit(character: string): boolean {
  return /\d/.test(character);
}

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

function pkcePairs(
  fields: readonly RequestField[],
): { readonly verifier: string; readonly challenge: string }[] {
  const values = new Set(fields.map(({ value }) => value));
  const challenges = new Set([...values].filter((value) => CHALLENGE.test(value)));
  if (challenges.size === 0) return [];
  return [...values].filter((value) => VERIFIER.test(value)).flatMap((verifier) => {
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    return challenges.has(challenge) ? [{ verifier, challenge }] : [];
  });
}
