import { ExactNumber, isNumber } from "../../../base/exact_number.ts";
import { dynamicBy } from "../../../traffic/session/dynamic_value.ts";
import { leafText } from "../../../traffic/session/json_tree.ts";
import type { RecordedCall } from "../../../traffic/session/recorded_call.ts";
import { encodedCandidates } from "./encoded_source.ts";
import { addNamedValues } from "./named_values.ts";
import type {
  Candidate,
  FoundValues,
  Located,
  SearchedResponse,
  SourceSearch,
  WantedValues,
} from "./source_search.ts";
import { findOccurrences } from "./text_occurrences.ts";
import { addTextValues } from "./text_values.ts";

/**
 * Searches JSON bodies, in document order, for every dynamic-looking value that a request may send.
 * Also adds candidates for the source `encoded`, if requests send such a value in another encoding.
 */
export const jsonSource: SourceSearch = {
  inBody: true,
  search(response, wanted, { add }) {
    const { call, json } = response;
    if (json === undefined) return;
    forEachLeaf(json, (leaf, key, path) => {
      const value = leafText(leaf);
      if (value === undefined) return;
      const by = dynamicReason(key, value, wanted);
      if (by === undefined) return;
      const located = locateLeaf(path);
      if (located === undefined || isEchoedId(call, value, path)) return;
      const candidate: Candidate = {
        value,
        key,
        source: by === "use" && !wanted.sent.sought.get(value)?.named ? "html" : "json",
        by,
        numeric: isNumber(leaf),
        producer: call,
        located,
      };
      add(candidate);
      for (const encoded of encodedCandidates(candidate, wanted.encodings)) add(encoded);
    });
  },
};

/** A name or an index on the paths of leaves, and the steps that follow it. */
interface PathStep {
  /** Extractor of the leaf whose path ends here. */
  located: Located | undefined;
  next: Map<string | number, PathStep> | undefined;
}

/** Maximum number of steps that `locateLeaf` remembers. */
const MOST_STEPS = 20_000;

/** Start of all paths. Steps keep extractors, because most paths occur in many responses. */
const root: PathStep = { located: undefined, next: undefined };
let steps = 0;

/**
 * Reports whether a value of a JSON-RPC response is the id of the request, which the client chose.
 * `path` is the path to the value.
 */
function isEchoedId(
  { body }: RecordedCall,
  value: string,
  path: readonly (string | number)[],
): boolean {
  if (path.at(-1) !== "id" || body?.kind !== "json" || !body.rpcIds.has(value)) return false;
  return path.length === 1 || path.length === 2 && typeof path[0] === "number";
}

/**
 * Returns a `jsonpath` extractor for the leaf at `path`. Returns undefined if the engine's JSONPath
 * library rejects the path.
 */
export function locateLeaf(path: readonly (string | number)[]): Located | undefined {
  let step = root;
  for (const name of path) {
    let next = step.next?.get(name);
    if (next === undefined) {
      if (steps === MOST_STEPS) return leafExtractor(path);
      steps++;
      next = { located: undefined, next: undefined };
      (step.next ??= new Map()).set(name, next);
    }
    step = next;
  }
  return step.located ??= leafExtractor(path);
}

