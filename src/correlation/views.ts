import { parseSetCookies } from "../traffic/session/headers.ts";
import { asText, isNumber } from "../base/exact_number.ts";
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
import type { Transform } from "../plan/kinds/extractors.ts";
import { parseJsonResponse, type PathNode, pathNode } from "../traffic/har/json_text.ts";
import type { RecordedResponse } from "../traffic/har/recording.ts";
import { decodeBase64Text } from "../traffic/session/base64_text.ts";
import { keyBefore, markupAt } from "./markup_view.ts";

/** A response to a request, with everything that an extractor can read. */
export type Response = Pick<RecordedResponse, "headers" | "text" | "payload" | "mimeType"> & {
  /** What extractors see of a live response. A recorded one has none. */
  readonly view?: ResponseView;
};

export interface View {
  readonly response: Response;
  /** The text in which occurrences have their offsets, in UTF-16 code units. */
  readonly text: string;
  readonly key: string;
  readonly place: Place;
}

/** Where a view is: in a part of a response, or within a decoded part of another view. */
export type Place =
  | OuterPlace
  | { readonly kind: "decoded"; readonly from: Occurrence; readonly transform: Transform };

/** Where a text that is not within an encoded one is in its response. */
export type OuterPlace =
  | { readonly kind: "body" }
  | { readonly kind: "header"; readonly name: string }
  | { readonly kind: "cookie"; readonly name: string }
  | { readonly kind: "json"; readonly path: JsonPath; readonly isNumber: boolean }
  | { readonly kind: "member"; readonly path: JsonPath };

/** Names and indexes from the root of a JSON value to a part of it. */
export type JsonPath = readonly (string | number)[];

/** A range of a view's text, which contains a value that a request sends. */
export interface Occurrence {
  readonly view: View;
  readonly start: number;
  readonly end: number;
}

const NOISE =
  /^(?:content-.*|age|date|expires|cache-control|server|vary|via|access-control-.*|alt-svc|host|set-cookie|retry-after|.*rate-?limit.*)$/i;

const MOST_ENCODINGS = 3;

/** Calls `visit` with the texts of a response in which the values of later requests can occur. */
export function forEachView(response: Response, visit: (view: View) => void): void {
  const { text } = response;
  if (text !== undefined) visitBody(response, text, visit);
  const add = (text: string, key: string, place: Place) =>
    visitDecoded({ response, text, key, place }, visit);
  for (const { name, value } of response.headers) {
    if (!NOISE.test(name)) add(value, name, { kind: "header", name });
  }
  for (const [name, value] of parseSetCookies(response)) {
    if (value !== "") add(value, name, { kind: "cookie", name });
  }
}

/** Returns the texts of a response in which values of requests can occur. */
export function viewsOf(response: Response): View[] {
  const views: View[] = [];
  forEachView(response, (view) => views.push(view));
  return views;
}

function visitBody(response: Response, text: string, visit: (view: View) => void): void {
  const { mimeType, payload } = response;
  const json = parseJsonResponse(text, mimeType, payload);
  if (json === undefined || (payload !== undefined && payload !== text)) {
    visitDecoded({ response, text, key: "", place: { kind: "body" } }, visit);
  }
  if (json !== undefined) visitLeaves(response, json, visit);
}

/** A string, a number or the name of a member of a JSON value. Most of them are only scanned. */
export class JsonView implements View {
  readonly #node: PathNode | undefined;
  readonly #kind: "string" | "number" | "name";
  #place: Place | undefined;

  constructor(
    readonly response: Response,
    readonly text: string,
    node: PathNode | undefined,
    kind: "string" | "number" | "name",
  ) {
    this.#node = node;
    this.#kind = kind;
  }

