import type { Body, MultipartPart } from "../../plan/kinds/bodies/bodies.ts";
import type { Extractor } from "../../plan/kinds/extractors/extractors.ts";
import type { Request } from "../../plan/kinds/steps/steps.ts";
import { literal } from "../../plan/text/template.ts";
import type { Draft, DraftBody, DraftPart } from "../correlate/draft.ts";
import { renderTree } from "../correlate/json_tree.ts";
import { fieldTemplate, type RequestField } from "../correlate/request_field.ts";
import { urlParts } from "../correlate/url_fields.ts";
import { HIDDEN, withReplaced } from "./hidden.ts";
import { isSendableValue } from "./kept_headers.ts";
import { parseMediaType } from "../../traffic/har/media_type.ts";

/** Settings of a request in the plan that its draft does not contain. */
export interface RequestContext {
  readonly baseUrl: string;
  readonly extract: readonly Extractor[];
  /** True if the request follows redirects. */
  readonly follow: boolean;
  /** Expected status of the response; undefined for no check. */
  readonly status: number | undefined;
}

/** Builds the request that repeats a recorded call. */
export function planRequest(draft: Draft, context: RequestContext): Request {
  const { extract, follow, status } = context;
  const headers = planHeaders(draft);
  return {
    name: recordedRequestName(draft),
    method: toMethod(draft),
    url: planUrl(draft, context.baseUrl),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(draft.body && { body: planBody(draft, draft.body) }),
    ...(follow && { follow_redirects: true }),
    ...(extract.length > 0 && { extract: [...extract] }),
    ...(status !== undefined && { checks: [{ type: "status", equals: status }] }),
  };
}

/** Returns `METHOD path`, with `${name}` for replaced values and `********` for credentials. */
export function recordedRequestName(draft: Draft): string {
  const path = draft.url.path.map((piece) => typeof piece === "string" ? piece : fieldName(piece));
  return `${toMethod(draft)} ${path.join("")}`;
}

function toMethod({ exchange }: Draft): string {
  return exchange.request.method.toUpperCase();
}

function fieldName(slot: RequestField): string {
  const replaced = slot.spans.map(({ start, end, expression }) => {
    const reference = "argument" in expression ? expression.argument : expression;
    return { start, end, text: "name" in reference ? `\${${reference.name}}` : "" };
  });
  const hidden = slot.hidden.filter(({ start, end }) =>
    !replaced.some((span) => span.start < end && start < span.end)
  ).map((range) => ({ ...range, text: HIDDEN }));
  return withReplaced(slot.recorded, [...replaced, ...hidden].sort((a, b) => a.start - b.start));
}

/**
 * Returns the URL for the plan: relative if its origin is `baseUrl` and its path does not start with
 * `//`, otherwise absolute.
 */
function planUrl({ url }: Draft, baseUrl: string): string {
  const parts = [...urlParts(url.path), ...urlParts(url.query)];
  const relative = url.origin === baseUrl &&
    !(url.path[0] === "/" && url.path[1] === "/");
  return fieldTemplate(relative ? parts : [{ kind: "text", text: url.prefix }, ...parts]);
}

function planHeaders({ headers, body }: Draft): Record<string, string> {
  const planned = headers.map(({ name, slot }): [string, string] => [name, slot.template()]);
  if (body?.kind === "text" && hasSendableType(body) && !sendsContentType(headers)) {
    planned.push(["Content-Type", literal(body.contentType)]);
  }
  return Object.fromEntries(planned);
}

/** Reports whether the media type of the body is known and can be sent. */
function hasSendableType({ contentType }: DraftBody): boolean {
  return contentType !== "" && isSendableValue(contentType);
}

function sendsContentType(headers: Draft["headers"]): boolean {
  return headers.some(({ name }) => name.toLowerCase() === "content-type");
}

/** Media types that the engine sends without a `content_type`. */
const IMPLIED = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data",
  base64: "",
};

function planBody(draft: Draft, body: DraftBody): Body {
  if (body.kind === "text") return body.slot.template();
  const type = parseMediaType(body.contentType).essence;
  const isImplied = sendsContentType(draft.headers) || !hasSendableType(body) || type === "" ||
    type === IMPLIED[body.kind];
  return { ...content(body), ...(!isImplied && { content_type: body.contentType }) } as Body;
}

function content(body: Exclude<DraftBody, { kind: "text" }>): Exclude<Body, string> {
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
  fields: readonly { name: string; slot: RequestField }[],
): Exclude<Body, string>["form"] {
  const names = new Set(fields.map(({ name }) => name));
  const fits = names.size === fields.length &&
    fields.every(({ name }) => !/^\d*$|^__proto__$|\$\{/.test(name));
  if (fits) return Object.fromEntries(fields.map(({ name, slot }) => [name, slot.template()]));
  return fields.map(({ name, slot }): [string, string] => [literal(name), slot.template()]);
}

function multipartPart({ recorded, slot }: DraftPart): MultipartPart {
  const { name, base64 = "", filename, contentType } = recorded;
  return {
    name: literal(name),
    ...(slot ? { value: slot.template() } : { base64 }),
    ...(filename !== undefined && { filename: literal(filename) }),
    ...(contentType !== undefined && isSendableValue(contentType) && { content_type: contentType }),
  };
}
