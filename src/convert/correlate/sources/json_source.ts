import { ExactNumber, isNumber, writtenNumber } from "../../../base/exact_number.ts";
import { dynamicBy } from "../../../traffic/session/dynamic_value.ts";
import { leafText } from "../../../traffic/session/json_tree.ts";
import type { ScannedLeaf } from "../../../traffic/har/scan/leaf_reader.ts";
import { encodedCandidates } from "./encoded_source.ts";
import { isUnnamed } from "./element_names.ts";
import { isTypedBefore } from "./typed_names.ts";
import type {
  Candidate,
  Located,
  SearchedResponse,
  SourceSearch,
  WantedValues,
} from "./source_search.ts";

/**
 * Searches JSON bodies, in document order, for every dynamic-looking value that a request may send.
 * Also adds candidates for the source `encoded`, if requests send such a value in another encoding.
 */
export const jsonSource: SourceSearch = {
  inBody: true,
  search(response, wanted, { add }) {
    if (!response.isJson) return;
    const { call, utf8 } = response;
    const isTyped = isTypedBefore(wanted.typed, call);
    forEachWantedLeaf(response, (leaf, key, parent, step, scanned) => {
      const value = leafText(leaf);
      if (value === undefined) return;
      const by = dynamicReason(key, value, wanted);
      if (by === undefined) return;
      const place = appendStep(parent, step);
      if (!isReachable(place)) return;
      const candidate: Candidate = {
        value,
        key,
        source: by === "use" && !wanted.sent.sought.get(value)?.named ? "html" : "json",
        by,
        numeric: isNumber(leaf),
        producer: call,
        locate: locateBy(place),
        isUnnamed: scanned !== undefined && isUnnamed(utf8, scanned, isTyped),
      };
      add(candidate, scanned);
      for (const encoded of encodedCandidates(candidate, wanted.encodings)) add(encoded, scanned);
    });
  },
};

/**
 * Returns a function that creates a `jsonpath` extractor for the position `place`. The function
 * keeps only `place` in memory, not the response.
 */
function locateBy(place: JsonPlace | undefined): () => Located {
  let expression: string | undefined;
  return () => ({ type: "jsonpath", expression: expression ??= formatJsonPath(place) });
}

/**
 * Returns the reason why a value looks dynamic, or `use` if the only reason is that a request sends
 * it. Returns undefined if the value does not look dynamic, or if no request can contain it.
 */
function dynamicReason(
  key: string,
  value: string,
  { mayBeSent, sent }: WantedValues,
): Candidate["by"] | undefined {
  if (!mayBeSent(value)) return undefined;
  return dynamicBy(key, value) ?? (sent.sought.get(value)?.sure ? "use" : undefined);
}

/**
 * Function that `forEachLeaf` calls for each leaf. `key` is the name of the member that contains
 * the leaf. For a leaf in a list, it is the name of the member that contains the list. `parent` and
 * `step` form the path to the leaf. Both are undefined if the root is a leaf.
 */
export type LeafVisitor = (
  leaf: unknown,
  key: string,
  parent: JsonPlace | undefined,
  step: string | number | undefined,
  scanned?: ScannedLeaf,
) => void;

/**
 * Calls `visit` for each leaf of a JSON response that may contain a value that a request sends, in
 * document order. Passes the leaf as `scanned` if it was found without parsing the response.
 */
export function forEachWantedLeaf(response: SearchedResponse, visit: LeafVisitor): void {
  const { leaves } = response;
  if (leaves === undefined) return forEachLeaf(response.json, visit);
  for (const leaf of leaves) {
    const { text, isNumber, path } = leaf;
    let key = "";
    let parent: JsonPlace | undefined;
    for (const step of path.slice(0, -1)) {
      if (typeof step === "string") key = step;
      parent = { parent, step };
    }
    const last = path[path.length - 1];
    if (typeof last === "string") key = last;
    visit(isNumber ? writtenNumber(text) : text, key, parent, last, leaf);
  }
}

interface Frame {
  readonly value: Record<string, unknown> | unknown[];
  readonly names: readonly string[] | undefined;
  readonly key: string;
  readonly place: JsonPlace | undefined;
  next: number;
}

/**
 * Visits the leaves of a JSON value in document order. Does not recurse, so the nesting depth is
 * not limited.
 */
export function forEachLeaf(root: unknown, visit: LeafVisitor): void {
  if (typeof root !== "object" || root === null || root instanceof ExactNumber) {
    return visit(root, "", undefined, undefined);
  }
  const stack = [frame(root, "", undefined)];
  while (stack.length > 0) {
    const top = stack[stack.length - 1];
    const inner = advance(top, visit);
    if (inner === undefined) stack.pop();
    else stack.push(inner);
  }
}

/**
 * Visits the leaves of the list or object in `top`, up to the next nested list or object. Returns a
 * frame for the nested list or object, or undefined if `top` contains no more of them.
 */
function advance(top: Frame, visit: LeafVisitor): Frame | undefined {
  const { value, names, place } = top;
  const length = names === undefined ? (value as unknown[]).length : names.length;
  while (top.next < length) {
    const step = names === undefined ? top.next : names[top.next];
    const key = names === undefined ? top.key : names[top.next];
    const child = (value as Record<string | number, unknown>)[step];
    top.next++;
    if (typeof child === "object" && child !== null && !(child instanceof ExactNumber)) {
      return frame(child, key, { parent: place, step });
    }
    visit(child, key, place, step);
  }
  return undefined;
}

function frame(value: object, key: string, place: JsonPlace | undefined): Frame {
  return Array.isArray(value)
    ? { value, names: undefined, key, place, next: 0 }
    : { value: value as Record<string, unknown>, names: Object.keys(value), key, place, next: 0 };
}

/**
 * A position in a JSON value, as a linked list of steps from the position up to the root. The
 * root's position is undefined.
 */
export interface JsonPlace {
  readonly parent: JsonPlace | undefined;
  readonly step: string | number;
}

/** Returns the position of the child `step` of `parent`, or the root if `step` is undefined. */
export function appendStep(
  parent: JsonPlace | undefined,
  step: string | number | undefined,
): JsonPlace | undefined {
  return step === undefined ? undefined : { parent, step };
}

/** Matches names that a JSONPath can contain without quotation marks. */
export const SHORTHAND: RegExp = /^[A-Za-z_][A-Za-z0-9_]*$/;
const STEP = /^(?:[\b\t\n\f\r]|[^\p{Cc}\p{Cs}]|[\u007f-\u009f])*$/u;
const ESCAPES: Record<string, string> = {
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
  "'": "\\'",
  "\\": "\\\\",
};

/** Formats a position as an RFC 9535 JSONPath expression, such as `$.a.b[0]['odd name']`. */
export function formatJsonPath(place: JsonPlace | undefined): string {
  let steps = "";
  for (let at = place; at !== undefined; at = at.parent) steps = segment(at.step) + steps;
  return "$" + steps;
}

/**
 * Reports whether the engine's JSONPath library accepts the path to `place`. The library rejects
 * names that contain control characters without a short escape such as `\n`.
 */
export function isReachable(place: JsonPlace | undefined): boolean {
  for (let at = place; at !== undefined; at = at.parent) {
    if (typeof at.step === "string" && !STEP.test(at.step)) return false;
  }
  return true;
}

function segment(step: string | number): string {
  if (typeof step === "number") return `[${step}]`;
  return SHORTHAND.test(step) ? "." + step : `['${step.replace(/[\p{Cc}'\\]/gu, escape)}']`;
}

function escape(character: string): string {
  return ESCAPES[character] ?? "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0");
}
