import { asText } from "../base/exact_json.ts";
import { ExactNumber, isNumber } from "../base/exact_number.ts";
import {
  entityRuns,
  escapedRuns,
  percentRuns,
  undoEntities,
  undoEscapes,
  undoPercent,
  type Unescaped,
} from "../base/string_escapes.ts";
import type { ResponseView } from "../extract/response_view.ts";
import type { Transform } from "../plan/kinds/extractors/extractor.ts";
import { parseJsonResponse } from "../traffic/har/json_body.ts";
import type { RecordedResponse } from "../traffic/har/recording.ts";
import { decodeBase64Text } from "../traffic/session/base64_text.ts";
import { parseSetCookies } from "../traffic/session/set_cookies.ts";
import { keyBefore, markupAt } from "./markup_view.ts";

/** A response to a request, with everything that an extractor can read. */
export type Response = Pick<RecordedResponse, "headers" | "text" | "payload" | "mimeType"> & {
  /** What extractors see of a live response. A recorded one has none. */
  readonly view?: ResponseView;
};

/** A text in a response. */
export interface View {
  readonly response: Response;
  /** The text in which occurrences have their offsets, in UTF-16 code units. */
  readonly text: string;
  /** Name that the response gives to the text. Empty for a body. */
  readonly key: string;
  readonly place: Place;
}

/** Where the text of a view is in its response. */
export type Place =
  | { readonly kind: "body" }
  | { readonly kind: "header"; readonly name: string }
  | { readonly kind: "cookie"; readonly name: string }
  | { readonly kind: "json"; readonly path: JsonPath; readonly isNumber: boolean }
  | { readonly kind: "member"; readonly path: JsonPath }
  | { readonly kind: "decoded"; readonly from: Occurrence; readonly transform: Transform };

/** Names and indexes from the root of a JSON value to a part of it. */
export type JsonPath = readonly (string | number)[];

/** A range of a view's text, which contains a value that a request sends. */
export interface Occurrence {
  readonly view: View;
  readonly start: number;
  readonly end: number;
}

/** Matches the names of response headers whose values clients do not send back. */
const NOISE =
  /^(?:content-.*|age|date|expires|cache-control|server|vary|via|access-control-.*|alt-svc|set-cookie|retry-after|.*rate-?limit.*)$/i;

/** Maximum number of encodings around a text. */
const DEEPEST = 3;

/** Yields the texts of a response in which the values of later requests can occur. */
export function* viewsOf(response: Response): Generator<View> {
  const view = (text: string, key: string, place: Place): View => (
    { response, text, key, place }
  );
  for (const { name, value } of response.headers) {
    if (!NOISE.test(name)) yield* withDecoded(view(value, name, { kind: "header", name }));
  }
  for (const [name, value] of parseSetCookies(response)) {
    if (value !== "") yield* withDecoded(view(value, name, { kind: "cookie", name }));
  }
  const { text } = response;
  if (text === undefined) return;
  const json = parseJsonResponse(text, response.mimeType, response.payload);
  if (json === undefined || (response.payload !== undefined && response.payload !== text)) {
    yield* withDecoded(view(text, "", { kind: "body" }));
  }
  if (json === undefined) return;
  for (const { path, value, isName } of jsonTexts(json)) {
    const key = keyOf(isName ? path.slice(0, -1) : path);
    yield* isName
      ? [view(asText(value), key, { kind: "member", path })]
      : withDecoded(view(asText(value), key, { kind: "json", path, isNumber: isNumber(value) }));
  }
}

/** Returns the last name on a path. Empty if the path contains only indexes. */
function keyOf(path: JsonPath): string {
  return path.findLast((part) => typeof part === "string") ?? "";
}

interface JsonText {
  /** Valid until the next text is read. */
  readonly path: JsonPath;
  readonly value: unknown;
  /** True if the text is the name of the member at `path`. */
  readonly isName?: boolean;
}

/**
 * Yields the strings and numbers of a JSON value, and the names of members that contain a digit, in
 * document order.
 */
function* jsonTexts(root: unknown): Generator<JsonText> {
  const open: { path: JsonPath; entries: Iterator<[string | number, unknown]> }[] = [];
  const enter = (value: unknown, path: JsonPath) => {
    const entries = Array.isArray(value)
      ? value.entries()
      : Object.entries(value as object).values();
    open.push({ path, entries });
  };
  if (isContainer(root)) enter(root, []);
  else if (typeof root === "string" || isNumber(root)) yield { path: [], value: root };
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const next = top.entries.next();
    if (next.done) {
      open.pop();
      continue;
    }
    const [name, value] = next.value;
    const path = [...top.path, name];
    if (typeof name === "string" && /\d/.test(name)) yield { path, value: name, isName: true };
    if (isContainer(value)) enter(value, path);
    else if (typeof value === "string" || isNumber(value)) yield { path, value };
  }
}

