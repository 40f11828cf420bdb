import type { Recording } from "../../traffic/har/recording.ts";
import { keptCalls, keptHeaders } from "../../traffic/session/kept_calls.ts";
import { splitCalls } from "../../traffic/session/recorded_call.ts";
import { ValueIndex } from "../../traffic/session/value_index.ts";
import { Replacements } from "../correlate/replacements.ts";
import { withShown } from "../../traffic/session/text_ranges.ts";
import { findSecrets, secretTexts } from "./find_secrets.ts";
import { withoutSecrets } from "../../traffic/secrets/without_secrets.ts";

/**
 * Returns a function that hides the credentials in the requests of a recording, so that a report
 * about the recording can be shown. In place of a credential, the text contains its name, such as
 * `******** (AUTHORIZATION)`. Also hides text that looks like a credential.
 */
export function recordedSecretHider({ exchanges }: Recording): (text: string) => string {
  const calls = splitCalls(keptCalls(exchanges).exchanges, keptHeaders);
  const names = new Map<string, string>();
  const index = new ValueIndex();
  for (const secret of findSecrets(calls, new Replacements([]))) {
    for (const text of secretTexts([secret])) {
      names.set(text, secret.name);
      index.add(text);
    }
  }
  return (text) => {
    const found = index.find(text).map((one) => ({
      ...one,
      text: `******** (${names.get(one.value)})`,
    }));
    return withoutSecrets(withShown(text, found));
  };
}
