import type { Body, MultipartPart } from "../../plan/kinds/bodies/bodies.ts";
import type { Extractor } from "../../plan/kinds/extractors/extractors.ts";
import type { Request } from "../../plan/kinds/steps/steps.ts";
import { literal } from "../../plan/text/template.ts";
import type {
  CallBody,
  MultipartField,
  RecordedCall,
} from "../../traffic/session/recorded_call.ts";
import { renderTree } from "../../traffic/session/json_tree.ts";
import { fieldTemplate, type RequestField } from "../../traffic/session/request_field.ts";
import { urlParts } from "../../traffic/session/call_url.ts";
import { HIDDEN, withReplaced } from "./hidden.ts";
import { isSendableValue } from "../../traffic/session/kept_headers.ts";
import { parseMediaType } from "../../traffic/har/media_type.ts";

/** Settings of a request in the plan that its call does not contain. */
export interface RequestContext {
  readonly baseUrl: string;
  readonly extract: readonly Extractor[];
  /** True if the request follows redirects. */
  readonly follow: boolean;
  /** Expected status of the response; undefined for no check. */
  readonly status: number | undefined;
}

/** Builds the request that repeats a recorded call. */
export function planRequest(call: RecordedCall, context: RequestContext): Request {
  const { extract, follow, status } = context;
  const headers = planHeaders(call);
  return {
    name: recordedRequestName(call),
    method: toMethod(call),
    url: planUrl(call, context.baseUrl),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(call.body && { body: planBody(call, call.body) }),
    ...(follow && { follow_redirects: true }),
    ...(extract.length > 0 && { extract: [...extract] }),
    ...(status !== undefined && { checks: [{ type: "status", equals: status }] }),
  };
}

/** Returns `METHOD path`, with `${name}` for replaced values and `********` for credentials. */
export function recordedRequestName(call: RecordedCall): string {
  const path = call.url.path.map((piece) => typeof piece === "string" ? piece : fieldName(piece));
  return `${toMethod(call)} ${path.join("")}`;
}

function toMethod({ exchange }: RecordedCall): string {
  return exchange.request.method.toUpperCase();
}

function fieldName(field: RequestField): string {
  const replaced = field.spans.map(({ start, end, expression }) => {
    const reference = "argument" in expression ? expression.argument : expression;
    return { start, end, text: "name" in reference ? `\${${reference.name}}` : "" };
  });
  const hidden = field.hidden.filter(({ start, end }) =>
    !replaced.some((span) => span.start < end && start < span.end)
  ).map((range) => ({ ...range, text: HIDDEN }));
  return withReplaced(field.recorded, [...replaced, ...hidden].sort((a, b) => a.start - b.start));
}

/**
 * Returns the URL for the plan: relative if its origin is `baseUrl` and its path does not start with
 * `//`, otherwise absolute.
 */
function planUrl({ url }: RecordedCall, baseUrl: string): string {
  const parts = [...urlParts(url.path), ...urlParts(url.query)];
  const relative = url.origin === baseUrl &&
    !(url.path[0] === "/" && url.path[1] === "/");
  return fieldTemplate(relative ? parts : [{ kind: "text", text: url.prefix }, ...parts]);
}

function planHeaders({ headers, body }: RecordedCall): Record<string, string> {
  const planned = headers.map(({ name, field }): [string, string] => [name, field.template()]);
  if (body?.kind === "text" && hasSendableType(body) && !sendsContentType(headers)) {
    planned.push(["Content-Type", literal(body.contentType)]);
  }
  return Object.fromEntries(planned);
}

/** Reports whether the media type of the body is known and can be sent. */
function hasSendableType({ contentType }: CallBody): boolean {
  return contentType !== "" && isSendableValue(contentType);
}

function sendsContentType(headers: RecordedCall["headers"]): boolean {
  return headers.some(({ name }) => name.toLowerCase() === "content-type");
}

/** Media types that the engine sends without a `content_type`. */
const IMPLIED = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data",
  base64: "",
};

function planBody(call: RecordedCall, body: CallBody): Body {
  if (body.kind === "text") return body.field.template();
  const type = parseMediaType(body.contentType).essence;
  const isImplied = sendsContentType(call.headers) || !hasSendableType(body) || type === "" ||
    type === IMPLIED[body.kind];
  return { ...content(body), ...(!isImplied && { content_type: body.contentType }) } as Body;
}

function content(body: Exclude<CallBody, { kind: "text" }>): Exclude<Body, string> {
  switch (body.kind) {
    case "json":
      return { json: renderTree(body.tree) as Exclude<Body, string>["json"] };
    case "form":
      return { form: form(body.fields) };
    case "multipart":
      return { multipart: body.parts.map(multipartPart) };
    case "base64":
      return { base64: body.base64 };
  }
}

/**
 * Returns the form as a map, or as a list of pairs if a map would lose something: repeated names, names
 * that look like an index, or names with `${`.
 */
function form(
  fields: readonly { name: string; field: RequestField }[],
): Exclude<Body, string>["form"] {
  const names = new Set(fields.map(({ name }) => name));
  const fits = names.size === fields.length &&
    fields.every(({ name }) => !/^\d*$|^__proto__$|\$\{/.test(name));
  if (fits) return Object.fromEntries(fields.map(({ name, field }) => [name, field.template()]));
  return fields.map(({ name, field }): [string, string] => [literal(name), field.template()]);
}

function multipartPart({ recorded, field }: MultipartField): MultipartPart {
  const { name, base64 = "", filename, contentType } = recorded;
  return {
    name: literal(name),
    ...(field ? { value: field.template() } : { base64 }),
    ...(filename !== undefined && { filename: literal(filename) }),
    ...(contentType !== undefined && isSendableValue(contentType) && { content_type: contentType }),
  };
}
