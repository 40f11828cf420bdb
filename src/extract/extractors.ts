import { asText, isJsonNumber, type WrittenNumber, writtenNumber } from "../base/exact_number.ts";
import type { Random } from "../base/random.ts";
import { undoEscapes } from "../base/string_escapes.ts";
import type { Extractor, ExtractorKind, Transform } from "../plan/kinds/extractors.ts";
import { parseTemplate } from "../plan/text/template.ts";
import { findJsonKeys, findJsonPath, locateJsonPath } from "./jsonpath.ts";
import { decodeHtml, parseHtml, selectCss } from "./parse_html.ts";
import {
  type Find,
  type FindLocated,
  type PartsRead,
  READS_BODY,
  READS_HEADERS,
  READS_NOTHING,
  type ResponseView,
  searched,
} from "./response_view.ts";
import { findInRow } from "./rows.ts";
import { findXPath } from "./xpath_dom.ts";

export type ExtractorOf<K extends ExtractorKind> = Omit<Extract<Extractor, { type: K }>, "name">;

interface ExtractorRuntime<K extends ExtractorKind> {
  readonly reads: PartsRead;
  /** Ignores the `index`, `default` and `transform` options. */
  find(extractor: ExtractorOf<K>): Find;
  locate?(extractor: ExtractorOf<K>): FindLocated;
}

/** Extractor of any kind, without the name of its variable. */
export type NamelessExtractor = { [K in ExtractorKind]: ExtractorOf<K> }[ExtractorKind];

const KINDS: { readonly [K in ExtractorKind]: ExtractorRuntime<K> } = {
  jsonpath: {
    reads: READS_BODY,
    find: ({ expression, take }) =>
      take === "key" ? findJsonKeys(expression) : findJsonPath(expression),
    locate: ({ expression, take }) => locateJsonPath(expression, take),
  },
  // Skips matches in which the group does not participate.
  regex: {
    reads: READS_BODY,
    find({ expression, group = 1 }) {
      const pattern = new RegExp(expression, "g");
      return function* (response) {
        for (const match of searched(response).matchAll(pattern)) {
          if (match[group] !== undefined) yield match[group];
        }
      };
    },
  },
  css: {
    reads: READS_BODY,
    find: ({ expression, attribute }) => (response) =>
      selectCss(expression, attribute, response.html(parseHtml)),
  },
  xpath: { reads: READS_BODY, find: ({ expression }) => findXPath(expression) },
  // If `right` is empty, a match extends to the end of the body.
  boundary: {
    reads: READS_BODY,
    find: ({ left, right }) =>
      function* (response) {
        const text = searched(response);
        for (let at = text.indexOf(left); at >= 0;) {
          const from = at + left.length;
          const to = right === "" ? text.length : text.indexOf(right, from);
          if (to < 0) return;
          yield text.slice(from, to);
          const next = text.indexOf(left, Math.max(to + right.length, at + 1));
          // At the end of the text, the search finds an empty delimiter again at the same offset.
          at = next > at ? next : -1;
        }
      },
  },
  header: {
    reads: READS_HEADERS,
    find({ header, expression }) {
      const name = header.toLowerCase();
      const pattern = expression === undefined ? undefined : new RegExp(expression);
      return ({ headers }) =>
        headers.filter(([known]) => known === name)
          .map(([, value]) => pattern ? pattern.exec(value)?.[1] : value)
          .filter((value) => value !== undefined);
    },
  },
  // `set-cookie` headers are always available.
  cookie: {
    reads: READS_NOTHING,
    find: ({ cookie }) => (response) => {
      const set = response.headers.filter(([name]) => name === "set-cookie")
        .map(([, value]) => parsePair(value)).filter(([name]) => name === cookie)
        .map(([, value]) => value);
      if (set.length > 0) return set;
      const stored = response.storedCookie(cookie);
      return stored === undefined ? [] : [stored];
    },
  },
};

export interface CompiledExtractor {
  readonly reads: PartsRead;
  readonly take: TakeValue;
}

/**
 * Returns the extracted value, or else the default. `row` is the value of the option `row`, if it
 * has expressions. Throws an Error if the body cannot be decoded, a transform fails, or several
 * rows match.
 */
