import { formatExpression } from "../../plan/text/template.ts";
import type { RequestField } from "../../traffic/session/request_field.ts";
import { type HarNote, listed } from "../notes/note.ts";
import type { HarFacts } from "./facts.ts";
import type { ClientId } from "./client_ids.ts";
import { findLogins, type Login, uniqueTexts } from "./typed_texts.ts";

/** Returns hints on what to edit in the plan before running it with several users or iterations. */
export function* loadNotes(facts: HarFacts): Generator<HarNote | undefined> {
  const logins = findLogins(facts.secrets);
  yield sharedLogin(logins, facts);
  yield uniqueText(logins, facts);
  for (const id of facts.ids.generated) yield generatedId(id, facts);
  for (const id of facts.ids.unclear) yield sharedId(id, facts);
}

function generatedId(id: ClientId, { nameOf }: HarFacts): HarNote {
  const kind = id.isUuid ? "UUID" : "id";
  return {
    code: id.isUuid ? "client-uuid" : "client-id",
    subject: id.name,
    message:
      `each iteration sends a new ${kind}, \`${formatExpression(id.expression)}\`, in ${
        requestsWith(id, nameOf)
      }, because no earlier response contains the recorded ${kind}; if that ${kind} belongs to an existing ` +
      "object, write it instead",
  };
}

function sharedId(id: ClientId, { nameOf }: HarFacts): HarNote {
  return {
    code: "shared-id",
    subject: id.name,
    message: `all users and iterations send the recorded id in ${requestsWith(id, nameOf)}, ` +
      "although no earlier response contains it; if the page generates this id when it loads, write " +
      `\`${id.id.slice(0, -id.random.length)}${formatExpression(id.expression)}\` instead`,
  };
}

function requestsWith({ places }: ClientId, nameOf: HarFacts["nameOf"]): string {
  return listed([...new Set(places.map(({ call }) => nameOf(call)))]);
}

function sharedLogin(logins: readonly Login[], { nameOf }: HarFacts): HarNote | undefined {
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
  { calls, replacements, nameOf }: HarFacts,
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
