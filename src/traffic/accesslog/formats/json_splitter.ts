import { AT, type Field, type Spans } from "../lines/fields.ts";
import type { LineSplitter, NoRequest } from "../lines/splitter.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Which member of a JSON object is which field; a nested object's members by their own map. */
export interface JsonFields {
  readonly [member: string]: Field | JsonFields;
}

interface Member {
  readonly name: Uint8Array;
  /** The field, or -1 for an object with fields in it. */
  readonly field: number;
  readonly members: readonly Member[];
}

/**
 * Lines that are one JSON object each. Only the members that are asked for are looked at, and of a
 * list its first element: everything else is passed over, so that it need not be valid.
 */
export class JsonSplitter implements LineSplitter {
  readonly #members: readonly Member[];
  #bytes: Uint8Array = new Uint8Array();
  #end = 0;
  #spans!: Spans;

  /** For objects with these members. */
  constructor(fields: JsonFields) {
    this.#members = membersOf(fields);
  }

  /** See `LineSplitter`. */
  split(
    bytes: Uint8Array,
    _view: DataView,
    start: number,
    end: number,
    spans: Spans,
  ): NoRequest | undefined {
    if (bytes[start] !== OPEN_BRACE) return "no-request";
    [this.#bytes, this.#end, this.#spans] = [bytes, end, spans];
    return this.#object(start + 1, this.#members) < 0 ? "no-request" : undefined;
  }

  /** Reads an object's members from behind its brace on; gives where it ends, -1 when it does not. */
  #object(from: number, members: readonly Member[]): number {
    const bytes = this.#bytes;
    for (let at = from; at < this.#end; at++) {
      const byte = bytes[at];
      if (byte === CLOSE_BRACE) return at;
      if (byte !== QUOTE) continue;
      const close = this.#stringEnd(at + 1);
      const member = find(bytes, at + 1, close, members);
      at = close + 1;
      while (bytes[at] === COLON || bytes[at] === 0x20) at++;
      at = member === undefined ? this.#pass(at) : this.#value(at, member);
      if (at < 0) return -1;
    }
    return -1;
  }

  /** Reads a member's value; gives its last byte, -1 when it has no end. */
  #value(at: number, member: Member): number {
    const byte = this.#bytes[at];
    if (byte === OPEN_BRACE) {
      return member.field < 0 ? this.#object(at + 1, member.members) : this.#pass(at);
    }
    if (byte === OPEN_BRACKET && this.#bytes[at + 1] === QUOTE) this.#note(at + 1, member);
    else if (byte !== OPEN_BRACKET) this.#note(at, member);
    return this.#pass(at);
  }

  #note(at: number, { field }: Member): void {
    if (field < 0 || this.#spans.from[field] >= 0) return;
    if (this.#bytes[at] === QUOTE) this.#spans.set(field, at + 1, this.#stringEnd(at + 1));
    else if (this.#bytes[at] !== 0x6e) this.#spans.set(field, at, this.#pass(at) + 1); // null
  }

  /** Passes over a value; gives its last byte, -1 when it has no end. */
  #pass(from: number): number {
    const bytes = this.#bytes;
    if (bytes[from] === QUOTE) {
      const close = this.#stringEnd(from + 1);
      return close < this.#end ? close : -1;
    }
    let depth = 0;
    for (let at = from; at < this.#end; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) at = this.#stringEnd(at + 1);
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (depth === 0) return at - 1;
        if (--depth === 0) return at;
      } else if (byte === COMMA && depth === 0) return at - 1;
    }
    return -1;
  }

  #stringEnd(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    for (let byte; at < this.#end && (byte = bytes[at]) !== QUOTE; at++) {
      if (byte === BACKSLASH) at++;
    }
    return at;
  }
}

function membersOf(fields: JsonFields): Member[] {
  return Object.entries(fields).map(([name, of]) => ({
    name: new TextEncoder().encode(name),
    field: typeof of === "string" ? AT[of] : -1,
    members: typeof of === "string" ? [] : membersOf(of),
  }));
}

function find(
  bytes: Uint8Array,
  from: number,
  to: number,
  members: readonly Member[],
): Member | undefined {
  for (const member of members) {
    const { name } = member;
    if (name.length !== to - from || name[0] !== bytes[from]) continue;
    let i = 1;
    while (i < name.length && name[i] === bytes[from + i]) i++;
    if (i === name.length) return member;
  }
  return undefined;
}
