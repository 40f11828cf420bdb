import { plural } from "../../base/format.ts";
import { formatExpression } from "../../plan/text/template.ts";
import { base64Fields } from "../../traffic/session/base64_text.ts";
import { fieldsIn } from "../../traffic/session/call_url.ts";
import { operationName } from "../../traffic/session/operation_name.ts";
import { headerIn, methodOf, type RecordedCall } from "../../traffic/session/recorded_call.ts";
import { IN_BODY, type RequestField } from "../../traffic/session/request_field.ts";
import { isPasswordName, isUserName, plainName } from "../../traffic/session/secret_names.ts";
import { listed, type Note } from "../notes/notes.ts";
import type { NoteFacts } from "./facts.ts";
import { isMovable, type Secret } from "./secrets.ts";

export function secretNotes(facts: NoteFacts): Note[] {
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
  return [...kinds.values()].map((alike): Note => {
    const [{ secret: { name, fieldName }, advice }] = alike;
    const calls = alike.flatMap(({ secret }) => secret.places.map(({ call }) => nameOf(call)));
    const where = `${fieldName || "a value"} in ${listed(calls)}`;
    if (advice === "") {
      const variables = listed(alike.map(({ secret: { env } }) => `\`${env}\``));
      const message = `${where}: read from the environment variable ${variables}; ` +
        "set it before the run";
      return { code: "secret-moved", subject: `secrets.${name}`, message };
    }
    const recorded = alike.length === 1
      ? "the recorded credential"
      : plural(alike.length, "recorded credential");
    const message = `${where}: the plan contains ${recorded} in plain text; ${advice}`;
    return { code: "literal-secret", subject: name, message };
  });
}

/** An environment variable cannot replace a value that a server generates in each session. */
function secretAdvice({ places }: Secret, { correlation: { offers } }: NoteFacts): string {
  const offer = offers.find(({ sent }) =>
    places.every(({ field }) => sent.some((usage) => usage.field === field))
  );
  return offer === undefined
    ? "convert with `--secrets` to read it from an environment variable"
    : `extract it from the response, as the warning \`excluded-value\` for ` +
      `${offer.extractor.name} describes`;
}

export function* userNotes(facts: NoteFacts): Generator<Note> {
  const { ids, nameOf } = facts;
  const logins = findLogins(facts);
  const login = describeLogin(logins, facts);
  if (login !== undefined) {
    const { calls, columns: [user, password], written } = login;
    yield {
      code: "shared-login",
      subject: "login",
      message: `all users log in as the recorded user (${listed(calls.map(nameOf))}); if users ` +
        "must not share a login, add `data: {users: {type: csv, path: users.csv}}` with the " +
        `columns ${user} and ${password}, and write ${written} in place of the recorded login`,
    };
  }
  const typed = uniqueTexts(facts, new Set(logins.map(({ call }) => call)));
  if (typed.length > 0) {
    const places = listed(
      typed.map(({ call, field }) => `${field.name || "the path"} of ${nameOf(call)}`),
    );
    yield {
      code: "unique-text",
      subject: "typed text",
      message: `text that the user typed is the same in each iteration: ${places}; if the server ` +
        `rejects duplicates, include \`\${unique}\` in the text, such as ${
          example(typed[0].field)
        }`,
    };
  }
  for (const { name, expression, places } of ids) {
    yield {
      code: "client-id",
      subject: name,
      message: `each iteration sends a new id, \`${formatExpression(expression)}\`, in ` +
        `${listed(places.map(({ call }) => nameOf(call)))}, because no earlier response contains ` +
        "the recorded id; if that id belongs to an existing object, write it instead",
    };
  }
}

function example({ kind, name, value }: RequestField): string {
  if (/^[^\s@]+@[^\s@]+$/.test(value)) return "`NAME+${unique}@HOST`";
  return kind === "path" || /slug|permalink/i.test(name) ? "`TEXT-${unique}`" : "`TEXT ${unique}`";
}

/** Fields whose text a server may require to be unique. */
const UNIQUE =
  /(?:^|_)(?:title|slug|permalink|subject|headline|user_?name|nick_?name|handle|alias|e_?mail|comment)$/;
/** Only if it has several words. */
const UNIQUE_IF_TYPED = /(?:^|_)(?:name|message|label)$/;
/** Fields with the user name, if no other field has it. */
const USER_IF_ONLY = /(?:^|_)(?<!operation_)name$/;
const MOST_LOGIN_FIELDS = 12;

const LOGIN_PATH = /log_?-?in|log_?-?on|sign_?-?in|auth|session|token/i;
const REGISTRATION_PATH = /regist|sign_?-?up|join|(?:^|\/)(?:users|accounts|members)(?:\/|$)/i;

/** Preceding responses that are searched for text, and their maximum size in bytes. */
const LOOK_BACK = 10, LONGEST_RESPONSE = 2 ** 20;

