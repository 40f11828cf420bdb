/** Matches the indentation and dashes at the start of a line. */
const START = /^( *)((?:- +)*)/;
const KEY = /^(?:[A-Za-z_][\w.-]*|"[^"\\]*"):/;
/**
 * Matches an unquoted scalar on one line. Does not match text that starts with an indicator of
 * another YAML style.
 */
const PLAIN = /(?:[\w./$+<=;~^(]|-(?=\S))(?:[^\s#:]| +(?=[^\s#])|(?<=\S)#|:(?=\S))*/;
const QUOTED = /"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'/;
/** Matches the value of an entry, followed by an optional comment. */
const VALUE = new RegExp(`^(?:${PLAIN.source}|${QUOTED.source})(?: +#.*| *)$`);
const EMPTY = /^(?: +#.*| *)$/;
const DOCUMENT_MARKER = /^(?:---|\.\.\.)/;

/**
 * Reports whether `BlockPlaces` finds the same offsets in valid YAML text as a syntax tree. This is
 * true if each line is empty, is a comment, or contains one entry of a map or a list in block
 * style. The value of an entry, if any, must be on the same line. Most plans have this style.
 */
export function isBlockStyle(text: string): boolean {
  // Maximum indentation of the next entry. A line that is indented more continues the previous value.
  let most = Infinity;
  let isEmpty = true;
  for (const line of text.split("\n")) {
    const [{ length }, spaces, dashes] = START.exec(line)!;
    const rest = line.slice(length);
    if (dashes === "" && (rest === "" || rest.startsWith("#"))) continue;
    isEmpty = false;
    if (spaces.length > most || DOCUMENT_MARKER.test(line)) return false;
    if (rest === "-") {
      most = Infinity;
      continue;
    }
    const key = KEY.exec(rest)?.[0];
    const value = key === undefined ? rest : rest.slice(key.length);
    if (key !== undefined && EMPTY.test(value)) {
      most = Infinity;
      continue;
    }
    if (key === undefined ? dashes === "" : !value.startsWith(" ")) return false;
    if (!VALUE.test(value.replace(/^ +/, ""))) return false;
    most = key === undefined ? spaces.length + dashes.trimEnd().length - 1 : length;
  }
  return !isEmpty;
}
