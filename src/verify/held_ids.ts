import { keyBefore, markupAt } from "../correlation/markup_view.ts";
import type { Exchange } from "../traffic/har/recording.ts";
import { isPushed } from "./recorded_exchanges.ts";
import { objectKind, parameterKind, pathKind, readIdName } from "./sent_ids.ts";
import { changesData } from "../traffic/session/changes_data.ts";

/**
 * An occurrence of a short id in a response. Offsets are in UTF-16 code units; `end` is exclusive.
 */
export interface HeldId {
  readonly value: string;
  readonly start: number;
  readonly end: number;
  /** Name of the member, attribute or parameter. Empty for a path segment. */
  readonly name: string;
  /** Kind of the object or of the place (see `isPlaceKind`), or an empty string if unknown. */
  readonly kind: string;
  /** True if the id is the whole body of a response, which may also be a count. */
  readonly isGuess?: boolean;
}

/** Number of UTF-16 code units that are read before and after a value. */
const AROUND = 400;

/**
 * Maximum length of a member name, in UTF-16 code units. Also the maximum distance between a `{`
 * and the start of the name of the member that contains the object.
 */
const LONGEST_NAME = 80;

/** Matches path segments that start with a letter, at the end of a string. */
const PATH = /(?:[A-Za-z][\w.%-]*\\?\/)+$/;
const PATH_END = /^(?:\\?\/|[?#"'<&\\\s]|$)/;
const QUERY_END = /^(?:["'<&#\\\s]|$)/;
const PARAMETER = /[?&;]([\w.:[\]-]{1,60})=$/;
const ENCLOSING = /"([A-Za-z_]\w*)\\*"\s*:\s*\[?\s*$/;
/** Matches text after an id that is a whole value. */
const VALUE_END = /^\\*(?:["'\s,;)\]}<>&#/\\]|$)/;
const IS_XML = /^(?:text|application)\/(?!xhtml)(?:[\w.-]+\+)?xml/i;
/** Matches the start tag of the element that contains the last element of a string. */
const PARENT =
  /<(?:[\w.-]+:)?([\w.-]+)(?:\s[^<>]*)?>\s*(?:<([\w.:-]+)(?:\s[^<>]*)?>[^<>]*<\/\2>\s*)*<[^<>]*>\s*$/;
/** Matches the items of a list before the last one. */
const ITEMS = /^(?:\s*(?:\\*"[\w.-]*\\*"|[\w.-]+)\s*,)*\s*\\*"?$/;
const TYPE_NAME = /"__typename\\*"\s*:\s*\\*"(\w+)/;

/**
 * Finds ids in strings by where they occur: in JSON members, attributes, parameters and path
 * segments. Takes time linear in the length of the text.
 */
export class HeldIdFinder {
  readonly #pattern: RegExp | undefined;

  /** Creates a finder for the ids in `values`. */
  constructor(values: ReadonlySet<string>) {
    if (values.size === 0) return;
    const alternatives = [...values].sort((a, b) => b.length - a.length).map(RegExp.escape);
    this.#pattern = new RegExp(`(?<![\\w.-])(?:${alternatives.join("|")})(?![\\w-]|\\.\\d)`, "g");
  }

  /**
   * Returns, in order, the ids in `text`, which is a string from the response of `exchange`.
   */
  find(text: string, exchange: Exchange): HeldId[] {
    if (this.#pattern === undefined) return [];
    const found: HeldId[] = [];
    const { text: body } = exchange.response;
    for (const { 0: value, index: start } of text.matchAll(this.#pattern)) {
      const end = start + value.length;
      if (!mayHaveName(text, start)) {
        const context = start === 0 && end === text.length ? wholeText(value, exchange) : undefined;
        if (context !== undefined) found.push({ value, start, end, ...context });
        continue;
      }
      const before = text.slice(Math.max(0, start - AROUND), start);
      const named = () =>
        text === body ? markupAt(exchange.response, text, { start, end })?.name : undefined;
      const context = contextOf(before, text.slice(end, end + AROUND), exchange, named);
      if (context !== undefined) found.push({ value, start, end, ...context });
    }
    return found;
  }
}

/** Prefilter: reports whether a name may end directly before the offset `start`. */
function mayHaveName(text: string, start: number): boolean {
  const last = text[start - 1];
  if (last === undefined) return false;
  return isSpace(last)
    ? /[:=,[>]\s*$/.test(text.slice(Math.max(0, start - LONGEST_NAME), start))
    : "/=?\"':\\(,;[>".includes(last);
}

type Context = Pick<HeldId, "name" | "kind" | "isGuess">;

function wholeText(value: string, exchange: Exchange): Context | undefined {
  const { headers, text } = exchange.response;
  if (text === value && changesData(exchange)) {
    return { name: "", kind: kindOfPage(exchange), isGuess: true };
  }
  const header = headers.find((one) => one.value === value && /-id$/i.test(one.name));
  return header && idContext(header.name, () => "");
}

function contextOf(
  before: string,
  after: string,
  exchange: Exchange,
  named: () => string | undefined,
): Context | undefined {
  const last = before.at(-1);
  if (last === "/") {
    const [path = ""] = PATH.exec(before.slice(-LONGEST_NAME)) ?? [];
    const kind = pathKind(path.split(/\\?\//).slice(0, -1));
    return kind === "" || !PATH_END.test(after) ? undefined : { name: "", kind };
  }
  if (last === "?") {
    return QUERY_END.test(after) ? { name: "", kind: parameterKind("") } : undefined;
  }
  const [, parameter] = PARAMETER.exec(before.slice(-LONGEST_NAME)) ?? [];
  if (parameter !== undefined) {
    return idContext(parameter, () => kindOfPage(exchange)) ??
      { name: parameter, kind: parameterKind(parameter) };
  }
  if (!VALUE_END.test(after)) return undefined;
  const inElement = />\s*$/.test(before);
  if (inElement && !IS_XML.test(exchange.response.mimeType)) return undefined;
  const name = named() || keyBefore(before) || listName(before);
  return name === undefined
    ? undefined
    : idContext(name, () => kindAround(before, after, inElement) || kindOfPage(exchange));
}

function kindAround(before: string, after: string, inElement: boolean): string {
  if (inElement) return objectKind(PARENT.exec(before)?.[1] ?? "");
  const brace = openBrace(before);
  const type = typeName(before.slice(brace + 1)) ?? typeName(/^[^{}]*/.exec(after)![0]);
  const [, member] = ENCLOSING.exec(before.slice(Math.max(0, brace - LONGEST_NAME), brace)) ?? [];
  return objectKind(type ?? "") || objectKind(member ?? "");
}

function listName(before: string): string | undefined {
  const bracket = before.lastIndexOf("[");
  if (bracket < 0 || !ITEMS.test(before.slice(bracket + 1))) return undefined;
  return keyBefore(before.slice(0, bracket)) || undefined;
}

/**
 * Returns the offset of the `{` of the object in which a member's value starts at the end of a
 * string, or -1 if the string does not contain it. Skips braces in strings and in other objects.
 */
function openBrace(before: string): number {
  let [depth, isText] = [0, false];
  for (let at = quoteStart(before) - 1; at >= 0; at--) {
    const character = before[at];
    if (character === '"') isText = !isText;
    else if (isText) continue;
    else if (character === "}") depth++;
    else if (character === "{" && depth-- === 0) return at;
  }
  return -1;
}

/** Returns the offset of the quotation mark, with its backslashes, at the end of a string. */
function quoteStart(text: string): number {
  return /\\*["']?$/.exec(text)!.index;
}

function isSpace(character: string): boolean {
  return character === " " || character === "\n" || character === "\t" || character === "\r";
}

function idContext(name: string, kindOf: () => string): Context | undefined {
  const { isId, kind } = readIdName(name);
  return isId ? { name, kind: kind || kindOf() } : undefined;
}

/** Returns the type in the `__typename` member of an object. Ignores the objects in it. */
function typeName(object: string): string | undefined {
  if (!object.includes("__typename")) return undefined;
  let [own, inner] = ["", object];
  while (own !== inner) [own, inner] = [inner, inner.replace(/\{[^{}]*\}/g, "")];
  return TYPE_NAME.exec(own)?.[1];
}

const kindsOfPages = new WeakMap<Exchange, string>();

/**
 * Returns the kind of object to which the URL path of an exchange refers. Returns an empty string
 * for messages and events, because those of one URL can describe objects of all kinds.
 */
function kindOfPage(exchange: Exchange): string {
  let kind = kindsOfPages.get(exchange);
  if (kind === undefined) {
    kind = isPushed(exchange) ? "" : objectKind(new URL(exchange.request.url).pathname);
    kindsOfPages.set(exchange, kind);
  }
  return kind;
}
