import { undoPercent } from "../base/string_escapes.ts";
import { type DefaultOption, findDefaultOptions } from "../extract/forms.ts";
import { looksGenerated } from "../traffic/session/dynamic_value.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import { isArgument, markupAt, type MarkupPlace } from "./markup_view.ts";
import type { Use } from "./pieces.ts";
import { encodedRange, isWhole, keyAt, type Occurrence, outerPlace } from "./views.ts";
import { callWords } from "./request_words.ts";
import { resourceWords, wordsOfPath } from "./words.ts";

/** A place in a response from which the value of a request may come. */
export interface Source {
  /** The call whose response contains the value. */
  readonly call: RecordedCall;
  /** Position among all places, in the order of the responses and of their texts. */
  readonly number: number;
  readonly occurrence: Occurrence;
  readonly key: string;
  /** True if the value is the whole text of a JSON leaf, a header or a cookie. */
  readonly isWhole: boolean;
  /** Words directly before the value, with separators between them, as in the name of a field. */
  readonly left: string;
  /** In a link, the path segment or the name of the parameter before the value. */
  readonly collection: string;
  /**
   * Kind of the place: a JSON leaf, an input or meta tag of a page, a header or cookie, a link,
   * text after a name, or other text.
   */
  readonly where:
    | "leaf"
    | "field"
    | "option"
    | "choice"
    | "button"
    | "header"
    | "link"
    | "glued"
    | "argument"
    | "named_text"
    | "text";
  /** True if the place is a whole value of a JSON body. */
  readonly isInJson: boolean;
  readonly path: readonly string[];
  readonly words: readonly string[];
  /**
   * The uses to which this place is the nearest of many. Undefined for a place that any use may
   * have.
   */
  readonly nearestTo: ReadonlySet<Use> | undefined;
  /** The corresponding places in a second response, which contain another value. Best first. */
  readonly others?: readonly Occurrence[];
}

/** Matches the MIME types of XML that is not a page: its elements name objects. */
const XML = /^(?!.*html).*xml/;

/** Describes an occurrence of a value in the response to a call. */
export function sourceAt(
  call: RecordedCall,
  occurrence: Occurrence,
  number: number,
  nearestTo?: ReadonlySet<Use>,
): Source {
  const place = outerPlace(occurrence.view);
  const isLeaf = isWhole(occurrence);
  const collection = isLeaf ? "" : collectionBefore(occurrence);
  const name = keyAt(occurrence);
  const { view, start } = occurrence;
  const encoded = encodedRange(occurrence);
  const outer = encoded ?? occurrence;
  const { response } = view;
  const markup = place.kind === "body" && encoded !== undefined
    ? markupAt(response, encoded.view.text, encoded)
    : undefined;
  const left = leftWords(view.text.slice(Math.max(0, start - 120), start));
  const isGlued = !isLeaf && /[A-Za-z]/.test(view.text.charAt(start - 1));
  const isLink = collection !== "" && (name === "" || name === collection);
  const key = isLink ? linkKey(occurrence, collection) : name || (isGlued ? `${left}_id` : "");
  const where = whereIn(place.kind, occurrence, markup);
  const names = place.kind === "json" || place.kind === "member"
    ? place.path.filter((name) => typeof name === "string")
    : markup !== undefined && XML.test(response.mimeType)
    ? [markup.element]
    : [];
  // The path of a link says more than the name of the member that contains the link.
  const linked = isLink ? linkWords(occurrence) : undefined;
  return {
    call,
    number,
    occurrence,
    key,
    isWhole: isLeaf,
    left,
    collection,
    where: where ??
      (isGlued
        ? "glued"
        : isArgument(outer.view.text.slice(Math.max(0, outer.start - 200), outer.start))
        ? "argument"
        : isLink
        ? "link"
        : name === ""
        ? "text"
        : "named_text"),
    isInJson: isLeaf && view.place.kind === "json",
    path: names,
    words: [...new Set([key, collection, ...linked === undefined ? names : []])]
      .flatMap(resourceWords).concat(linked ?? callWords(call)),
    nearestTo,
  };
}