function isContainer(value: unknown): boolean {
  return typeof value === "object" && value !== null && !(value instanceof ExactNumber);
}

interface Encoding {
  readonly transform: Transform;
  /** Yields the ranges of a text that contain encoded characters. */
  runs(text: string): Iterable<[start: number, end: number]>;
  /** Returns undefined if the text is not encoded. */
  decode(text: string): string | undefined;
}

const ENCODINGS: readonly Encoding[] = [
  { transform: "json_decode", runs: escapedRuns, decode: (text) => undoEscapes(text).value },
  { transform: "html_decode", runs: entityRuns, decode: (text) => undoEntities(text).value },
  { transform: "url_decode", runs: percentRuns, decode: (text) => undoPercent(text).value },
  { transform: "base64_decode", runs: base64Runs, decode: decodeBase64Text },
];

const BASE64 = /^[\w+/-]{12,2048}={0,2}$/;

function* base64Runs(text: string): Generator<[start: number, end: number]> {
  if (BASE64.test(text)) yield [0, text.length];
}

/** Yields a view, and views of the parts of its text that are encoded. */
function* withDecoded(view: View, depth = 0): Generator<View> {
  yield view;
  if (depth === DEEPEST) return;
  const { text, place } = view;
  for (const { transform, runs, decode } of ENCODINGS) {
    // A text that was decoded completely contains no such encoding, except escapes in escapes.
    if (place.kind === "decoded" && place.transform === transform && transform !== "json_decode") {
      continue;
    }
    for (const [start, end] of runs(text)) {
      const decoded = decode(text.slice(start, end));
      if (decoded === undefined || decoded === text.slice(start, end)) continue;
      const from = { view, start, end };
      const inner = {
        ...view,
        text: decoded,
        place: { kind: "decoded", from, transform },
      } as const;
      yield* withDecoded(inner, depth + 1);
    }
  }
}

/** Returns the view of the response that contains a view, without the encodings around its text. */
export function outermost(view: View): View {
  return view.place.kind === "decoded" ? outermost(view.place.from.view) : view;
}

const UNDO: Partial<Record<Transform, (text: string) => Unescaped>> = {
  json_decode: undoEscapes,
  html_decode: undoEntities,
  url_decode: undoPercent,
};

/**
 * Returns the range of an occurrence in the text of its outermost view, in which it is encoded.
 * Undefined for base64.
 */
export function encodedRange({ view, start, end }: Occurrence): Occurrence | undefined {
  const { place } = view;
  if (place.kind !== "decoded") return { view, start, end };
  const { from, transform } = place;
  const undo = UNDO[transform];
  if (undo === undefined) return undefined;
  const { offsets } = undo(from.view.text.slice(from.start, from.end));
  return encodedRange({
    view: from.view,
    start: from.start + offsets[start],
    end: from.start + offsets[end],
  });
}

/** Returns the transforms that decode the text of a view, in the order in which they apply. */
export function transformsOf({ place }: View): Transform[] {
  return place.kind === "decoded" ? [...transformsOf(place.from.view), place.transform] : [];
}

/** Reports whether an occurrence is the whole text of a leaf, a header, a cookie or a member. */
export function isWhole({ view, start, end }: Occurrence): boolean {
  if (start > 0 || end < view.text.length || outermost(view).place.kind === "body") return false;
  const { place } = view;
  return place.kind !== "decoded" || isWhole(place.from);
}

/**
 * Returns the name of the value at an occurrence: that of its member, header or cookie, or, within a
 * longer text, the name before it.
 */
export function keyAt(occurrence: Occurrence): string {
  const { view, start, end } = occurrence;
  if (isWhole(occurrence)) return view.key;
  const body = encodedRange(occurrence);
  if (body?.view.place.kind === "body") {
    const found = markupAt(view.response, body.view.text, body.start);
    if (found !== undefined && found.start === body.start && found.end === body.end) {
      const name = found.name;
      if (name !== "") return name;
    }
  }
  const before = view.text.slice(Math.max(0, start - 120), start);
  return keyBefore(before) || (end - start === view.text.length ? view.key : "");
}
