import {
  isNamedSecret,
  LABEL,
  LABELLED,
  mayNameSecret,
  MOST_LABELS,
  type NamedRange,
} from "./secret_names.ts";

/**
 * Matches a part of XML or HTML. The groups are the content of a script or comment, the slash of an
 * end tag, the name of a tag without its namespace, its attributes, the content of a CDATA section,
 * and text. The attributes of a script are limited to 500 characters, because searching for the end
 * of each tag would otherwise take quadratic time.
 */
const PART =
  /<(script|style)\b[^>]{0,500}>(?<script>[^]*?)(?:<\/\1\s*>|$)|<!--(?<comment>[^]*?)(?:-->|$)|<!\[CDATA\[(?<data>[^]*?)(?:\]\]>|$)|<(?<end>\/)?(?:[\w-]+:)?(?<name>[\p{L}_][\p{L}\p{N}_.-]*)(?<attributes>[^<>]*)>?|(?<text>[^<]+)|</dgiu;

/** Matches an attribute. The groups are its name and its value: in quotation marks, or without. */
const ATTRIBUTE = /([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))/g;
/** Matches the names of attributes that state the name of an element's value. */
const NAMING = /^(?:name|key|property|field|param|parameter|header)$/i;
/** Matches HTML elements that have no end tag. XML elements with the same names have one. */
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/** Maximum number of enclosing elements whose names are checked for each string. */
const MAX_DEPTH = 32;
/** Maximum number of open elements. Deeper ones are treated as siblings. */
const MAX_OPEN = 256;

/** An open element. */
interface Open {
  readonly name: string;
  /** Names of credentials that describe the element's text. At most `MOST_LABELS`. */
  readonly names: readonly string[];
  /**
   * Text of the preceding child if that text names the next child's value, as in
   * `<name>pin</name><value>1</value>`.
   */
  label?: string;
}

interface Attribute {
  readonly name: string;
  readonly value: string;
  /** Offset of the value after the name of the tag. */
  readonly start: number;
}

/**
 * Finds the credentials in XML and HTML: the values of form fields with the name of a credential,
 * or of the type `password`; and all text in an element, at any depth, that has the name of a
 * credential: as the name of the element, in one of its attributes, or as the text of the preceding
 * element.
 */
export function markupSecrets(markup: string, isNested = false): NamedRange[] {
  const found: NamedRange[] = [];
  const open: Open[] = [];
  const ended = new Map<string, boolean>();
  const isVoid = (name: string) => {
    if (!VOID.test(name)) return false;
    if (!ended.has(name)) ended.set(name, markup.includes(`</${name}`));
    return !ended.get(name)!;
  };
  const add = (name: string, value: string, start: number) =>
    found.push({ name, start, end: start + value.length });
  for (const { groups = {}, indices } of markup.matchAll(PART)) {
    const { script, comment, name, attributes = "", end, data } = groups;
    const ranges = indices!.groups!;
    const inner = script ?? comment;
    if (inner !== undefined) {
      // Markup in a script or comment is searched separately, because its tags may have no end.
      if (isNested || !inner.includes("<")) continue;
      const [from] = (ranges.script ?? ranges.comment)!;
      for (const { name, start, end } of markupSecrets(inner, true)) {
        found.push({ name, start: from + start, end: from + end });
      }
    } else if (name === undefined) {
      const text = data ?? groups.text;
      if (text !== undefined) takeText(text, (ranges.data ?? ranges.text)![0]);
    } else if (end !== undefined) {
      const at = open.findLastIndex((one) => one.name === name);
      if (at >= 0) open.length = at;
    } else {
      const all = attributesIn(attributes);
      takeValue(all, ranges.attributes![0]);
      if (!attributes.endsWith("/") && !isVoid(name)) enter(name, all);
    }
  }
  return found;

  /** Takes the value of a form field if it is a credential. */
  function takeValue(attributes: readonly Attribute[], from: number): void {
    const field = attributes.find(({ name }) => /^(?:value|content)$/i.test(name));
    if (field === undefined) return;
    const names = attributes.filter(({ name }) => /^id$/i.test(name) || NAMING.test(name))
      .map(({ value }) => value);
    const isPassword = field.value !== "" &&
      attributes.some(({ name, value }) => /^type$/i.test(name) && /^password$/i.test(value));
    const name = names.find((one) => isNamedSecret(one, field.value)) ??
      (isPassword ? names[0] ?? "password" : undefined);
    if (name !== undefined) add(name, field.value, from + field.start);
  }

  function enter(name: string, attributes: readonly Attribute[]): void {
    const label = LABELLED.test(name) ? open.at(-1)?.label : undefined;
    if (open.length === MAX_OPEN) open.pop();
    // An `id` often identifies a page section or a label in HTML.
    const labels = attributes.filter(({ name }) => NAMING.test(name)).map(({ value }) => value);
    const names = [name, ...labels, ...(label ? [label] : [])].filter(mayNameSecret);
    open.push({ name, names: names.slice(0, MOST_LABELS) });
  }

  function takeText(text: string, from: number): void {
    const value = text.trim();
    const inside = open.at(-1);
    if (value === "" || inside === undefined) return;
    const parent = open.at(-2);
    if (parent !== undefined && LABEL.test(inside.name)) parent.label = value;
    const name = open.slice(-MAX_DEPTH).flatMap(({ names }) => names)
      .find((one) => isNamedSecret(one, value));
    if (name !== undefined) add(name, value, from + text.indexOf(value));
  }
}

function attributesIn(text: string): Attribute[] {
  if (!text.includes("=")) return [];
  return [...text.matchAll(ATTRIBUTE)].map(
    ({ 0: all, 1: name, 2: double, 3: single, 4: bare, index }) => {
      const value = double ?? single ?? bare;
      const quote = bare === undefined ? 1 : 0;
      return { name, value, start: index + all.length - value.length - quote };
    },
  );
}
