// Simple, slow reference implementations of the line splitters, with regular expressions and
// JSON.parse.
import type { JsonFields, LineShape } from "../../src/traffic/accesslog/read/log_format.ts";

/**
 * Splits a line. Returns the text of each field by name, or undefined if the line has no request.
 */
export type SlowSplitter = (line: string) => Record<string, string> | undefined;

/** Reference implementation of `PatternSplitter`: one regular expression for the whole line. */
export function slowPattern({ before, pieces }: LineShape): SlowSplitter {
  const source = pieces.map(({ delimiter, head = 0, stops }) => {
    const zone = `(?: (?:Z|UTC|GMT|[+-]\\d\\d(?::?\\d\\d)?)(?=${
      delimiter === "" ? " |$" : escaped(delimiter)
    }))?`;
    if (head > 0 && (delimiter === "" || delimiter.startsWith(" "))) {
      return `(.{${head}}(?:(?!${delimiter === "" ? `[${stops}]` : escaped(delimiter)}).)*${zone})${
        escaped(delimiter)
      }`;
    }
    if (delimiter === "") return stops === undefined ? "(.*)" : `([^${stops}]*)`;
    if (head > 0) return `(.{${head}}(?:(?!${escaped(delimiter)}).)*)${escaped(delimiter)}`;
    const inner = delimiter.startsWith('"')
      ? `(?:\\\\.|(?!${escaped(delimiter)})[^\\\\])*`
      : `(?:(?!${escaped(delimiter)}).)*`;
    return `(${inner})${escaped(delimiter)}`;
  });
  const whole = new RegExp(`^${escaped(before)}${source.join("")}`, "s");
  return (line) => {
    // One character per byte, because lengths are in bytes.
    const binary = String.fromCharCode(...new TextEncoder().encode(line));
    const found = whole.exec(binary)?.slice(1).map((text) =>
      new TextDecoder().decode(Uint8Array.from(text, (char) => char.charCodeAt(0)))
    );
    if (found === undefined) return undefined;
    const fields: Record<string, string> = {};
    pieces.forEach(({ field, emptyQueryIsDash }, i) => {
      if (field === undefined) return;
      const text = emptyQueryIsDash ? found[i].replace(/^([^?]*)-$/, "$1") : found[i];
      fields[field] ??= text;
    });
    return fields;
  };
}

/** Reference implementation of `W3cSplitter`. */
export function slowW3c(
  separator: string,
  names: Readonly<Record<string, string>>,
  columns: string,
): SlowSplitter {
  const fields = columns.split(" ").map((column) => names[column]);
  const needed = fields.findLastIndex((field) => field !== undefined) + 1;
  return (line) => {
    const words = line.split(separator);
    if (words.length < needed) return undefined;
    const found: Record<string, string> = {};
    fields.slice(0, needed).forEach((field, i) => field && (found[field] ??= words[i]));
    return found;
  };
}

/** Reference implementation of `JsonSplitter` for valid JSON. Strings keep their escapes. */
export function slowJson(fields: JsonFields): SlowSplitter {
  return (line) => {
    const found: Record<string, string> = {};
    walk(JSON.parse(line, keepRaw), fields, found);
    return found;
  };
}

/**
 * Reviver for `JSON.parse` that replaces values with their source text. In lists, replaces each
 * value that is not a string with null.
 */
function keepRaw(this: unknown, _: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value === "string") return context!.source!.slice(1, -1);
  if (Array.isArray(this)) return null;
  return typeof value === "object" ? value : context!.source;
}

function walk(value: object, fields: JsonFields, found: Record<string, string>): void {
  for (const [name, inner] of Object.entries(value)) {
    const target = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (target === undefined || inner === null) continue;
    const isObject = typeof inner === "object" && !Array.isArray(inner);
    if (typeof target !== "string") {
      if (isObject) walk(inner, target, found);
    } else if (!isObject) {
      const first = Array.isArray(inner) ? inner[0] : inner;
      if (typeof first === "string") found[target] ??= first;
    }
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|\/]/g, "\\$&");
}
