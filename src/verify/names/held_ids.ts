import type { Exchange } from "../../traffic/har/recording.ts";
import { nameWords } from "../../traffic/session/dynamic_value.ts";
import { changesData, isPushed } from "../recorded/changes_data.ts";
import { isCountName, objectKind, parameterKind, pathKind, readIdName } from "./id_name.ts";

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

/** Words in function names that do not name an object, such as verbs. */
const VERBS = new Set(
  "show open view select choose pick load toggle change on click handle do go goto confirm submit by id the this"
    .split(" "),
);

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
const MEMBER_END = /^\\*["']?\s*(?:[,}\]\\]|$)/;
const ATTRIBUTE = /<[A-Za-z][\w-]*\s[^<>]*?([\w:-]+)\s*=\s*\\*["']?$/;
const ATTRIBUTE_END = /^\\*["'\s/>]/;
const NAMING = /\s(?:name|id)\s*=\s*\\*["']?([^"'\s>\\]+)/i;
const ENCLOSING = /"([A-Za-z_]\w*)\\*"\s*:\s*\[?\s*$/;
/** Matches an event handler up to the argument of a function, as in `onclick="showUser(`. */
const HANDLER =
  /(?:\son[a-z]+\s*=\s*["']|javascript:)[^<>]*?([A-Za-z_$][\w$]*)\(\s*(?:[^()<>]*,\s*)?(?:\\*["']|&quot;|&#0?39;)?$/i;
const HANDLER_END = /^(?:\\*["']|&quot;|&#0?39;)?\s*[,)]/;
const IS_XML = /^(?:text|application)\/(?!xhtml)(?:[\w.-]+\+)?xml/i;
/** Matches the start tag of an element at the end of a string. */
const ELEMENT = /<(?:[\w.-]+:)?([\w.-]+)(?:\s[^<>]*)?>\s*$/;
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
    for (const { 0: value, index: start } of text.matchAll(this.#pattern)) {
      const end = start + value.length;
      if (!mayHaveName(text, start)) {
        const context = start === 0 && end === text.length ? wholeText(value, exchange) : undefined;
        if (context !== undefined) found.push({ value, start, end, ...context });
        continue;
      }
      const before = text.slice(Math.max(0, start - AROUND), start);
      const context = contextOf(before, text.slice(end, end + AROUND), exchange);
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

/**
 * Returns the context of an id that is a whole header, or the whole body of the response to a call
 * that changes data.
 */
function wholeText(value: string, exchange: Exchange): Context | undefined {
  const { headers, text } = exchange.response;
  if (text === value && changesData(exchange)) {
    return { name: "", kind: kindOfPage(exchange), isGuess: true };
  }
  const header = headers.find((one) => one.value === value && /-id$/i.test(one.name));
  return header && named(header.name, () => "");
}

function contextOf(before: string, after: string, exchange: Exchange): Context | undefined {
  switch (before.at(-1)) {
    case "/": {
      const [path = ""] = PATH.exec(before.slice(-LONGEST_NAME)) ?? [];
      const kind = pathKind(path.split(/\\?\//).slice(0, -1));
      if (kind === "" || !PATH_END.test(after)) return undefined;
      return { name: "", kind };
    }
    case "=": {
      const [, name] = PARAMETER.exec(before.slice(-LONGEST_NAME)) ?? [];
      if (name !== undefined) {
        return named(name, () => kindOfPage(exchange)) ?? { name, kind: parameterKind(name) };
      }
      break;
    }
    case "?":
      return QUERY_END.test(after) ? { name: "", kind: parameterKind("") } : undefined;
  }
  return inMember(before, after, exchange) ?? inElement(before, after, exchange) ??
    inHandler(before, after, exchange) ?? inAttribute(before, after, exchange);
}

/** Returns the context of the text of an XML element, as in `<order><id>7</id></order>`. */
function inElement(before: string, after: string, exchange: Exchange): Context | undefined {
  const [, name] = ELEMENT.exec(before) ?? [];
  if (name === undefined || !IS_XML.test(exchange.response.mimeType)) return undefined;
  if (!/^\s*<\//.test(after)) return undefined;
  return named(name, () => {
    const [, parent] = PARENT.exec(before) ?? [];
    return objectKind(parent ?? "") || kindOfPage(exchange);
  });
}

/**
 * Returns the context of an argument in an event handler. The kind of object comes from the name of
 * the function, as in `showUser(7)`, or otherwise from the URL path of the page.
 */
function inHandler(before: string, after: string, exchange: Exchange): Context | undefined {
  const [, name] = HANDLER_END.test(after) ? HANDLER.exec(before) ?? [] : [];
  if (name === undefined || isCountName(name)) return undefined;
  const words = nameWords(name).filter((word) => !VERBS.has(word));
  return { name: "id", kind: objectKind(words.join(" ")) || kindOfPage(exchange) };
}

function inAttribute(before: string, after: string, exchange: Exchange): Context | undefined {
  const tag = before.slice(before.lastIndexOf("<"));
  const [, attribute] = ATTRIBUTE.exec(tag) ?? [];
  if (attribute === undefined || !ATTRIBUTE_END.test(after)) return undefined;
  if (attribute !== "value") return named(attribute, () => kindOfPage(exchange));
  const [, name] = NAMING.exec(tag) ?? NAMING.exec(/^[^<>]*/.exec(after)![0]) ?? [];
  return name === undefined ? undefined : named(name, () => kindOfPage(exchange));
}

function inMember(before: string, after: string, exchange: Exchange): Context | undefined {
  const name = memberName(before) ?? listName(before);
  if (name === undefined || !MEMBER_END.test(after)) return undefined;
  return named(name, () => {
    const brace = openBrace(before);
    const type = typeName(before.slice(brace + 1)) ?? typeName(/^[^{}]*/.exec(after)![0]);
    const [, member] = ENCLOSING.exec(before.slice(Math.max(0, brace - LONGEST_NAME), brace)) ?? [];
    return objectKind(type ?? "") || objectKind(member ?? "") || kindOfPage(exchange);
  });
}

/** Returns the name of the list in which an item starts at the end of a string. */
function listName(before: string): string | undefined {
  const bracket = before.lastIndexOf("[");
  if (bracket < 0 || !ITEMS.test(before.slice(bracket + 1))) return undefined;
  return memberName(before.slice(0, bracket));
}

/**
 * Returns the offset of the `{` of the object in which a member's value starts at the end of a
 * string, or -1 if the string does not contain it. Skips braces in strings and in other objects.
 */
function openBrace(before: string): number {
  let [depth, isText] = [0, false];
  for (let at = skipQuote(before, before.length) - 1; at >= 0; at--) {
    const character = before[at];
    if (character === '"') isText = !isText;
    else if (isText) continue;
    else if (character === "}") depth++;
    else if (character === "{" && depth-- === 0) return at;
  }
  return -1;
}

/**
 * Returns the name of the member whose value starts at the end of a string, as in `"id": "` and
 * `id:'`. Reads backward, which is faster than a regular expression. Returns undefined if there is
 * no name.
 */
function memberName(before: string): string | undefined {
  let at = skipBack(before, skipQuote(before, before.length), isSpace);
  if (before[at - 1] !== ":" && before[at - 1] !== "=") return undefined;
  at = skipQuote(before, skipBack(before, at - 1, isSpace));
  const start = skipBack(before, at, isNamePart);
  const name = before.slice(Math.max(start, at - LONGEST_NAME), at);
  return /^[A-Za-z_$]/.test(name) ? name : undefined;
}

/**
 * Returns the start offset of the quotation mark that ends at `end`, including the backslashes
 * before it. Without a quotation mark, skips only the backslashes.
 */
function skipQuote(text: string, end: number): number {
  const quote = text[end - 1];
  const at = quote === '"' || quote === "'" ? end - 1 : end;
  return skipBack(text, at, (character) => character === "\\");
}

function skipBack(text: string, end: number, isSkipped: (character: string) => boolean): number {
  let at = end;
  while (at > 0 && isSkipped(text[at - 1])) at--;
  return at;
}

function isSpace(character: string): boolean {
  return character === " " || character === "\n" || character === "\t" || character === "\r";
}

function isNamePart(character: string): boolean {
  return /[\w$.-]/.test(character);
}

/**
 * Returns the context of a value with the given name, or undefined if the name does not show that
 * the value is an id. `kindOf` returns the kind of object if the name does not contain it.
 */
function named(name: string, kindOf: () => string): Context | undefined {
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
