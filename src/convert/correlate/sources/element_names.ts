import { isAt, type ScannedLeaf } from "../../../traffic/har/scan/leaf_reader.ts";

/** Members whose values let a person identify an element of a list, in order of preference. */
const IDENTIFYING = [
  "name",
  "slug",
  "title",
  "label",
  "key",
  "type",
  "kind",
  "rel",
  "username",
  "login",
];
/** Members that identify an element if the user typed their text. */
const IDENTIFYING_IF_TYPED = ["email", "subject", "summary", "text", "description"];
const ALL_IDENTIFYING = [...IDENTIFYING, ...IDENTIFYING_IF_TYPED];
/** Members of a list element that can be objects with an identifying member. */
const HOLDERS = ["node", "attributes"];
/** Paths, within a list element, of the objects that can contain an identifying member. */
const HOLDER_PATHS = [[], ...HOLDERS.map((name) => [name])];
/** Matches a string that is probably the same on other servers: words without digits. */
const STABLE = /^[\p{L}][\p{L} ._-]{0,59}$/u;
/** Matches a string that a JSONPath can contain in quotation marks. */
const QUOTABLE = /^[^'\\\p{Cc}]{1,120}$/u;

/**
 * Returns the strings that a person could use to identify a list element, with their paths.
 * `isTyped` reports whether the user typed a string. A typed string can identify an element even if
 * it contains digits.
 */
export function listNames(
  element: unknown,
  isTyped: (text: string) => boolean,
): [path: readonly string[], value: string][] {
  const names: [path: readonly string[], value: string][] = [];
  for (const path of HOLDER_PATHS) {
    const holder = memberOf(element, path);
    if (typeof holder !== "object" || holder === null) continue;
    for (let i = 0; i < ALL_IDENTIFYING.length; i++) {
      const name = ALL_IDENTIFYING[i];
      const value = (holder as Record<string, unknown>)[name];
      if (typeof value !== "string") continue;
      if (identifies(name, value, isTyped)) names.push([[...path, name], value]);
    }
  }
  return names;
}

/** Reports whether a member with this name and value identifies a list element. */
function identifies(name: string, value: string, isTyped: (text: string) => boolean): boolean {
  return (STABLE.test(value) && !IDENTIFYING_IF_TYPED.includes(name)) ||
    (isTyped(value) && QUOTABLE.test(value));
}

/** Returns the value at a path of member names, or undefined if the path does not exist. */
export function memberOf(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const name of path) {
    at = typeof at === "object" && at !== null ? (at as Record<string, unknown>)[name] : undefined;
  }
  return at;
}

/** The last searched body, and the number of its bytes that were searched for names. */
let last: { readonly utf8: Uint8Array; searchedBytes: number } | undefined;

/**
 * Reports whether all list elements that contain the given leaf of a JSON body lack a name that
 * identifies them. Searches only these elements, not the rest of the body. May return false if all
 * of them are unnamed, but never returns true if one has a name. `isTyped` has the same meaning as
 * in `listNames`.
 */
export function isUnnamed(
  utf8: Uint8Array | undefined,
  { path, starts }: ScannedLeaf,
  isTyped: (text: string) => boolean,
): boolean {
  if (utf8 === undefined) return false;
  if (last?.utf8 !== utf8) last = { utf8, searchedBytes: 0 };
  const mark = utf8[0] === 0xef && utf8[1] === 0xbb && utf8[2] === 0xbf ? 3 : 0;
  for (let i = 0; i + 1 < path.length; i++) {
    if (typeof path[i] === "string") continue;
    // With nested elements, parsing the whole body once is faster.
    if (last.searchedBytes > utf8.length) return false;
    const start = mark + starts[i + 1];
    const end = endOfUnnamed(utf8, start, isTyped);
    if (end < 0) return false;
    last.searchedBytes += end - start;
  }
  return true;
}

const [QUOTE, BACKSLASH, COLON, OPEN, CLOSE] = [0x22, 0x5c, 0x3a, 0x5b, 0x5d];
/** Bit that distinguishes `{` from `[`, and `}` from `]`. */
const BRACE = 0x20;

/**
 * Returns the offset just after the list element that starts at `start` in JSON text. Returns -1 if
 * the element has a name (see `listNames`), or if the name of a member contains escape sequences.
 */
function endOfUnnamed(
  utf8: Uint8Array,
  start: number,
  isTyped: (text: string) => boolean,
): number {
  let depth = 0;
  let inHolder = false;
  for (let at = start; at < utf8.length; at++) {
    const byte = utf8[at];
    if (byte === QUOTE) {
      const from = at + 1;
      at = stringEnd(utf8, from);
      if (depth > 2 || (depth === 2 && !inHolder)) continue;
      const value = valueStart(utf8, at + 1);
      if (value < 0) continue;
      if (hasEscape(utf8, from, at)) return -1;
      const name = memberName(utf8, from, at);
      const isHolder = name !== undefined && HOLDERS.includes(name);
      if (depth === 1) inHolder = isHolder;
      if (name === undefined || isHolder || utf8[value] !== QUOTE) continue;
      const text = shortString(utf8, value);
      if (text !== undefined && identifies(name, text, isTyped)) return -1;
    } else if ((byte & ~BRACE) === OPEN) depth++;
    else if ((byte & ~BRACE) === CLOSE && --depth === 0) return at + 1;
  }
  return utf8.length;
}

/** Returns the offset of the quote at the end of the JSON string whose content starts at `from`. */
function stringEnd(utf8: Uint8Array, from: number): number {
  let at = from;
  for (; utf8[at] !== QUOTE; at++) if (utf8[at] === BACKSLASH) at++;
  return at;
}

function hasEscape(utf8: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (utf8[at] === BACKSLASH) return true;
  return false;
}

/**
 * Returns the offset of the value after the colon at `at`. There can be white space before and after
 * the colon. Returns -1 if there is no colon.
 */
function valueStart(utf8: Uint8Array, at: number): number {
  while (utf8[at] <= 0x20) at++;
  if (utf8[at++] !== COLON) return -1;
  while (utf8[at] <= 0x20) at++;
  return at;
}

/** The names that `memberName` recognizes, with their UTF-8 encodings, by their lengths. */
const NAMES = Map.groupBy(
  [...ALL_IDENTIFYING, ...HOLDERS].map((name) => ({
    name,
    bytes: new TextEncoder().encode(name),
  })),
  ({ bytes }) => bytes.length,
);

/** Returns the name at `[from, to)` if it is identifying or that of a holder. */
function memberName(utf8: Uint8Array, from: number, to: number): string | undefined {
  for (const { name, bytes } of NAMES.get(to - from) ?? []) {
    if (isAt(utf8, from, bytes)) return name;
  }
  return undefined;
}

const DECODER = new TextDecoder();
/** Maximum length of a name of 120 characters in JSON text, in bytes, with escape sequences. */
const LONGEST_NAME = 720;

/** Returns the JSON string at `start`, or undefined if it is too long for a name. */
function shortString(utf8: Uint8Array, start: number): string | undefined {
  const end = stringEnd(utf8, start + 1) + 1;
  if (end - start > LONGEST_NAME + 2) return undefined;
  return JSON.parse(DECODER.decode(utf8.subarray(start, end)));
}
