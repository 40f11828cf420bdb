import { plural } from "../../base/format.ts";
import type { Replacements } from "../../correlation/replace.ts";
import { formatExpression } from "../../plan/text/template.ts";
import { methodOf, type RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { RequestField } from "../../traffic/session/request_field.ts";
import { plainName } from "../../traffic/session/secret_names.ts";
import { type HarNote, listed } from "../notes/note.ts";
import type { NoteFacts } from "./facts.ts";
import type { Secret } from "./find_secrets.ts";
import { isMovable } from "./hide_secrets.ts";

/** Returns the notes on credentials in the plan: one for all that fields of one name contain. */
export function secretNotes(facts: NoteFacts): HarNote[] {
  const { options, secrets, nameOf } = facts;
  const adviceOn = (secret: Secret) =>
    !isMovable(secret)
      ? "no secret can be used there, so replace it in the plan (to use a secret instead of a JSON " +
        "number, write the body as text)"
      : options.secrets
      ? ""
      : secretAdvice(secret, facts);
  const kinds = Map.groupBy(
    secrets.map((secret) => ({ secret, advice: adviceOn(secret) })),
    ({ secret, advice }) => `${secret.fieldName}\0${advice}`,
  );
  return [...kinds.values()].map((alike) => {
    const [{ secret: { name, fieldName }, advice }] = alike;
    const calls = alike.flatMap(({ secret }) => secret.places.map(({ call }) => nameOf(call)));
    const where = `${fieldName || "a value"} in ${listed(calls)}`;
    const recorded = alike.length === 1
      ? "the recorded credential"
      : plural(alike.length, "recorded credential");
    return advice === ""
      ? {
        code: "secret-moved",
        subject: `secrets.${name}`,
        message: `${where}: read from the environment variable ${
          listed(alike.map(({ secret: { env } }) => `\`${env}\``))
        }; set it before the run`,
      }
      : {
        code: "literal-secret",
        subject: name,
        message: `${where}: the plan contains ${recorded} in plain text; ${advice}`,
      };
  });
}

/**
 * Returns what to do about a credential in the plan. An environment variable cannot replace a
 * value from a response, because the server may generate a new one in each session.
 */
function secretAdvice({ places }: Secret, { correlation: { offers } }: NoteFacts): string {
  const offer = offers.find(({ sent }) =>
    places.every(({ field }) => sent.some((usage) => usage.field === field))
  );
  return offer === undefined
    ? "convert with `--secrets` to read it from an environment variable"
    : `extract it from the response, as the warning \`${offer.source}-value\` for ` +
      `${offer.extractor.name} describes`;
}

/** Returns the notes on what to edit before running the plan with several users or iterations. */
export function* userNotes(facts: NoteFacts): Generator<HarNote | undefined> {
  const logins = findLogins(facts.secrets);
  yield sharedLogin(logins, facts);
  yield uniqueText(logins, facts);
  yield* clientIdNotes(facts);
}

function clientIdNotes({ ids, nameOf }: NoteFacts): HarNote[] {
  return ids.map(({ name, expression, places }) => ({
    code: "client-id",
    subject: name,
    message:
      `each iteration sends a new id, \`${formatExpression(expression)}\`, in ${
        listed(places.map(({ call }) => nameOf(call)))
      }, because no earlier response contains the recorded id; if that id belongs to an existing ` +
      "object, write it instead",
  }));
}

function sharedLogin(logins: readonly Login[], { nameOf }: NoteFacts): HarNote | undefined {
  if (logins.length === 0) return undefined;
  const [{ user, password }] = logins;
  const name = column(user.name) ?? "user";
  const secret = column(password.name) ?? "password";
  return {
    code: "shared-login",
    subject: "login",
    message:
      `all users log in as the recorded user (${
        listed(logins.map(({ call }) => nameOf(call)))
      }); if users must not share a login, add \`data: {users: {type: csv, path: users.csv}}\` with ` +
      `the columns ${name} and ${secret}, and write \`\${data.users.${name}}\` and ` +
      `\`\${data.users.${secret}}\` in place of the recorded login`,
  };
}

function column(name: string): string | undefined {
  return name.match(/\w+/g)?.at(-1);
}

function uniqueText(
  logins: readonly Login[],
  { calls, replacements, nameOf }: NoteFacts,
): HarNote | undefined {
  const found = uniqueTexts(calls, replacements, logins);
  if (found.length === 0) return undefined;
  const places = listed(found.map(({ call, field }) => `${field.name} of ${nameOf(call)}`));
  return {
    code: "unique-text",
    subject: "typed text",
    message: `text that the user typed is the same in each iteration: ${places}; if the server ` +
      `rejects duplicates, include \`\${unique}\` in the text, such as ${example(found[0].field)}`,
  };
}

function example({ name, value }: RequestField): string {
  if (/^[^\s@]+@[^\s@]+$/.test(value)) return "`NAME+${unique}@HOST`";
  return /slug|permalink/i.test(name) ? "`TEXT-${unique}`" : "`TEXT ${unique}`";
}

/** A field in which a request sends text that the recorded user typed. */
interface TypedText {
  readonly call: RecordedCall;
  readonly field: RequestField;
}

/**
 * Matches the name of a field whose text a server may require to be unique, such as `title` or
 * `post_title`.
 */
const UNIQUE =
  /(?:^|_)(?:title|slug|permalink|subject|headline|user_?name|nick_?name|handle|alias|e_?mail|comment)$/;
/**
 * Matches the name of a field whose text may have to be unique if it has several words. A single
 * word may be a fixed name, such as the name of an event.
 */
const UNIQUE_IF_TYPED = /(?:^|_)(?:name|message|label)$/;
const PASSWORD =
  /pass(?:word|wd|phrase|code)?s?|pwd|pswd|kennwort|wachtwoord|mdp|senha|clave|contrasen[ay]a|parola/;
const USER = /(?:^|_)(?:user|user_?name|user_?id|login|log|e_?mail|account|identifier)$/;
/**
 * Matches the name of a field that is assumed to contain the user name only if no field matches
 * `USER`.
 */
const USER_IF_ONLY = /(?:^|_)(?<!operation_)name$/;
/**
 * Maximum number of fields that a login request sends, including tokens and the address of the next
 * page.
 */
const MOST_LOGIN_FIELDS = 12;

const LOGIN_PATH = /log_?-?in|log_?-?on|sign_?-?in|auth|session|token/i;
const REGISTRATION_PATH = /regist|sign_?-?up|join|(?:^|\/)(?:users|accounts|members)(?:\/|$)/i;

const BODY = new Set<RequestField["kind"]>(["form", "multipart", "json"]);
const WITH_BODY = new Set(["POST", "PUT", "PATCH"]);
/** Maximum number of calls that are examined for text that a server may require to be unique. */
const MOST_CALLS = 50;
/**
 * Number of preceding responses to search for text that the user typed. If one of them contains the
 * text, the server sent it first.
 */
const LOOK_BACK = 10;
/** Maximum size of a response in which to search for text that the user typed, in bytes. */
const LONGEST_RESPONSE = 2 ** 20;

/**
 * Finds the text in request bodies that the user typed and that a server may require to be unique,
 * such as titles and e-mail addresses. Omits logins, and text that one of the preceding responses
 * contains.
 */
function uniqueTexts(
  calls: readonly RecordedCall[],
  replacements: Replacements,
  logins: readonly Login[],
): TypedText[] {
  const loginCalls = new Set(logins.map(({ call }) => call));
  const found: TypedText[] = [];
  let searched = 0;
  for (const call of calls) {
    if (!WITH_BODY.has(methodOf(call)) || loginCalls.has(call) || wasRefused(call)) continue;
    if (LOGIN_PATH.test(pathOf(call))) continue;
    const fields = call.fields.filter((field) =>
      BODY.has(field.kind) && !field.numeric && mayBeUnique(field) &&
      replacements.of(field).length === 0
    );
    if (fields.length === 0) continue;
    if (++searched > MOST_CALLS) break;
    const earlier = responsesBefore(call, calls);
    found.push(
      ...fields.filter(({ value }) => !earlier.some((text) => text.includes(value)))
        .map((field) => ({ call, field })),
    );
  }
  return found;
}

function wasRefused({ exchange: { response: { status } } }: RecordedCall): boolean {
  return status >= 400;
}

function mayBeUnique({ name, value }: RequestField): boolean {
  const words = plainName(name);
  if (!/\p{L}/u.test(value) || value.length > 10_000) return false;
  return UNIQUE.test(words) ||
    (UNIQUE_IF_TYPED.test(words) && /\p{L}\s+\p{L}/u.test(value));
}

function responsesBefore({ order }: RecordedCall, calls: readonly RecordedCall[]): string[] {
  return calls.slice(Math.max(0, order - LOOK_BACK), order).flatMap(({ exchange }) => {
    const { size, text } = exchange.response;
    return size > LONGEST_RESPONSE || text === undefined ? [] : [text];
  });
}

function isRegistration(call: RecordedCall): boolean {
  const path = pathOf(call);
  return REGISTRATION_PATH.test(path) && !LOGIN_PATH.test(path);
}

function pathOf({ url }: RecordedCall): string {
  return url.path.map((piece) => typeof piece === "string" ? piece : piece.value).join("");
}

/** Reports whether a request body contains a password. */
export function sendsPassword(secrets: readonly Secret[]): boolean {
  return secrets.some(({ fieldName, places }) =>
    PASSWORD.test(plainName(fieldName)) && places.some(({ field }) => field.kind !== "header")
  );
}

/** A request that sends a user name and a password. */
interface Login {
  readonly call: RecordedCall;
  readonly user: RequestField;
  readonly password: RequestField;
}

function findLogins(secrets: readonly Secret[]): Login[] {
  const logins = new Map<RecordedCall, Login>();
  for (const { call, field } of secrets.flatMap(({ places }) => places)) {
    const login = BODY.has(field.kind) ? findLogin(call) : undefined;
    if (login !== undefined) logins.set(call, login);
  }
  return [...logins.values()].sort((a, b) => a.call.order - b.call.order);
}

function findLogin(call: RecordedCall): Login | undefined {
  const typed = call.fields.filter(({ kind, value }) => BODY.has(kind) && value !== "");
  const passwords = typed.filter(({ name }) => PASSWORD.test(plainName(name)));
  // A form with more fields, or with a repeated password, creates or changes a user.
  if (typed.length > MOST_LOGIN_FIELDS || passwords.length !== 1 || isRegistration(call)) {
    return undefined;
  }
  const [password] = passwords;
  const others = typed.filter((field) => field !== password);
  const user = others.find(({ name }) => USER.test(plainName(name))) ??
    others.find(({ name }) => USER_IF_ONLY.test(plainName(name)));
  return user && { call, user, password };
}
