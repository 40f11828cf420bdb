import { recordedSecretHider } from "../../convert/har/hide_secrets.ts";
import type { Recording } from "../../traffic/har/recording.ts";
import { mapLeaves } from "../../traffic/session/json_tree.ts";
import type { Verification } from "../../verify/result/verification.ts";

/** Returns the findings with `********` in place of the credentials of the recording. */
export function withoutRecordedSecrets(found: Verification, recording: Recording): Verification {
  const hide = recordedSecretHider(recording);
  return mapLeaves(
    found,
    (value) => typeof value === "string" ? hide(value) : value,
  ) as Verification;
}