export type TakeValue = (response: ResponseView, random: Random, row?: string) => unknown;

/** Compiles an extractor. */
export function compileExtractor(extractor: NamelessExtractor): CompiledExtractor {
  const { index, default: fallback, transform } = extractor;
  const { reads, find, locate } = compileKind(extractor.type, extractor);
  const change = transform && chainTransforms(transform);
  const template = rowTemplate(extractor);
  const fixed = fixedRow(extractor);
  return {
    reads,
    take: (response, random, row = fixed) => {
      const matches = template === undefined || row === undefined
        ? find(response)
        : findInRow(response, row, { find, locate, isAnyRow: index !== undefined });
      const found = pick(matches, index ?? "first", random);
      if (found === undefined) return fallback;
      return change ? applyChange(found, change) : found;
    },
  };
}

/** Returns undefined if the extractor does not have one. */
export function rowTemplate(extractor: NamelessExtractor): string | undefined {
  return "row" in extractor ? extractor.row : undefined;
}

/** Returns the text of the `row` option of an extractor if it is set and has no expressions. */
export function fixedRow(extractor: NamelessExtractor): string | undefined {
  const template = rowTemplate(extractor);
  if (template === undefined) return undefined;
  const [part, ...more] = parseTemplate(template);
  return part.kind === "text" && more.length === 0 ? part.text : undefined;
}

function compileKind<K extends ExtractorKind>(kind: K, extractor: ExtractorOf<K>) {
  const { reads, find, locate } = KINDS[kind];
  return { reads, find: find(extractor), locate: locate?.(extractor) };
}

function pick(found: Iterable<unknown>, index: NonNullable<Extractor["index"]>, random: Random) {
  if (index === "first") {
    for (const value of found) return value;
    return undefined;
  }
  const all = [...found];
  if (index === "all") return all.length > 0 ? all : undefined;
  if (index === "random") return all.length > 0 ? all[random.int(0, all.length - 1)] : undefined;
  return all.at(index === "last" ? -1 : index);
}

function applyChange(value: unknown, change: Change): unknown {
  return Array.isArray(value) ? value.map((item) => change(asText(item))) : change(asText(value));
}

function parsePair(setCookie: string): [name: string, value: string] {
  const pair = setCookie.split(";", 1)[0];
  const equals = pair.indexOf("=");
  return equals < 0
    ? ["", pair.trim()]
    : [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
}

export type Change = (text: string) => string | WrittenNumber;

const CHANGES: Readonly<Record<Transform, Change>> = {
  trim: (text) => text.trim(),
  lowercase: (text) => text.toLowerCase(),
  uppercase: (text) => text.toUpperCase(),
  url_encode: (text) => encodeURIComponent(text.toWellFormed()),
  url_decode: decodeURIComponent,
  base64_encode: (text) => new TextEncoder().encode(text).toBase64(),
  base64_decode: decodeBase64,
  html_decode: decodeHtml,
  json_decode: (text) => undoEscapes(text).value,
  number: toNumber,
  path: pathAndQuery,
};

/** Combines transforms into one function. */
export function chainTransforms(transforms: readonly Transform[]): Change {
  return (text) =>
    transforms.reduce<ReturnType<Change>>(
      (changed, transform) => CHANGES[transform](asText(changed)),
      text,
    );
}

function toNumber(text: string): WrittenNumber {
  const digits = text.trim();
  if (!isJsonNumber(digits)) {
    throw new SyntaxError("the transform `number` found text that is not a number");
  }
  return writtenNumber(digits);
}

const ORIGIN = /^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#\\]*/i;

function pathAndQuery(url: string): string {
  const [reference] = url.trim().split("#", 1);
  const origin = ORIGIN.exec(reference)?.[0];
  if (origin === undefined) return reference;
  const rest = reference.slice(origin.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

function decodeBase64(text: string): string {
  const alphabet = /[-_]/.test(text) ? "base64url" : "base64";
  return new TextDecoder().decode(Uint8Array.fromBase64(text, { alphabet }));
}
