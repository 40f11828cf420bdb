import { isName } from "./names.ts";
import { objectKey } from "./literal.ts";

/** Maximum length of an object, a list or a call that is written on one line, in characters. */
const MAX_WIDTH = 84;

/** Indents each line of a piece of code. Literals in the code must not contain line breaks. */
export function indent(code: string): string {
  return code.replace(/^(?=.)/gm, "  ");
}

/**
 * A member of an object literal: its key and the code for its value. If `isComputed` is true, `key`
 * is the code for a computed key.
 */
export type Member = readonly [key: string, code: string, isComputed?: boolean];

/**
 * Returns the JavaScript code for an object. An object that does not fit on one line is split over
 * several lines. `room` is the number of characters to leave free on that line for the code around
 * the object.
 */
export function objectCode(entries: readonly Member[], room = 0): string {
  const members = entries.map(([key, code, isComputed]) => {
    if (isComputed) return `[${key}]: ${code}`;
    return key === code && isName(key) ? key : `${objectKey(key)}: ${code}`;
  });
  return enclosed("{", members, "}", " ", room);
}

/** Returns the JavaScript code for a list. `room` has the same meaning as in `objectCode`. */
export function listCode(items: readonly string[], room = 0): string {
  return enclosed("[", items, "]", "", room);
}

/**
 * Returns the JavaScript code for a call. If the last argument is the only one with several lines,
 * it starts on the line of the callee, provided that its first line fits.
 */
export function callCode(callee: string, args: readonly string[]): string {
  const last = args.at(-1);
  const others = args.slice(0, -1);
  const hugs = last !== undefined && last.includes("\n") && /^[^\n]*[[{(]\n/.test(last) &&
    !others.some((arg) => arg.includes("\n"));
  if (hugs && lineLength(`${callee}(${args.join(", ")}`) <= MAX_WIDTH) {
    return `${callee}(${args.join(", ")})`;
  }
  return enclosed(`${callee}(`, args, ")", "");
}

/** Returns a block: `head {`, the indented body, and `}`. */
export function blockCode(head: string, body: string): string {
  return body === "" ? `${head} {}` : `${head} {\n${indent(body)}\n}`;
}

/**
 * Returns the JavaScript code for an arrow function whose body is an expression. A body that starts
 * with `{` is an object literal and is enclosed in parentheses.
 */
export function arrowCode(parameters: string, body: string): string {
  return `${parameters} => ${body.startsWith("{") ? `(${body})` : body}`;
}

function enclosed(
  open: string,
  items: readonly string[],
  close: string,
  space: string,
  room = 0,
): string {
  if (items.length === 0) return open + close;
  const line = `${open}${space}${items.join(", ")}${space}${close}`;
  if (line.length + room <= MAX_WIDTH && !line.includes("\n")) return line;
  const isShort = items.every((item) => item.length <= 8 && !item.includes("\n"));
  const lines = isShort && items.length > 10 ? filled(items) : items.map((item) => `${item},`);
  return `${open}\n${indent(lines.join("\n"))}\n${close}`;
}

/** Writes many short items on as few lines as possible. */
function filled(items: readonly string[]): string[] {
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    if (last === undefined || last.length + item.length + 2 > MAX_WIDTH) lines.push(`${item},`);
    else lines[lines.length - 1] = `${last} ${item},`;
  }
  return lines;
}

function lineLength(code: string): number {
  return code.indexOf("\n") < 0 ? code.length : code.indexOf("\n");
}
