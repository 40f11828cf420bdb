import { elementSecrets } from "./element_secrets.ts";
import { isNamedSecret } from "./secret_names.ts";
import type { NamedRange } from "./secret_shapes.ts";

/**
 * Matches the start tag of an HTML or XML element with a name and a value. The group contains the
 * attributes.
 */
const FIELD = /<(?:input|meta|button|param|option|add|entry|property|field|header)\s([^<>]*)>/dgi;
/**
 * Matches an attribute. The groups are the name, the double-quoted value, the single-quoted value
 * and the unquoted value.
 */
const ATTRIBUTE = /([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))/dg;

/**
 * Finds the credentials in XML and HTML: in elements and form fields with the name of a credential,
 * and in password fields.
 */
export function markupSecrets(text: string): NamedRange[] {
  const found = elementSecrets(text);
  for (const { 1: attributes, indices } of text.matchAll(FIELD)) {
    const secret = secretValue(attributes);
    if (secret === undefined) continue;
    const [start] = indices![1]!;
    const [from, to] = secret.range;
    found.push({ name: secret.name, range: [start + from, start + to] });
  }
  return found;
}

/**
 * Returns the name and the range of the value of a form field if the value is a credential,
 * otherwise undefined.
 */
function secretValue(attributes: string): NamedRange | undefined {
  const names: string[] = [];
  let value: { readonly text: string; readonly range: [number, number] } | undefined;
  let isPassword = false;
  for (const match of attributes.matchAll(ATTRIBUTE)) {
    const group = [2, 3, 4].find((i) => match[i] !== undefined)!;
    const text = match[group];
    switch (match[1].toLowerCase()) {
      case "name":
      case "id":
      case "key":
      case "property":
        names.push(text);
        break;
      case "type":
        isPassword = /^password$/i.test(text);
        break;
      case "value":
      case "content":
        value ??= { text, range: match.indices![group]! };
    }
  }
  if (value === undefined) return undefined;
  const { text, range } = value;
  const name = names.find((one) => isNamedSecret(one, text)) ??
    (isPassword && text !== "" ? names[0] ?? "password" : undefined);
  return name === undefined ? undefined : { name, range };
}
