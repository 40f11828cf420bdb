import { parseExactJson } from "../base/exact_number.ts";
import { isJson, parseMediaType } from "../traffic/har/media_type.ts";
import { headerValue, type RecordedResponse } from "../traffic/har/recording.ts";
import type { KnownPairs } from "./known_pairs.ts";
import {
  encodedRange,
  type JsonPath,
  keyAt,
  type Occurrence,
  outerPlace,
  type Place,
} from "../correlation/views.ts";

/** The parts of a recorded or live response that a comparison reads. */
export type ComparedResponse = Pick<
  RecordedResponse,
  "status" | "headers" | "mimeType" | "text" | "payload"
>;

/** What a body contains, regardless of its media type. */
export type BodyForm = "json" | "page" | "xml" | "text";

/** A body, parsed as far as comparisons require. */
export interface ReadBody {
  readonly form: BodyForm;
  readonly text: string;
  /** Parsed JSON. Numbers keep their digits. Undefined for other forms. */
  readonly json?: unknown;
  /** True if the JSON follows a guard such as `for(;;);`, so no JSONPath can find its values. */
  readonly isGuarded?: boolean;
}

/** Reports whether a response redirects to another URL. */
export function isRedirect({ status }: Pick<ComparedResponse, "status">): boolean {
  return status >= 300 && status < 400 && status !== 304;
}

/** Returns the media type that the server declared, else that of the recorder, or nothing. */
export function mediaTypeOf({ headers, mimeType }: ComparedResponse): string {
  const stated = parseMediaType(headerValue(headers, "content-type") ?? "").essence;
  // Chromium writes `x-unknown` if a response has no media type.
  return stated || (mimeType === "x-unknown" ? "" : mimeType);
}

/** Returns the parsed body of a response, or undefined if the body is empty or unknown. */
export function readBody(response: ComparedResponse): ReadBody | undefined {
  const text = response.text?.replace(/^\ufeff/, "");
  if (text === undefined || text.trim() === "") return undefined;
  if (response.payload !== undefined) {
    return { form: "json", text, json: parseExactJson(response.payload) };
  }
  const type = mediaTypeOf(response);
  const guard = GUARD.exec(text)?.[0] ?? "";
  if (isJson(type) || guard !== "" || /^\s*[[{]/.test(text)) {
    const json = parsedJson(text.slice(guard.length));
    if (json !== undefined) return { form: "json", text, json, isGuarded: guard !== "" };
  }
  if (/^\s*<\?xml\b/i.test(text) && !/<html\b/i.test(text)) return { form: "xml", text };
  if (type.includes("html") || /^\s*<(?:!doctype html|html)\b/i.test(text)) {
    return { form: "page", text };
  }
  return { form: /[/+]xml$/.test(type) ? "xml" : "text", text };
}

/** Matches what some servers send before JSON, so that another site cannot run it as a script. */
const GUARD = /^\s*(?:(?:for|while) ?\((?:;;|1|true)\);|\)\]\}'?,?|\{\} ?&&|throw 1;)/;

function parsedJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/** A recorded value, the live value in its place, and where both occur in the response. */
export interface ValuePair {
  readonly recorded: string;
  readonly live: string;
  readonly at: Occurrence;
  readonly liveAt: Occurrence;
  /** Name of the member, field, header or cookie that contains the value. May be empty. */
  readonly name: string;
  /** True if the same values can be in other places, so that one found elsewhere has only moved. */
  readonly mayMove: boolean;
}

/** The two responses whose values are compared, and the pairs of values that are known. */
export interface Compared {
  readonly recorded: ComparedResponse;
  readonly live: ComparedResponse;
  readonly known: KnownPairs;
}

/** Returns the occurrence of the whole text of a view. */
export function wholeText(
  response: ComparedResponse,
  text: string,
  key: string,
  place: Place,
): Occurrence {
  return { view: { response, text, key, place }, start: 0, end: text.length };
}

/** Returns the occurrence of a range of a response's body. */
export function inBody(response: ComparedResponse, start: number, length: number): Occurrence {
  const text = response.text?.replace(/^\ufeff/, "") ?? "";
  const view = { response, text, key: "", place: { kind: "body" } } as const;
  return { view, start, end: start + length };
}

/** Returns the name of a value in a longer text, or the segment of a path before it. */
export function nameAt(at: Occurrence): string {
  const { view, start } = encodedRange(at) ?? at;
  return keyAt(at) ||
    (/\/([A-Za-z][\w-]*)\/$/.exec(view.text.slice(Math.max(0, start - 200), start))?.[1] ?? "");
}

/** Returns the path of the recorded value in a JSON body, or undefined if it is elsewhere. */
export function pathOf({ at }: ValuePair): JsonPath | undefined {
  const place = outerPlace(at.view);
  return place.kind === "json" || place.kind === "member" ? place.path : undefined;
}
