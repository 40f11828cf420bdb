/** What a text with the escapes of a JSON or JavaScript string means, and where each of its UTF-16 units stands in the text. */
export interface Unescaped {
  readonly value: string;
  /** One entry a unit, and one for the end. */
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

/** Undoes the escapes of string literals, such as `\/`, `\u003d` and `\x3d`; a `\` at the end stands for itself. */
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

/** What never stands within a token. */
const ENDS = new Set("\"'`<> \t\r\n");

/** Where a text has escapes: each with what stands around it up to quotes, spaces and tags, in time linear in the text. */
export function* escapedRuns(text: string): Generator<[start: number, end: number]> {
  let end = 0;
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", end)) {
    let start = at;
    while (start > end && !ENDS.has(text[start - 1])) start--;
    for (end = at; end < text.length && !ENDS.has(text[end]);) end++;
    yield [start, end];
  }
}
