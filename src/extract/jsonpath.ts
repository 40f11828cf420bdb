import { compile } from "json-p3";
import type { Find } from "./find.ts";

/** A value that JSON can write. */
type Json = Parameters<ReturnType<typeof compile>["query"]>[0];

/** The values that a JSONPath (RFC 9535) selects, of their JSON type. */
export function findJsonPath(expression: string): Find {
  const singular = singularPath(expression);
  if (singular) {
    return (received) => {
      const value = follow(received.json, singular);
      return value === undefined ? [] : [value];
    };
  }
  const query = compile(expression);
  return function* (received) {
    const { json } = received;
    if (json === undefined) return;
    for (const { value } of query.lazyQuery(json as Json)) yield value;
  };
}

const STEP = /\.([A-Za-z_][A-Za-z0-9_]*)|\['([^'\\]*)'\]|\["([^"\\]*)"\]|\[(0|[1-9]\d{0,8})\]/y;

/**
 * The names and indexes of a path that goes straight to one value, such as `$.a['b'][0]`: most do.
 * Undefined for any other path, and for one that only the library can tell.
 */
export function singularPath(expression: string): (string | number)[] | undefined {
  if (expression[0] !== "$") return undefined;
  const path: (string | number)[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < expression.length) {
    const [, dotted, single, double, index] = STEP.exec(expression) ?? [];
    const name = dotted ?? single ?? double;
    if (name === undefined && index === undefined) return undefined;
    path.push(name ?? Number(index));
  }
  return path;
}

function follow(value: unknown, path: readonly (string | number)[]): unknown {
  for (const key of path) {
    if (typeof key === "number") {
      if (!Array.isArray(value)) return undefined;
    } else if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return undefined;
    } else if (!Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}
