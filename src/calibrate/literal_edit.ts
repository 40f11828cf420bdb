import { writtenNumber } from "../base/exact_number.ts";
import type { ResponseSnapshot } from "../comparison/response_snapshot.ts";
import {
  type Expression,
  readVariables,
  withLiteral,
  wrappedVariable,
} from "../plan/expressions/expression.ts";
import { joinTemplate, parseTemplate, type TemplatePart } from "../plan/text/template.ts";
import { mapRequestTexts, type RequestText, requestTexts } from "../plan/request_texts.ts";
import { type Request, requestMethod } from "../plan/kinds/request.ts";
import { isSafeMethod, onlyReads } from "../traffic/session/changes_data.ts";
import { type FieldPart, fieldParts, membersAroundPart } from "../traffic/session/request_field.ts";

export interface SoughtLiteral {
  readonly value: string;
  /**
   * Set for a value that is too generic to be replaced everywhere, such as `7`. Reports whether the
   * value may be replaced in a string that consists only of this value. In a longer body, message
   * or field with JSON, such a value is replaced only if it is the entire value of a JSON member,
   * and if this function returns true for the name of the member.
   */
  readonly agrees: ((text: RequestText) => boolean) | undefined;
  /** The next call after which requests send the value of another form, if there is one. */
  readonly until?: number;
}

const SHORT = /^(?:\d{1,3}|.{1,3})$/su;
const PLAIN_WORD = /^[A-Za-z]?[a-z]*$|^[A-Z]+$/;
const LONGEST_WORD = 16;
const LONGEST_WEAK = 2 * LONGEST_WORD;
const DATE = /^\d{4}-\d\d-\d\d$/;
const OUTER_SEPARATORS = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

/**
 * Reports whether a value is not distinctive, so that it is only recognized by its name: a small
 * number, a short string, a plain word or a date, also between separators, such as `:false,`.
 */
export function isWeak(value: string): boolean {
  if (value.length > LONGEST_WEAK) return false;
  const word = value.replace(OUTER_SEPARATORS, "");
  return SHORT.test(word) || DATE.test(word) ||
    (word.length <= LONGEST_WORD && PLAIN_WORD.test(word));
}

// A calibration searches each request for many values. It never changes a request in place.
const TEXTS = new WeakMap<Request, readonly RequestText[]>();

/** Returns the strings of a request, as `requestTexts` does. Reads each request once. */
export function textsOf(request: Request): readonly RequestText[] {
  return TEXTS.getOrInsertComputed(request, requestTexts);
}

const WRITES = new WeakMap<Request, boolean>();

/** Reports whether a request may change data: its method is not safe, and its body may write. */
export function isWriteRequest(request: Request): boolean {
  return WRITES.getOrInsertComputed(
    request,
    () => !isSafeMethod(requestMethod(request)) && !hasReadingBody(request),
  );
}

function hasReadingBody(request: Request): boolean {
  const { body } = request;
  if (typeof body === "string") return onlyReads(body);
  if (body?.json !== undefined) return onlyReads(JSON.stringify(body.json));
  return body?.form !== undefined &&
    textsOf(request).some(({ kind, name, template }) =>
      kind === "form" && name === "_method" && isSafeMethod(template)
    );
}

const JOINED = new WeakMap<Request, string>();

export function holdsLiteral(request: Request, literal: SoughtLiteral): boolean {
  return textsWithLiteral(request, literal).length > 0;
}

/** Returns the strings of a request that contain a literal at a place where it can be replaced. */
export function textsWithLiteral(request: Request, literal: SoughtLiteral): RequestText[] {
  const texts = textsOf(request);
  const joined = JOINED.getOrInsertComputed(
    request,
    () => texts.map(({ template }) => template).join("\n"),
  );
  if (!writtenForms(literal).some((form) => joined.includes(form))) return [];
  return texts.filter((text) => occurrences(text, literal).length > 0);
}

/** Returns a value unchanged, and percent-encoded. */
function writtenForms({ value }: SoughtLiteral): string[] {
  const encoded = encodeURIComponent(value.toWellFormed());
  return encoded === value ? [value] : [value, encoded];
}

export interface WrittenVariable {
  readonly expression: Expression;
  readonly encoded: Expression | undefined;
  /** True if the expression renders as a JSON number. */
  readonly numeric: boolean;
}

export function replaceLiteral(
  request: Request,
  literal: SoughtLiteral,
  written: WrittenVariable,
): Request {
  return mapRequestTexts(request, (text) => {
    const places = occurrences(text, literal);
    if (places.length === 0) return text.template;
    const isWhole = places.length === 1 && parseTemplate(text.template).length === 1 &&
      places[0].length === text.template.length;
    return replaced(text, places, (isEncoded) => {
      const asText = written.numeric && isWhole && text.kind === "json" && !text.numeric;
      return (isEncoded || asText) && written.encoded ? written.encoded : written.expression;
    });
  });
}

interface LiteralPlace {
  readonly part: number;
  /** Offset in the text of the part, in UTF-16 code units. */
  readonly at: number;
  readonly length: number;
  readonly isEncoded: boolean;
}

const WORD = /[\p{L}\p{N}]/u;
/** Minimum length, in UTF-16 code units, of values that are replaced as words of longer text. */
const SHORTEST_WORD = 4;

