import type { Exchange, RecordedResponse } from "../traffic/har/recording.ts";
import { withoutOverlaps } from "../traffic/session/value_index.ts";
import { encodeLike, type FreshOrigin } from "./fresh_values.ts";
import { generatedValues } from "./generated_values.ts";
import type { RecordedSession } from "./recorded_session.ts";
import { type TextKind, type TextWriter, writerOf } from "./typed_texts.ts";
import { isSearched } from "./value_origins.ts";

export interface MockResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

// Headers of the recorded connection or body encoding.
const DROPPED =
  /^(?::.*|content-(?:encoding|length|type)|transfer-encoding|connection|keep-alive|alt-svc|strict-transport-security)$/;

const encoder = new TextEncoder();

export class RecordedResponseTemplate {
  readonly #status: number;
  readonly #headers: readonly (readonly [name: string, value: Template])[];
  readonly #body: Template;

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
 * Keeps the expiry date only if it is before `setAt` (Unix milliseconds) and deletes the cookie.
 */
function keptAlive(cookie: string, setAt: number): string {
  return cookie.replace(/;\s*expires=([^;]*)/i, (all, date) => {
    return Date.parse(date) <= setAt ? all : "";
  });
}

interface Placeholder extends Pick<FreshOrigin, "key"> {
  readonly value: string;
  readonly written: string;
}

interface ShownText {
  readonly text: string;
  readonly write: TextWriter;
  /** The text as the response contains it, with placeholders for the values in it. */
  readonly recorded: Template;
}

type Template = readonly (string | Placeholder | ShownText)[];

export interface TemplateValues {
  /** Returns the text to write in place of the recorded value that `key` identifies. */
  valueOf(key: string): string;
  /** Returns the text that the client sent in place of the recorded text `text`. */
  textFor(text: string): string;
}

/** Splits at values that are regenerated, and text that the client sent. Linear time. */
function splitText(text: string, exchange: Exchange, session: RecordedSession): Template {
  const kind = textKind(text);
  const values = findValues(text, exchange, session);
  const template: Template[number][] = [];
  let [done, next, near] = [0, 0, 0];
  const isCutAt = (offset: number): boolean => {
    while (values[near]?.end <= offset) near++;
    return values[near]?.start < offset;
  };
  const take = (end: number): (string | Placeholder)[] => {
    const pieces: (string | Placeholder)[] = [];
    for (; values[next]?.end <= end; next++) {
      const { value, key, start, end } = values[next];
      if (start > done) pieces.push(text.slice(done, start));
      pieces.push({ value, key, written: text.slice(start, end) });
      done = end;
    }
    if (done < end) pieces.push(text.slice(done, end));
    done = end;
    return pieces;
  };
  for (const { text: sent, start, end } of session.texts.find(text)) {
    if (isCutAt(start) || isCutAt(end) || !isClientText(sent, session)) continue;
    template.push(...take(start));
    const write = writerOf(sent, text.slice(start, end), kind);
    template.push({ text: sent, write, recorded: take(end) });
  }
  return [...template, ...take(text.length)];
}

function textKind(text: string): TextKind {
  const [first] = /\S/.exec(text) ?? [];
  return first === "{" || first === "[" ? "json" : first === "<" ? "markup" : "other";
}

function isClientText(text: string, { origins }: RecordedSession): boolean {
  return generatedValues(text).every(({ value }) => value !== text) &&
    origins.finder.find(text).every(({ value }) => !origins.isServerMade(value));
}

interface PlacedValue extends Omit<Placeholder, "written"> {
  readonly start: number;
  readonly end: number;
}

function findValues(text: string, exchange: Exchange, session: RecordedSession): PlacedValue[] {
  const values = session.origins.finder.find(text).map((found) => ({ ...found, key: found.value }));
  const ids = session.ids.find(text, exchange)
    .map(({ start, end, key }) => ({ value: text.slice(start, end), start, end, key }));
  return withoutOverlaps([...values, ...ids]);
}

function fillTemplate(template: Template, values: TemplateValues): string {
  return template.map((piece) => {
    if (typeof piece === "string") return piece;
    if ("write" in piece) {
      const sent = values.textFor(piece.text);
      return sent === piece.text ? fillTemplate(piece.recorded, values) : piece.write(sent);
    }
    return encodeLike(values.valueOf(piece.key), piece);
  }).join("");
}
