import { random } from "../../base/random.ts";
import { compileNow } from "../../extract/compile_now.ts";
import { leafText } from "../../traffic/session/json_tree.ts";
import type { ScannedLeaf } from "../../traffic/har/scan/leaf_scanner.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { RecordedView } from "../../traffic/session/recorded_view.ts";
import type { Candidate } from "./sources/source_search.ts";

/** Members that identify an element of a list to a person, in the order of preference. */
const IDENTIFYING = [
  "name",
  "slug",
  "title",
  "label",
  "key",
  "type",
  "kind",
  "rel",
  "username",
  "login",
];
const NAME_PATHS = [[], ["node"], ["attributes"]].flatMap((path) =>
  IDENTIFYING.map((name) => [...path, name])
);
/** Matches a text that another server probably has too: words without digits. */
const STABLE = /^[\p{L}][\p{L} ._-]{0,59}$/u;

/**
 * Returns the candidate with a JSONPath that finds the elements of lists by their names instead of
 * their positions: `$.items[?@.name=='Lamp'].id` instead of `$.items[2].id`. Keeps the position of an
 * element that has no name, or whose name other elements have too, and of the only element of a list.
 */
export function withStablePath(candidate: Candidate): Candidate {
  const located = candidate.locate();
  if (located.type !== "jsonpath" || !/\[\d+\]/.test(located.expression)) return candidate;
  if (candidate.leaf && !mayHaveName(candidate.producer, candidate.leaf)) return candidate;
  const { view } = responseOf(candidate.producer);
  const stable = { ...located, expression: filteredPath(located.expression, view.json) };
  const found = compileNow(stable)(view, random(1));
  return leafText(found) === candidate.value ? { ...candidate, locate: () => stable } : candidate;
}

/** A response, and the number of its bytes that were parsed to find names of elements. */
interface LastResponse {
  readonly call: RecordedCall;
  readonly view: RecordedView;
  readonly utf8: Uint8Array | undefined;
  parsedBytes: number;
}

/** The last response: values of one response usually follow each other. */
let last: LastResponse | undefined;

function responseOf(call: RecordedCall): LastResponse {
  if (last?.call !== call) {
    const { response } = call.exchange;
    last = { call, view: new RecordedView(response), utf8: response.utf8, parsedBytes: 0 };
  }
  return last;
}

/**
 * Prefilter: reports whether an element of a list around the leaf may have a name, without parsing the
 * rest of the response. May return false positives, never false negatives.
 */
function mayHaveName(call: RecordedCall, { path, starts }: ScannedLeaf): boolean {
  const response = responseOf(call);
  const { utf8 } = response;
  if (utf8 === undefined) return true;
  const mark = utf8[0] === 0xef && utf8[1] === 0xbb && utf8[2] === 0xbf ? 3 : 0;
  return path.some((step, i) => {
    if (typeof step === "string" || i + 1 === path.length) return false;
    // Elements within elements: it is then faster to parse the whole response once.
    if (response.parsedBytes > utf8.length) return true;
    const start = mark + starts[i + 1];
    const end = jsonEnd(utf8, start);
    response.parsedBytes += end - start;
    return namesOf(JSON.parse(DECODER.decode(utf8.subarray(start, end)))).next().done === false;
  });
}

const DECODER = new TextDecoder();
const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x5b, 0x5d];
/** Bit that distinguishes `{` from `[`, and `}` from `]`. */
const BRACE = 0x20;

/** Returns the offset after the object or list that starts at `start` in JSON text. */
function jsonEnd(utf8: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < utf8.length; at++) {
    const byte = utf8[at];
    if (byte === QUOTE) {
      for (at++; utf8[at] !== QUOTE; at++) if (utf8[at] === BACKSLASH) at++;
    } else if ((byte & ~BRACE) === OPEN) depth++;
    else if ((byte & ~BRACE) === CLOSE && --depth === 0) return at + 1;
  }
  return utf8.length;
}

const STEP = /\.([A-Za-z_]\w*)|\[(\d+)\]/y;

/** Replaces positions in a path with filters. Returns a path with quoted names unchanged. */
function filteredPath(path: string, body: unknown): string {
  let [result, value, at] = ["$", body, 1];
  while (at < path.length) {
    STEP.lastIndex = at;
    const step = STEP.exec(path);
    if (step === null) return path;
    const [text, name, index] = step;
    const filter = index === undefined ? undefined : filterFor(value, Number(index));
    result += filter ?? text;
    value = (value as Record<string, unknown> | undefined)?.[name ?? index];
    at = STEP.lastIndex;
  }
  return result;
}

/** Returns a filter that selects only the element at `index` of a list, or undefined. */
function filterFor(list: unknown, index: number): string | undefined {
  if (!Array.isArray(list) || list.length < 2) return undefined;
  for (const [path, value] of namesOf(list[index])) {
    if (list.some((other, i) => i !== index && memberOf(other, path) === value)) continue;
    return `[?@.${path.join(".")}=='${value}']`;
  }
  return undefined;
}

/** Yields the texts by which a person could identify an element of a list, and their paths. */
function* namesOf(element: unknown): Generator<[path: readonly string[], value: string]> {
  for (const path of NAME_PATHS) {
    const value = memberOf(element, path);
    if (typeof value === "string" && STABLE.test(value)) yield [path, value];
  }
}

function memberOf(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) =>
      typeof at === "object" && at !== null ? (at as Record<string, unknown>)[name] : undefined,
    value,
  );
}