function occurrences(text: RequestText, literal: SoughtLiteral): LiteralPlace[] {
  const { value, agrees } = literal;
  if (text.kind === "host" || text.kind === "file") return [];
  const forms = writtenForms(literal);
  if (!forms.some((form) => text.template.includes(form))) return [];
  const parts = parseTemplate(text.template);
  if (agrees !== undefined || value.length < SHORTEST_WORD) {
    const [whole] = parts;
    if (agrees !== undefined && (text.kind === "body" || /^\s*[{[]/.test(text.template))) {
      return agreeingMembers(parts, value, (member) =>
        agrees({
          ...text,
          kind: "json",
          name: member.name,
          around: membersAroundPart(member).reverse(),
        }));
    }
    if (parts.length !== 1 || whole.kind !== "text" || whole.text !== value) return [];
    if (agrees !== undefined && !agrees(text)) return [];
    return [{ part: 0, at: 0, length: value.length, isEncoded: false }];
  }
  return parts.flatMap((part, i) => {
    if (part.kind !== "text") return [];
    return forms.flatMap((form, k) =>
      boundedOffsets(part.text, form).map((at) => ({
        part: i,
        at,
        length: form.length,
        isEncoded: k === 1,
      }))
    );
  });
}

/**
 * Returns the places of `value` in a template that contains JSON, where it is a whole member and
 * `agrees` accepts the member's name. The JSON may be in a frame.
 */
function agreeingMembers(
  parts: readonly TemplatePart[],
  value: string,
  agrees: (member: FieldPart) => boolean,
): LiteralPlace[] {
  // A digit in place of each expression keeps the JSON valid.
  const texts = parts.map((part) => part.kind === "text" ? part.text : "0");
  const members = fieldParts(texts.join(""), "");
  let start = 0;
  return texts.flatMap((text, part) => {
    const from = start;
    start += text.length;
    if (parts[part].kind !== "text") return [];
    return members.filter((member) =>
      member.start >= from && member.end <= start && member.name !== "" &&
      text.slice(member.start - from, member.end - from) === value && agrees(member)
    ).map((member) => ({ part, at: member.start - from, length: value.length, isEncoded: false }));
  });
}

/** Returns the offsets of `value` in `text` where it is not part of a longer word. */
export function boundedOffsets(text: string, value: string): number[] {
  const offsets: number[] = [];
  if (value === "") return offsets;
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) {
    if (isBounded(text, at) && isBounded(text, at + value.length)) offsets.push(at);
  }
  return offsets;
}

/** Reports whether the body or a header contains a value that is not part of a longer word. */
export function contains({ text = "", headers }: ResponseSnapshot, value: string): boolean {
  return [text, ...headers.map((header) => header.value)]
    .some((part) => boundedOffsets(part, value).length > 0);
}

function isBounded(text: string, at: number): boolean {
  return at === 0 || at === text.length || !WORD.test(text[at - 1]) || !WORD.test(text[at]) ||
    // An escape such as `%2F` ends here.
    /%[0-9A-F]{2}$/i.test(text.slice(Math.max(0, at - 3), at));
}

function replaced(
  { template }: RequestText,
  places: readonly LiteralPlace[],
  expressionFor: (isEncoded: boolean) => Expression,
): string {
  const parts = parseTemplate(template).flatMap((part, i): TemplatePart[] => {
    if (part.kind !== "text") return [part];
    const pieces: TemplatePart[] = [];
    let done = 0;
    const here = places.filter((place) => place.part === i).sort((a, b) => a.at - b.at);
    for (const { at, length, isEncoded } of here) {
      if (at < done) continue;
      if (at > done) pieces.push({ kind: "text", text: part.text.slice(done, at) });
      pieces.push(expressionFor(isEncoded));
      done = at + length;
    }
    if (done < part.text.length) pieces.push({ kind: "text", text: part.text.slice(done) });
    return pieces;
  });
  return joinTemplate(parts) ?? template;
}

/**
 * Replaces the expressions of a variable in a request with a literal. If the variable is `numeric`,
 * a JSON leaf that consists of the variable becomes a number. Leaves out texts for which
 * `isIncluded` returns false.
 */
export function restoreLiteral(
  request: Request,
  variable: string,
  value: string,
  numeric: boolean,
  isIncluded: (text: RequestText) => boolean = () => true,
): Request {
  return mapRequestTexts(request, (text) => {
    const { template, kind } = text;
    if (!template.includes("${") || !isIncluded(text)) return template;
    if (numeric && kind === "json" && template === `\${${variable}}`) return writtenNumber(value);
    const parts = parseTemplate(template).map((part): TemplatePart => {
      if (part.kind === "text") return part;
      if (!isPlainUse(part, variable)) return withLiteral(part, variable, value);
      return { kind: "text", text: part.kind === "call" ? encodeURIComponent(value) : value };
    });
    return joinTemplate(parts) ?? template;
  });
}

/** Reports whether an expression only inserts a variable, unchanged or percent-encoded. */
function isPlainUse(part: Expression, variable: string): boolean {
  return wrappedVariable(part) === variable && (part.kind !== "call" || part.name === "url_encode");
}

/**
 * Reports whether a request only inserts a variable, so that it sends the same bytes if its value
 * replaces it.
 */
export function onlyInserts(request: Request, variable: string): boolean {
  return textsOf(request).every(({ template }) =>
    !template.includes("${") ||
    parseTemplate(template).every((part) =>
      part.kind === "text" || !readVariables(part).includes(variable) || isPlainUse(part, variable)
    )
  );
}

const READ = new WeakMap<Request, ReadonlySet<string>>();

export function usesVariable(request: Request, variable: string): boolean {
  return READ.getOrInsertComputed(request, () => {
    const templates = textsOf(request).filter(({ template }) => template.includes("${"));
    return new Set(
      templates.flatMap(({ template }) => parseTemplate(template).flatMap(readVariables)),
    );
  }).has(variable);
}
