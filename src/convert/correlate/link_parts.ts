import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { isPathSegment } from "../../traffic/session/request_field.ts";
import { longestToken } from "../../traffic/session/text_ranges.ts";
import { ValueIndex } from "../../traffic/session/value_index.ts";

const LONGEST = 200;
/**
 * Minimum length of the longest token of a link part. Parts with only shorter tokens are not
 * searched for in bodies, because that would be slow.
 */
const SHORTEST_TOKEN = 3;
const VERSION = /^v\d+(?:\.\d+)*$/i;

/** Index for finding, in bodies, links that contain certain path segments or parameters. */
interface BodyIndex {
  readonly index: ValueIndex;
  readonly tokens: ReadonlySet<string>;
}

/**
 * Index of the path segments and parameters in the URLs of requests, by the text that `patternOf`
 * returns for them. Parses the URLs on the first lookup. Builds the index for searches in bodies
 * when `index` or `tokens` is first read.
 */
export class LinkParts {
  readonly #calls: readonly RecordedCall[];
  #byPattern: Map<string, LinkPart> | undefined;
  #inBodies: BodyIndex | undefined;

  constructor(calls: readonly RecordedCall[]) {
    this.#calls = calls;
  }

  /**
   * Returns the part for which `patternOf` returns `pattern`, or undefined if there is no such
   * part.
   */
  get(pattern: string): LinkPart | undefined {
    return (this.#byPattern ??= partsOf(this.#calls)).get(pattern);
  }

  /** Index of the patterns (see `patternOf`) to search for in bodies. */
  get index(): ValueIndex {
    return this.#bodyIndex().index;
  }

  /**
   * Tokens for a prefilter: every link in which `index` finds a pattern contains at least one of
   * these tokens.
   */
  get tokens(): ReadonlySet<string> {
    return this.#bodyIndex().tokens;
  }

  #bodyIndex(): BodyIndex {
    return this.#inBodies ??= indexOf((this.#byPattern ??= partsOf(this.#calls)).keys());
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
  return inPath ? collection !== "" : /\d/.test(value);
}

function indexOf(patterns: Iterable<string>): BodyIndex {
  const index = new ValueIndex(SHORTEST_TOKEN);
  const tokens = new Set<string>();
  for (const pattern of patterns) {
    const [start, end] = longestToken(pattern);
    if (end - start < SHORTEST_TOKEN) continue;
    index.add(pattern);
    tokens.add(pattern.slice(start, end));
  }
  return { index, tokens };
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
