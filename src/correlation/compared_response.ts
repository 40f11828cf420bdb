import { parseExactJson } from "../base/exact_json.ts";
import { headerValue, type NameValue } from "../traffic/har/recording.ts";
import { isJson, parseMediaType } from "../traffic/har/body_bytes.ts";

/** The parts of a recorded or live response that a comparison reads. */
export interface ComparedResponse {
  readonly status: number;
  readonly headers: readonly NameValue[];
  /** Media type in lower case, without parameters. Empty if unknown. */
  readonly mimeType: string;
  /** Decoded text of the body, or undefined if it is unknown or not text. */
  readonly text: string | undefined;
  /**
   * JSON text in a WebSocket message, without the frame that a protocol such as Socket.IO adds.
   * Absent if the response is not such a message.
   */
  readonly payload?: string;
}

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

/**
 * Returns the media type that the server declared. Uses the type that the recorder noted if the
 * response has no `Content-Type`. Returns an empty string if neither is known.
 */
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

/**
 * Matches the text that some servers send before JSON, so that a page of another site cannot run
 * the response as a script. The web client removes it.
 */
const GUARD = /^\s*(?:(?:for|while) ?\((?:;;|1|true)\);|\)\]\}'?,?|\{\} ?&&|throw 1;)/;

function parsedJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}
