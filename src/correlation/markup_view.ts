import { Parser } from "htmlparser2";
import { MarkupError, MarkupLimits } from "../extract/markup_limits.ts";
import { nameWords } from "../traffic/session/dynamic_value.ts";
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
/** What is needed of a response to read its markup. */
export type Page = Pick<RecordedResponse, "mimeType">;

const places = new WeakMap<Page, readonly MarkupPlace[]>();

/** Returns the attribute value or the text at an offset of a body. Undefined within a tag. */
export function markupAt(response: Page, text: string, offset: number): MarkupPlace | undefined {
  let all = places.get(response);
  if (all === undefined) {
    places.set(response, all = isMarkup(response) ? readPlaces(response, text) : NONE);
  }
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

const unreadable = new WeakSet<Page>();

/** Reports whether a response is a page that exceeds a markup limit, and whose markup was searched. */
export function isUnreadable(response: Page): boolean {
  return unreadable.has(response);
}

/** Returns the attribute values and texts of a page; none if it exceeds a markup limit. */
function readPlaces(response: Page, text: string): readonly MarkupPlace[] {
  try {
    return placesIn(text);
  } catch (error) {
    if (!(error instanceof MarkupError)) throw error;
    unreadable.add(response);
    return NONE;
  }
}

/** Returns the attribute values and texts of a page in the order of their offsets. */
function placesIn(text: string): readonly MarkupPlace[] {
  const limits = new MarkupLimits();
  const found: MarkupPlace[] = [];
  const open: { element: string; attributes: Record<string, string> }[] = [];
  let textStart = -1;
  const selectName = () =>
    open.findLast(({ element }) => element === "select")?.attributes.name ?? "";
  const endText = (end: number) => {
    if (textStart < 0) return;
    const { element, attributes } = open.at(-1) ?? { element: "", attributes: {} };
    const start = textStart + text.slice(textStart, end).search(/\S|$/);
    if (start < end) {
      const trimmed = start + text.slice(start, end).trimEnd().length;
      const name = element === "option" ? selectName() : "";
      found.push({ element, attributes, name, start, end: trimmed });
    }
    textStart = -1;
  };
  const parser = new Parser({
    ontext() {
      if (textStart < 0) textStart = parser.startIndex;
    },
    onopentag(element, attributes, isImplied) {
      limits.open();
      limits.add();
      if (isImplied) return;
      endText(parser.startIndex);
      const tag = text.slice(parser.startIndex, parser.endIndex + 1);
      for (const { 1: attribute, indices } of tag.matchAll(ATTRIBUTE)) {
        const [start, end] = indices![2] ?? indices![3] ?? indices![4]!;
        if (start === end) continue;
        const lower = attribute.toLowerCase();
        const from = parser.startIndex;
        const name = element === "option" && lower === "value"
          ? selectName()
          : nameOf(lower, attributes);
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
    onclosetag() {
      limits.close();
      endText(parser.startIndex);
      open.pop();
    },
    oncomment: () => endText(parser.startIndex),
  }, { decodeEntities: true });
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
  /([A-Za-z_][\w-]*)(?:[\\"'\]]|&quot;|&#0?3[49];)*\s*[:=]\s*(?:[\s\\"'(]|&quot;|&#0?3[49];)*$|<(?:\w+:)?([A-Za-z_][\w.-]*)[^<>]*>\s*$/;
/** Matches the name of the attribute that contains a value, so that the name of the element remains. */
const VALUE = /\b(?:content|value)\s*=\s*[\\"']*$/;
const NAME = /\b(?:name|id|property)\s*=\s*\\?["']?([^\s"'\\<>]+)\\?["']?[^<>]*$/;

/** Matches an event handler or a \`javascript:\` link up to an argument of a call. */
const HANDLER =
  /(?:\son(?:click|dblclick|mousedown|touchstart|change|select|submit)\s*=\s*["']|["']javascript:)[^<>]*?([A-Za-z_$][\w$]*)\s*\(\s*(?:[^()<>]*,\s*)?(?:\\*["']|&quot;|&#0?39;|&apos;)?$/i;
/** Matches a script up to the first argument of a call of a method. */
const CALL = /[\w$]\.([A-Za-z_$][\w$]*)\((?:\\*["'])?$/;
/** Words in function names, mostly verbs, that do not name the object of an argument. */
const VERBS = new Set(
  ("edit delete remove destroy show open view select choose pick add load get fetch toggle save update change on " +
    "click handle do go goto confirm submit cancel close set move copy rename like vote download restore row " +
    "item by id ajax call run mark start stop the this").split(" "),
);
/** Matches words in function names whose arguments are positions, sizes or times. */
const QUANTITY =
  /tab|page|pager|paginat|step|slide|sort|order|scroll|zoom|resize|size|timeout|interval|month|year|day|week|date|index|level|column|rate|rating|score|star|quantity|qty|count|limit|width|height|lang/;

/** Returns the name of an id that a script passes to a function: `user_id` for `showUser(17)`. */
function argumentName(before: string): string {
  if (!/[(,]\s*(?:\\*["']|&#?\w{2,5};)?$/.test(before)) return "";
  const handler = HANDLER.exec(before)?.[1];
  const words = nameWords(handler ?? CALL.exec(before)?.[1] ?? "");
  if (words.length === 0 || words.some((word) => QUANTITY.test(word))) return "";
  const objects = words.filter((word) => !VERBS.has(word) && /^[a-z]+$/.test(word));
  return objects.length === 0 && handler === undefined ? "" : [...objects, "id"].join("_");
}

/** Reports whether a value after \`before\` is an argument that a script passes to a function. */
export function isArgument(before: string): boolean {
  return argumentName(before) !== "";
}

/** Matches the names of attributes and members that contain a link. */
const LINK = /^(?:href|src|action|url|uri|link|location)$/i;

/** Returns the name before a value. `before` is the text up to the value. */
export function keyBefore(before: string): string {
  if (VALUE.test(before)) {
    const named = NAME.exec(before.slice(before.lastIndexOf("<") + 1));
    if (named !== null) return named[1];
  }
  const [, name, element] = KEY.exec(before) ?? [];
  if (name !== undefined && LINK.test(name)) return "";
  return (name ?? element ?? argumentName(before)).replace(/^data-/, "");
}
