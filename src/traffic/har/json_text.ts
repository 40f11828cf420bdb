import { parseExactJson } from "../../base/exact_number.ts";
import { isJson } from "./media_type.ts";

const DEEPEST_JSON = 64;

/**
 * Parses JSON with every digit of its numbers. Undefined if it is nested deeper than 64 levels, or
 * if writing it again changes more than spaces and escapes: a repeated or sorted name.
 */
export function readJsonBody(text: string): { readonly value: unknown } | undefined {
  if (depth(text) > DEEPEST_JSON) return undefined;
  try {
    const value = parseExactJson(text);
    const written = JSON.stringify(value);
    const isSame = written === compactJson(text, rewritten) && !written.includes('"__proto__":');
    return isSame ? { value } : undefined;
  } catch {
    return undefined;
  }
}

function compactJson(text: string, convert = (string: string) => string): string {
  const pieces: string[] = [];
  const next = /["\s]/g;
  for (let done = 0; done < text.length; done = next.lastIndex) {
    const found = next.exec(text);
    pieces.push(text.slice(done, found?.index));
    if (found === null) break;
    if (found[0] !== '"') continue;
    next.lastIndex = closingQuote(text, found.index + 1) + 1;
    pieces.push(convert(text.slice(found.index, next.lastIndex)));
  }
  return pieces.join("");
}

/** Reports whether writing a JSON body again changes the escape sequences of its strings. */
export function hasOtherEscapes(text: string): boolean {
  return text.includes("\\") && compactJson(text, rewritten) !== compactJson(text);
}

function rewritten(string: string): string {
  return string.includes("\\") ? JSON.stringify(JSON.parse(string)) : string;
}

/** Offset of the end of a JSON string. V8 throws if a regular expression matches megabytes. */
export function closingQuote(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return Math.min(at, text.length);
}

/** A part of a JSON value: its name or index, and the object or list that contains it. */
export interface PathNode {
  readonly parent: PathNode | undefined;
  readonly step: string | number;
  /** The name of the part. For an item of a list, that of the list. */
  readonly key: string;
}

/** Returns the node of a part of an object or a list. */
export function pathNode(parent: PathNode | undefined, step: string | number): PathNode {
  return { parent, step, key: typeof step === "string" ? step : parent?.key ?? "" };
}

/** A string or a number in JSON text. The range does not contain the quotation marks. */
export interface JsonTextLeaf {
  readonly start: number;
  readonly end: number;
  readonly isString: boolean;
  /** Undefined for a text that consists of the leaf. Its names may contain escape sequences. */
  readonly node: PathNode | undefined;
}

/** Yields the strings and numbers of unchecked JSON text, also in a frame or after a prefix. */
export function* jsonLeaves(text: string, root?: PathNode): Generator<JsonTextLeaf, undefined> {
  const open: { readonly node: PathNode | undefined; step: string | number }[] = [];
  const token = /["{}[\],]|-?\d[\d.eE+-]*/g;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [mark] = found;
    const inside = open.at(-1);
    if (mark === "}" || mark === "]") open.pop();
    else if (mark === ",") {
      if (typeof inside?.step === "number") inside.step++;
    } else {
      const isString = mark === '"';
      const start = isString ? token.lastIndex : found.index;
      const end = isString ? closingQuote(text, start) : token.lastIndex;
      if (isString) token.lastIndex = end + 1;
      if (
        isString && typeof inside?.step === "string" && /\s*:/y.test(text.slice(end + 1, end + 20))
      ) {
        inside.step = text.slice(start, end);
        continue;
      }
      const node = inside === undefined ? root : pathNode(inside.node, inside.step);
      if (mark === "{") open.push({ node, step: "" });
      else if (mark === "[") open.push({ node, step: 0 });
      else yield { start, end, isString, node };
    }
  }
}

/** Upper bound on the nesting depth of JSON text, because it counts brackets in strings. */
function depth(text: string): number {
  let [open, deepest] = [0, 0];
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open += bracket === "[" || bracket === "{" ? 1 : -1;
    if (open > deepest) deepest = open;
  }
  return deepest;
}

/**
 * Parses JSON with every digit of its numbers. Undefined for HTML, invalid JSON, and a prefix such
 * as `)]}'`. `payload` is the JSON in a WebSocket message.
 */
export function parseJsonResponse(text: string, mimeType: string, payload?: string): unknown {
  if (payload !== undefined) return parseExactJson(payload);
  if (mimeType.includes("html")) return undefined;
  const first = /[^\s\ufeff]/.exec(text.slice(0, 64))?.[0];
  if (first !== "{" && first !== "[" && !isJson(mimeType)) return undefined;
  try {
    return parseExactJson(text.startsWith("\ufeff") ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

/** Where a text ends, by the reason of the parser. Other reasons name the expected character. */
const AT_END: Readonly<Record<string, string>> = {
  "Unterminated string": " within a string",
  "Unexpected end": " before the value is complete",
};

/** Finds the first syntax error, such as `found "}": expected …`. Undefined without one. */
export function findJsonFault(
  bytes: Uint8Array,
): { readonly offset: number; readonly reason: string } | undefined {
  // One character per byte, so that character offsets equal byte offsets.
  const text = new TextDecoder("iso-8859-1").decode(bytes).replace(/^\u00ef\u00bb\u00bf/, "   ");
  const message = syntaxError(text);
  if (message === undefined) return undefined;
  const [reason] = /^Unexpected token|^.*?(?= (?:in|of|after) JSON)/s.exec(message) ?? [message];
  const position = /at position (\d+)/.exec(message)?.[1];
  const offset = position !== undefined
    ? Number(position)
    : TOKEN.test(message)
    ? unexpectedToken(text)
    : text.length;
  const detail = `${reason[0].toLowerCase()}${reason.slice(1)}`;
  if (offset < text.length) {
    return { offset, reason: `found ${JSON.stringify(text[offset])}: ${detail}` };
  }
  return { offset, reason: `the text ends${AT_END[reason] ?? ` too early: ${detail}`}` };
}

/** Matches the only error of `JSON.parse` in the middle of a text that has no position. */
const TOKEN = /^Unexpected token/;

/** Finds the shortest start of `text` that contains the unexpected token, which is its end. */
function unexpectedToken(text: string): number {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (TOKEN.test(syntaxError(text.slice(0, middle + 1)) ?? "")) high = middle;
    else low = middle + 1;
  }
  return low;
}

function syntaxError(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as SyntaxError).message;
  }
}
