import { parseJsonResponse } from "../../traffic/har/json_body.ts";
import type { Exchange, RecordedResponse } from "../../traffic/har/recording.ts";
import { type Cutter, fill, recordedValues, type Template } from "./cutter.ts";

/** The response of the mock server to one request. */
export interface MockResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

// Matches names of headers that describe the recorded connection or body encoding. They do not
// apply to the mock server.
const DROPPED =
  /^(?::.*|content-(?:encoding|length|type)|transfer-encoding|connection|keep-alive|alt-svc|strict-transport-security)$/;

const encoder = new TextEncoder();

/** A recorded response in which fresh values can replace recorded values. */
export class RecordedResponseTemplate {
  /** Recorded values in the response that the mock server regenerates. */
  readonly recordedValues: ReadonlySet<string>;
  readonly #status: number;
  readonly #headers: readonly (readonly [name: string, value: Template])[];
  readonly #body: Template;

  /** Splits the response of a call at the values that `cutter` knows. */
  constructor({ response, endedAt }: Exchange, cutter: Cutter) {
    const { status, text, mimeType } = response;
    this.#status = status === 304 || status === 0 ? 200 : status; // no condition is sent
    this.#headers = buildHeaders(response, endedAt).map(([name, value]) =>
      [name, headerTemplate(name, value, cutter)] as const
    );
    const isJson = text !== undefined && parseJsonResponse(text, mimeType) !== undefined;
    this.#body = text === undefined ? [] : isJson ? cutter.json(text) : cutter.text(text);
    const templates = [this.#body, ...this.#headers.map(([, value]) => value)];
    this.recordedValues = new Set(templates.flatMap(recordedValues));
  }

  /** Returns the response with `valueOf` applied to each value that the mock server regenerates. */
  with(valueOf: (rawValue: string) => string): MockResponse {
    return {
      status: this.#status,
      headers: this.#headers.map(([name, value]) => [name, fill(value, valueOf)] as const),
      body: encoder.encode(fill(this.#body, valueOf)),
    };
  }
}

function buildHeaders(
  response: RecordedResponse,
  endedAt: number,
): [name: string, value: string][] {
  const kept = response.headers.flatMap(({ name, value }): [string, string][] => {
    const key = name.toLowerCase();
    if (key !== "set-cookie") return DROPPED.test(key) ? [] : [[key, value]];
    return value.split("\n").map((cookie) => [key, keptAlive(cookie, endedAt)]);
  });
  const { mimeType } = response;
  return mimeType === "" ? kept : [...kept, ["content-type", `${mimeType}; charset=utf-8`]];
}

/**
 * Removes the expiry date of a cookie. Keeps a date before `setAt` (Unix milliseconds), because such a
 * date deletes the cookie.
 */
function keptAlive(cookie: string, setAt: number): string {
  return cookie.replace(/;\s*expires=([^;]*)/i, (all, date) => {
    return Date.parse(date) <= setAt ? all : "";
  });
}

function headerTemplate(name: string, value: string, cutter: Cutter): Template {
  if (name !== "set-cookie") return name === "location" ? cutter.text(value) : cutter.whole(value);
  const [, start, content, rest] = /^([^=;]*=?)([^;]*)(.*)$/s.exec(value)!;
  return [start, ...cutter.text(content), rest];
}
