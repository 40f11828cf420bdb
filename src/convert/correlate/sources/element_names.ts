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
