import { idName, UniqueNames } from "../correlation/variable.ts";
import { type Expression, namedUuid } from "../plan/expressions/expression.ts";
import { rowTemplate } from "../extract/extractors.ts";
import { percentDecodedText } from "../traffic/session/call_url.ts";
import { nameHint, nameWords } from "../traffic/session/dynamic_value.ts";
import { IN_BODY } from "../traffic/session/request_field.ts";
import { joinTemplate, literal, parseTemplate, type TemplatePart } from "../plan/text/template.ts";
import { isMap } from "../base/exact_number.ts";
import { UUID } from "../base/random.ts";
import { SHORTEST_WITHIN } from "../traffic/session/value_index.ts";
import { readJsonBody } from "../traffic/har/json_text.ts";
import { escapeRegex, splitParameters } from "../base/string_escapes.ts";
import { mapRequestTexts, type RequestText, requestTexts } from "../plan/request_texts.ts";
import type { Request } from "../plan/kinds/request.ts";
import { isWeak } from "./literal_edit.ts";

/**
 * A string that a server may require to be unique, and the parts of the template to send instead:
 * fixed text, an expression, and fixed text.
 */
export interface UniqueText {
  readonly text: string;
  readonly names?: readonly string[];
  /**
   * Expression with a different value in each iteration: `${unique}`, or `${uuid(NAME)}` in place
   * of a UUID. In place of a date, one with a different value on each day.
   */
  readonly expression: Expression;
  readonly before: string;
  readonly after: string;
  /** Longer texts that contain it, and that requests send as a value. */
  readonly longer?: readonly string[];
  /** Set for a date: the first request that sends it. */
  readonly source?: number;
}

const SECRET = /pass|token|secret|csrf|xsrf|nonce|session|auth|captcha|_method|viewstate|utf8/i;
const STAMP =
  /\d{4}-\d\d-\d\d(?:[T _-]?\d\d[:.-]?\d\d(?:[:.-]?\d\d)?(?:\.\d+)?Z?)?|(?<!\d)\d{10,17}(?!\d)/;
const NAMED_FIRST =
  /(?:^|[_\W])(?:name|title|slug|key|code|e?mail|user|login|subject|label|caption|identifier|summary|path)s?$/i;
const LONGEST_TEXT = 200;
const UNIQUE: Expression = { kind: "unique" };

export interface UniqueContext {
  isFromServer(text: string): boolean;
  /** Reports whether an earlier request sent the text, too: rather a word of the protocol. */
  isSentBefore(text: string): boolean;
  /** Names of UUIDs that the plan already sends (default: none). */
  readonly uuids?: Iterable<string>;
  /** Names in the URL, of an object that this request or a later one creates (default: none). */
  readonly newNames?: readonly string[];
  /** Requests whose uploaded files show extensions of files (default: none). */
  readonly requests?: readonly Request[];
}

/**
 * Returns the strings of a request that the server may require to be unique, most likely first:
 * UUIDs, then names of new objects in the URL, then strings
 * of the body that contain a time, then ids, then names and titles, then others. Of these, those
 * that no earlier request sent come first.
 */
export function uniqueTexts(
  request: Request,
  { isFromServer, isSentBefore, uuids = [], newNames = [], requests = [] }: UniqueContext,
): UniqueText[] {
  const sent = requestTexts(request).flatMap(splitForm).flatMap(splitJson);
  const isRpc = isRpcBody(request);
  const texts = sent.filter(({ kind, name, template, numeric, around }) =>
    IN_BODY.has(kind) && !numeric && !SECRET.test(name) && template.length <= LONGEST_TEXT &&
    !(isRpc && around?.length === 0) &&
    /\p{L}{3}/u.test(template) && !template.includes("${") &&
    !/^(?:true|false|null)$/.test(template)
  );
  const rank = ({ name, template }: RequestText) =>
    [STAMP.test(template), nameHint(name).idLike, NAMED_FIRST.test(words(name)), true]
      .indexOf(true) + (isSentBefore(template) ? 0.5 : 0);
  const sorted = texts.toSorted((a, b) => rank(a) - rank(b)).map(({ template }) => template);
  const own = new Set([...newNames, ...sorted.filter((text) => !isFromServer(text))]);
  return [
    ...clientUuids(request, uuids).filter(({ text }) => !isFromServer(text)),
    ...[...own].filter((text) => !WHOLE_UUID.test(text)).map((text) => ({
      ...toUnique(text, requests),
      names: texts.filter(({ template }) => template === text).map(({ name }) => name),
    })),
  ];
}

