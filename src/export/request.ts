import { asText as textOf, ExactNumber } from "../base/exact_number.ts";
import { durationMs } from "../base/format.ts";
import { ACCEPT_ENCODING } from "../http/content.ts";
import { encodeTarget } from "../http/url.ts";
import type { Body, MultipartPart } from "../plan/kinds/bodies.ts";
import type { Assertion } from "../plan/kinds/conditions.ts";
import { type Request, requestMethod, requestName } from "../plan/kinds/request.ts";
import type { HttpDefaults } from "../plan/values/http.ts";
import { sampleTags, statusTest } from "../plan/text/metrics.ts";
import { literalText, parseTemplate } from "../plan/text/template.ts";
import {
  asText,
  expressionCode,
  type Js,
  operation,
  piecesCode,
  scalarTextCode,
  templateCode,
  valueCode,
} from "./expressions.ts";
import {
  base64Code,
  callCode,
  durationCode,
  listCode,
  type Member,
  objectCode,
  stringLiteral,
  templateText,
} from "./javascript.ts";
import type { FlowScope } from "./scope.ts";

/** Code for the call that sends a request. */
export interface RequestCode {
  readonly call: string;
  /** Code that must not be undefined when the request is sent. */
  readonly needs: readonly string[];
}

/** Functions of `k6/http` that have a parameter for the body, by HTTP method. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  POST: "post",
  PUT: "put",
  PATCH: "patch",
  DELETE: "del",
  OPTIONS: "options",
};

export function requestCode(request: Request, scope: FlowScope): RequestCode {
  const url = urlCode(request, scope);
  const { content, contentType } = bodyCode(request.body, scope);
  const headers = headersCode(request, contentType, scope);
  const params = paramsCode(request, headers.members, scope);
  return {
    call: sendCode(requestMethod(request), url.code, content.code, params, scope),
    needs: operation("", [url, content, ...headers.values]).needs,
  };
}

function sendCode(
  method: string,
  url: string,
  body: string,
  params: string,
  { isAsync }: FlowScope,
): string {
  const verb = stringLiteral(method);
  if (isAsync) return `await ${callCode("http.asyncRequest", [verb, url, body, params])}`;
  if (body === "null" && (method === "GET" || method === "HEAD")) {
    return callCode(`http.${method.toLowerCase()}`, [url, params]);
  }
  const name = FUNCTIONS[method];
  return name === undefined
    ? callCode("http.request", [verb, url, body, params])
    : callCode(`http.${name}`, [url, body, params]);
}

function paramsCode(request: Request, headers: readonly Member[], scope: FlowScope): string {
  const { http } = scope;
  const more: Member[] = [];
  if (headers.length > 0) more.push(["headers", objectCode(headers)]);
  const tags = tagMembers(request.tags);
  if (tags.length > 0) more.push(["tags", objectCode(tags)]);
  if (request.timeout !== undefined) {
    more.push(["timeout", durationCode(durationMs(request.timeout)!)]);
  }
  const follows = http.follow_redirects ?? true;
  if (request.follow_redirects !== undefined && request.follow_redirects !== follows) {
    more.push(["redirects", request.follow_redirects ? String(http.max_redirects ?? 10) : "0"]);
  }
  if ((request.auth ?? http.auth) === "digest") more.push(["auth", '"digest"']);
  const statuses = (request.assert ?? []).filter((assertion) => assertion.type === "status");
  if (statuses.length > 0) more.push(["responseCallback", callbackCode(statuses)]);
  if (scope.jar !== undefined) more.push(["jar", scope.jar]);
  const name = stringLiteral(requestName(request));
  return callCode("params", more.length === 0 ? [name] : [name, objectCode(more)]);
}

/** Returns the tags of a request or a WebSocket as members of an object. */
export function tagMembers(tags: Request["tags"] = {}): Member[] {
  return Object.entries(sampleTags(tags)).map((
    [tag, value],
  ) => [tag, stringLiteral(String(value))]);
}

/** Matches an absolute URL: its origin and the rest. */
const ABSOLUTE = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)(.*)$/is;

