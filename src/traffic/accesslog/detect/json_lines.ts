import { firstLines } from "./first_lines.ts";
import type { LogFormat } from "../read/log_format.ts";
import { RequestReader } from "../read/request_reader.ts";

/** Maximum nesting depth of the JSON objects that `listMembers` searches. */
const MAX_DEPTH = 4;

/** Parses a line that contains one JSON object. Returns undefined for any other line. */
export function parseJsonLine(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Yields the JSON objects of the lines in `head` that are requests in the format `format`. `head`
 * is the beginning of a log. Removes wrappers, such as Docker's.
 */
export function* jsonRequests(head: Uint8Array, format: LogFormat): Generator<object> {
  const { bytes, lines } = firstLines(head);
  const view = new DataView(bytes.buffer);
  const { wrapper, ...inner } = format;
  const unwrap = wrapper?.unwrap();
  const reader = new RequestReader(inner);
  for (const { start, end } of lines) {
    const line = unwrap === undefined
      ? { bytes, view, start, end }
      : unwrap(bytes, view, start, end);
    if (line === undefined) continue;
    if (reader.read(line.bytes, line.view ?? view, line.start, line.end) !== undefined) continue;
    const parsed = parseJsonLine(
      new TextDecoder().decode(line.bytes.slice(line.start, line.end)),
    );
    if (parsed !== undefined) yield parsed;
  }
}

/**
 * Yields the path and the value of each member of `object`, a parsed JSON log line. Nested members
 * have paths such as `outer.inner`. A value that is not a string is yielded as JSON.
 */
export function listMembers(
  object: object,
): Generator<readonly [path: string, value: string]> {
  return leaves(object, "", 0);
}

function* leaves(
  object: object,
  start: string,
  depth: number,
): Generator<readonly [path: string, value: string]> {
  for (const [name, value] of Object.entries(object)) {
    if (isObject(value) && depth < MAX_DEPTH) yield* leaves(value, `${start}${name}.`, depth + 1);
    else yield [start + name, typeof value === "string" ? value : JSON.stringify(value)];
  }
}

/**
 * Reports whether `object` has a member at `path` that is not an object. The path `outer.inner`
 * refers to a member `inner` of the object `outer`, and also to a member named `outer.inner`.
 */
export function hasMember(object: object, path: string): boolean {
  const members = new Map<string, unknown>(Object.entries(object));
  if (members.has(path) && !isObject(members.get(path))) return true;
  for (let dot = path.indexOf("."); dot > 0; dot = path.indexOf(".", dot + 1)) {
    const inner = members.get(path.slice(0, dot));
    if (isObject(inner) && hasMember(inner, path.slice(dot + 1))) return true;
  }
  return false;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
