import { DOLLAR, SPACE } from "../../../base/ascii.ts";
import type { LogRequest } from "../read/log_request.ts";

/**
 * Matches the source of a regular expression that consists only of literal ASCII text, optionally
 * after `^`.
 */
const PLAIN_TEXT = /^(\^?)((?:[\w !"#%&',\-/:;<=>@`~]|\\[\^$\\.*+?()[\]{}|/])*)$/;

/** A pattern that consists only of literal text, optionally after `^`. */
interface TextPattern {
  /** True if the path must start with the text, false if it must contain the text. */
  readonly isStart: boolean;
  readonly text: string;
}

/** Tests whether paths match at least one of several patterns. */
export class PathPatterns {
  readonly #patterns: readonly RegExp[];
  /**
   * The patterns as literal text; undefined if a pattern contains an operator other than a leading
   * `^`.
   */
  readonly #texts: readonly TextPattern[] | undefined;

  /** Creates a matcher for `patterns`, which must have no flags other than `u` and `v`. */
  constructor(patterns: readonly RegExp[]) {
    this.#patterns = patterns;
    const texts = patterns.map(parseText);
    if (texts.every((text) => text !== undefined)) this.#texts = texts;
  }

  /** Reports whether a path matches at least one of the patterns. */
  match(path: string): boolean {
    return this.#patterns.some((pattern) => pattern.test(path));
  }

  /**
   * Reports whether `match` is guaranteed to return the same result for all paths of the request's
   * endpoint, because the text before the first id determines the result.
   */
  isSameForEndpoint({ key: { route: { bytes, start, length } } }: LogRequest): boolean {
    if (this.#texts === undefined) return false;
    const path = bytes.indexOf(SPACE, start) + 1;
    const id = bytes.subarray(path, start + length).indexOf(DOLLAR);
    const before = asciiText(bytes.subarray(path, id < 0 ? start + length : path + id));
    const matches = ({ isStart, text }: TextPattern) =>
      isStart ? before.startsWith(text) : before.includes(text);
    // A path can still start with `text` if the id contains the rest of `text`.
    const canMatch = ({ isStart, text }: TextPattern) => !isStart || text.startsWith(before);
    return this.#texts.some(matches) || !this.#texts.some(canMatch);
  }
}

function parseText({ source, flags }: RegExp): TextPattern | undefined {
  const found = PLAIN_TEXT.exec(source);
  if (found === null || !/^[uv]?$/.test(flags)) return undefined;
  return { isStart: found[1] !== "", text: found[2].replace(/\\(.)/g, "$1") };
}

/** Converts ASCII bytes to a string. For short text, faster than `TextDecoder`. */
export function asciiText(bytes: Uint8Array): string {
  return String.fromCharCode.apply(null, bytes as unknown as number[]);
}
