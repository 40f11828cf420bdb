import type { Transform } from "../plan/schema/extract.ts";

/** A way in which a value is written; what none of them changes is written as it is. */
export type Form = (value: string) => string;

const base64 = (value: string) => new TextEncoder().encode(value).toBase64();

/** The ways in which a response may write a value, the plain one first. */
export const FORMS: readonly Form[] = [
  (value) => value,
  (value) => encodeURIComponent(value.toWellFormed()),
  (value) => encodeURIComponent(value.toWellFormed()).replace(/%../g, (x) => x.toLowerCase()),
  (value) => escapeHtml(value, "&#39;"),
  (value) => escapeHtml(value, "&#x27;"),
  (value) => JSON.stringify(value).slice(1, -1),
  base64,
];

/** What an extractor's transforms make of a plain value, as far as they do not lead back to it. */
export function sentForm(value: string, transforms: readonly Transform[] = []): string {
  if (transforms.includes("url_encode")) return encodeURIComponent(value.toWellFormed());
  return transforms.includes("base64_encode") ? base64(value) : value;
}

/** The plain value behind what a request sends. */
export function decodeSent(sent: string, transforms: readonly Transform[] = []): string {
  if (transforms.includes("url_encode")) return decodeURIComponent(sent);
  if (!transforms.includes("base64_encode")) return sent;
  return new TextDecoder().decode(Uint8Array.fromBase64(sent));
}

function escapeHtml(value: string, apostrophe: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;").replaceAll("'", apostrophe);
}
