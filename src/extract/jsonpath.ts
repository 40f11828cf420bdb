import { compile } from "json-p3";
import { isAsWritten } from "../base/exact_number.ts";
import type { Find, FindLocated, ResponseView } from "./response_view.ts";

type Json = Parameters<ReturnType<typeof compile>["query"]>[0];

/** Numbers keep all their digits. Filters compare doubles (RFC 9535). */
export function findJsonPath(expression: string): Find {
  const singular = singularPath(expression);
  if (singular) {
    return (response) => {
      const value = valueAt(response.json, singular);
      if (value === undefined) return [];
      return [exact(value, singular, response)];
    };
  }
  const query = compile(expression);
  return function* (response) {
    const { json } = response;
    if (json === undefined) return;
    for (const { value, location } of query.lazyQuery(json as Json)) {
      yield exact(value, location, response);
    }
  };
}

export function findJsonKeys(expression: string): Find {
  const locate = locateJsonPath(expression, "key");
  return function* (response) {
    if (response.json === undefined) return;
    for (const { value } of locate(response)) yield value;
  };
}

/** Finds the values or names that an expression selects, with their locations. */
export function locateJsonPath(
  expression: string,
  take: "value" | "key" = "value",
): FindLocated {
  const query = compile(expression);
  return function* (response) {
    for (const { value, location } of query.lazyQuery(response.json as Json)) {
      const name = location.at(-1);
      if (take === "value") yield { value: exact(value, location, response), location };
      else if (typeof name === "string") yield { value: name, location };
    }
  };
}

function exact(
  value: unknown,
  path: readonly (string | number)[],
  response: ResponseView,
): unknown {
  return isAsWritten(value, response.text) ? value : valueAt(response.exactJson, path);
}

const STEP = /\.([A-Za-z_][A-Za-z0-9_]*)|\['([^'\\]*)'\]|\["([^"\\]*)"\]|\[(0|[1-9]\d{0,8})\]/y;

/** Parses a path such as `$.a['b'][0]`, which most are, without the library. Else undefined. */
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

/** Returns the value at a path of a JSON value, or undefined if there is no value. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
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
