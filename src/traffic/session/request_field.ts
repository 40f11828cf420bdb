import { framedJson, stompHeaders } from "../../base/frames.ts";
import { jsonLeaves, type PathNode, pathNode } from "../har/json_text.ts";

/** A separate value in a string, such as a path segment or a member of JSON text. */
export interface FieldPart {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly inPath: boolean;
  /** The innermost object or list of JSON text that contains the part. */
  readonly within?: PathNode | undefined;
}

/** Maximum number of objects and lists around a value in JSON text whose names are read. */
const MOST_AROUND = 32;

/** Returns the names of the members of JSON text that contain a part, the innermost first. */
export function membersAroundPart({ within }: FieldPart): string[] {
  const names: string[] = [];
  for (let node = within; node?.parent && names.length < MOST_AROUND; node = node.parent) {
    names.push(node.key);
  }
  return names;
}

const LONGEST_TEXT = 2 ** 20;

const NO_PARTS: readonly FieldPart[] = [];

const ADDRESS = /^(?:https?:\/\/[^/?#\s]*)?(?=[/?])|^https?:\/\/[^/?#\s]*$/i;

const STARTS = "/?hH";

const ENTITY_TAG = /^(?:W\/)?"[^"]+"$/;

/** Matches a reference to an object: the name of its model, such as `party.party`, and its id. */
const REFERENCE = /^([A-Za-z_]\w*(?:\.\w+)+),(\d+)$/;
/** Matches a comparison with a number in a query of PostgREST, such as `eq.7`. */
const COMPARISON = /^(?:not\.)?(?:eq|neq|gte?|lte?)\.(\d+)$/;
const LONGEST_REFERENCE = 256;

/**
 * Splits a URL, path, JSON (also in a frame), XML or entity tag into parts without escapes, and
 * finds the id in a reference such as `party.party,7` and in a comparison such as `eq.7`. `name` is
 * that of the field.
 */
export function fieldParts(text: string, name: string): readonly FieldPart[] {
  const first = text.charCodeAt(0);
  if ((first === 0x22 || first === 0x57) && ENTITY_TAG.test(text)) {
    return [{ start: text.indexOf('"') + 1, end: text.length - 1, name, inPath: false }];
  }
  if (first === 0x7b || first === 0x5b) {
    return isStructured(text, "}", "]") ? jsonParts(text, name) : framedParts(text);
  }
  if (first === 0x3c) return isStructured(text, ">", ">") ? xmlParts(text) : [];
  const last = text.charCodeAt(text.length - 1);
  if (last >= 0x30 && last <= 0x39 && text.length <= LONGEST_REFERENCE) {
    const [, model = name, id] = REFERENCE.exec(text) ?? ["", name, COMPARISON.exec(text)?.[1]];
    if (id !== undefined) {
      return [{ start: text.length - id.length, end: text.length, name: model, inPath: false }];
    }
  }
  const origin = STARTS.includes(text[0]) ? ADDRESS.exec(text)?.[0].length : undefined;
  if (origin === undefined) return framedParts(text);
  return /\s/.test(text) ? [] : addressParts(text, origin);
}

/**
 * Prefilter: every frame contains one, and most headers do not. bench: scripts/bench/har.ts, 10,000
 * entries without candidates: -4 % CPU time
 */
const FRAMED = /[[{\n]/;

/** Returns the parts of JSON in the frame of a messaging protocol, and of its headers. */
function framedParts(text: string): readonly FieldPart[] {
  if (text.length > LONGEST_TEXT || !FRAMED.test(text)) return NO_PARTS;
  const headers = stompHeaders(text).filter(({ start, end }) => start < end);
  const parts =
    framedJson(text)?.ranges.flatMap(([from, to]) =>
      jsonParts(text.slice(from, to), "").map(({ start, end, ...rest }) => ({
        start: from + start,
        end: from + end,
        ...rest,
      }))
    ) ?? [];
  return [...headers.map((header) => ({ ...header, inPath: false })), ...parts];
}

function isStructured(text: string, ...ends: readonly string[]): boolean {
  return text.length <= LONGEST_TEXT && ends.some((end) => text.endsWith(end));
}

function addressParts(text: string, start: number): FieldPart[] {
  const parts: FieldPart[] = [];
  let name = "";
  let before = "/";
  const pattern = /[/?&=#;]/g;
  pattern.lastIndex = start;
  const add = (from: number, to: number) => {
    const inPath = before === "/";
    if (from < to && (inPath || before === "=")) {
      parts.push({ start: from, end: to, name: inPath ? "" : name, inPath });
    }
  };
  let from = start;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const { index } = match;
    add(from, index);
    if (match[0] === "=") name = text.slice(from, index);
    before = match[0];
    from = index + 1;
  }
  add(from, text.length);
  return parts;
}

/** Matches a list of numbers, to which the name of its field applies. */
const NUMBERS = /^\[[\d\s,"]*\]$/;

/** The name of the field is the step of the root, because it names no item of the value. */
function jsonParts(text: string, field: string): FieldPart[] {
  const root = { ...pathNode(undefined, field), ...(!NUMBERS.test(text) && { key: "" }) };
  return [...jsonLeaves(text, root)].flatMap(({ start, end, isString, node }) => {
    const content = text.slice(start, end);
    if (isString && (content === "" || content.includes("\\"))) return [];
    return [{ start, end, name: node?.key ?? "", inPath: false, within: node?.parent }];
  });
}

const XML_TAG = /<([\w:.-]+)(?![\w:.-])([^<>]*)>([^<>]*)/g;
const XML_ATTRIBUTE = /(?<![\w:.-])([\w:.-]+)\s*=\s*(?:"([^"<&]*)"|'([^'<&]*)')/g;

function xmlParts(text: string): FieldPart[] {
  const parts: FieldPart[] = [];
  const add = (content: string, from: number, name: string) => {
    const start = from + content.length - content.trimStart().length;
    const end = from + content.trimEnd().length;
    if (start < end && !content.includes("&")) {
      parts.push({ start, end, name: name.slice(name.indexOf(":") + 1), inPath: false });
    }
  };
  for (const { 0: element, 1: tag, 2: attributes, 3: content, index } of text.matchAll(XML_TAG)) {
    const from = index + 1 + tag.length;
    for (
      const { 0: pair, 1: name, 2: double, 3: single, index: at } of attributes.matchAll(
        XML_ATTRIBUTE,
      )
    ) {
      const value = double ?? single;
      add(value, from + at + pair.length - 1 - value.length, name);
    }
    add(content, index + element.length - content.length, tag);
  }
  return parts;
}

/** Part of a request. `name`: the field is the name of a parameter, form field or JSON member. */
export type RequestFieldKind =
  | "path"
  | "query"
  | "form"
  | "multipart"
  | "header"
  | "json"
  | "text"
  | "name";

/** Kinds of the fields of a body that have names. */
export const IN_BODY: ReadonlySet<string> = new Set<RequestFieldKind>([
  "form",
  "multipart",
  "json",
]);

const AUTH_SCHEME = /^[A-Za-z][\w-]* +\S+$/;

/** A part of a request with one value, such as a path segment, a header or a JSON leaf. */
export class RequestField {
  readonly kind: RequestFieldKind;
  /** Name of the parameter, header or member. Empty for path segments and the kind `name`. */
  readonly name: string;
  /** Percent-encoded as in the recording. */
  readonly recorded: string;
  /** Percent-decoded in a URL. */
  readonly value: string;
  readonly #parts: (() => readonly FieldPart[]) | undefined;

  /** `parts` returns the parts of a value whose form does not show them. */
  constructor(
    kind: RequestFieldKind,
    name: string,
    recorded: string,
    value: string = recorded,
    parts: (() => readonly FieldPart[]) | undefined = undefined,
  ) {
    this.kind = kind;
    this.name = name;
    this.recorded = recorded;
    this.value = value;
    this.#parts = parts;
  }

  get numeric(): boolean {
    return false;
  }

  /** The ranges that are a whole value: all, and the part after a scheme such as `Bearer`. */
  wholes(): readonly (readonly [start: number, end: number])[] {
    const whole = [0, this.value.length] as const;
    const { schemeLength } = this;
    return schemeLength > 0 ? [whole, [schemeLength, this.value.length]] : [whole];
  }

  /** With the spaces after it; 0 without an auth scheme. */
  get schemeLength(): number {
    if (this.kind !== "header" || !this.value.includes(" ")) return 0;
    return AUTH_SCHEME.test(this.value) ? this.value.lastIndexOf(" ") + 1 : 0;
  }

  /** Returns the parts of a URL, a path, JSON, XML or an entity tag. */
  parts(): readonly FieldPart[] {
    if (this.#parts !== undefined) return this.#parts();
    return this.numeric || this.value.length < 3 ? NO_PARTS : fieldParts(this.value, this.name);
  }

  recordedRange(start: number, end: number): [start: number, end: number] {
    return [start, end];
  }
}

/** Reports whether a field is a path segment, not a path parameter. */
export function isPathSegment({ kind, name }: RequestField): boolean {
  return kind === "path" && name === "";
}

/** Reports whether a name may contain a generated value. No false negatives. */
export function holdsValue(name: string): boolean {
  return /\d/.test(name);
}
