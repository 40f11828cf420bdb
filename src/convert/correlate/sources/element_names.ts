import type { ScannedLeaf } from "../../../traffic/har/scan/leaf_reader.ts";

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
/** Paths, within a list element, of the objects that can contain an identifying member. */
const HOLDERS = [[], ["node"], ["attributes"]];
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
  for (const path of HOLDERS) {
    const holder = memberOf(element, path);
    if (typeof holder !== "object" || holder === null) continue;
    for (let i = 0; i < ALL_IDENTIFYING.length; i++) {
      const name = ALL_IDENTIFYING[i];
      const value = (holder as Record<string, unknown>)[name];
      if (typeof value !== "string") continue;
      const isName = i < IDENTIFYING.length && STABLE.test(value);
      if (isName || (isTyped(value) && QUOTABLE.test(value))) names.push([[...path, name], value]);
    }
  }
  return names;
}

/** Returns the value at a path of member names, or undefined if the path does not exist. */
export function memberOf(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const name of path) {
    at = typeof at === "object" && at !== null ? (at as Record<string, unknown>)[name] : undefined;
  }
  return at;
}

/** The last searched body, and the number of its bytes that were parsed to find names. */
let last: { readonly utf8: Uint8Array; parsedBytes: number } | undefined;

const DECODER = new TextDecoder();

/**
 * Reports whether all list elements that contain the given leaf of a JSON body lack a name that
 * identifies them. Parses only these elements, not the rest of the body. May return false if all of
 * them are unnamed, but never returns true if one has a name. `isTyped` has the same meaning as in
 * `listNames`.
 */
export function isUnnamed(
  utf8: Uint8Array | undefined,
  { path, starts }: ScannedLeaf,
  isTyped: (text: string) => boolean,
): boolean {
  if (utf8 === undefined) return false;
  if (last?.utf8 !== utf8) last = { utf8, parsedBytes: 0 };
  const mark = utf8[0] === 0xef && utf8[1] === 0xbb && utf8[2] === 0xbf ? 3 : 0;
  for (let i = 0; i + 1 < path.length; i++) {
    if (typeof path[i] === "string") continue;
    // With nested elements, parsing the whole body once is faster.
    if (last.parsedBytes > utf8.length) return false;
    const start = mark + starts[i + 1];
    const end = jsonEnd(utf8, start);
    last.parsedBytes += end - start;
    const element = JSON.parse(DECODER.decode(utf8.subarray(start, end)));
    if (listNames(element, isTyped).length > 0) return false;
  }
  return true;
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x5b, 0x5d];
/** Bit that distinguishes `{` from `[`, and `}` from `]`. */
const BRACE = 0x20;

/** Returns the offset just after the object or list that starts at `start` in JSON text. */
function jsonEnd(utf8: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < utf8.length; at++) {
    const byte = utf8[at];
    if (byte === QUOTE) {
      for (at++; utf8[at] !== QUOTE; at++) if (utf8[at] === BACKSLASH) at++;
    } else if ((byte & ~BRACE) === OPEN) depth++;
    else if ((byte & ~BRACE) === CLOSE && --depth === 0) return at + 1;
  }
  return utf8.length;
}
