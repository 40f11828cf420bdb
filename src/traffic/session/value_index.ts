import {
  inToken,
  isBounded,
  longestToken,
  MARKS,
  type RecentToken,
  RecentTokens,
  tokenMark,
  withoutOverlaps,
} from "./text_ranges.ts";

/**
 * Minimum length, in UTF-16 code units, of values that are searched for within other text. Shorter
 * values must fill a whole field.
 */
export const SHORTEST_WITHIN = 8;

/**
 * Minimum length, in UTF-16 code units, of values that are searched for within text without spaces,
 * such as a path or a field name.
 */
export const SHORTEST_IN_COMPOUND = 4;

/**
 * Maximum length, in UTF-16 code units, of a string that is searched without caching its tokens,
 * because few of them occur more than once.
 */
const SHORT_TEXT = 256;

/** An occurrence of a value in a string. Offsets are in UTF-16 code units. */
export interface Found {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Position of a value relative to its longest token: the number of UTF-16 code units before the
 * token, and the length of the value. Values for which these numbers are equal still have different
 * frames if they differ in the UTF-16 code unit next to the token.
 */
interface Frame {
  /** True if the value is the token itself. */
  readonly isToken: boolean;
  readonly before: number;
  readonly length: number;
  /**
   * UTF-16 code unit next to the token: the unit before the token or, if the token is at the start
   * of the value, the unit after it. This unit is neither a letter nor a digit. It often differs
   * between links, markup and scripts, so comparing it first saves time.
   */
  readonly adjacent: number;
  /** Offset of `adjacent` from the start of the token. */
  readonly adjacentAt: number;
}

/**
 * Cache of the results of `onlyToken`, indexed by the length of the value. Most values consist of
 * one token.
 */
const ONLY_TOKEN: (readonly [Frame] | undefined)[] = [];
/** Maximum length, in UTF-16 code units, of a value whose frame is shared with other values. */
const LONGEST_SHARED = 256;

/**
 * Returns a list that contains only the frame (see `Frame`) of a value that consists of one token
 * of `length` UTF-16 code units. `adjacent` is 0, because it does not need to be compared.
 */
function onlyToken(length: number): readonly [Frame] {
  const known = ONLY_TOKEN[length];
  if (known !== undefined) return known;
  const created = [
    { isToken: true, before: 0, length, adjacentAt: 0, adjacent: 0 },
  ] as const;
  if (length <= LONGEST_SHARED) ONLY_TOKEN[length] = created;
  return created;
}

function isSameFrame(a: Frame, b: Frame): boolean {
  return a.before === b.before && a.length === b.length && a.adjacentAt === b.adjacentAt &&
    a.adjacent === b.adjacent;
}

/**
 * Finds many values in text, in time linear in the length of the text. Does not find occurrences
 * that start or end within a token, a maximal run of letters, digits and characters that are not
 * ASCII. Indexes each value by its longest token, so that a search looks up only the tokens of the
 * text.
 */
export class ValueIndex {
  readonly #shortest: number;
  readonly #shortestOfTokens: number;
  /** The added values that are not a single token, each with `Frame.before` of its frame. */
  readonly #compounds = new Map<string, number>();
  /** The positions of the added values relative to their longest tokens, by these tokens. */
  readonly #frames = new Map<string, readonly Frame[]>();
  /** The last list of one frame that was created for each length of a value. */
  readonly #recentFrames: (readonly [Frame])[] = [];
  /**
   * Prefilter, indexed by the hash of a token: 1 if a token in `#frames` has this hash, otherwise
   * 0.
   */
  readonly #marks = new Uint8Array(MARKS);
  #shortestValue = Infinity;
  #shortestToken = Infinity;
  #longestToken = 0;

  /**
   * Creates an index that ignores values of fewer than `shortest` UTF-16 code units, and values
   * whose longest token has fewer than `shortestOfTokens`.
   */
  constructor(shortest: number = SHORTEST_WITHIN, shortestOfTokens = 1) {
    this.#shortest = shortest;
    this.#shortestOfTokens = shortestOfTokens;
  }

  /** True if no value was added. */
  get isEmpty(): boolean {
    return this.#frames.size === 0;
  }

  /** Reports whether a string is long enough to contain any of the added values. */
  mayBeIn(text: string): boolean {
    return text.length >= this.#shortestValue;
  }

