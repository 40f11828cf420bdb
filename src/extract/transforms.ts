import { asText } from "../base/exact_json.ts";
import { isJsonNumber, type WrittenNumber, writtenNumber } from "../base/exact_number.ts";
import { undoEscapes } from "../base/string_escapes.ts";
import type { Transform } from "../plan/kinds/extractors/extractor.ts";

/** Function that transforms extracted text. Throws an Error if it cannot convert the text. */
export type Change = (text: string) => string | WrittenNumber;

/** Functions that implement the transforms, except `html_decode`, which needs the HTML parser. */
const CHANGES: { readonly [T in Exclude<Transform, "html_decode">]: Change } = {
  trim: (text) => text.trim(),
  lowercase: (text) => text.toLowerCase(),
  uppercase: (text) => text.toUpperCase(),
  url_encode: (text) => encodeURIComponent(text.toWellFormed()),
  url_decode: decodeURIComponent,
  base64_encode: (text) => new TextEncoder().encode(text).toBase64(),
  base64_decode: decodeBase64,
  json_decode: (text) => undoEscapes(text).value,
  number: toNumber,
  path: pathAndQuery,
};

/** Combines transforms into one function. Loads the HTML parser only if `html_decode` is used. */
export async function compileTransforms(transforms: readonly Transform[]): Promise<Change> {
  if (!transforms.includes("html_decode")) return chainTransforms(transforms, (text) => text);
  return chainTransforms(transforms, (await import("./parse_html.ts")).decodeHtml);
}

/** Combines transforms into one function. Uses `decodeHtml` for the transform `html_decode`. */
export function chainTransforms(transforms: readonly Transform[], decodeHtml: Change): Change {
  const all = { ...CHANGES, html_decode: decodeHtml };
  return (text) =>
    transforms.reduce<ReturnType<Change>>(
      (changed, transform) => all[transform](asText(changed)),
      text,
    );
}

/** Converts text in JSON syntax to a number that keeps all its digits. */
function toNumber(text: string): WrittenNumber {
  const digits = text.trim();
  if (!isJsonNumber(digits)) {
    throw new SyntaxError("the transform `number` found text that is not a number");
  }
  return writtenNumber(digits);
}

const ORIGIN = /^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#\\]*/i;

/**
 * Returns the path and query of a URL, without its origin and fragment. If the URL has no origin,
 * returns everything before its fragment.
 */
function pathAndQuery(url: string): string {
  const [reference] = url.trim().split("#", 1);
  const origin = ORIGIN.exec(reference)?.[0];
  if (origin === undefined) return reference;
  const rest = reference.slice(origin.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** Decodes base64 in the standard or the URL-safe alphabet. */
function decodeBase64(text: string): string {
  const alphabet = /[-_]/.test(text) ? "base64url" : "base64";
  return new TextDecoder().decode(Uint8Array.fromBase64(text, { alphabet }));
}