/** Reports whether a body contains JSON-RPC requests: their members are words of the protocol. */
function isRpcBody({ body }: Request): boolean {
  const json: unknown = isMap(body) ? body.json : undefined;
  const requests = Array.isArray(json) ? json : [json];
  return requests.every((request) => isMap(request) && "jsonrpc" in request && "method" in request);
}

/** Matches a field of a form in a raw body. Scripts also send fields without a name. */
const FORM_FIELD = /^[^=\s"<{]*=[^=]*$/;

function isForm(body: string): boolean {
  return splitParameters(body).every(([, pair]) => FORM_FIELD.test(pair));
}

/** Returns the fields of a raw body if it contains a form, otherwise the text. */
function splitForm(text: RequestText): RequestText[] {
  if (text.kind !== "body" || !isForm(text.template)) return [text];
  return splitParameters(text.template).flatMap(([, pair]): RequestText[] => {
    const [name, template] = pair.split("=", 2).map((part) => percentDecodedText(part, true));
    return template === undefined ? [] : [{ ...text, kind: "form", name, template }];
  });
}

/** Matches text that may be a JSON object or list. */
const JSON_TEXT = /^\s*(?:\{[^]*\}|\[[^]*\])\s*$/;

function splitJson(text: RequestText): RequestText[] {
  if (!IN_BODY.has(text.kind) || !JSON_TEXT.test(text.template)) return [text];
  const json = readJsonBody(text.template);
  return json ? jsonTexts(json.value, text.name).map((inner) => ({ ...text, ...inner })) : [text];
}

function jsonTexts(value: unknown, name: string): Pick<RequestText, "name" | "template">[] {
  if (typeof value === "string") return [{ name, template: value }];
  if (Array.isArray(value)) return value.flatMap((item) => jsonTexts(item, name));
  return isMap(value)
    ? Object.entries(value).flatMap(([key, member]) => jsonTexts(member, key))
    : [];
}

const NAMES_PAGE = /(?:^|[_\W])(?:name|title|slug|page|topic|path|file)s?$/i;

/**
 * Returns the segments of the path, and the names in the query, that contain a word. With `isLast`,
 * only the last segment.
 */
export function namesInUrl(request: Request, isLast = false): string[] {
  const sent = requestTexts(request);
  const last = sent.findLast(({ kind, template }) => kind === "path" && template !== "");
  return sent.filter((text) => isLast ? text === last : /^(?:path|query)$/.test(text.kind))
    .filter(({ kind, name, template }) =>
      !template.includes("${") && (kind === "path" || NAMES_PAGE.test(words(name)))
    )
    .map(({ kind, template }) => percentDecodedText(template, kind === "query"))
    .filter((name) => name.length <= LONGEST_TEXT && /\p{L}{3}/u.test(name));
}

const WHOLE_UUID = new RegExp(`^${UUID}$`);

function clientUuids(request: Request, taken: Iterable<string>): UniqueText[] {
  const names = new UniqueNames(taken);
  const sent = requestTexts(request).filter(({ kind, template }) =>
    kind !== "file" && WHOLE_UUID.test(template)
  );
  return sent.map(({ template, name, kind, resource }) => {
    const field = nameWords(kind === "path" ? `${name || resource}_id` : name);
    const expression = namedUuid(names.next(idName(field)));
    return { text: template, expression, before: "", after: "" };
  });
}

function words(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, "_").replace(/[\]}]+$/, "");
}