  /** Adds a value to search for. Ignores values that are too short or have no letters or digits. */
  add(value: string): void {
    if (value.length < this.#shortest) return;
    const { length } = value;
    const [start, end] = longestToken(value);
    if (end - start < this.#shortestOfTokens) return;
    const isToken = end - start === length;
    if (!isToken) {
      if (this.#compounds.has(value)) return;
      this.#compounds.set(value, start);
    }
    this.#shortestValue = Math.min(this.#shortestValue, length);
    this.#shortestToken = Math.min(this.#shortestToken, end - start);
    this.#longestToken = Math.max(this.#longestToken, end - start);
    const token = value.slice(start, end);
    this.#marks[tokenMark(token, 0, token.length)] = 1;
    const added = isToken ? onlyToken(length) : this.#onlyFrame({
      isToken,
      before: start,
      length,
      adjacentAt: start > 0 ? -1 : end,
      adjacent: value.charCodeAt(start > 0 ? start - 1 : end),
    });
    const frames = this.#frames.get(token);
    if (frames === undefined) this.#frames.set(token, added);
    else if (!frames.some((known) => isSameFrame(known, added[0]))) {
      this.#frames.set(token, [...frames, ...added]);
    }
  }

  /**
   * Returns a list that contains only `frame`. Values such as the links to the items of a list have
   * equal frames, and share one list.
   */
  #onlyFrame(frame: Frame): readonly [Frame] {
    const recent = this.#recentFrames[frame.length];
    if (recent !== undefined && isSameFrame(recent[0], frame)) return recent;
    const created = [frame] as const;
    if (frame.length <= LONGEST_SHARED) this.#recentFrames[frame.length] = created;
    return created;
  }

  /**
   * Returns the occurrences of the added values in `text`, in order. If occurrences overlap, the
   * one that starts first wins, then the longest. See `findAll` for `most`.
   */
  find(text: string, most = Infinity): Found[] {
    return withoutOverlaps(this.findAll(text, most));
  }

  /**
   * Returns the occurrences of the added values in `text`, including those that overlap. `most` is
   * the number of occurrences of a value after which further ones may be omitted.
   */
  findAll(text: string, most = Infinity): Found[] {
    const found: Found[] = [];
    if (!this.mayBeIn(text)) return found;
    const shortest = this.#shortestToken;
    // Most strings are short and contain no marked token, so this object is created when needed.
    let recent: RecentTokens<readonly Frame[]> | undefined;
    // The character before `at` is in no token. A token of at least `shortest` characters that
    // starts at `at` or after it therefore contains `probe`, or starts after `probe`. For a HAR of
    // 28 MB, skipping to `probe` and decoding URLs without offsets reduced the CPU time of
    // `convert` from 1.24 to 1.05 s.
    for (let at = 0; at + shortest <= text.length;) {
      const probe = at + shortest - 1;
      if (!inToken(text.charCodeAt(probe))) {
        at = probe + 1;
        continue;
      }
      let start = probe;
      while (start > at && inToken(text.charCodeAt(start - 1))) start--;
      let end = probe + 1;
      while (end < text.length && inToken(text.charCodeAt(end))) end++;
      if (end - start >= shortest && end - start <= this.#longestToken) {
        const mark = tokenMark(text, start, end);
        if (this.#marks[mark] === 1) {
          if (text.length <= SHORT_TEXT && most === Infinity) {
            this.#addFrames(found, text, start, text.slice(start, end));
          } else {
            recent ??= new RecentTokens(text);
            this.#addFound(found, recent.at(mark, start, end), start, most);
          }
        }
      }
      at = end + 1;
    }
    return found;
  }

  /**
   * Adds to `found` the values whose longest token is `token`, for the occurrence of this token at
   * `start`. See `findAll` for `most`.
   */
  #addFound(
    found: Found[],
    token: RecentToken<readonly Frame[]>,
    start: number,
    most: number,
  ): void {
    const { text } = token;
    token.data ??= this.#frames.get(text.slice(token.start, token.end)) ?? [];
    for (const frame of token.data) {
      if (!frame.isToken) this.#addFramed(found, text, start, frame);
      else if (token.count++ < most) {
        const end = start + frame.length;
        found.push({ value: text.slice(start, end), start, end });
      }
    }
  }

  /**
   * Adds to `found` the values whose longest token is `token`, for the occurrence of this token at
   * `start`.
   */
  #addFrames(found: Found[], text: string, start: number, token: string): void {
    for (const frame of this.#frames.get(token) ?? []) {
      if (frame.isToken) found.push(plain(token, start));
      else this.#addFramed(found, text, start, frame);
    }
  }

  /**
   * Adds to `found` the text at the position `frame` relative to the token at `start` (see
   * `Frame`), if this text is one of the added values.
   */
  #addFramed(found: Found[], text: string, start: number, frame: Frame): void {
    // A page can contain a token thousands of times, and most often without the rest of the value.
    if (text.charCodeAt(start + frame.adjacentAt) !== frame.adjacent) return;
    const from = start - frame.before;
    const to = from + frame.length;
    if (from < 0 || to > text.length) return;
    if (!isBounded(text, from, to)) return;
    const value = text.slice(from, to);
    if (this.#compounds.get(value) === frame.before) found.push({ value, start: from, end: to });
  }
}

function plain(value: string, start: number): Found {
  return { value, start, end: start + value.length };
}
