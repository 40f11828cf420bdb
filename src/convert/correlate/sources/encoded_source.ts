import type { Transform } from "../../../plan/kinds/extractors/extractor.ts";
import { TextFilter } from "../../../traffic/session/prefiltered_set.ts";
import type { RequestValues } from "../../../traffic/session/request_values.ts";
import type { Candidate, Encoding, Encodings, SourceSearch } from "./source_search.ts";

/**
 * Placeholder that does not search responses, because `jsonSource` finds the encoded values during
 * its own search.
 */
export const encodedSource: SourceSearch = { inBody: false, search() {} };

const SHORTEST = 6;
const utf8 = new TextDecoder();
const encoder = new TextEncoder();

/** Matches values that need no escaping in a URL or in HTML. Most values match. */
const PLAIN = /^[\w.~-]+$/;

/**
 * A transform and its inverse: a function that returns the strings that the transform converts to a
 * given value.
 */
type Decoder = readonly [Transform, (value: string) => readonly string[]];

const BASE64: readonly Decoder[] = [
  ["base64_encode", base64Text],
  ["base64_decode", (value) => [utf8Base64(value)]],
];

/** The transforms that encode or decode URLs, HTML or base64, each with its inverse. */
const DECODERS: readonly Decoder[] = [
  ["url_encode", (value) => value.includes("%") ? [decodeURIComponent(value)] : []],
  [
    "url_decode",
    (value) => [encodeURIComponent(value), lowerEscapes(encodeURIComponent(value))],
  ],
  ["html_decode", (value) => [escapeHtml(value, "&#39;"), escapeHtml(value, "&#x27;")]],
  ...BASE64,
];

/**
 * Finds the encoded or decoded forms in which requests send a value of a response. Ignores forms of
 * fewer than 6 UTF-16 code units.
 */
export class EncodedForms implements Encodings {
  readonly #filter = new TextFilter();
  /** The forms that requests send, keyed by the value that a response could contain instead. */
  readonly #forms = new Map<string, string | string[]>();

  constructor({ sought }: Pick<RequestValues, "sought">) {
    for (const form of sought.keys()) forEachSource(form, (source) => this.#add(source, form));
  }

  #add(source: string, form: string): void {
    this.#filter.add(source);
    const known = this.#forms.get(source);
    if (known === undefined) this.#forms.set(source, form);
    else if (typeof known === "string") {
      if (known !== form) this.#forms.set(source, [known, form]);
    } else if (known.at(-1) !== form) known.push(form);
  }

  sources(): Iterable<string> {
    return this.#forms.keys();
  }

  has(source: string): boolean {
    return this.#filter.mayHold(source) && this.#forms.has(source);
  }

  get(source: string): readonly Encoding[] {
    const forms = this.#filter.mayHold(source) ? this.#forms.get(source) : undefined;
    if (forms === undefined) return NOT_SENT;
    const found: Encoding[] = [];
    for (const value of typeof forms === "string" ? [forms] : forms) {
      forEachSource(value, (one, transform) => {
        if (one === source) found.push({ transform, value });
      });
    }
    return found;
  }
}

const NOT_SENT: readonly Encoding[] = [];

/** Calls `visit` for each value that a transform converts to `form`, unless it equals `form`. */
function forEachSource(form: string, visit: (source: string, transform: Transform) => void): void {
  if (form.length < SHORTEST) return;
  // URL and HTML encoding do not change a plain value.
  for (const [transform, sourcesOf] of PLAIN.test(form) ? BASE64 : DECODERS) {
    const sources = tolerantly(sourcesOf, form);
    for (let i = 0; i < sources.length; i++) {
      const source = sources[i];
      if (source !== form && sources.indexOf(source) === i) visit(source, transform);
    }
  }
}

/**
 * Returns one copy of the candidate for each other encoding in which requests send its value. The
 * extractor of a copy applies the transform that produces this encoding.
 */
export function encodedCandidates(candidate: Candidate, encodings: Encodings): Candidate[] {
  return encodings.get(candidate.value).map(({ transform, value }) => ({
    ...candidate,
    value,
    source: "encoded",
    numeric: false,
    located: { ...candidate.located, transform: [transform] },
  }));
}

/**
 * Returns the result of `sourcesOf`, or an empty list if it throws because the value cannot be
 * encoded or decoded.
 */
function tolerantly(sourcesOf: Decoder[1], value: string): readonly string[] {
  try {
    return sourcesOf(value);
  } catch (error) {
    if (error instanceof URIError || error instanceof TypeError) return [];
    throw error;
  }
}

/**
 * Decodes a base64 value. Returns a list with the decoded text, or an empty list if the value is
 * not base64-encoded UTF-8 text.
 */
function base64Text(value: string): string[] {
  if (value.length % 4 !== 0 || !mayEncodeText(value)) return [];
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return [];
  const text = utf8.decode(Uint8Array.fromBase64(value));
  return text.includes("\ufffd") ? [] : [text];
}

/** Value of each base64 digit by its ASCII code, and -1 for other characters. */
const DIGITS = new Int8Array(128).fill(-1);
for (let i = 0; i < 64; i++) {
  const digit = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".charCodeAt(i);
  DIGITS[digit] = i;
}

/**
 * Prefilter: reports whether a value may be base64-encoded UTF-8 text. May return false positives,
 * never false negatives. Rejects most values early, because most are random and have an invalid
 * byte near the start.
 */
function mayEncodeText(value: string): boolean {
  let bits = 0;
  let count = 0;
  /** Number of continuation bytes that the current character still needs. */
  let rest = 0;
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    const digit = code < 128 ? DIGITS[code] : -1;
    if (digit < 0) return code === 0x3d;
    bits = (bits << 6 | digit) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    const byte = bits >> count & 0xff;
    const isContinuation = byte >= 0x80 && byte < 0xc0;
    if (isContinuation !== (rest > 0) || byte > 0xf4 || byte === 0xc0 || byte === 0xc1) {
      return false;
    }
    if (isContinuation) rest--;
    else rest = byte < 0xc0 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
  }
  return true;
}

/** Encodes a string as UTF-8, and the result as base64. */
function utf8Base64(text: string): string {
  return PLAIN.test(text) ? btoa(text) : encoder.encode(text).toBase64();
}

function lowerEscapes(encoded: string): string {
  return encoded.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
}

function escapeHtml(value: string, apostrophe: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;").replaceAll("'", apostrophe);
}
