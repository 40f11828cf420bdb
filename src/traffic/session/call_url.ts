import { decodePercent } from "../../base/string_escapes.ts";
import { utf8Text } from "../../base/utf8.ts";
import { httpOrigin } from "../har/http_origin.ts";
import { holdsValue, RequestField, type RequestFieldKind } from "./request_field.ts";

/**
 * A recorded URL, split into replaceable parts. It has no fragment, because fragments are never
 * sent.
 */
export interface CallUrl {
  /** Normalized scheme, host and port, without a default port. */
  readonly origin: string;
  /**
   * Scheme, host and port as written in the recording, without user info. `keptHeaders` converts
   * user info to a header.
   */
  readonly prefix: string;
  /**
   * Path segments and the values of path parameters as fields, and the text between them as
   * strings.
   */
  readonly path: readonly (string | RequestField)[];
  /** Query as fields and strings, starting with `?`. Empty if there is no query. */
  readonly query: readonly (string | RequestField)[];
}

/**
 * Matches URLs that browsers send unchanged. Other URLs are sent as the URL standard serializes
 * them. A segment of dots is not unchanged.
 */
const SENDABLE = /^https?:\/\/(?!\/)[!#-&(-;=?-[\]^_a-z|~]+$/i;
const DOTS = /\/(?:\.|%2e)/i;

/** Maximum number of strings of each kind that a `UrlSplitter` shares. */
const MOST_SHARED = 10_000;
/**
 * Maximum length of a shared path segment or value, in UTF-16 code units. Longer ones are often
 * unique, and refer to the recorded URL instead of a copy of its characters.
 */
const LONGEST_SHARED = 12;

/** The part of a URL before its path. */
type Site = Pick<CallUrl, "origin" | "prefix">;

/** The name of a query parameter. */
interface ParameterName {
  /** The decoded name. */
  readonly name: string;
  /** The text before the value: the name as recorded and `=`. Empty if the parameter has no `=`. */
  readonly before: string;
  /** True if the name may contain a server-generated value, so that it becomes a field. */
  readonly isField: boolean;
}

const NO_NAME: ParameterName = { name: "", before: "", isField: false };

/**
 * Splits URLs into fields. The URLs of a recording have many short strings in common, and share one
 * copy of each.
 */
export class UrlSplitter {
  readonly #sites = new Map<string, Site>();
  readonly #names = new Map<string, ParameterName>();
  readonly #texts = new Map<string, string>();

  /** Splits an absolute http or https URL. Throws TypeError if the URL is invalid. */
  split(url: string): CallUrl {
    const text = SENDABLE.test(url) && !DOTS.test(url) ? url : new URL(url).href;
    const end = offsetOf(text, "#", 0, text.length);
    const query = offsetOf(text, "?", 0, end);
    const path = offsetOf(text, "/", text.indexOf("//") + 2, query);
    const { origin, prefix } = cached(this.#sites, text.slice(0, path), siteIn);
    return {
      origin,
      prefix,
      path: this.#pathPieces(path === query ? "/" : text.slice(path, query)),
      query: query === end ? NO_PIECES : this.#queryPieces(text.slice(query + 1, end)),
    };
  }

  #pathPieces(path: string): (string | RequestField)[] {
    const pieces: (string | RequestField)[] = [];
    for (let at = 0; at < path.length;) {
      pieces.push("/");
      const end = offsetOf(path, "/", at + 1, path.length);
      const segment = path.slice(at + 1, end);
      if (segment.includes(";")) this.#addSegment(pieces, segment);
      else if (segment !== "") pieces.push(this.#field("path", "", segment));
      at = end;
    }
    return exact(pieces);
  }

  /**
   * Appends the text of a path segment and the values of its parameters, as in `a;jsessionid=1F`,
   * to `pieces`.
   */
  #addSegment(pieces: (string | RequestField)[], segment: string): void {
    const [text, ...parameters] = segment.split(";");
    if (text !== "") pieces.push(this.#field("path", "", text));
    for (const parameter of parameters) {
      const equals = parameter.indexOf("=");
      if (equals < 0) {
        pieces.push(`;${parameter}`);
        continue;
      }
      const name = parameter.slice(0, equals);
      const value = parameter.slice(equals + 1);
      pieces.push(`;${name}=`);
      if (value !== "") pieces.push(this.#field("path", percentDecodedText(name, false), value));
    }
  }

  #queryPieces(query: string): (string | RequestField)[] {
    const pieces: (string | RequestField)[] = [];
    for (const pair of query.split("&")) {
      pieces.push(pieces.length === 0 ? "?" : "&");
      const equals = pair.indexOf("=");
      const { name, before, isField } = equals < 0
        ? NO_NAME
        : cached(this.#names, pair.slice(0, equals), nameIn);
      if (isField) pieces.push(urlField("name", "", before.slice(0, -1)), "=");
      else if (before !== "") pieces.push(before);
      pieces.push(this.#field("query", name, pair.slice(equals + 1)));
    }
    return exact(pieces);
  }

  #field(kind: RequestFieldKind, name: string, recorded: string): RequestField {
    const text = recorded.length > LONGEST_SHARED
      ? recorded
      : cached(this.#texts, recorded, (text) => text);
    return urlField(kind, name, text);
  }
}

/** Returns the value of `key` in `cache`. If it is missing, creates it, and adds it if there is room. */
function cached<T>(cache: Map<string, T>, key: string, create: (key: string) => T): T {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const created = create(key);
  if (cache.size < MOST_SHARED) cache.set(key, created);
  return created;
}

function siteIn(start: string): Site {
  return { origin: httpOrigin(start), prefix: start.replace(/\/\/[^]*@/, "//") };
}

function nameIn(recorded: string): ParameterName {
  return {
    name: percentDecodedText(recorded, true),
    before: `${recorded}=`,
    isField: holdsValue(recorded),
  };
}

/** Returns the offset of the first `character` in `text[from, to)`, or `to` if it is missing. */
function offsetOf(text: string, character: string, from: number, to: number): number {
  const at = text.indexOf(character, from);
  return at < 0 || at > to ? to : at;
}

const NO_PIECES: CallUrl["query"] = [];

/** Copies a list to one without unused capacity. A list that was appended to has room for more. */
export function exact<T>(list: readonly T[]): T[] {
  return list.slice();
}

/**
 * Creates a field of a URL. Does not decode `+` as a space, because many tokens contain `+`, but
 * none contain spaces.
 */
function urlField(kind: RequestFieldKind, name: string, recorded: string): RequestField {
  return encodedField(kind, name, recorded, false);
}

/** A field in a URL whose recorded text is percent-encoded. */
class DecodedField extends RequestField {
  readonly #offsets: readonly number[];

  constructor(kind: RequestFieldKind, name: string, recorded: string, decoded: Decoded) {
    super(kind, name, recorded, decoded.value);
    this.#offsets = decoded.offsets;
  }

  override recordedRange(start: number, end: number): [start: number, end: number] {
    return [this.#offsets[start], this.#offsets[end]];
  }
}

/** Creates a field of percent-encoded text. Decodes `+` as a space if `plus` is true. */
export function encodedField(
  kind: RequestFieldKind,
  name: string,
  recorded: string,
  plus: boolean,
): RequestField {
  const decoded = percentDecode(recorded, plus);
  return decoded === undefined
    ? new RequestField(kind, name, recorded)
    : new DecodedField(kind, name, recorded, decoded);
}

/** Returns the fields among the pieces of a URL, without the strings between them. */
export function fieldsIn(pieces: readonly (string | RequestField)[]): RequestField[] {
  return pieces.filter((piece) => piece instanceof RequestField);
}

/**
 * A percent-decoded string, and the offset of each of its UTF-16 code units in the encoded string.
 */
export interface Decoded {
  readonly value: string;
  /**
   * Offsets in the encoded string: one for each UTF-16 code unit of `value`, and one for its end.
   */
  readonly offsets: readonly number[];
}

/**
 * Decodes percent-encoded text, including `+` as a space if `plus` is true. Returns undefined if
 * `text` contains nothing to decode or is not valid percent-encoded UTF-8.
 */
export function percentDecode(text: string, plus: boolean): Decoded | undefined {
  if (!text.includes("%") && !(plus && text.includes("+"))) return undefined;
  let value = "";
  const offsets: number[] = [];
  for (let at = 0; at < text.length;) {
    const run = /^(?:%[0-9A-Fa-f]{2})+/.exec(text.slice(at, at + 12));
    if (run === null) {
      if (text[at] === "%") return undefined;
      value += plus && text[at] === "+" ? " " : text[at];
      offsets.push(at++);
      continue;
    }
    const character = firstCharacter(run[0]);
    if (character === undefined) return undefined;
    for (let i = 0; i < character.text.length; i++) offsets.push(at);
    value += character.text;
    at += character.bytes * 3;
  }
  offsets.push(text.length);
  return { value, offsets };
}

/**
 * Decodes percent-encoded text, including `+` as a space if `plus` is true. Returns `text` itself
 * if it contains nothing to decode or is not valid percent-encoded UTF-8.
 */
export function percentDecodedText(text: string, plus: boolean): string {
  const spaced = plus ? text.replaceAll("+", " ") : text;
  if (!text.includes("%")) return spaced;
  return decodePercent(spaced) ?? text;
}

/**
 * Decodes the first UTF-8 character in a sequence of `%XX` escapes. Returns the character and the
 * length of its UTF-8 encoding in bytes, or undefined if the encoding is invalid.
 */
function firstCharacter(run: string): { text: string; bytes: number } | undefined {
  const first = parseInt(run.slice(1, 3), 16);
  if (first < 0x80) return { text: String.fromCharCode(first), bytes: 1 };
  const bytes = Uint8Array.from(run.slice(1).split("%"), (hex) => parseInt(hex, 16));
  const lead = bytes[0];
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (bytes.length < length) return undefined;
  const text = utf8Text(bytes.subarray(0, length));
  return text === undefined ? undefined : { text, bytes: length };
}