/** Known extensions of files: a dotted name such as `kettle.news` may be no file. */
const FILE =
  /^(?:txt|csv|json|xml|ya?ml|html?|md|pdf|png|jpe?g|gif|svg|webp|zip|gz|tar|docx?|xlsx?|pptx?|od[tsp]|ics|vcf|eml|log|js|ts|css|py|sh|bin|mp[34])$/i;

/** Returns a text before and from its extension if it is the name of a file. */
function splitFile(text: string, requests: readonly Request[]): RegExpExecArray | undefined {
  const split = /^([^\n]*[\p{L}\p{N}_)-])(\.(\w{1,10}))$/u.exec(text);
  if (split === null) return undefined;
  const extension = split[3].toLowerCase();
  return FILE.test(extension) || uploadedExtensions(requests).has(extension) ? split : undefined;
}

/** Returns the extensions of the files that requests upload, in lower case. */
function uploadedExtensions(requests: readonly Request[]): Set<string> {
  return new Set(
    requests.flatMap(({ body }) => isMap(body) ? body.multipart ?? [] : [])
      .flatMap(({ filename = "" }) => /\.(\w+)$/.exec(filename)?.[1].toLowerCase() ?? []),
  );
}

/**
 * Determines where to insert `${unique}` in a string. `requests` may upload files of the same type.
 */
export function toUnique(text: string, requests: readonly Request[]): UniqueText {
  const stamp = STAMP.exec(text);
  if (stamp !== null) {
    return {
      text,
      expression: UNIQUE,
      before: text.slice(0, stamp.index),
      after: text.slice(stamp.index + stamp[0].length),
    };
  }
  const [, start, end] = /^([^@\s]+)(@[^@\s]+\.[^@\s]+)$/.exec(text) ??
    splitFile(text, requests) ?? [undefined, text, ""];
  const joint = /\s/.test(start) ? " " : /-/.test(start) ? "-" : /_/.test(start) ? "_" : "";
  const longer = requests.flatMap(requestTexts)
    .filter(({ kind, template }) => kind !== "path" && template.includes(text))
    .map(({ template }) => template);
  return { text, expression: UNIQUE, before: start + joint, after: end, longer };
}

export function makeUnique(request: Request, unique: UniqueText): Request {
  const written = writeUnique(request, unique);
  const { checks } = written;
  if (checks === undefined) return written;
  const shown = escapeRegex(unique.text).replace(/\s+/g, "\\s+");
  const other = unique.source === undefined ? `${shown}[^<]*` : shown.replace(/\d/g, "\\d");
  const loosened = checks.map((check) =>
    check.type === "body_matches" && check.pattern.includes(shown)
      ? { ...check, pattern: check.pattern.replaceAll(shown, () => other) }
      : check
  );
  return { ...written, checks: loosened };
}

const FORMS_IN_BODY = [(part: string) => part, encodeURIComponent, formEncode, jsonEncode];
const FORMS = [
  ...FORMS_IN_BODY,
  // The URL of a wiki page contains its name.
  (part: string) => part.replaceAll(" ", "_"),
  (part: string) => part.replaceAll("_", " "),
];

function writeUnique(request: Request, unique: UniqueText): Request {
  return mapRows(
    mapRequestTexts(request, ({ kind, template }) => writeInto(template, kind, unique)),
    (row) => writeInto(row, "row", unique),
  );
}

/** Where a text is replaced: what precedes and follows it, as regular expressions. */
type TextPlace = readonly [start: string, end: string];
/** A whole text, or a whole name in a path within a segment. */
const WHOLE: TextPlace = ["(?<=^|%2[Ff])", "(?=%2[Ff]|$)"];
const ANYWHERE: TextPlace = ["", ""];
/** Not a part of a longer word: `tea-labels` in `tea-labels-old`, but not in `tea-labelsold`. */
const WORDS: TextPlace = ["(?<![A-Za-z0-9\\x80-\\uffff])", "(?![A-Za-z0-9\\x80-\\uffff])"];
/** A segment of a path, a value of a query, or a field of a form. */
const SEGMENT: TextPlace = ["(?<=[/=])", "(?=[/?&;#]|$)"];
/** A date that is not a part of a longer number or name. */
export const DATE_PLACE = ["(?<![\\d./-])", "(?![\\d./-])"] as const;
/** A string in JSON, except the name of a member. */
const JSON_STRING: TextPlace = ['(?<=[[:,]\\s*")', '(?="\\s*[\\],}])'];

