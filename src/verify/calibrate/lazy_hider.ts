import { recordedSecretHider } from "../../convert/har/hide_secrets.ts";
import type { Recording } from "../../traffic/har/recording.ts";

/**
 * Returns a function that hides the credentials of a recording, and those that `redact` hides. The
 * recording is searched for credentials on the first call of the function.
 */
export function lazyHider(
  recording: Recording,
  redact: (text: string) => string = (text) => text,
): (text: string) => string {
  let hide: ((text: string) => string) | undefined;
  return (text) => redact((hide ??= recordedSecretHider(recording))(text));
}
