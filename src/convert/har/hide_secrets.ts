import { call } from "../../plan/expressions/expression.ts";
import { cookiesOf, parseSetCookies } from "../../traffic/session/headers.ts";
import type { Exchange, Recording } from "../../traffic/har/recording.ts";
import { isNamedSecret } from "../../traffic/session/secret_names.ts";
import { percentDecodedText } from "../../traffic/session/call_url.ts";
import type { RequestField } from "../../traffic/session/request_field.ts";
import { HIDDEN, withoutSecrets } from "../../traffic/session/secret_texts.ts";
import { type Replacement, Replacements } from "../../correlation/replace.ts";
import { distinctSecrets, findSecrets, type Secret } from "./find_secrets.ts";
import { keptCalls } from "../../traffic/session/kept_calls.ts";
import { secretFinder } from "../../base/redactor.ts";
import { splitCalls } from "../../traffic/session/recorded_call.ts";
import { withShown } from "../../traffic/session/value_index.ts";

/**
 * Reports whether every occurrence of a credential can be replaced with a reference to a secret.
 * Numbers in JSON and text directly after a `$` cannot.
 */
export function isMovable({ places, isFixed = false }: Secret): boolean {
  return !isFixed &&
    places.every(({ field, start }) => !field.numeric && field.recorded[start - 1] !== "$");
}

/**
 * Returns replacements that turn credentials into references of the form `${secrets.NAME}`. Skips
 * credentials that cannot be replaced everywhere (see `isMovable`).
 */
export function secretReplacements(secrets: readonly Secret[]): Replacement[] {
  return secrets.filter(isMovable).flatMap(({ name, places }) =>
    places.map(({ field, start, end, encoding }) => {
      const reference = { kind: "secrets", name } as const;
      const expression = encoding === undefined ? reference : call(encoding, reference);
      return { field, start, end, expression };
    })
  );
}

/**
 * Returns a function that formats the recorded text of a field for display. It shows `${name}` for
 * replaced values and `********` for credentials.
 */
export function shownFields(
  replacements: Replacements,
  secrets: readonly Secret[],
): (field: RequestField) => string {
  const places = Map.groupBy(secrets.flatMap(({ places }) => places), ({ field }) => field);
  return (field) => {
    const hidden = places.get(field)?.map(({ start, end }) => ({ start, end, text: HIDDEN }));
    return replacements.shown(field, hidden);
  };
}

/**
 * Returns a function that hides the credentials in the requests of a recording and its session
 * cookies, so that a report about the recording can be shown. In place of a credential, the text
 * contains its name, such as `******** (AUTHORIZATION)`. Also hides text that looks like a
 * credential.
 */
export function recordedSecretHider({ exchanges }: Recording): (text: string) => string {
  const calls = splitCalls(keptCalls(exchanges).exchanges);
  const names = secretsByName(findSecrets(calls, new Replacements([])), exchanges);
  const find = secretFinder(names.keys());
  return (text) => {
    const found = find(text).map(({ secret, start, end }) => (
      { start, end, text: `${HIDDEN} (${names.get(secret)})` }
    ));
    return withoutSecrets(withShown(text, found));
  };
}

/** Returns the names of `secrets` and of the recorded session cookies, keyed by their values. */
export function secretsByName(
  secrets: readonly Secret[],
  exchanges: readonly Exchange[],
): Map<string, string> {
  const names = new Map<string, string>();
  for (const { request, response } of exchanges) {
    for (const [name, value] of [...cookiesOf(request), ...parseSetCookies(response)]) {
      // Other cookies contain settings, such as a language.
      if (!isNamedSecret("token", value)) continue;
      for (const text of [value, percentDecodedText(value, false)]) {
        names.set(text, `cookie ${name}`);
      }
    }
  }
  for (const { value, name } of distinctSecrets(secrets)) names.set(value, name);
  return names;
}
