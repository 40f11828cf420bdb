import type { JsonFields } from "../../src/traffic/accesslog/read/log_format.ts";

/** Reference implementation of `JsonSplitter` for valid JSON. Strings keep their escapes. */
export function slowJson(fields: JsonFields): (line: string) => Record<string, string> {
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
