import { undoEscapes } from "../base/string_escapes.ts";
import type { Transform } from "../plan/kinds/extractors/extractor.ts";

/** Transforms text. Throws an Error if the text cannot be decoded. */
export type Change = (text: string) => string;

/** Compiles transforms into one function. Loads the HTML parser only if one needs it. */
export async function compileTransforms(transforms: readonly Transform[]): Promise<Change> {
  if (!transforms.includes("html_decode")) return chainTransforms(transforms, (text) => text);
  return chainTransforms(transforms, (await import("./parse_html.ts")).decodeHtml);
}

/** Chains transforms; `decodeHtml` implements `html_decode`. */
export function chainTransforms(transforms: readonly Transform[], decodeHtml: Change): Change {
  const changes = transforms.map((transform) => compileTransform(transform, decodeHtml));
  return (text) => changes.reduce((changed, change) => change(changed), text);
}

function compileTransform(transform: Transform, decodeHtml: Change): Change {
  switch (transform) {
    case "trim":
      return (text) => text.trim();
    case "lowercase":
      return (text) => text.toLowerCase();
    case "uppercase":
      return (text) => text.toUpperCase();
    case "url_encode":
      return (text) => encodeURIComponent(text.toWellFormed());
    case "url_decode":
      return decodeURIComponent;
    case "base64_encode":
      return (text) => new TextEncoder().encode(text).toBase64();
    case "base64_decode":
      return decodeBase64;
    case "html_decode":
      return decodeHtml;
    case "json_decode":
      return (text) => undoEscapes(text).value;
  }
}

/** Decodes base64 in the standard or the URL-safe alphabet. */
function decodeBase64(text: string): string {
  const alphabet = /[-_]/.test(text) ? "base64url" : "base64";
  return new TextDecoder().decode(Uint8Array.fromBase64(text, { alphabet }));
}
