import type { Transform } from "../../../plan/kinds/extractors/extractor.ts";
import { decodeBase64Text } from "../../../traffic/session/base64_text.ts";
import { TextFilter } from "../../../traffic/session/prefiltered_set.ts";
import type { RequestValues } from "../../../traffic/session/request_values.ts";
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
 * A transform and its inverse: a function that returns the strings that the transform converts to a
 * given value.
 */
type Decoder = readonly [Transform, (value: string) => readonly string[]];

const BASE64: readonly Decoder[] = [
  ["base64_encode", base64Source],
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

/** Returns the UTF-8 text that padded base64 contains, in a list, or an empty list. */
function base64Source(value: string): string[] {
  const text = value.length % 4 === 0 ? decodeBase64Text(value) : undefined;
  return text === undefined ? [] : [text];
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