/** Returns the code for the URL of a request, including its query parameters. */
export function urlCode({ url, params = {} }: Request, scope: FlowScope): Js {
  const parts = parseTemplate(url.replace(/^ws(?=s?:\/\/)/i, "http"));
  const pieces: (string | Js)[] = [];
  let isFixed = true;
  for (const [i, part] of parts.entries()) {
    if (part.kind !== "text") {
      const value = expressionCode(part, scope);
      pieces.push(i > 0 ? value : operation(`resolveUrl(${asText(value)})`, [value]));
      isFixed = false;
      continue;
    }
    const [, origin, rest = part.text] = i > 0 ? [] : ABSOLUTE.exec(part.text) ?? [];
    if (origin !== undefined) pieces.push(origin);
    else if (i === 0) pieces.push(operation("BASE_URL"), "/");
    const text = i === 0 ? rest.replace(/^\//, "") : rest;
    if (origin !== undefined && !/^[?#]|^$/.test(rest)) pieces.push("/");
    const [path, ...query] = text.split(/(?=[?#])/);
    pieces.push(
      pieces.some(hasQuery) ? encoded(`?${text}`).slice(1) : encoded(path, query.join("")),
    );
    if (text.includes("#")) break;
  }
  for (const [name, list] of Object.entries(params)) {
    for (const item of Array.isArray(list) ? list : [list]) {
      const last = pieces.at(-1);
      const isOpen = typeof last === "string" && /[?&]$/.test(last);
      const sign = !pieces.some(hasQuery) ? "?" : isOpen ? "" : "&";
      pieces.push(`${sign}${encodeURIComponent(name.toWellFormed())}=`);
      const fixed = typeof item === "string" ? literalText(item) : textOf(item);
      if (fixed !== undefined) pieces.push(encodeURIComponent(fixed.toWellFormed()));
      else {
        const value = scalarTextCode(item, scope);
        pieces.push(operation(`encodeURIComponent(${value.code})`, [value]));
      }
    }
  }
  const code = piecesCode(pieces);
  const values = pieces.filter((piece) => typeof piece !== "string");
  return operation(isFixed ? code : `encodeUrl(${code})`, values);
}

function hasQuery(piece: string | Js): boolean {
  return typeof piece === "string" && piece.includes("?");
}

function encoded(path: string, query = ""): string {
  const all = encodeTarget(`/${path}${query}`.replace(/#.*$/s, "")).slice(1);
  return all.replace(
    /^[^?]*/,
    (text) => text.replace(/[\\^{|}]|%(?![0-9A-Fa-f]{2})/g, encodeURIComponent),
  );
}

type HeaderValue = NonNullable<HttpDefaults["headers"]>[string];

/** Returns the headers that all requests have in common, in the constant `HEADERS`. */
export function defaultHeaders(scope: FlowScope): readonly Member[] {
  const { headers = {}, compression = true } = scope.http;
  const isGiven = Object.keys(headers).some((name) => name.toLowerCase() === "accept-encoding");
  const members: Member[] = Object.entries(headers).flatMap(([name, value]): Member[] =>
    value === null || !isConstant(value) ? [] : [[name, scalarTextCode(value, scope).code]]
  );
  return compression && !isGiven
    ? [["Accept-Encoding", stringLiteral(ACCEPT_ENCODING)], ...members]
    : members;
}

function isConstant(value: HeaderValue): boolean {
  return typeof value !== "string" ||
    parseTemplate(value).every(({ kind }) => ["text", "env", "vars", "secrets"].includes(kind));
}

/**
 * Returns the headers of a request that differ from the defaults. A header whose value is null is
 * not sent. `contentType` is the code for the default content type of the request body.
 */
export function headersCode(
  request: Request,
  contentType: string | undefined,
  scope: FlowScope,
): { readonly members: readonly Member[]; readonly values: readonly Js[] } {
  const { headers = {} } = scope.http;
  const defaults = new Map(defaultHeaders(scope).map(([name]) => [name.toLowerCase(), name]));
  const own = new Map<string, Member>();
  const values: Js[] = [];
  const set = (name: string, code: string) => {
    const lower = name.toLowerCase();
    own.set(lower, [defaults.get(lower) ?? own.get(lower)?.[0] ?? name, code]);
  };
  const given = new Set(
    [headers, request.headers ?? {}].flatMap((map) => Object.keys(map))
      .map((name) => name.toLowerCase()),
  );
  if (request.sse) {
    if (!given.has("accept")) set("Accept", '"text/event-stream"');
    if (!given.has("accept-encoding") && defaults.has("accept-encoding")) {
      set("Accept-Encoding", "null");
    }
  }
  if (contentType !== undefined && !given.has("content-type")) set("Content-Type", contentType);
  const varying = Object.entries(headers).filter(([, value]) =>
    value !== null && !isConstant(value)
  );
  for (const [name, value] of [...varying, ...Object.entries(request.headers ?? {})]) {
    const lower = name.toLowerCase();
    if (value !== null) set(name, headerCode(lower, value));
    else if (defaults.has(lower)) set(name, "null");
    else own.delete(lower);
  }
  return { members: [...own.values()], values };

  /** Without one of its variables, `Referer` is not sent, and `Origin` is cut to the origin. */
  function headerCode(lower: string, value: Exclude<HeaderValue, null>): string {
    const js = scalarTextCode(value, scope);
    const [origin] = /^https?:\/\/[^/?#$]+(?=\/)/i.exec(String(value)) ?? [];
    if (js.needs.length > 0 && (lower === "referer" || lower === "origin" && origin)) {
      const otherwise = lower === "referer" ? "null" : stringLiteral(origin!);
      return `isSet(${js.needs.join(", ")}) ? ${js.code} : ${otherwise}`;
    }
    values.push(js);
    return js.code;
  }
}

interface BodyCode {
  readonly content: Js;
  readonly contentType?: string | undefined;
}

function bodyCode(body: Body | undefined, scope: FlowScope): BodyCode {
  const none = operation("null");
  // k6 sends an empty string with chunked encoding.
  if (body === undefined || body === "") return { content: none };
  if (typeof body === "string") return { content: templateCode(body, scope) };
  const { content_type, json, form, multipart, file, base64 } = body;
  const given = content_type === undefined ? undefined : stringLiteral(content_type);
  if (json !== undefined) {
    return { content: jsonCode(json, scope), contentType: given ?? '"application/json"' };
  }
  if (form !== undefined) {
    const contentType = given ?? '"application/x-www-form-urlencoded"';
    const pairs = Array.isArray(form)
      ? form
      : Object.entries(form).flatMap(([name, value]) =>
        (Array.isArray(value) ? value : [value]).map((item) => [name, item] as const)
      );
    const fields = pairs.map(([name, value]) =>
      [templateCode(name, scope), valueCode(value, scope)] as const
    );
    const list = listCode(fields.map((pair) => listCode(pair.map(({ code }) => code))));
    const content = operation(callCode("form", [list]), fields.flat());
    return { content: pairs.length === 0 ? none : content, contentType };
  }
  if (multipart !== undefined) {
    const parts = multipart.map((part) => partCode(part, scope));
    const list = listCode(parts.map(({ code }) => code));
    return {
      content: operation(callCode("multipart", [list]), parts),
      contentType: given ?? "`multipart/form-data; boundary=${BOUNDARY}`",
    };
  }
  return { content: contentCode({ file, base64 }, scope), contentType: given };
}

function jsonCode(json: unknown, scope: FlowScope): Js {
  const value = valueCode(json, scope);
  if (!hasExactNumber(json)) {
    return operation(callCode("JSON.stringify", [value.code]), [value]);
  }
  const source = (item: unknown): string => {
    if (Array.isArray(item)) return `[${item.map(source).join(",")}]`;
    if (typeof item === "string" && literalText(item) === undefined) {
      return "${JSON.stringify(" + valueCode(item, scope).code + ")}";
    }
    if (typeof item !== "object" || item === null || item instanceof ExactNumber) {
      return templateText(JSON.stringify(typeof item === "string" ? literalText(item) : item));
    }
    const members = Object.entries(item).map(([key, one]) => `${source(key)}:${source(one)}`);
    return `{${members.join(",")}}`;
  };
  return operation("`" + source(json) + "`", [value]);
}

function hasExactNumber(value: unknown): boolean {
  if (value instanceof ExactNumber) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(hasExactNumber);
}

function partCode(part: MultipartPart, scope: FlowScope): Js {
  const name = templateCode(part.name, scope);
  const content = contentCode(part, scope);
  const filename = part.filename === undefined ? [] : [templateCode(part.filename, scope)];
  const members: Member[] = [["name", name.code], ["content", content.code]];
  for (const { code } of filename) members.push(["filename", code]);
  const type = part.content_type?.replace(/[\r\n]/g, " ");
  if (type !== undefined) members.push(["type", stringLiteral(type)]);
  return operation(objectCode(members), [name, content, ...filename]);
}

function contentCode(
  { value = "", file, base64 }: Pick<MultipartPart, "value" | "file" | "base64">,
  scope: FlowScope,
): Js {
  if (file !== undefined) return operation(scope.script.file(file));
  return base64 === undefined ? templateCode(value, scope) : operation(base64Code(base64));
}

/**
 * Returns the code for the callback for the statuses that k6 expects: those in a list of codes and
 * ranges, or those that pass all of the assertions.
 */
export function callbackCode(
  expected: readonly (number | string)[] | readonly Assertion[],
): string {
  const codes = rangesOf(expected).map(([from, to]) =>
    from === to ? String(from) : `{ min: ${from}, max: ${to} }`
  );
  // No response has the status 999, so every response fails.
  return callCode("http.expectedStatuses", codes.length === 0 ? ["999"] : codes);
}

/** Returns the ranges of expected statuses. `from` and `to` are inclusive. */
export function rangesOf(
  expected: readonly (number | string | Assertion)[],
): [from: number, to: number][] {
  const assertions = expected.filter((one) => typeof one === "object");
  const isListed = statusTest(expected.filter((one) => typeof one !== "object"));
  const isExpected = (status: number) =>
    assertions.length === 0
      ? isListed!(status)
      : assertions.every((one) =>
        one.type === "status" && (one.equals ?? status) === status &&
        (one.one_of?.includes(status) ?? true) &&
        new RegExp(one.matches ?? "").test(String(status))
      );
  const ranges: [from: number, to: number][] = [];
  for (let status = 100; status < 600; status++) {
    if (!isExpected(status)) continue;
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === status - 1) last[1] = status;
    else ranges.push([status, status]);
  }
  return ranges;
}