/** Typed text that may have to be unique and that no preceding response contains. */
function uniqueTexts(
  { calls, replacements }: NoteFacts,
  logins: ReadonlySet<RecordedCall>,
): { readonly call: RecordedCall; readonly field: RequestField }[] {
  return calls.flatMap((call, order) => {
    const isWrite = /^(?:POST|PUT|PATCH)$/.test(methodOf(call));
    if (!isWrite || logins.has(call) || call.exchange.response.status >= 400) return [];
    if (LOGIN_PATH.test(pathOf(call))) return [];
    const fields = call.fields.filter((field) =>
      (IN_BODY.has(field.kind) && !field.numeric && mayBeUnique(field) ||
        isCreatedName(field, call)) && replacements.of(field).length === 0
    );
    if (fields.length === 0) return [];
    const earlier = calls.slice(Math.max(0, order - LOOK_BACK), order)
      .map(({ exchange: { response } }) => response)
      .filter(({ size }) => size <= LONGEST_RESPONSE);
    return fields.filter(({ value }) => !earlier.some(({ text = "" }) => text.includes(value)))
      .map((field) => ({ call, field }));
  });
}

function mayBeUnique({ name, value }: RequestField): boolean {
  const words = plainName(name);
  return /\p{L}/u.test(value) && value.length <= 10_000 &&
    (UNIQUE.test(words) || UNIQUE_IF_TYPED.test(words) && /\p{L}\s+\p{L}/u.test(value));
}

function isCreatedName(field: RequestField, call: RecordedCall): boolean {
  return methodOf(call) === "PUT" && call.exchange.response.status === 201 &&
    field === fieldsIn(call.url.path).at(-1) && /\p{L}/u.test(field.value);
}

function pathOf({ url }: RecordedCall): string {
  return fieldsIn(url.path).map(({ value }) => `/${value}`).join("");
}

interface Login {
  readonly call: RecordedCall;
  readonly user: RequestField;
  readonly password: RequestField;
}

/**
 * The first request with a user and a password, and those like it or of the same user. One that
 * sends a login or a variable in `Authorization`, or another one, creates or changes a user.
 */
function findLogins({ secrets, replacements }: NoteFacts): Login[] {
  const senders = secrets.flatMap(({ places }) => places)
    .filter(({ field }) => IN_BODY.has(field.kind)).map(({ call }) => call);
  const found = [...new Set(senders)].sort((a, b) => a.order - b.order)
    .flatMap((call) => findLogin(call) ?? []);
  const isOpen = ({ call }: Login) => {
    const sent = headerIn(call, "authorization");
    return sent === undefined ||
      !/^Basic /i.test(sent.value) && replacements.of(sent).length === 0;
  };
  const open = found.filter(isOpen);
  const first = open.find(({ user }) => isUserName(user.name)) ?? open[0];
  return found.filter(({ call, user }) => {
    const operation = operationOf(call);
    return LOGIN_PATH.test(operation) || first !== undefined &&
        (user.value === first.user.value || operation === operationOf(first.call));
  });
}

function operationOf(call: RecordedCall): string {
  return `${pathOf(call)} ${operationName(call, ({ recorded }) => recorded) ?? ""}`;
}

function describeLogin(
  logins: readonly Login[],
  { calls, replacements }: NoteFacts,
): { calls: readonly RecordedCall[]; columns: readonly string[]; written: string } | undefined {
  if (logins.length > 0) {
    const columns = [logins[0].user, logins[0].password]
      .map(({ name }, i) => name.match(/\w+/g)?.at(-1) ?? ["user", "password"][i]);
    const written = columns.map((column) => `\`\${data.users.${column}}\``).join(" and ");
    return { calls: logins.map(({ call }) => call), columns, written };
  }
  const basic = calls.filter((call) => {
    const sent = headerIn(call, "authorization");
    // A key has no password, and a type of grant shows the login of an application.
    return sent !== undefined && /^Basic /i.test(sent.value) &&
      replacements.of(sent).length === 0 &&
      base64Fields(sent, []).some(({ value }) => /^[^:]+:./.test(value)) &&
      !call.fields.some(({ name }) => name === "grant_type") &&
      !/oauth|introspect|revoke/i.test(pathOf(call));
  });
  const written = '`Basic ${base64(data.users.user + ":" + data.users.password)}`';
  return basic.length === 0 ? undefined : { calls: basic, columns: ["user", "password"], written };
}

function findLogin(call: RecordedCall): Login | undefined {
  const typed = call.fields.filter(({ kind, value }) => IN_BODY.has(kind) && value !== "")
    .map((field) => ({ field, name: plainName(field.name) }));
  const passwords = typed.filter(({ field, name }) =>
    isPasswordName(field.name) || name === "secret"
  );
  const path = pathOf(call);
  const isRegistration = REGISTRATION_PATH.test(path) && !LOGIN_PATH.test(path);
  // A form with more fields, or with a repeated password, creates or changes a user.
  if (typed.length > MOST_LOGIN_FIELDS || passwords.length !== 1 || isRegistration) {
    return undefined;
  }
  const others = typed.filter((candidate) => candidate !== passwords[0]);
  const user = others.find(({ field }) => isUserName(field.name)) ??
    others.find(({ name }) => USER_IF_ONLY.test(name));
  return user && { call, user: user.field, password: passwords[0].field };
}
