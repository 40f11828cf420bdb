import {
  isNamedSecret,
  LABEL,
  LABELLED,
  mayNameSecret,
  MOST_LABELS,
  type NamedRange,
  type Range,
} from "./secret_names.ts";

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

/**
 * Matches a part of XML or HTML. The groups are the slash of an end tag, the name of a tag without
 * its namespace, its attributes, the content of a CDATA section, and text. The contents of scripts,
 * style sheets and comments are not matched as tags. The attributes of a script or style sheet are
 * limited to 500 characters, because searching for the end of each tag would otherwise take
 * quadratic time.
 */
const PART =
  /<(script|style)\b[^>]{0,500}>[^]*?(?:<\/\1\s*>|$)|<!--[^]*?(?:-->|$)|<!\[CDATA\[(?<data>[^]*?)(?:\]\]>|$)|<(?<end>\/)?(?:[\w-]+:)?(?<name>[\p{L}_][\p{L}\p{N}_.-]*)(?<attributes>[^<>]*)>?|(?<text>[^<]+)|</dgiu;

/**
 * Matches an attribute that contains the name of an element's value, as in `key="password"`. Does
 * not match an `id`, because it often identifies a page section or a label in HTML.
 */
const LABEL_ATTRIBUTE =
  /(?:^|\s)(?:name|key|property|field|param|parameter|header)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi;

/** Matches HTML elements that have no end tag. XML elements with the same names have one. */
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/** Maximum number of enclosing elements whose names are checked for each string. */
const MAX_DEPTH = 32;
/** Maximum number of open elements. Deeper ones are treated as siblings. */
const MAX_OPEN = 256;

/** An open element. */
interface Open {
  readonly name: string;
  /**
   * Names of credentials that describe the element's text: the name of the element, the names in
   * its attributes (see `LABEL_ATTRIBUTE`), and the name in the preceding element (see `label`). At
   * most `MOST_LABELS`.
   */
  readonly names: readonly string[];
  /**
   * Text of the preceding child if that text names the next child's value, as in
   * `<name>pin</name><value>1</value>`.
   */
  label?: string;
}

/**
 * Finds the credentials in the text of XML and HTML elements. All text in an element, at any depth,
 * is a credential if the element has the name of a credential, if one of its attributes contains
 * such a name, or if the text of the preceding element is such a name.
 */
function elementSecrets(markup: string): NamedRange[] {
  const found: NamedRange[] = [];
  const open: Open[] = [];
  const ended = new Map<string, boolean>();
  for (const { groups = {}, indices } of markup.matchAll(PART)) {
    const { name, attributes = "", end, data, text } = groups;
    if (name === undefined) {
      if (data !== undefined) take(data, indices!.groups!.data);
      else if (text !== undefined) take(text, indices!.groups!.text);
    } else if (end !== undefined) {
      const at = open.findLastIndex((one) => one.name === name);
      if (at >= 0) open.length = at;
    } else if (!attributes.endsWith("/") && !isVoid(name)) {
      const label = LABELLED.test(name) ? open.at(-1)?.label : undefined;
      if (open.length === MAX_OPEN) open.pop();
      const names = [name, ...labels(attributes), ...(label ? [label] : [])].filter(mayNameSecret);
      open.push({ name, names: names.slice(0, MOST_LABELS) });
    }
  }
  return found;

  function isVoid(name: string): boolean {
    if (!VOID.test(name)) return false;
    if (!ended.has(name)) ended.set(name, markup.includes(`</${name}`));
    return !ended.get(name)!;
  }

  function take(text: string, [from]: Range): void {
    const value = text.trim();
    const inside = open.at(-1);
    if (value === "" || inside === undefined) return;
    const parent = open.at(-2);
    if (parent !== undefined && LABEL.test(inside.name)) parent.label = value;
    const name = open.slice(-MAX_DEPTH).flatMap(({ names }) => names)
      .find((one) => isNamedSecret(one, value));
    if (name === undefined) return;
    const start = from + text.indexOf(value);
    found.push({ name, range: [start, start + value.length] });
  }
}

/**
 * Returns the names that `attributes` give to the element's value, such as `pin` in `key="pin"`.
 */
function labels(attributes: string): string[] {
  return [...attributes.matchAll(LABEL_ATTRIBUTE)].map(([, double, single]) => double ?? single);
}
