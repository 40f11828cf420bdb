import type { Transform } from "../../plan/kinds/extractors/extractor.ts";

/** Encodes a value in one of the encodings in which text may contain it. */
export type ValueEncoding = (value: string) => string;

const base64 = (value: string) => new TextEncoder().encode(value).toBase64();

/** Encodings in which a response may contain a value. The first leaves the value unencoded. */
export const VALUE_ENCODINGS: readonly ValueEncoding[] = [
  (value) => value,
  (value) => encodeURIComponent(value.toWellFormed()),
  (value) => encodeURIComponent(value.toWellFormed()).replace(/%../g, (x) => x.toLowerCase()),
  (value) => escapeHtml(value, "&#39;"),
  (value) => escapeHtml(value, "&#x27;"),
  (value) => JSON.stringify(value).slice(1, -1),
  base64,
];

/**
 * Converts a value in a response to the value that requests send. Applies the encoding transforms
 * of the value's extractor.
 */
export function encodeSent(value: string, transforms: readonly Transform[] = []): string {
  if (transforms.includes("url_encode")) return encodeURIComponent(value.toWellFormed());
  return transforms.includes("base64_encode") ? base64(value) : value;
}

/** Converts a value that requests send to the value in the response. Reverses `encodeSent`. */
export function decodeSent(sent: string, transforms: readonly Transform[] = []): string {
  if (transforms.includes("url_encode")) return decodeURIComponent(sent);
  if (!transforms.includes("base64_encode")) return sent;
  return new TextDecoder().decode(Uint8Array.fromBase64(sent));
}

function escapeHtml(value: string, apostrophe: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;").replaceAll("'", apostrophe);
}
