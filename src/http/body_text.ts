import { contentText } from "./content.ts";

const TEXTUAL = /^(text\/|application\/([\w.+-]*(json|xml|javascript)|x-www-form-urlencoded))/;
// deno-lint-ignore no-control-regex -- matches control characters that do not occur in text
const BINARY = /[\x00-\x08\x0e-\x1f]/;

/**
 * Decodes a body in the charset of its content type. Returns undefined if the body is not text. A
 * body without a content type is decoded as UTF-8 if its bytes are valid text. Set `isCut` if the
 * body is only the beginning of a longer one, so that its last character may be incomplete.
 */
export function bodyText(body: Uint8Array, type: string, isCut = false): string | undefined {
  if (type !== "") return TEXTUAL.test(type) ? contentText(body, type) : undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body, { stream: isCut });
    return BINARY.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
