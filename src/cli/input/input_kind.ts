import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { InputError } from "../../base/errors.ts";
import { detectFormat, looksLikeAccessLog } from "../../traffic/accesslog/detect/detect_format.ts";
import { unknownFormatHint } from "./unknown_format.ts";
import { looksLikeProfile } from "../../traffic/accesslog/profile/serialize_profile.ts";

/** Kind of an input. `profile` is a file written by `convert --profile`. */
export type InputKind = "accesslog" | "har" | "profile";

const LOG_NAME = /\.log(?:\.\d+)?(?:\.gz|\.zst)?$/i;
const HAR_NAME = /\.har(?:\.gz|\.zst)?$/i;
const HEAD_BYTES = 64 * 1024;

/**
 * Detects the kind of an input by its file name or, if the name is inconclusive, by its content.
 * Throws InputError if the kind is unknown.
 */
export async function inputKind(source: ByteSource): Promise<InputKind> {
  if (LOG_NAME.test(source.name)) return "accesslog";
  if (HAR_NAME.test(source.name)) return "har";
  const head = await source.peek(HEAD_BYTES);
  if (looksLikeProfile(head)) return "profile";
  if (looksLikeHar(head)) return "har";
  if (looksLikeAccessLog(head) || detectFormat(head) !== undefined) return "accesslog";
  const hint = head.length === 0
    ? "the input is empty; expected an access log or a HAR file"
    : `it does not look like a HAR file (if it is one, add \`--from har\`) or an access log in a known format; ${
      unknownFormatHint(head, source.name)
    }`;
  throw new InputError(`cannot detect the kind of input: ${hint}`, { source: source.name });
}

/** Reports whether a text looks like a HAR. `head` contains the first bytes of the text. */
export function looksLikeHar(head: Uint8Array): boolean {
  return /^\s*\{\s*(?:"[^"]*"\s*:\s*"[^"]*"\s*,\s*)*"log"\s*:(?!\s*")/.test(
    new TextDecoder().decode(head.slice(0, HEAD_BYTES)),
  );
}
