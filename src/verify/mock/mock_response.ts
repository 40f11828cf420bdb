import type { Exchange, RecordedResponse } from "../../traffic/har/recording.ts";
import { isSearched } from "../recorded/response_texts.ts";
import type { RecordedSession } from "../session/recorded_session.ts";
import {
  fillTemplate,
  splitText,
  type Template,
  type TemplateValues,
} from "./response_template.ts";

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

/** A recorded response in which values and text can be replaced. */
export class RecordedResponseTemplate {
  readonly #status: number;
  readonly #headers: readonly (readonly [name: string, value: Template])[];
  readonly #body: Template;

  /** Splits the response of an exchange at the values and text that can be replaced. */
  constructor(exchange: Exchange, session: RecordedSession) {
    const { response, endedAt } = exchange;
    const { status, text } = response;
    const split = (part: string) => splitText(part, exchange, session);
    this.#status = status === 304 || status === 0 ? 200 : status; // no condition is sent
    this.#headers = buildHeaders(response, endedAt).map(([name, value]) =>
      [name, isSearched(name) ? split(value) : [value]] as const
    );
    this.#body = text === undefined ? [] : split(text);
  }

  /** Returns the response with `values` in place of recorded values and text. */
  with(values: TemplateValues): MockResponse {
    return {
      status: this.#status,
      headers: this.#headers.map(([name, value]) => [name, fillTemplate(value, values)] as const),
      body: encoder.encode(fillTemplate(this.#body, values)),
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
 * Removes the expiry date of a cookie. Keeps a date before `setAt` (Unix milliseconds), because
 * such a date deletes the cookie.
 */
function keptAlive(cookie: string, setAt: number): string {
  return cookie.replace(/;\s*expires=([^;]*)/i, (all, date) => {
    return Date.parse(date) <= setAt ? all : "";
  });
}
