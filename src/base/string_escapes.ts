/**
 * A decoded JSON or JavaScript string, with the offset of each of its characters in the escaped
 * text.
 */
export interface Unescaped {
  readonly value: string;
  /**
   * For each UTF-16 code unit of `value`, its offset in the escaped text. A final entry contains
   * the length of the escaped text.
   */
  readonly offsets: readonly number[];
}

const ESCAPE = /\\(?:u([0-9a-f]{4})|u\{0*([0-9a-f]{1,5}|10[0-9a-f]{4})\}|x([0-9a-f]{2})|([^]))/gi;
const CONTROLS: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "0": "\0",
};

/**
 * Decodes the escape sequences of JSON and JavaScript strings, such as `\/`, `\u003d` and `\x3d`.
 * Keeps a single `\` at the end of the text.
 */
export function undoEscapes(text: string): Unescaped {
  let value = "";
  const offsets: number[] = [];
  const add = (piece: string, at: number, step: number) => {
    value += piece;
    for (let i = 0; i < piece.length; i++) offsets.push(at + i * step);
  };
  let done = 0;
  for (const { 0: escape, 1: four, 2: braced, 3: two, 4: other, index } of text.matchAll(ESCAPE)) {
    add(text.slice(done, index), done, 1);
    const code = four ?? braced ?? two;
    const character = code === undefined
      ? CONTROLS[other] ?? other
      : String.fromCodePoint(parseInt(code, 16));
    add(character, index, 0);
    done = index + escape.length;
  }
  add(text.slice(done), done, 1);
  offsets.push(text.length);
  return { value, offsets };
}

/** Characters that separate tokens. */
const DELIMITERS = new Set("\"'`<> \t\r\n");

/**
 * Yields the start and end offset of each token that contains a backslash. Quotes, whitespace, `<`
 * and `>` separate tokens. Runs in linear time.
 */
export function* escapedRuns(text: string): Generator<[start: number, end: number]> {
  let end = 0;
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", end)) {
    let start = at;
    while (start > end && !DELIMITERS.has(text[start - 1])) start--;
    for (end = at; end < text.length && !DELIMITERS.has(text[end]);) end++;
    yield [start, end];
  }
}
