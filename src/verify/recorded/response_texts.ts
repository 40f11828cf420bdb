import type { Exchange } from "../../traffic/har/recording.ts";

/** Matches names of response headers whose values clients do not send back. */
const IRRELEVANT =
  /^(?::.*|date|expires|age|vary|via|server|alt-svc|cache-control|content-(?!location).*|strict-.*|access-control-.*)$/i;

/** Reports whether a response header may contain values that later requests send. */
export function isSearched(header: string): boolean {
  return !IRRELEVANT.test(header);
}

/** Returns the strings of a response that may contain values that later requests send. */
export function responseTexts({ response: { headers, text } }: Exchange): string[] {
  const kept = headers.filter(({ name }) => isSearched(name)).map(({ value }) => value);
  return text === undefined ? kept : [...kept, text];
}

/** Writes text in one of the notations that a response can use for it. */
export type TextWriter = (text: string) => string;

/**
 * Kind of a response body, which determines the notation that values in the body most likely have.
 */
export type TextKind = "json" | "markup" | "other";

const plain: TextWriter = (text) => text;
const json: TextWriter = (text) => JSON.stringify(text).slice(1, -1);

function unicodeEscaped(text: string, characters: RegExp): string {
  return text.replace(characters, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const asciiJson: TextWriter = (text) => unicodeEscaped(json(text), /[^\0-\x7f]/g);
const escapedSlashes: TextWriter = (text) => text.replaceAll("/", "\\/");

function withEntities(entities: Readonly<Record<string, string>>): TextWriter {
  return (text) => text.replace(/[&<>"']/g, (c) => entities[c] ?? c);
}

const BASIC = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

const JSON_WRITERS: readonly TextWriter[] = [
  json,
  (text) => escapedSlashes(json(text)),
  asciiJson,
  (text) => escapedSlashes(asciiJson(text)),
  (text) => unicodeEscaped(json(text), /[&<>]/g),
];

const MARKUP_WRITERS: readonly TextWriter[] = [
  ...["&#39;", "&#x27;", "&#039;", "'"].map((apostrophe) =>
    withEntities({ ...BASIC, '"': "&quot;", "'": apostrophe })
  ),
  withEntities({ ...BASIC, '"': "&#34;", "'": "&#39;" }),
  withEntities(BASIC),
  withEntities({ "&": "&amp;", "<": "&lt;", '"': "&quot;" }),
];

const URL_WRITERS: readonly TextWriter[] = [
  (text) => encodeURIComponent(text.toWellFormed()),
  (text) => encodeURIComponent(text.toWellFormed()).replaceAll("%20", "+"),
];

const WRITERS: Readonly<Record<TextKind, readonly TextWriter[]>> = {
  json: [...JSON_WRITERS, ...MARKUP_WRITERS, ...URL_WRITERS, plain, escapedSlashes],
  markup: [...MARKUP_WRITERS, ...JSON_WRITERS, ...URL_WRITERS, plain, escapedSlashes],
  other: [plain, escapedSlashes, ...URL_WRITERS, ...JSON_WRITERS, ...MARKUP_WRITERS],
};

/** Matches text that every notation leaves unchanged. */
const UNCHANGED = /^[\w.~-]*$/;

/**
 * Returns the distinct forms in which a response may contain a value: plain, escaped or encoded.
 */
export function writtenForms(value: string): Set<string> {
  if (UNCHANGED.test(value)) return new Set([value]);
  return new Set(WRITERS.other.map((write) => write(value)));
}

/**
 * Returns a function that writes text in the notation of `form`, a written form of `value`. If
 * several notations apply, chooses the one that is most likely in a body of the given kind. If
 * `form` is not a form of `value`, the function returns text unchanged.
 */
export function writerOf(value: string, form: string, kind: TextKind): TextWriter {
  return WRITERS[kind].find((write) => write(value) === form) ?? plain;
}
