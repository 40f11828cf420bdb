import { asText } from "../base/exact_json.ts";
import { isJsonNumber, type WrittenNumber, writtenNumber } from "../base/exact_number.ts";
import { undoEscapes } from "../base/string_escapes.ts";
import type { Transform } from "../plan/kinds/extractors.ts";
import { decodeHtml } from "./parse_html.ts";

/** Function that transforms extracted text. Throws an Error if it cannot convert the text. */
export type Change = (text: string) => string | WrittenNumber;

/** Functions that implement the transforms. */
const CHANGES: Readonly<Record<Transform, Change>> = {
  trim: (text) => text.trim(),
  lowercase: (text) => text.toLowerCase(),
  uppercase: (text) => text.toUpperCase(),
  url_encode: (text) => encodeURIComponent(text.toWellFormed()),
  url_decode: decodeURIComponent,
  base64_encode: (text) => new TextEncoder().encode(text).toBase64(),
  base64_decode: decodeBase64,
  html_decode: decodeHtml,
  json_decode: (text) => undoEscapes(text).value,
  number: toNumber,
  path: pathAndQuery,
};

/** Combines transforms into one function. */
export function chainTransforms(transforms: readonly Transform[]): Change {
  return (text) =>
    transforms.reduce<ReturnType<Change>>(
      (changed, transform) => CHANGES[transform](asText(changed)),
      text,
    );
}

function toNumber(text: string): WrittenNumber {
  const digits = text.trim();
  if (!isJsonNumber(digits)) {
    throw new SyntaxError("the transform `number` found text that is not a number");
  }
  return writtenNumber(digits);
}

const ORIGIN = /^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#\\]*/i;

function pathAndQuery(url: string): string {
  const [reference] = url.trim().split("#", 1);
  const origin = ORIGIN.exec(reference)?.[0];
  if (origin === undefined) return reference;
  const rest = reference.slice(origin.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

function decodeBase64(text: string): string {
  const alphabet = /[-_]/.test(text) ? "base64url" : "base64";
  return new TextDecoder().decode(Uint8Array.fromBase64(text, { alphabet }));
}
