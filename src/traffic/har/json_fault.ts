/** The first syntax error in JSON text: its position and the reason. */
export interface JsonFault {
  /** Byte offset from the start of the text. */
  readonly offset: number;
  /** What was found and what was expected, such as `found "}", expected a value`. */
  readonly reason: string;
}

/** The byte order mark of UTF-8, with one character per byte. */
const MARK = "\u00ef\u00bb\u00bf";
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Finds the first syntax error in `bytes`, which should be one JSON value (RFC 8259). Returns
 * undefined if it is valid. Ignores a byte order mark. Slow but not recursive: use this function only to find the error
 * message after another parser has failed.
 */
export function findJsonFault(bytes: Uint8Array): JsonFault | undefined {
  // One character per byte, so that character offsets equal byte offsets.
  const text = new TextDecoder("iso-8859-1").decode(bytes);
  const open: string[] = [];
  let expected: "value" | "value or ]" | "name" | "name or }" | "colon" | "separator" = "value";
  let at = text.startsWith(MARK) ? MARK.length : 0;
  while (true) {
    while (SPACE.has(text.charCodeAt(at))) at++;
    const closer = open.at(-1);
    const char = text[at];
    if (expected === "separator" && closer === undefined) {
      return at === text.length ? undefined : fault(text, at, "nothing more");
    }
    if (expected === "colon") {
      if (char !== ":") return fault(text, at, "`:`");
      expected = "value";
      at++;
    } else if (char !== undefined && char === closer && mayClose(expected)) {
      open.pop();
      expected = "separator";
      at++;
    } else if (expected === "separator") {
      if (char !== ",") return fault(text, at, `\`,\` or \`${closer}\``);
      expected = closer === "}" ? "name" : "value";
      at++;
    } else if (expected === "name" || expected === "name or }") {
      if (char !== '"') return fault(text, at, "a name in double quotes");
      const end = stringEnd(text, at);
      if (typeof end !== "number") return end;
      expected = "colon";
      at = end;
    } else if (char === "{" || char === "[") {
      open.push(char === "{" ? "}" : "]");
      expected = char === "{" ? "name or }" : "value or ]";
      at++;
    } else {
      const end = scalarEnd(text, at);
      if (typeof end !== "number") return end;
      expected = "separator";
      at = end;
    }
  }
}

function mayClose(expected: string): boolean {
  return expected === "separator" || expected === "value or ]" || expected === "name or }";
}

function scalarEnd(text: string, at: number): number | JsonFault {
  if (text[at] === '"') return stringEnd(text, at);
  return matchEnd(NUMBER, text, at) ?? matchEnd(WORD, text, at) ?? fault(text, at, "a value");
}

function stringEnd(text: string, from: number): number | JsonFault {
  let at = from + 1;
  while (text[at] !== '"') {
    if (at >= text.length) return { offset: at, reason: "the text ends within a string" };
    if (text[at] < " ") {
      return fault(text, at, "an escape, because a string cannot contain control characters");
    }
    const next = text[at] === "\\" ? matchEnd(ESCAPE, text, at) : at + 1;
    if (next === undefined) return fault(text, at, "an escape such as `\\n` or `\\u0041`");
    at = next;
  }
  return at + 1;
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function fault(text: string, offset: number, expected: string): JsonFault {
  const found = offset >= text.length ? "the end" : `${JSON.stringify(text[offset])}`;
  return { offset, reason: `found ${found}, expected ${expected}` };
}