  get key(): string {
    return (this.#kind === "name" ? this.#node?.parent : this.#node)?.key ?? "";
  }

  get place(): Place {
    if (this.#place !== undefined) return this.#place;
    const path: (string | number)[] = [];
    for (let node = this.#node; node !== undefined; node = node.parent) path.push(node.step);
    path.reverse();
    return this.#place = this.#kind === "name"
      ? { kind: "member", path }
      : { kind: "json", path, isNumber: this.#kind === "number" };
  }
}

/**
 * Visits the strings and numbers of a JSON value, and the names of members that contain a digit, in
 * document order. Does not recurse, so the nesting depth is not limited.
 */
function visitLeaves(response: Response, root: unknown, visit: (view: View) => void): void {
  const open: {
    value: object;
    names: string[] | undefined;
    node: PathNode | undefined;
    next: number;
  }[] = [];
  const enter = (value: unknown, node: PathNode | undefined) => {
    if (typeof value === "string") {
      visitDecoded(new JsonView(response, value, node, "string"), visit);
    } else if (isNumber(value)) visit(new JsonView(response, asText(value), node, "number"));
    else if (typeof value === "object" && value !== null) {
      open.push({
        value,
        names: Array.isArray(value) ? undefined : Object.keys(value),
        node,
        next: 0,
      });
    }
  };
  enter(root, undefined);
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const { value, names, node } = top;
    const i = top.next++;
    if (i === (names ?? value as unknown[]).length) {
      open.pop();
      continue;
    }
    const name = names === undefined ? i : names[i];
    const inner = pathNode(node, name);
    if (typeof name === "string" && /\d/.test(name)) {
      visit(new JsonView(response, name, inner, "name"));
    }
    enter((value as Record<string | number, unknown>)[name], inner);
  }
}

interface Encoding {
  readonly transform: Transform;
  /** Yields the ranges of a text that contain encoded characters. */
  runs(text: string): Iterable<[start: number, end: number]>;
  /** Absent for base64, which hides where a part of it is. */
  undo?(text: string): Unescaped;
}

const ENCODINGS: readonly Encoding[] = [
  { transform: "json_decode", runs: escapedRuns, undo: undoEscapes },
  { transform: "html_decode", runs: entityRuns, undo: undoEntities },
  { transform: "url_decode", runs: percentRuns, undo: undoPercent },
  { transform: "base64_decode", runs: base64Runs },
];

const BASE64 = /^[\w+/-]{12,2048}={0,2}$/;

function base64Runs(text: string): [start: number, end: number][] {
  return BASE64.test(text) ? [[0, text.length]] : [];
}

/** Visits a view, and views of the parts of its text that are encoded. */
function visitDecoded(view: View, visit: (view: View) => void, depth = 0): void {
  visit(view);
  const { text } = view;
  if (depth === MOST_ENCODINGS || !(/[\\&%]/.test(text) || BASE64.test(text))) return;
  const outer = view.place.kind === "decoded" ? view.place.transform : undefined;
  for (const { transform, runs, undo } of ENCODINGS) {
    // A text that was decoded completely contains no such encoding, except escapes in escapes.
    if (transform === outer && transform !== "json_decode") continue;
    for (const [start, end] of runs(text)) {
      const encoded = text.slice(start, end);
      const decoded = undo === undefined ? decodeBase64Text(encoded) : undo(encoded).value;
      if (decoded === undefined || decoded === encoded) continue;
      const place = { kind: "decoded", from: { view, start, end }, transform } as const;
      const { response, key } = view;
      visitDecoded({ response, text: decoded, key, place }, visit, depth + 1);
    }
  }
}

/** Returns the place of the text that contains a view, without the encodings around its text. */
export function outerPlace({ place }: View): OuterPlace {
  return place.kind === "decoded" ? outerPlace(place.from.view) : place;
}

/**
 * Returns the range of an occurrence in the text of its outermost view, in which it is encoded.
 * Undefined for a part of base64.
 */
export function encodedRange({ view, start, end }: Occurrence): Occurrence | undefined {
  const { place } = view;
  if (place.kind !== "decoded") return { view, start, end };
  const { from, transform } = place;
  if (start === 0 && end === view.text.length) return encodedRange(from);
  const undo = ENCODINGS.find((encoding) => encoding.transform === transform)?.undo;
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
  if (start > 0 || end < view.text.length || outerPlace(view).kind === "body") return false;
  const { place } = view;
  return place.kind !== "decoded" || isWhole(place.from);
}

/**
 * Returns the name of the value at an occurrence: that of its member, header or cookie, or, within
 * a longer text, the name before it.
 */
export function keyAt(occurrence: Occurrence): string {
  const { view, start, end } = occurrence;
  if (isWhole(occurrence)) return view.key;
  const body = encodedRange(occurrence);
  if (body?.view.place.kind === "body") {
    const name = markupAt(view.response, body.view.text, body)?.name ?? "";
    if (name !== "") return name;
  }
  const outer = body ?? occurrence;
  const before = [[view.text, start], [outer.view.text, outer.start]] as const;
  for (const [text, at] of before) {
    const name = keyBefore(text.slice(Math.max(0, at - 120), at));
    if (name !== "") return name;
  }
  const isTyped = end === view.text.length && TYPED.test(view.text.slice(0, start));
  return isTyped || end - start === view.text.length ? view.key : "";
}

/** Matches the type in a typed id such as `node_62`, of which a client may send the rest. */
const TYPED = /^[A-Za-z]{2,30}[-_:]$/;