/** Returns `where` a value is, if the kind of its place is enough to know it. */
function whereIn(
  kind: ReturnType<typeof outerPlace>["kind"],
  occurrence: Occurrence,
  markup: MarkupPlace | undefined,
): Source["where"] | undefined {
  if (kind === "body") return whereInPage(occurrence, markup);
  if (kind === "header" || kind === "cookie") return "header";
  return isWhole(occurrence) ? "leaf" : undefined;
}

function whereInPage(at: Occurrence, markup?: MarkupPlace): Source["where"] | undefined {
  if (markup?.element === "option") {
    return defaultOption(at) === undefined ? "choice" : "option";
  }
  if (markup === undefined || !/^(?:value|content)$/.test(markup.attribute ?? "")) return undefined;
  const { type = "" } = markup.attributes;
  if (markup.element === "button" || /^(?:submit|button|reset)$/i.test(type)) return "button";
  return /^(?:checkbox|radio)$/i.test(type) ? "choice" : "field";
}

/** Matches a start tag up to a part of an attribute's value. */
const ATTRIBUTE_BEFORE = /<[A-Za-z][^<>]*\s([\w:.-]+)\s*=\s*(?:"[^"<>]*|'[^'<>]*|[^\s"'<>]*)$/;
/** Matches the names of attributes whose values requests send. Own names contain a separator. */
const SENT_ATTRIBUTE =
  /^(?:value|content|href|src|action|formaction|id|name|on\w+|(?!aria-)\w+[-:_.].*|nonce)$/i;

/** Reports whether an occurrence is in an attribute of a page that only describes its layout. */
export function isInLayout({ view, start }: Occurrence): boolean {
  if (view.place.kind !== "body" || !view.response.mimeType.includes("html")) return false;
  const before = view.text.slice(Math.max(0, start - 300), start);
  const attribute = ATTRIBUTE_BEFORE.exec(before)?.[1];
  return attribute !== undefined && !SENT_ATTRIBUTE.test(attribute);
}

const options = new WeakMap<object, ReadonlyMap<number, DefaultOption>>();

/** Returns the option of a page at an occurrence if a browser sends it by default. */
export function defaultOption(occurrence: Occurrence): DefaultOption | undefined {
  const at = encodedRange(occurrence);
  if (at === undefined) return undefined;
  const { response, text } = at.view;
  return options.getOrInsertComputed(
    response,
    () => new Map(findDefaultOptions(text)?.map((option) => [option.at, option])),
  ).get(at.start);
}

function leftWords(before: string): string {
  // An expression that ends with `$` tries each start.
  if (!/[-_.:[\]A-Za-z]/.test(before.at(-1) ?? "")) return "";
  return /([A-Za-z]+(?:[-_.:[\]]+[A-Za-z]+)*)[-_.:[\]]*$/.exec(before)?.[1] ?? "";
}

const SEGMENT = /([\w.~%-]+)\\?\/$/;
const PARAMETER = /[?&;]([\w.~%[\]-]+)=$/;

function collectionBefore({ view, start }: Occurrence): string {
  if (!/[/=]/.test(view.text.charAt(start - 1))) return "";
  const before = view.text.slice(Math.max(0, start - 200), start);
  return SEGMENT.exec(before)?.[1] ?? undoPercent(PARAMETER.exec(before)?.[1] ?? "").value;
}

/**
 * Reports whether a value is certainly no name, so that its place in a path says nothing about it.
 */
function isGenerated(value: string): boolean {
  return value.length >= 8 && looksGenerated(value) && !/[._]/.test(value);
}

/** Returns the words of a link's path before a value. Undefined if they name no resource. */
function linkWords({ view, start }: Occurrence): readonly string[] | undefined {
  const path = /[^\s"'<>?#=()]*(?=\/$)/.exec(view.text.slice(Math.max(0, start - 200), start))?.[0];
  const words = path === undefined ? [] : wordsOfPath(path.split("/"));
  return words.length > 0 ? words : undefined;
}

function linkKey({ view, start, end }: Occurrence, collection: string): string {
  const value = view.text.slice(start, end);
  if (!view.text.slice(0, start).endsWith("/")) return collection;
  return /^\d+$/.test(value) || isGenerated(value)
    ? "id"
    : !/\d/.test(collection) && resourceWords(collection).at(-1) || "file";
}
