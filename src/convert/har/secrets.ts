import { isMap } from "../../base/exact_number.ts";
import { type FoundSecret, secretFinder } from "../../base/redactor.ts";
import { type Replacement, Replacements } from "../../correlation/replace.ts";
import { UniqueNames } from "../../correlation/variable.ts";
import { call } from "../../plan/expressions/expression.ts";
import type { Exchange, Recording } from "../../traffic/har/recording.ts";
import { base64Fields, encodeBase64 } from "../../traffic/session/base64_text.ts";
import { percentDecodedText } from "../../traffic/session/call_url.ts";
import { cookiesOf, parseSetCookies } from "../../traffic/session/headers.ts";
import { keptCalls } from "../../traffic/session/kept_calls.ts";
import { isFormText, type RecordedCall, splitCalls } from "../../traffic/session/recorded_call.ts";
import { RequestField } from "../../traffic/session/request_field.ts";
import {
  isAwsSecret,
  isNamedSecret,
  LABEL,
  type NamedRange,
  plainName,
  shapedSecrets,
} from "../../traffic/session/secret_names.ts";
import { HIDDEN, secretsIn, withoutSecrets } from "../../traffic/session/secret_texts.ts";
import { withShown } from "../../traffic/session/value_index.ts";

/** A credential that requests contain. */
export interface Secret {
  readonly name: string;
  /** Environment variable for it with `--secrets`. */
  readonly env: string;
  /** Recorded name. May be empty. */
  readonly fieldName: string;
  readonly value: string;
  readonly places: readonly SecretPlace[];
  readonly isFixed?: boolean;
}

export interface SecretPlace {
  readonly call: RecordedCall;
  readonly field: RequestField;
  readonly start: number;
  readonly end: number;
  readonly encoding?: Encoding;
}

const UTF8 = new TextEncoder();

const ENCODINGS = {
  url_encode: encodeURIComponent,
  base64: (text: string) => encodeBase64(text, "base64"),
  base64url: (text: string) => encodeBase64(text, "base64url"),
  hex: (text: string) => UTF8.encode(text).toHex(),
};
type Encoding = keyof typeof ENCODINGS;

/**
 * Finds credentials that no variable replaces: by names, in texts, by shape, and in base64. If
 * `everywhere`, also in all other places, in any encoding.
 */
export function findSecrets(
  calls: readonly RecordedCall[],
  replacements: Replacements,
  everywhere = false,
): Secret[] {
  const secrets = new SecretList(replacements);
  // Most requests of a recording repeat their headers.
  const inHeaders = new Map<string, readonly NamedRange[]>();
  const search = (field: RequestField) =>
    field.kind === "header"
      ? inHeaders.getOrInsertComputed(`${field.name}\0${field.value}`, () => secretsOf(field))
      : secretsOf(field);
  const fields = calls.flatMap((call) => call.fields.map((field) => ({ call, field })));
  for (const call of calls) {
    const around = namesAround(call);
    for (const field of call.fields) {
      const name = around.get(field);
      const found = name === undefined
        ? search(field)
        : [{ name, start: 0, end: field.value.length }];
      for (const range of found) secrets.addDecoded(call, field, range);
    }
  }
  const known = secrets.all().map(({ value }) => value)
    .filter(({ length }) => length >= SHORTEST_FIELD).slice(0, MOST_SOUGHT);
  for (const { call, field } of fields) {
    for (const { value, start, end } of base64Fields(field, [])) {
      if (known.some((secret) => value.includes(secret)) || secretsIn(value).length > 0) {
        secrets.addDecoded(call, field, { name: field.name, start, end });
      }
    }
  }
  if (!everywhere) return secrets.all();
  const find = secretFinder(distinctSecrets(secrets.all()).map(({ value }) => value));
  const inText = new Map<string, readonly FoundSecret[]>();
  for (const { call, field } of fields) {
    if (field.numeric) continue;
    for (const { secret, start, end } of inText.getOrInsertComputed(field.recorded, find)) {
      // Without a function that encodes it as recorded, the recorded text is the credential.
      const text = field.recorded.slice(start, end);
      const encoding = (Object.keys(ENCODINGS) as Encoding[])
        .find((name) => text !== secret && ENCODINGS[name](secret) === text);
      const value = encoding === undefined ? text : secret;
      secrets.add(value, field.name, { call, field, start, end, ...(encoding && { encoding }) });
    }
  }
  return secrets.all();
}

/** Credentials that text rarely contains by chance, unlike words and short numbers. */
export function distinctSecrets(secrets: readonly Secret[]): Secret[] {
  return secrets.filter(({ value }) =>
    value.length >= (/^\p{L}*$/u.test(value) ? 12 : /^\d*$/.test(value) ? 6 : 4)
  );
}

class SecretList {
  readonly #replacements: Replacements;
  readonly #byValue = new Map<string, Secret & { readonly places: SecretPlace[] }>();
  readonly #taken = new Map<RequestField, Pick<SecretPlace, "start" | "end">[]>();
  readonly #names = new UniqueNames();

  constructor(replacements: Replacements) {
    this.#replacements = replacements;
  }

