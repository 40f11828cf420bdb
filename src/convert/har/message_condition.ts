import type { Condition } from "../../plan/kinds/conditions.ts";
import { framedJson, messageJson, PACKET } from "../../base/frames.ts";
import { literal } from "../../plan/text/template.ts";
import { escapeRegex } from "../../base/string_escapes.ts";
import type { MaskValues } from "./checks/shape_pattern.ts";

/** Names of JSON members that state the kind of a message, in order of preference. */
const KINDS = [
  ...["type", "msg_type", "event", "op", "action", "method", "command", "cmd", "kind", "t"],
  ...["name", "topic", "channel", "status", "msg"],
];
/**
 * Matches a value that can name the kind of a message: words, possibly with separators, but without
 * digits.
 */
const WORD = /^[A-Za-z][A-Za-z_.:/ -]{1,60}$/;
const MAX_DEPTH = 3;
const MAX_PREFIX = 40;

/**
 * Returns a condition that recognizes messages of the same kind as `text`. If the text is JSON, or
 * JSON in a frame such as STOMP's, the condition tests a member such as `type`. Otherwise, and for
 * Engine.IO packets, it tests the start of the text. Returns undefined if the text has no suitable
 * part. `mask` replaces the values that differ in each run.
 */
export function messageCondition(
  text: string,
  mask: MaskValues = (text) => text,
): Condition | undefined {
  // The start of a packet states its kind better than the JSON after it.
  const packet = PACKET.exec(text)?.[0];
  if (packet !== undefined && framedJson(text) !== undefined) return packetCondition(text, packet);
  const value = parsed(messageJson(text));
  if (value === undefined) return textCondition(text, mask);
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const found = kindAt(value, "$", depth);
    if (found !== undefined) return found;
  }
  const [first] = Array.isArray(value) ? [] : Object.keys(value);
  return first === undefined
    ? undefined
    : { type: "jsonpath", expression: childPath("$", first), exists: true };
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function kindAt(value: unknown, path: string, depth: number): Condition | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const map = value as Readonly<Record<string, unknown>>;
  if (depth > 0) {
    for (const key of Object.keys(map)) {
      const found = kindAt(map[key], childPath(path, key, value), depth - 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const names = Array.isArray(value) ? Object.keys(map) : KINDS;
  const key = names.find((name) =>
    Object.hasOwn(map, name) && typeof map[name] === "string" && WORD.test(map[name])
  );
  return key === undefined
    ? undefined
    : { type: "jsonpath", expression: childPath(path, key, value), equals: map[key] as string };
}

/** Returns the JSONPath expression of a member or an element of the value at `path`. */
export function childPath(path: string, key: string, parent?: unknown): string {
  if (Array.isArray(parent)) return `${path}[${key}]`;
  if (/^[A-Za-z_]\w*$/.test(key)) return `${path}.${key}`;
  return `${path}[${JSON.stringify(key)}]`;
}

/**
 * Matches the start of a JSON list or object. The match ends after the object's first name, or
 * after the list's first string. If an object follows this string, the match also includes the
 * first name in that object. Later values may be generated, such as the id of a connection.
 */
const NAMED =
  /^(?:\[\s*"[A-Za-z][A-Za-z_.:/ -]{1,60}"(?:\s*,\s*\{\s*"[A-Za-z_-]{1,40}"\s*:)?|\{\s*"[A-Za-z_-]{1,40}"\s*:)/;
/** Matches the few characters that may precede the JSON in a message. */
const BEFORE_JSON = /^\d{0,3}[^\d[{"]{0,40}(?=[[{])/;

/**
 * Returns a condition on the start of an Engine.IO packet: `frame`, which is the text before the
 * JSON, and the first names in the JSON. If the JSON starts with a value instead, as in an
 * acknowledgement, the number in the frame is enough to identify the packet.
 */
function packetCondition(text: string, frame: string): Condition {
  return namedCondition(text, frame) ??
    { type: "body_matches", pattern: `^${escapeRegex(text.slice(0, frame.length + 1))}` };
}

function namedCondition(text: string, before: string): Condition | undefined {
  const named = NAMED.exec(text.slice(before.length))?.[0];
  return named === undefined
    ? undefined
    : { type: "body_contains", value: literal(before + named) };
}

/**
 * Returns a condition on the start of the text. The start ends before the first value of an object,
 * and before the first number that is not at the beginning of the text, because values and numbers
 * often change. It contains no part of a value that `mask` replaces.
 */
function textCondition(text: string, mask: MaskValues): Condition | undefined {
  const before = BEFORE_JSON.exec(text)?.[0];
  const named = before === undefined ? undefined : namedCondition(text, before);
  if (named !== undefined) return named;
  const masked = mask(text);
  let stable = 0;
  while (stable < text.length && text[stable] === masked[stable]) stable++;
  const [prefix] = /^\d{0,3}[^\d]*/.exec(text.slice(0, stable))!;
  // A truncated word is less reliable than the words before it.
  const start = prefix.length <= MAX_PREFIX
    ? prefix.toWellFormed()
    : prefix.slice(0, MAX_PREFIX).replace(/[A-Za-z]+$/, "").toWellFormed();
  if (text.length <= 3) {
    return text === "" ? undefined : { type: "body_matches", pattern: `^${escapeRegex(text)}$` };
  }
  return start.trim().length < 2 ? undefined : { type: "body_contains", value: literal(start) };
}
