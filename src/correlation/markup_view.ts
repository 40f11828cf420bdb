import { Parser } from "htmlparser2";
import { MarkupError, MarkupLimits } from "../extract/parse_html.ts";
import { nameWords } from "../traffic/session/dynamic_value.ts";
import type { RecordedResponse } from "../traffic/har/recording.ts";

/** An attribute value or a run of text in a page. Offsets are in UTF-16 code units of the body. */
export interface MarkupPlace {
  readonly element: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Name of the attribute whose value is at the offset. Absent for text and scripts. */
  readonly attribute?: string;
  /** Name that the page gives to the value: that of an input, a meta tag, or the attribute. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

interface Run {
  readonly element: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly isTag: boolean;
  /** Name of the `<select>` that contains an option. Empty for other elements. */
  readonly select: string;
  readonly start: number;
  readonly end: number;
}

const NONE: readonly Run[] = [];
export type Page = Pick<RecordedResponse, "mimeType">;

const runs = new WeakMap<Page, readonly Run[]>();

/**
 * Matches the start tag of an element whose text has neither a name nor a CSS extractor, because no
 * attribute identifies the element.
 */
const PLAIN_TAG =
  /^<(?!option\b)([a-z][\w:-]*)(?:\s+(?!(?:name|id|property|data-id|data-name|rel)\b)[\w:-]+="[^"]*")*>$/i;

/** Prefilter without a parser: may return false positives, never false negatives. */
function mayBePlace(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 200), start).trimEnd();
  const after = text.slice(end, end + 40);
  if (!/(?:^|["'=>])$/.test(before) || !/^(?:$|["'\s<>])/.test(after)) return false;
  const element = PLAIN_TAG.exec(before.slice(before.lastIndexOf("<")))?.[1];
  return element === undefined || !after.trimStart().startsWith(`</${element}>`);
}

/**
 * Returns the attribute value or the text that fills a range of a body. Undefined for other ranges,
 * and for the text of an element that no attribute identifies.
 */
export function markupAt(
  response: Page,
  text: string,
  { start: offset, end }: { readonly start: number; readonly end: number },
): MarkupPlace | undefined {
  if (!isMarkup(response) || !mayBePlace(text, offset, end)) return undefined;
  let all = runs.get(response);
  if (all === undefined) runs.set(response, all = readRuns(response, text));
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = low + high >> 1;
    if (all[middle].end <= offset) low = middle + 1;
    else high = middle;
  }
  const run = all[low];
  if (run === undefined || run.start > offset) return undefined;
  return placesIn(run, text.slice(run.start, run.end)).find((place) =>
    place.start === offset && place.end === end
  );
}

function isMarkup({ mimeType }: Page): boolean {
  return /html|xml/.test(mimeType);
}

const ATTRIBUTE = /([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/dg;

const unreadable = new WeakSet<Page>();

/**
 * Reports whether a response is a page that exceeds a markup limit, and whose markup was searched.
 */
export function isUnreadable(response: Page): boolean {
  return unreadable.has(response);
}

function placesIn({ element, attributes, isTag, select, start }: Run, text: string): MarkupPlace[] {
  if (!isTag) {
    const from = start + text.search(/\S|$/);
    return [{ element, attributes, name: select, start: from, end: start + text.trimEnd().length }];
  }
  return [...text.matchAll(ATTRIBUTE)].map(({ 1: attribute, indices }) => {
    const [from, to] = indices![2] ?? indices![3] ?? indices![4]!;
    const lower = attribute.toLowerCase();
    const name = element === "option" && lower === "value"
      ? select
      : attributeKey(lower, attributes);
    return { element, attributes, attribute: lower, name, start: start + from, end: start + to };
  });
}

/** Returns the start tags and texts of a page; none if it exceeds a markup limit. */
function readRuns(response: Page, text: string): readonly Run[] {
  try {
    return runsIn(text);
  } catch (error) {
    if (!(error instanceof MarkupError)) throw error;
    unreadable.add(response);
    return NONE;
  }
}

/** Matches what marks a section of XML that may contain the markup of a part of a page. */
const CDATA = /<!\[CDATA\[|\]\]>/g;

/** Returns the start tags and texts of a page in the order of their offsets. */
function runsIn(text: string): readonly Run[] {
  const limits = new MarkupLimits();
  const all: Run[] = [];
  const open: { element: string; attributes: Record<string, string> }[] = [];
  let textStart = -1;
  const add = (isTag: boolean, start: number, end: number) => {
    const { element, attributes } = open.at(-1) ?? { element: "", attributes: {} };
    const select = element === "option"
      ? open.findLast(({ element }) => element === "select")?.attributes.name ?? ""
      : "";
    all.push({ element, attributes, isTag, select, start, end });
  };
  const endText = (end: number) => {
    if (textStart >= 0) add(false, textStart, end);
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
      open.push({ element, attributes });
      add(true, parser.startIndex, parser.endIndex + 1);
    },
    onclosetag() {
      limits.close();
      endText(parser.startIndex);
      open.pop();
    },
    oncomment: () => endText(parser.startIndex),
  }, { decodeEntities: true });
  parser.write(text.replace(CDATA, (marks) => " ".repeat(marks.length)));
  endText(text.length);
  return all;
}

/** Returns the name of the value of an attribute. Empty for links and event handlers. */
function attributeKey(attribute: string, attributes: Readonly<Record<string, string>>): string {
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
  /(?<!%[0-9A-F]?)([A-Za-z_][\w-]*)(?:[\\"'\]]|&quot;|&#0?3[49];)*\s*[:=]\s*(?:[\s\\"'(]|&quot;|&#0?3[49];)*$|<(?:\w+:)?([A-Za-z_][\w.-]*)[^<>]*>\s*$/;
/**
 * Matches the name of the attribute that contains a value, so that the name of the element remains.
 */
const VALUE = /\b(?:content|value)\s*=\s*[\\"']*$/;
const NAME = /\b(?:name|id|property)\s*=\s*\\?["']?([^\s"'\\<>]+)\\?["']?[^<>]*$/;

/**
 * Matches an event handler, also that of a framework, such as `wire:click`, or a `javascript:` link
 * up to an argument of a call.
 */
const HANDLER =
  /(?:\s(?:on|[\w:@.-]*[:@-])(?:click|dblclick|mousedown|touchstart|change|select|submit)[\w.-]*\s*=\s*["']|["']javascript:)[^<>]*?([A-Za-z_$][\w$]*)\s*\(\s*(?:[^()<>]*,\s*)?(?:\\*["']|&quot;|&#0?39;|&apos;)?$/i;
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

/** Returns the name of the function to which a page passes the text that follows `before`. */
export function calledFunction(before: string): string | undefined {
  return (HANDLER.exec(before) ?? CALL.exec(before))?.[1];
}

/** Returns the name of an id that a script passes to a function: `user_id` for `showUser(17)`. */
function argumentName(before: string): string {
  if (!/[(,]\s*(?:\\*["']|&#?\w{2,5};)?$/.test(before)) return "";
  const words = nameWords(calledFunction(before) ?? "");
  if (words.length === 0 || words.some((word) => QUANTITY.test(word))) return "";
  const objects = words.filter((word) => !VERBS.has(word) && /^[a-z]+$/.test(word));
  return objects.length === 0 && !HANDLER.test(before) ? "" : [...objects, "id"].join("_");
}

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