  addDecoded(call: RecordedCall, field: RequestField, range: NamedRange): void {
    const [start, end] = field.recordedRange(range.start, range.end);
    const isEncoded = isFormText(call, field) || field.recorded !== field.value &&
        /%[0-9a-f]{2}/i.test(field.recorded.slice(start, end));
    const encoding = isEncoded ? { encoding: "url_encode" as const } : {};
    const value = field.value.slice(range.start, range.end);
    this.add(value, range.name, { call, field, start, end, ...encoding });
  }

  add(value: string, fieldName: string, place: SecretPlace): void {
    const { field, start, end } = place;
    const taken = this.#taken.getOrInsertComputed(field, () => [...this.#replacements.of(field)]);
    if (taken.some((other) => other.start < end && start < other.end)) return;
    taken.push(place);
    this.#byValue.getOrInsertComputed(value, () => {
      const name = this.#names.next(baseName(fieldName));
      return { name, env: `REHEARSE_${name}`, fieldName, value, places: [] };
    }).places.push(place);
  }

  all(): Secret[] {
    return [...this.#byValue.values()];
  }
}

function baseName(fieldName: string): string {
  const words = plainName(fieldName).toUpperCase().replace(/[^A-Z0-9_]/g, "_").slice(0, 60);
  return /^[A-Z]/.test(words) ? words : `SECRET${words && "_" + words}`;
}

/** Shorter values are not searched. */
const SHORTEST_FIELD = 6;

const MOST_SOUGHT = 100;

function secretsOf(
  { kind, name, value, schemeLength, numeric }: RequestField,
): readonly NamedRange[] {
  const whole = value.slice(schemeLength);
  if (isNamedSecret(name, whole) || (kind !== "path" && isAwsSecret(whole))) {
    return [{ name, start: schemeLength, end: value.length }];
  }
  if (numeric || value.length < SHORTEST_FIELD) return [];
  return secretsIn(value).map((range) => ({ ...range, name: range.name || name }));
}

/** Objects with credentials and other values, such as the user's name. */
const GROUP = /^(?:credentials?|secrets?|auth\w*)$/i;

/** Sites whose webhooks have a credential in the URL. */
const WEBHOOK_SITE = /slack\.com|discord(?:app)?\.com/i;

/** JSON-RPC methods whose last argument is a password. */
const LOGIN_METHOD = /(?:^|[^a-z])(?:log_?(?:in|on)|sign_?in|authenticate)$/i;

/** A language, or another short word. */
const NO_PASSWORD = /^(?:.{0,3}|[a-z]{2}[-_][A-Z]{2})$/;

function lastArguments(tree: unknown): RequestField[] {
  return (Array.isArray(tree) ? tree : [tree]).flatMap((item) => [item, item?.params])
    .flatMap((call): RequestField[] => {
      const { method, params, args = params } = isMap(call) ? call : {};
      const isLogin = method instanceof RequestField && LOGIN_METHOD.test(method.value);
      if (!isLogin || !Array.isArray(args)) return [];
      const last = args.findLast((argument) =>
        argument instanceof RequestField && !argument.numeric && !NO_PASSWORD.test(argument.value)
      );
      return last === undefined ? [] : [last];
    });
}

/**
 * Finds credentials by what is around: in the path of a webhook, in JSON such as `{"name":
 * "password", "value": "…"}`, and as the last argument of a method such as `login`.
 */
function namesAround({ url, body, fields, exchange }: RecordedCall): Map<RequestField, string> {
  const names = new Map<RequestField, string>();
  const add = (kind: RequestField["kind"], text: string, secrets: readonly NamedRange[]) => {
    const byStart = new Map(secrets.map((secret) => [secret.start, secret]));
    let at = 0;
    for (const field of byStart.size === 0 ? [] : fields) {
      if (field.kind !== kind) continue;
      const isString = kind === "json" && !field.numeric;
      const token = isString ? JSON.stringify(field.value) : field.recorded;
      const start = text.indexOf(token, at);
      if (start < 0) continue;
      at = start + token.length;
      const border = isString ? 1 : 0;
      const found = byStart.get(start + border);
      if (found?.end === at - border && !GROUP.test(found.name) && !LABEL.test(field.name)) {
        names.set(field, found.name);
      }
    }
  };
  if (WEBHOOK_SITE.test(url.prefix)) {
    const { url } = exchange.request;
    add("path", url, shapedSecrets(url).map((range) => ({ ...range, name: "webhook" })));
  }
  if (body?.kind === "json") {
    add("json", body.text, secretsIn(body.text).filter(({ name }) => name !== ""));
    for (const field of lastArguments(body.tree)) names.set(field, "password");
  }
  return names;
}

/** Numbers in JSON and text directly after a `$` cannot become references. */
export function isMovable({ places, isFixed = false }: Secret): boolean {
  return !isFixed &&
    places.every(({ field, start }) => !field.numeric && field.recorded[start - 1] !== "$");
}

/** Skips credentials that cannot be replaced everywhere. */
export function secretReplacements(secrets: readonly Secret[]): Replacement[] {
  return secrets.filter(isMovable).flatMap(({ name, places }) =>
    places.map(({ field, start, end, encoding }) => {
      const reference = { kind: "secrets", name } as const;
      const expression = encoding === undefined ? reference : call(encoding, reference);
      return { field, start, end, expression };
    })
  );
}

/** Shows `${name}` for replaced values and `********` for credentials. */
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

/** Hides credentials and session cookies with their names, and what looks like one. */
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
