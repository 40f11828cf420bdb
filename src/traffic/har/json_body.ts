import { parseExactJson } from "../../base/exact_json.ts";
import { isJson } from "./media_type.ts";

/** Maximum nesting depth of a JSON body. Deeper bodies are kept as text. */
const DEEPEST = 200;

/**
 * Parses the JSON body of a request and keeps every digit of its numbers. Returns undefined if the
 * text is not JSON or is nested more than 200 levels deep.
 */
export function readJsonBody(text: string): { readonly value: unknown } | undefined {
  if (depth(text) > DEEPEST) return undefined;
  try {
    return { value: parseExactJson(text) };
  } catch {
    return undefined;
  }
}

/**
 * Returns an upper bound on the nesting depth of JSON text. The bound is not exact, because it also
 * counts brackets in strings.
 */
function depth(text: string): number {
  let [open, deepest] = [0, 0];
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open += bracket === "[" || bracket === "{" ? 1 : -1;
    if (open > deepest) deepest = open;
  }
  return deepest;
}

/**
 * Parses the JSON body of a response and keeps every digit of its numbers. If the media type is not
 * JSON, parses the body only if it starts like an object or a list. Returns undefined for HTML, for
 * invalid JSON, and for bodies with an anti-hijacking prefix such as `)]}'`. `payload` is the JSON
 * text in a WebSocket message that has a frame, as in `RecordedResponse`.
 */
export function parseJsonResponse(text: string, mimeType: string, payload?: string): unknown {
  if (payload !== undefined) return parseExactJson(payload);
  if (mimeType.includes("html")) return undefined;
  const first = /[^\s\ufeff]/.exec(text.slice(0, 64))?.[0];
  if (first !== "{" && first !== "[" && !isJson(mimeType)) return undefined;
  try {
    return parseExactJson(text.startsWith("\ufeff") ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}
