/**
 * A path segment or a parameter of a URL that a request uses, with the segment or the name before
 * it.
 */
export interface LinkPart {
  /** The path segment, or the value of the parameter. */
  readonly value: string;
  /** The path segment before the value, or the name of the parameter. */
  readonly collection: string;
  readonly inPath: boolean;
}

/** Returns the text that locates a part in a link: the text before the part, followed by its value. */
export function patternOf({ value, collection, inPath }: LinkPart): string {
  return inPath
    ? `${collection}/${value}`
    : collection === ""
    ? `?${value}`
    : `${collection}=${value}`;
}

/**
 * Returns a pattern for each path segment and parameter of a URL: the text before it, followed by
 * its value, in the same form as the result of `patternOf`.
 */
export function patternsIn(location: string): string[] {
  const [, path, query = ""] = /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/[^/?#]*)?([^?#]*)\??([^#]*)/i
    .exec(location)!;
  const segments = path.split("/");
  const pairs = query.split("&").map((pair) => pair.includes("=") ? pair : `?${pair}`);
  return [...segments.slice(1).map((value, i) => `${segments[i]}/${value}`), ...pairs];
}
