import { bytes } from "../../base/format.ts";
import type { Redactor } from "../../base/redactor.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import type { SocketMessage } from "../../http/sender.ts";
import { withoutNestedSecrets } from "../../traffic/session/without_secrets.ts";

/** Maximum length of a received message in an error, in characters. */
const MAX_SHOWN = 200;
/** Maximum length of the part of a received message that is searched for secrets, in characters. */
const MAX_SEARCHED = 8_000;

/**
 * Describes the last message that an `expect` step skipped, for the end of an error. Shortens it,
 * and hides the secrets of the plan (`hide`) and other values that look like credentials.
 */
export function describeSkipped(message: SocketMessage, hide: Redactor): string {
  if (typeof message !== "string") {
    return `; the last message was binary (${bytes(message.length)})`;
  }
  const text = withoutNestedSecrets(hide(message).slice(0, MAX_SEARCHED));
  return `; the last message was: ${safeSnippet(text, MAX_SHOWN)}`;
}
