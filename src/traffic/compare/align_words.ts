/** A pair of corresponding substrings that differ, and their UTF-16 offsets in the two strings. */
export interface WordPair {
  readonly recorded: string;
  readonly live: string;
  readonly at: number;
  readonly liveAt: number;
}

/** Matches separators between words. */
const WORDS = /[\s\\"'<>&;(){}[\]]+/;
/**
 * Matches the characters that separate the tokens of a word, such as path segments and parameters,
 * and punctuation at the end of the word.
 */
const TOKENS = /[/?#=:@,|]+|[.!]+$/;
/** Matches separators between the parts of a token. */
const PARTS = /[-_.~+%]+/;
/**
 * Matches a token that contains a word, such as `image-86686-title`. A numeric date does not match.
 */
const NAMED_TOKEN = /(?:^|[-_.~+%])[A-Za-z]{2,}(?:$|[-_.~+%])/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PART_VALUE = /^(?:\d{4,}|[0-9a-f]{16,})$/i;
/** Matches a date with a time. Its parts do not count as separate values. */
const TIMESTAMP =
  /\d{4}-\d\d-\d\d(?:[T_ -]|%20)\d\d(?::|%3A)\d\d(?:(?::|%3A)\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/gi;
/** Maximum length of a value in UTF-16 code units. */
const LONGEST = 4_096;

/**
 * Compares two strings that probably differ only in values, and returns the values that differ:
 * words, the tokens of words (`123` in `/orders/123`) and the ids in tokens (`86686` in
 * `image-86686-title`). Returns pairs of several sizes for the same place, larger pairs first.
 */
export function alignWords(recorded: string, live: string): WordPair[] {
  if (recorded === live) return [];
  const found: WordPair[] = [];
  const words = splitAlike(recorded, live, WORDS);
  if (words === undefined) return centerPair(recorded, live);
  for (const word of words) {
    if (word.recorded.length > LONGEST || word.live.length > LONGEST) continue;
    if (word.recorded !== "" && word.live !== "") found.push(word);
    const times = [...word.recorded.matchAll(TIMESTAMP)].map(({ 0: time, index }) => ({
      start: word.at + index,
      end: word.at + index + time.length,
    }));
    for (const token of piecesOf(word, TOKENS)) {
      if (times.some(({ start, end }) => isWithin(token, start, end))) continue;
      if (token.recorded !== word.recorded) found.push(token);
      if (!NAMED_TOKEN.test(token.recorded) || UUID.test(token.recorded)) continue;
      const parts = piecesOf(token, PARTS);
      const isIds = parts.every(({ recorded, live }) =>
        PART_VALUE.test(recorded) && PART_VALUE.test(live)
      );
      if (isIds && parts.length > 0 && parts[0].recorded !== token.recorded) found.push(...parts);
    }
  }
  return found;
}

/** Reports whether a pair covers some, but not all, of the recorded text in `[start, end)`. */
function isWithin({ at, recorded }: WordPair, start: number, end: number): boolean {
  return at >= start && at + recorded.length <= end && recorded.length < end - start;
}

/**
 * Splits both strings of a pair at `separator` and returns the pieces that differ, except pieces
 * that are empty in one of the strings. Returns an empty list if the separators in the two strings
 * are not the same.
 */
function piecesOf(pair: WordPair, separator: RegExp): WordPair[] {
  return (splitAlike(pair.recorded, pair.live, separator) ?? [])
    .filter(({ recorded, live }) => recorded !== "" && live !== "")
    .map((piece) => ({
      ...piece,
      at: pair.at + piece.at,
      liveAt: pair.liveAt + piece.liveAt,
    }));
}

/**
 * Splits both strings at separators and returns the pieces that differ. Returns undefined if the
 * separators are not the same.
 */
function splitAlike(recorded: string, live: string, separator: RegExp): WordPair[] | undefined {
  const splitter = new RegExp(`(${separator.source})`);
  const [pieces, livePieces] = [recorded.split(splitter), live.split(splitter)];
  if (pieces.length !== livePieces.length) return undefined;
  const pairs: WordPair[] = [];
  let [at, liveAt] = [0, 0];
  for (let i = 0; i < pieces.length; i++) {
    if (pieces[i] !== livePieces[i]) {
      if (i % 2 === 1) return undefined;
      pairs.push({ recorded: pieces[i], live: livePieces[i], at, liveAt });
    }
    at += pieces[i].length;
    liveAt += livePieces[i].length;
  }
  return pairs;
}

const DELIMITER = /[\s\\"'<>&;(){}[\]=]/;

/**
 * Removes the common start and end of two strings. Returns the rest if it is a single word in both
 * strings, otherwise an empty list.
 */
function centerPair(recorded: string, live: string): WordPair[] {
  const shortest = Math.min(recorded.length, live.length);
  let start = 0;
  while (start < shortest && recorded[start] === live[start]) start++;
  let end = 0;
  while (end < shortest - start && recorded.at(-1 - end) === live.at(-1 - end)) end++;
  while (start > 0 && !DELIMITER.test(recorded[start - 1])) start--;
  while (end > 0 && !DELIMITER.test(recorded[recorded.length - end])) end--;
  const value = recorded.slice(start, recorded.length - end);
  const liveValue = live.slice(start, live.length - end);
  const isWord = [value, liveValue].every((one) =>
    one !== "" && one.length <= LONGEST && !WORDS.test(one)
  );
  if (!isWord || start + end === 0) return [];
  return [{ recorded: value, live: liveValue, at: start, liveAt: start }];
}
