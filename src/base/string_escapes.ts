/** Text without the escapes of JSON or JavaScript strings, mapped to offsets in the escaped text. */
export interface Unescaped {
  readonly value: string;
  /** Offset of each UTF-16 unit of `value` in the escaped text, and of the end. */
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

/** Decodes the escapes of string literals, such as `\/`, `\u003d` and `\x3d`. Keeps a `\` at the end. */
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

/** Characters that never occur within a token. */
const DELIMITERS = new Set("\"'`<> \t\r\n");

/** Yields each token with an escape, delimited by quotes, spaces and tags, in linear time. */
export function* escapedRuns(text: string): Generator<[start: number, end: number]> {
  let end = 0;
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", end)) {
    let start = at;
    while (start > end && !DELIMITERS.has(text[start - 1])) start--;
    for (end = at; end < text.length && !DELIMITERS.has(text[end]);) end++;
    yield [start, end];
  }
}
