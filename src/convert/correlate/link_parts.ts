import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { isPathSegment } from "../../traffic/session/request_field.ts";
import { ValueIndex } from "../../traffic/session/value_index.ts";

const LONGEST = 200;
/**
 * Minimum length of the longest token of a link part. Parts with only shorter tokens are not
 * searched for in bodies, because that would be slow.
 */
const SHORTEST_TOKEN = 3;
const DIGIT = /\d/;
const VERSION = /^v\d+(?:\.\d+)*$/i;

/**
 * Index of the path segments and parameters in the URLs of requests, by the text that `patternOf`
 * returns for them. Parses the URLs on the first lookup. Builds the index for searches in bodies
 * when `index` is first read.
 */
export class LinkParts {
  readonly #calls: readonly RecordedCall[];
  #byPattern: Map<string, LinkPart> | undefined;
  #index: ValueIndex | undefined;

  constructor(calls: readonly RecordedCall[]) {
    this.#calls = calls;
  }

  /**
   * Returns the part for which `patternOf` returns `pattern`, or undefined if there is no such
   * part.
   */
  get(pattern: string): LinkPart | undefined {
    return this.#parts().get(pattern);
  }

  /** Index of the patterns (see `patternOf`) to search for in bodies. */
  get index(): ValueIndex {
    return this.#index ??= indexOf(this.#parts().keys());
  }

  #parts(): Map<string, LinkPart> {
    return this.#byPattern ??= partsOf(this.#calls);
  }
}

function partsOf(calls: readonly RecordedCall[]): Map<string, LinkPart> {
  const parts = new Map<string, LinkPart>();
  const want = (part: LinkPart) => {
    if (isWanted(part)) parts.set(patternOf(part), part);
  };
  for (const { url } of calls) {
    let before = "";
    for (const piece of url.path) {
      if (typeof piece === "string" || !isPathSegment(piece)) continue;
      if (piece.recorded !== piece.value) continue;
      want({ value: piece.recorded, collection: before, inPath: true });
      before = piece.recorded;
    }
    for (const piece of url.query) {
      if (typeof piece === "string" || piece.kind !== "query") continue;
      if (piece.recorded !== piece.value) continue;
      want({ value: piece.recorded, collection: piece.name, inPath: false });
    }
  }
  return parts;
}

function isWanted({ value, collection, inPath }: LinkPart): boolean {
  if (value === "" || value.length > LONGEST || VERSION.test(value)) return false;
  return inPath ? collection !== "" : DIGIT.test(value);
}

function indexOf(patterns: Iterable<string>): ValueIndex {
  const index = new ValueIndex(SHORTEST_TOKEN, SHORTEST_TOKEN);
  for (const pattern of patterns) index.add(pattern);
  return index;
}

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

/**
 * Returns the text that locates a part in a link: the text before the part, followed by its value.
 */
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