const URL_TEXT = /^(?:https?:\/\/[^/?#\s]+)?(?:\/|[^\s?"<>{}]*\?[^\s?=]+=)\S*$/i;

function placeIn(
  template: string,
  kind: RequestText["kind"] | "row",
  { text, source, longer = [] }: UniqueText,
): TextPlace {
  if (source !== undefined) return DATE_PLACE;
  if (kind === "row") return longer.includes(template) ? WHOLE : WORDS;
  if (kind === "path") return longer.includes(template) && !isWeak(text) ? WORDS : WHOLE;
  if (text.length >= SHORTEST_WITHIN) return ANYWHERE;
  if (URL_TEXT.test(template) || kind === "body" && isForm(template)) return SEGMENT;
  return JSON_TEXT.test(template) ? JSON_STRING : WHOLE;
}

function writeInto(
  template: string,
  kind: RequestText["kind"] | "row",
  unique: UniqueText,
): string {
  const { text, expression, before, after } = unique;
  if (kind === "file" || kind.endsWith("-name") && !template.includes("${")) return template;
  const forms = IN_BODY.has(kind) ? FORMS_IN_BODY : FORMS;
  if (!forms.some((form) => template.includes(form(text)))) return template;
  const place = placeIn(template, kind, unique);
  const given = parseTemplate(template);
  // Text next to an expression is not whole.
  if (place === WHOLE && given.length > 1) return template;
  const parts = given.flatMap((part, at): TemplatePart[] => {
    if (part.kind !== "text") return [part];
    const end = at === given.length - 1 ? place[1] : place[1].replace("|$", "");
    for (const form of forms) {
      const [first, ...others] = part.text.split(
        new RegExp(place[0] + RegExp.escape(form(text)) + end),
      );
      if (others.length === 0) continue;
      const changed = others.flatMap((piece): TemplatePart[] => [
        { kind: "text", text: form(before) },
        expression,
        { kind: "text", text: form(after) + piece },
      ]);
      return [{ kind: "text", text: first }, ...changed];
    }
    return [part];
  });
  return joinTemplate(parts.filter((part) => part.kind !== "text" || part.text !== "")) ??
    template;
}

/**
 * Reverses `makeUnique`: restores the recorded string wherever a request sends it with `${unique}`
 * added.
 */
export function undoUnique(
  request: Request,
  { text, expression, before, after }: UniqueText,
): Request {
  const written = FORMS.flatMap((form) => {
    const parts: TemplatePart[] = [
      { kind: "text", text: form(before) },
      expression,
      { kind: "text", text: form(after) },
    ];
    const template = joinTemplate(parts);
    return template === undefined ? [] : [[template, form(text)] as const];
  });
  const undo = (template: string) =>
    written.reduce(
      (all, [template, text]) => all.replaceAll(template, () => literal(text)),
      template,
    );
  return mapRows(mapRequestTexts(request, ({ template }) => undo(template)), undo);
}

function mapRows(request: Request, map: (row: string) => string): Request {
  if (!request.extract?.some((extractor) => rowTemplate(extractor) !== undefined)) return request;
  return {
    ...request,
    extract: request.extract.map((extractor) => {
      const row = rowTemplate(extractor);
      return row === undefined ? extractor : { ...extractor, row: map(row) };
    }),
  };
}

function jsonEncode(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function formEncode(text: string): string {
  return encodeURIComponent(text).replaceAll("%20", "+");
}

/**
 * Returns the template to send instead of a string: the expression, with the fixed text before and
 * after it.
 */
export function uniqueTemplate({ expression, before, after }: UniqueText): string {
  return joinTemplate([
    { kind: "text", text: before },
    expression,
    { kind: "text", text: after },
  ])!;
}