function leafExtractor(path: readonly (string | number)[]): Located | undefined {
  const expression = formatJsonPath(path);
  return expression === undefined ? undefined : { type: "jsonpath", expression };
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
 * the leaf. For a leaf in a list, it is the name of the member that contains the list. `path`
 * contains the names and indexes on the path from the root to the leaf, and is valid only during
 * the call.
 */
export type LeafVisitor = (
  leaf: unknown,
  key: string,
  path: readonly (string | number)[],
) => void;

interface Frame {
  readonly value: Record<string, unknown> | unknown[];
  readonly names: readonly string[] | undefined;
  readonly key: string;
  next: number;
}

/**
 * Visits the leaves of a JSON value in document order. Does not recurse, so the nesting depth is
 * not limited.
 */
export function forEachLeaf(root: unknown, visit: LeafVisitor): void {
  const path: (string | number)[] = [];
  if (typeof root !== "object" || root === null || root instanceof ExactNumber) {
    return visit(root, "", path);
  }
  const stack = [frame(root, "")];
  while (stack.length > 0) {
    const top = stack[stack.length - 1];
    const inner = advance(top, path, visit);
    if (inner !== undefined) stack.push(inner);
    else {
      stack.pop();
      path.pop();
    }
  }
}

/**
 * Visits the leaves of the list or object in `top`, up to the next nested list or object. Returns a
 * frame for the nested list or object, and appends its position to `path`. Returns undefined if
 * `top` contains no more of them. `path` is the path to `top`.
 */
function advance(
  top: Frame,
  path: (string | number)[],
  visit: LeafVisitor,
): Frame | undefined {
  const { value, names } = top;
  const length = names === undefined ? (value as unknown[]).length : names.length;
  while (top.next < length) {
    const step = names === undefined ? top.next : names[top.next];
    const key = names === undefined ? top.key : names[top.next];
    const child = (value as Record<string | number, unknown>)[step];
    top.next++;
    path.push(step);
    if (typeof child === "object" && child !== null && !(child instanceof ExactNumber)) {
      return frame(child, key);
    }
    visit(child, key, path);
    path.pop();
  }
  return undefined;
}

function frame(value: object, key: string): Frame {
  return Array.isArray(value)
    ? { value, names: undefined, key, next: 0 }
    : { value: value as Record<string, unknown>, names: Object.keys(value), key, next: 0 };
}

/** Matches names that a JSONPath can contain without quotation marks. */
const SHORTHAND = /^[A-Za-z_][A-Za-z0-9_]*$/;
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

/**
 * Formats a path in a JSON value as an RFC 9535 JSONPath expression, such as `$.a.b[0]['odd
 * name']`. Returns undefined if the engine's JSONPath library rejects the path, because a name
 * contains control characters without a short escape such as `\n`.
 */
export function formatJsonPath(path: readonly (string | number)[]): string | undefined {
  let expression = "$";
  for (const step of path) {
    if (typeof step === "number") expression += `[${step}]`;
    else if (SHORTHAND.test(step)) expression += "." + step;
    else if (STEP.test(step)) expression += `['${step.replace(/[\p{Cc}'\\]/gu, escape)}']`;
    else return undefined;
  }
  return expression;
}

function escape(character: string): string {
  return ESCAPES[character] ?? "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0");
}

/** Prefilter: matches strings that may be a URL, a path, markup, JSON or a list, but not a time. */
const MARKED = /[<>/="{|?&;,#]|:\D/;

/**
 * Searches the strings of a JSON body for values within them, such as the values in an embedded
 * page or in JSON within JSON. Ignores values that are a complete string or number of the body.
 */
export function searchEmbedded(
  { call, text, json }: SearchedResponse,
  wanted: WantedValues,
  { add }: FoundValues,
): void {
  if (json === undefined) return;
  const { sought, shortIds } = wanted.sent;
  // The frame of a message can contain values, such as the headers of STOMP.
  let isEmbedding = call.exchange.response.payload !== undefined;
  let hasNames = false;
  forEachLeaf(json, (leaf) => {
    const value = leafText(leaf);
    if (value === undefined || !MARKED.test(value) || sought.has(value)) return;
    hasNames ||= /[<{]/.test(value);
    isEmbedding ||= findOccurrences(value, wanted.sought).length > 0;
  });
  if (!isEmbedding && !hasNames) return;
  const leaves = new Set<string>();
  forEachLeaf(json, (leaf) => {
    const value = leafText(leaf);
    if (value !== undefined && sought.has(value)) leaves.add(value);
  });
  if (isEmbedding) addTextValues(call, text!, wanted, leaves, add);
  if (hasNames) {
    addNamedValues(call, text!, { sought, shortIds, isScript: true }, leaves, add);
  }
}
