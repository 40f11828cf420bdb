/** Result of searching for the end of a JSON value. */
export interface ReferenceEnd {
  /** Offset after the value, or undefined if the text ends first. */
  readonly end: number | undefined;
  /** The offset after each line feed that is outside strings. */
  readonly lines: readonly number[];
  /** Offsets of the start and the end of each string of at least `long` bytes. */
  readonly strings: readonly number[];
}

/** Finds the end of the string, object or list that starts at offset 0. Works byte by byte. */
export function referenceEnd(bytes: Uint8Array, long: number): ReferenceEnd {
  const [lines, strings]: number[][] = [[], []];
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const char = String.fromCharCode(bytes[at]);
    if (char === "\n") lines.push(at + 1);
    else if (char === '"') {
      const start = at++;
      while (at < bytes.length && bytes[at] !== 0x22) at += bytes[at] === 0x5c ? 2 : 1;
      if (at >= bytes.length) break;
      if (at + 1 - start >= long) strings.push(start, at + 1);
    } else if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") depth--;
    else continue;
    if (depth === 0 && char !== "\n") return { end: at + 1, lines, strings };
  }
  return { end: undefined, lines, strings };
}

/**
 * Decodes a JSON string in UTF-8. Returns undefined if it contains a lone surrogate. Throws
 * SyntaxError if it is invalid.
 */
export function referenceText(literal: Uint8Array): string | undefined {
  const text: string = JSON.parse(new TextDecoder("utf-8", { ignoreBOM: true }).decode(literal));
  return text.isWellFormed() ? text : undefined;
}

/**
 * A leaf of a JSON value: the string or the source text of the number, and the path that leads to
 * it.
 */
export interface ReferenceLeaf {
  readonly text: string;
  readonly isNumber: boolean;
  readonly path: readonly (string | number)[];
}

/** Returns the leaves of JSON text, or undefined if the text is not JSON. */
export function referenceLeaves(json: string): ReferenceLeaf[] | undefined {
  const leaves: ReferenceLeaf[] = [];
  const sources = new WeakMap<object, Map<string, string>>();
  // The reviver also receives the text of each number.
  const keepSource = function (this: object, key: string, value: unknown, context?: unknown) {
    if (typeof value === "number") {
      const known = sources.get(this) ?? new Map<string, string>();
      sources.set(this, known.set(key, (context as { source: string }).source));
    }
    return value;
  };
  const visit = (holder: object, key: string, value: unknown, path: (string | number)[]) => {
    if (typeof value === "string") leaves.push({ text: value, isNumber: false, path });
    else if (typeof value === "number") {
      leaves.push({ text: sources.get(holder)!.get(key)!, isNumber: true, path });
    } else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        visit(value, name, member, [...path, Array.isArray(value) ? Number(name) : name]);
      }
    }
  };
  try {
    const root = { "": JSON.parse(json, keepSource) as unknown };
    if (typeof root[""] === "number") return [];
    visit(root, "", root[""], []);
    return leaves;
  } catch {
    return undefined;
  }
}
