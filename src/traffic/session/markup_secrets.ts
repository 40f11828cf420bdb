import {
  isNamedSecret,
  LABEL,
  LABELLED,
  mayNameSecret,
  MOST_LABELS,
  type NamedRange,
} from "./secret_names.ts";

/**
 * Matches a part of XML or HTML. The groups are the content of a CDATA section, the slash of an end
 * tag, the name of a tag without its namespace, its attributes, and text. Scripts and comments are
 * read like other markup, because they may contain some.
 */
const PART =
  /<!\[CDATA\[(?<data>[^]*?)(?:\]\]>|$)|<(?<end>\/)?(?:[\w-]+:)?(?<name>[\p{L}_][\p{L}\p{N}_.-]*)(?<attributes>(?:"[^"<]*"|'[^'<]*'|[^<>"']+|["']){0,1000})>?|(?<text>[^<]+)|</dgiu;

/**
 * Matches an attribute that states the name of an element's value. In HTML, an `id` often
 * identifies a section or a label instead.
 */
const NAMING = /^(?:name|key|property|field|param|parameter|header)$/i;
/** Matches an attribute. The groups are its name, and its value in one of three notations. */
const ATTRIBUTE = /(?<![\w:-])([\w:-]{1,60})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))/g;
/** Matches HTML elements that have no end tag. XML elements with the same names have one. */
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/** Maximum number of enclosing elements whose names are checked for each string. */
const MAX_DEPTH = 32;
/** Maximum number of open elements. Deeper ones are treated as siblings. */
const MAX_OPEN = 256;

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

/**
 * Finds the credentials in the text of XML and HTML elements: all text in an element, at any depth,
 * that has the name of a credential, as the name of the element, in one of its attributes, or as
 * the text of the preceding element.
 */
export function markupSecrets(markup: string): NamedRange[] {
  const found: NamedRange[] = [];
  const open: Open[] = [];
  const ended = new Map<string, boolean>();
  const isVoid = (name: string) => {
    if (!VOID.test(name)) return false;
    if (!ended.has(name)) ended.set(name, markup.includes(`</${name}`));
    return !ended.get(name)!;
  };
  for (const { groups = {}, indices } of markup.matchAll(PART)) {
    const { name, attributes = "", end, data, text = data } = groups;
    if (name === undefined) {
      const ranges = indices!.groups!;
      if (text !== undefined) takeText(text, (ranges.data ?? ranges.text)![0]);
    } else if (end !== undefined) {
      const at = open.findLastIndex((one) => one.name === name);
      if (at >= 0) open.length = at;
    } else {
      if (!attributes.endsWith("/") && !isVoid(name)) enter(name, attributes);
    }
  }
  return found;

  function enter(name: string, attributes: string): void {
    const label = LABELLED.test(name) ? open.at(-1)?.label : undefined;
    if (open.length === MAX_OPEN) open.pop();
    const labels = attributes.includes("=")
      ? [...attributes.matchAll(ATTRIBUTE)].filter(([, key]) => NAMING.test(key))
        .map(([, , double, single, bare]) => double ?? single ?? bare)
      : [];
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
    if (name === undefined) return;
    const start = from + text.indexOf(value);
    found.push({ name, start, end: start + value.length });
  }
}
