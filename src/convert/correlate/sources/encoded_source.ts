import type { Transform } from "../../../plan/kinds/extractors/extractor.ts";
import type { RequestValues } from "../../../traffic/session/request_values.ts";
import type { Candidate, Encoding, Encodings, SourceSearch } from "./source_search.ts";

/**
 * Placeholder that searches nothing, because `jsonSource` finds the encoded values during its own
 * search.
 */
export const encodedSource: SourceSearch = { inBody: false, search() {} };

const SHORTEST = 6;
const utf8 = new TextDecoder();
const encoder = new TextEncoder();

/** Matches values that look the same in a URL and in HTML, as most do. */
const PLAIN = /^[\w.~-]+$/;

/**
 * Inverses of transforms. Each function returns the strings that the transform converts to a given
 * value.
 */
const DECODERS: readonly (readonly [Transform, (value: string) => readonly string[]])[] = [
  ["url_encode", (value) => value.includes("%") ? [decodeURIComponent(value)] : []],
  [
    "url_decode",
    (value) =>
      PLAIN.test(value) ? [] : [encodeURIComponent(value), lowerEscapes(encodeURIComponent(value))],
  ],
  [
    "html_decode",
    (value) => PLAIN.test(value) ? [] : [escapeHtml(value, "&#39;"), escapeHtml(value, "&#x27;")],
  ],
  ["base64_encode", base64Text],
  ["base64_decode", (value) => [utf8Base64(value)]],
];

/**
 * Returns the encodings in which requests send values, keyed by the string that a response would
 * contain. Each entry lists the transforms that convert this string to a sent value, and that
 * value. Ignores values of fewer than 6 UTF-16 units.
 */
export function indexEncodings({ sought }: RequestValues): Encodings {
  const encodings = new Map<string, Encoding[]>();
  for (const value of sought.keys()) {
    if (value.length < SHORTEST) continue;
    for (const [transform, sourcesOf] of DECODERS) {
      const sources = tolerantly(() => sourcesOf(value));
      for (const [i, source] of sources.entries()) {
        if (source === value || sources.indexOf(source) < i) continue;
        const known = encodings.get(source);
        if (known === undefined) encodings.set(source, [{ transform, value }]);
        else known.push({ transform, value });
      }
    }
  }
  return encodings;
}

/**
 * Returns one copy of the candidate for each other encoding in which requests send its value. The
 * extractor of a copy applies the transform that produces this encoding.
 */
export function encodedCandidates(candidate: Candidate, encodings: Encodings): Candidate[] {
  return (encodings.get(candidate.value) ?? []).map(({ transform, value }) => ({
    ...candidate,
    value,
    source: "encoded",
    numeric: false,
    locate: () => ({ ...candidate.locate(), transform: [transform] }),
  }));
}

/**
 * Returns the result of `sources`, or an empty list if `sources` throws because a string cannot be
 * encoded or decoded.
 */
function tolerantly(sources: () => readonly string[]): readonly string[] {
  try {
    return sources();
  } catch (error) {
    if (error instanceof URIError || error instanceof TypeError) return [];
    throw error;
  }
}

/**
 * Decodes a base64 value. Returns a list with the decoded text, or an empty list if the value is not
 * base64-encoded UTF-8 text.
 */
function base64Text(value: string): string[] {
  if (value.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return [];
  const bytes = Uint8Array.fromBase64(value);
  // A fast check: most values are random, and the first such byte of valid text starts a character.
  const first = bytes.find((byte) => byte >= 0x80);
  if (first !== undefined && first < 0xc2) return [];
  const text = utf8.decode(bytes);
  return text.includes("\ufffd") ? [] : [text];
}

const scratch = new Uint8Array(1_024);

/** Returns the UTF-8 of a text in base64. */
function utf8Base64(text: string): string {
  if (3 * text.length > scratch.length) return encoder.encode(text).toBase64();
  return scratch.subarray(0, encoder.encodeInto(text, scratch).written).toBase64();
}

function lowerEscapes(encoded: string): string {
  return encoded.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
}

function escapeHtml(value: string, apostrophe: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;").replaceAll("'", apostrophe);
}
