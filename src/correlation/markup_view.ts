import { Parser } from "htmlparser2";
import type { RecordedResponse } from "../traffic/har/recording.ts";

/** An attribute value or a run of text in a page. Offsets are in UTF-16 code units of the body. */
export interface MarkupPlace {
  /** Name of the element in lower case. */
  readonly element: string;
  /** The element's attributes, decoded. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Name of the attribute whose value is at the offset. Absent for text and scripts. */
  readonly attribute?: string;
  /** Name that the page gives to the value: that of an input, a meta tag, or the attribute. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const NONE: readonly MarkupPlace[] = [];
type Page = Pick<RecordedResponse, "mimeType">;

const places = new WeakMap<Page, readonly MarkupPlace[]>();

/** Returns the attribute value or the text at an offset of a body. Undefined within a tag. */
export function markupAt(response: Page, text: string, offset: number): MarkupPlace | undefined {
  let all = places.get(response);
  if (all === undefined) places.set(response, all = isMarkup(response) ? placesIn(text) : NONE);
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = low + high >> 1;
    if (all[middle].end <= offset) low = middle + 1;
    else high = middle;
  }
  const found = all[low];
  return found !== undefined && found.start <= offset ? found : undefined;
}

function isMarkup({ mimeType }: Page): boolean {
  return /html|xml/.test(mimeType);
}

/** Matches an attribute of a start tag. */
const ATTRIBUTE = /([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/dg;

/** Maximum number of attribute values and texts of a page. */
const MOST_PLACES = 500_000;

/** Returns the attribute values and texts of a page in the order of their offsets. */
function placesIn(text: string): readonly MarkupPlace[] {
  const found: MarkupPlace[] = [];
  const open: { element: string; attributes: Record<string, string> }[] = [];
  let textStart = -1;
  const endText = (end: number) => {
    if (textStart < 0 || found.length > MOST_PLACES) return;
    const { element, attributes } = open.at(-1) ?? { element: "", attributes: {} };
    const start = textStart + text.slice(textStart, end).search(/\S|$/);
    if (start < end) {
      const trimmed = start + text.slice(start, end).trimEnd().length;
      found.push({ element, attributes, name: "", start, end: trimmed });
    }
    textStart = -1;
  };
  const parser = new Parser({
    ontext() {
      if (textStart < 0) textStart = parser.startIndex;
    },
    onopentag(element, attributes, isImplied) {
      if (isImplied) return;
      endText(parser.startIndex);
      const tag = text.slice(parser.startIndex, parser.endIndex + 1);
      for (const { 1: attribute, indices } of tag.matchAll(ATTRIBUTE)) {
        const [start, end] = indices![2] ?? indices![3] ?? indices![4]!;
        if (start === end || found.length > MOST_PLACES) continue;
        const lower = attribute.toLowerCase();
        const from = parser.startIndex;
        const name = nameOf(lower, attributes);
        found.push({
          element,
          attributes,
          attribute: lower,
          name,
          start: from + start,
          end: from + end,
        });
      }
      open.push({ element, attributes });
    },
    onclosetag(_, isImplied) {
      if (!isImplied) endText(parser.startIndex);
      open.pop();
    },
    oncomment: () => endText(parser.startIndex),
  }, { decodeEntities: false });
  parser.write(text);
  endText(text.length);
  return found;
}

/** Returns the name of the value of an attribute. Empty for links and event handlers. */
function nameOf(attribute: string, attributes: Readonly<Record<string, string>>): string {
  if (/^(?:value|content)$/.test(attribute)) {
    return attributes.name || attributes.id || attributes.property || "";
  }
  return /^(?:href|src|action|on\w+|style|class)$/.test(attribute)
    ? ""
    : attribute.replace(/^data-/, "");
}

/**
 * Matches a name before a value: of an attribute, a member, a variable, a parameter or an XML
 * element.
 */
const KEY =
  /([A-Za-z_][\w.-]*)(?:[\\"'\]]|&quot;|&#0?3[49];)*\s*[:=]\s*(?:[\s\\"'(]|&quot;|&#0?3[49];)*$|<(?:\w+:)?([A-Za-z_][\w.-]*)[^<>]*>\s*$/;
/** Matches the name of the attribute that contains a value, so that the name of the element remains. */
const VALUE = /\b(?:content|value)\s*=\s*[\\"']*$/;
const NAME = /\b(?:name|id|property)\s*=\s*\\?["']?([^\s"'\\<>]+)\\?["']?[^<>]*$/;

/** Returns the name before a value. `before` is the text up to the value. */
export function keyBefore(before: string): string {
  if (VALUE.test(before)) {
    const named = NAME.exec(before.slice(before.lastIndexOf("<") + 1));
    if (named !== null) return named[1];
  }
  const [, name, element] = KEY.exec(before) ?? [];
  return (name ?? element ?? "").replace(/^data-/, "");
}
