import type { Transform } from "../../../plan/kinds/extractors.ts";
import { decodeBase64Text } from "../../../traffic/session/base64_text.ts";
import { TextFilter } from "./prefiltered_set.ts";
import type { RequestValues } from "./request_values.ts";
import type { Candidate, Encoding, Encodings, SourceSearch } from "./source_search.ts";

/**
 * Placeholder that does not search responses, because `jsonSource` finds the encoded values during
 * its own search.
 */
export const encodedSource: SourceSearch = { inBody: false, search() {} };

const SHORTEST = 6;
const encoder = new TextEncoder();

/** Matches values that need no escaping in a URL or in HTML. Most values match. */
const PLAIN = /^[\w.~-]+$/;

/**
 * A transform, a function that returns the strings that the transform converts to a given form, and
 * a function that returns the forms to which the transform converts a given string.
 */
type Codec = readonly [
  Transform,
  sourcesOf: (form: string) => readonly string[],
  formsOf: (source: string) => readonly string[],
];

const BASE64: readonly Codec[] = [
  ["base64_encode", base64Source, (source) => [utf8Base64(source)]],
  ["base64_decode", (form) => [utf8Base64(form)], base64Source],
];

/** The transforms that encode or decode URLs, HTML or base64. */
const CODECS: readonly Codec[] = [
  ["url_encode", (form) => form.includes("%") ? [decodeURIComponent(form)] : [], urlForms],
  ["url_decode", urlForms, (source) => source.includes("%") ? [decodeURIComponent(source)] : []],
  [
    "html_decode",
    (form) => [escapeHtml(form, "&#39;"), escapeHtml(form, "&#x27;")],
    (source) => [unescapeHtml(source)],
  ],
  ...BASE64,
];

/**
 * Finds the encoded or decoded forms in which requests send a value of a response. Ignores forms of
 * fewer than 6 UTF-16 code units.
 */
export class EncodedForms implements Encodings {
  readonly #sought: RequestValues["sought"];
  readonly #filter = new TextFilter();

  constructor({ sought }: Pick<RequestValues, "sought">) {
    this.#sought = sought;
    for (const form of sought.keys()) {
      if (form.length < SHORTEST) continue;
      // URL and HTML encoding do not change a plain value.
      for (const [, sourcesOf] of PLAIN.test(form) ? BASE64 : CODECS) {
        for (const source of tolerantly(sourcesOf, form)) {
          if (source !== form) this.#filter.add(source);
        }
      }
    }
  }

  has(source: string): boolean {
    return this.get(source).length > 0;
  }

  get(source: string): readonly Encoding[] {
    if (!this.#filter.mayHold(source)) return NOT_SENT;
    const found: Encoding[] = [];
    for (const [transform, , formsOf] of CODECS) {
      for (const value of new Set(tolerantly(formsOf, source))) {
        const isSent = value !== source && value.length >= SHORTEST && this.#sought.has(value);
        if (isSent) found.push({ transform, value });
      }
    }
    return found;
  }
}

const NOT_SENT: readonly Encoding[] = [];

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
 * Returns the result of `convert`, or an empty list if it throws because the value cannot be
 * encoded or decoded.
 */
function tolerantly(convert: Codec[1], value: string): readonly string[] {
  try {
    return convert(value);
  } catch (error) {
    if (error instanceof URIError || error instanceof TypeError) return [];
    throw error;
  }
}

/** Returns the UTF-8 text that padded base64 contains, in a list, or an empty list. */
function base64Source(value: string): string[] {
  const text = value.length % 4 === 0 ? decodeBase64Text(value) : undefined;
  return text === undefined ? [] : [text];
}

/** Encodes a string as UTF-8, and the result as base64. */
function utf8Base64(text: string): string {
  return PLAIN.test(text) ? btoa(text) : encoder.encode(text).toBase64();
}

/** Percent-encodes a string, with escapes in upper case and in lower case. */
function urlForms(text: string): string[] {
  const encoded = encodeURIComponent(text);
  return [encoded, lowerEscapes(encoded)];
}

function lowerEscapes(encoded: string): string {
  return encoded.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
}

function escapeHtml(value: string, apostrophe: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;").replaceAll("'", apostrophe);
}

/** Reverses `escapeHtml`. */
function unescapeHtml(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39|#x27);/g, (entity) => ENTITIES[entity]);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&#x27;": "'",
};
