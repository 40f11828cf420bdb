import { writtenNumber } from "../../base/exact_number.ts";
import { joinParts, type Replacements } from "../../correlation/replace.ts";
import type { Body, MultipartPart } from "../../plan/kinds/bodies.ts";
import type { Condition } from "../../plan/kinds/conditions.ts";
import type { Extractor } from "../../plan/kinds/extractors.ts";
import type { Request } from "../../plan/kinds/request.ts";
import type { Step } from "../../plan/kinds/steps.ts";
import { RECORDED_TAG } from "../../plan/text/metrics.ts";
import { literal, parseTemplate } from "../../plan/text/template.ts";
import { parseMediaType } from "../../traffic/har/media_type.ts";
import { hasOtherEscapes } from "../../traffic/har/json_text.ts";
import type { NameValue } from "../../traffic/har/recording.ts";
import { type FieldTree, mapLeaves } from "../../traffic/session/body_fields.ts";
import { isSendableValue } from "../../traffic/session/headers.ts";
import {
  type CallBody,
  type FormField,
  headerIn,
  methodOf,
  type MultipartField,
  type RecordedCall,
} from "../../traffic/session/recorded_call.ts";
import { RequestField } from "../../traffic/session/request_field.ts";
import { longTimeout, type PlannedStream } from "./plan_streams.ts";

/** The type of a body that is sent as text, if the recorded call has no `Content-Type`. */
function textContentType(
  call: RecordedCall,
  replacements: Replacements,
): string | undefined {
  const { body } = call;
  if (body === undefined || !hasSendableType(body) || sendsContentType(call)) return undefined;
  return bodyText(call, replacements) === undefined ? undefined : body.contentType;
}

function bodyText({ body, fields }: RecordedCall, replacements: Replacements): string | undefined {
  switch (body?.kind) {
    case "text":
      return replacements.template(body.field);
    case "form":
      return body.pieces && joinParts(replacements.piecesParts(body.pieces));
    case "json":
      return hasOtherEscapes(body.text) && !fields.some((field) => isReplaced(field, replacements))
        ? literal(body.text)
        : undefined;
    default:
      return undefined;
  }
}

function isReplaced(field: RequestField, replacements: Replacements): boolean {
  return (field.kind === "json" || field.kind === "name") && replacements.of(field).length > 0;
}

function hasSendableType({ contentType }: CallBody): boolean {
  return contentType !== "" && isSendableValue(contentType);
}

function sendsContentType(call: RecordedCall): boolean {
  return headerIn(call, "content-type") !== undefined;
}

/** What the engine sends without `content_type`. */
const IMPLIED = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data",
  base64: "",
};

function planBody(call: RecordedCall, body: CallBody, replacements: Replacements): Body {
  const text = bodyText(call, replacements);
  if (text !== undefined || body.kind === "text") return text ?? "";
  const type = parseMediaType(body.contentType).essence;
  const isImplied = sendsContentType(call) || !hasSendableType(body) || type === "" ||
    type === IMPLIED[body.kind];
  return {
    ...content(body, replacements),
    ...(!isImplied && { content_type: body.contentType }),
  } as Body;
}

function content(
  body: Exclude<CallBody, { kind: "text" }>,
  replacements: Replacements,
): Exclude<Body, string> {
  switch (body.kind) {
    case "json":
      return { json: renderTree(body, replacements) as Exclude<Body, string>["json"] };
    case "form":
      return { form: form(body.fields, replacements) };
    case "multipart":
      return { multipart: body.parts.map((part) => multipartPart(part, replacements)) };
    case "base64":
      return { base64: body.base64 };
  }
}

function renderTree({ tree, names }: FieldTree, replacements: Replacements): unknown {
  return mapLeaves(
    tree,
    (leaf) => {
      if (!(leaf instanceof RequestField)) return leaf;
      const isNumber = leaf.numeric && replacements.of(leaf).length === 0;
      return isNumber ? writtenNumber(leaf.recorded) : replacements.template(leaf);
    },
    (name) => nameTemplate(name, names.get(name), replacements),
  );
}

function nameTemplate(
  name: string,
  field: RequestField | undefined,
  replacements: Replacements,
): string {
  return field ? replacements.template(field) : literal(name);
}

function form(
  fields: readonly FormField[],
  replacements: Replacements,
): Exclude<Body, string>["form"] {
  const pairs = fields.map(({ name, nameField, field }): [string, string] => [
    nameTemplate(name, nameField, replacements),
    replacements.template(field),
  ]);
  const names = new Set(pairs.map(([name]) => name));
  const fits = names.size === pairs.length &&
    pairs.every(([name]) => !/^\d*$|^__proto__$|\$\{/.test(name));
  return fits ? Object.fromEntries(pairs) : pairs;
}

function multipartPart(
  { recorded, nameField, filenameField, field }: MultipartField,
  replacements: Replacements,
): MultipartPart {
  const { name, base64 = "", filename, contentType } = recorded;
  return {
    name: nameTemplate(name, nameField, replacements),
    ...(field ? { value: replacements.template(field) } : { base64 }),
    ...(filename !== undefined && {
      filename: nameTemplate(filename, filenameField, replacements),
    }),
    ...(contentType !== undefined && isSendableValue(contentType) && { content_type: contentType }),
  };
}

export type PlanHeaders = NonNullable<Request["headers"]>;

export interface RequestContext {
  readonly name: string;
  readonly headers: PlanHeaders;
  readonly baseUrl: string;
  readonly replacements: Replacements;
  readonly extract: readonly Extractor[];
  /** Undefined if the response is not a stream of events. */
  readonly stream: PlannedStream | undefined;
  readonly follow: boolean;
  readonly checks: readonly Condition[];
}

function planRequest(call: RecordedCall, context: RequestContext): Request {
  const { name, headers, replacements, extract, stream, follow, checks } = context;
  const request: Request = { name, method: methodOf(call), url: planUrl(call, context) };
  if (Object.keys(headers).length > 0) request.headers = headers;
  if (call.body) request.body = planBody(call, call.body, replacements);
  if (follow) request.follow_redirects = true;
  const timeout = stream === undefined ? longTimeout(call.exchange) : stream.timeout;
  if (timeout !== undefined) request.timeout = timeout;
  if (stream?.sse !== undefined) request.sse = stream.sse;
  request.tags = { [RECORDED_TAG]: String(call.exchange.index + 1) };
  if (extract.length > 0) request.extract = [...extract];
  if (!follow && isClientError(call)) request.assert = [expectClientError(call)];
  if (checks.length > 0) request.checks = [...checks];
  return request;
}

function isClientError({ exchange: { response: { status } } }: RecordedCall): boolean {
  return status >= 400 && status < 500;
}

function expectClientError({ exchange: { response: { status } } }: RecordedCall): Condition {
  return {
    type: "status",
    name: `status ${status} as recorded, or below 400`,
    matches: `^(?:[123]|${status}$)`,
  };
}

function planUrl(
  { url }: RecordedCall,
  { baseUrl, replacements }: Pick<RequestContext, "baseUrl" | "replacements">,
): string {
  const relative = url.origin === baseUrl &&
    !(url.path[0] === "/" && url.path[1] === "/");
  const start = relative ? "" : url.prefix;
  return joinParts(replacements.piecesParts([start, ...url.path, ...url.query]));
}

export function planHeaders(call: RecordedCall, replacements: Replacements): NameValue[] {
  const planned: NameValue[] = [];
  for (const field of call.fields) {
    if (field.kind === "header") {
      planned.push({ name: field.name, value: replacements.template(field) });
    }
  }
  const type = textContentType(call, replacements);
  if (type !== undefined) planned.push({ name: "Content-Type", value: literal(type) });
  return planned;
}

/** Fraction of the requests that must send a header for it to be a default. */
const SHARED = 0.9;

export interface DividedHeaders {
  readonly defaults: PlanHeaders;
  /** In the order of the requests. */
  readonly own: readonly PlanHeaders[];
}

/**
 * Makes headers defaults if at least 90% of the requests send them. Others keep their value, or get
 * null. Headers with variables stay in the requests, because an iteration starts without values.
 */
export function divideHeaders(requests: readonly (readonly NameValue[])[]): DividedHeaders {
  const defaults = requests.length < 2 ? new Map<string, string>() : sharedHeaders(requests);
  const own = requests.map((headers): PlanHeaders => {
    const rest: [name: string, value: string | null][] = [];
    let shared = 0;
    for (const { name, value } of headers) {
      const usual = defaults.get(name);
      if (usual !== undefined) shared++;
      if (usual !== value) rest.push([name, value]);
    }
    if (shared < defaults.size) {
      const names = new Set(headers.map(({ name }) => name.toLowerCase()));
      for (const name of defaults.keys()) {
        if (!names.has(name.toLowerCase())) rest.push([name, null]);
      }
    }
    return Object.fromEntries(rest);
  });
  return { defaults: Object.fromEntries(defaults), own };
}

function sharedHeaders(requests: readonly (readonly NameValue[])[]): Map<string, string> {
  const counts = new Map<string, Map<string, number>>();
  for (const { name, value } of requests.flat()) {
    const values = counts.getOrInsertComputed(name, () => new Map());
    values.set(value, (values.get(value) ?? 0) + 1);
  }
  const shared = new Map<string, string>();
  for (const [name, values] of counts) {
    // A body may imply its content type, which null would remove.
    if (name.toLowerCase() === "content-type") continue;
    for (const [value, count] of values) {
      if (count >= SHARED * requests.length && isFixed(value)) shared.set(name, value);
    }
  }
  return shared;
}

function isFixed(template: string): boolean {
  return parseTemplate(template).every(({ kind }) => kind === "text" || kind === "secrets");
}

/** Returns undefined for a message that the browser received. */
export function planStep(call: RecordedCall, context: RequestContext): Step | undefined {
  switch (call.exchange.socketPart) {
    case "open":
      return { websocket: planSocket(call, context) };
    case "send":
      return { send: planMessage(call, context.replacements) };
    case "receive":
      return undefined;
    default:
      return { request: planRequest(call, context) };
  }
}

const PROTOCOL = /^sec-websocket-protocol$/i;

function planSocket(call: RecordedCall, context: RequestContext): NonNullable<Step["websocket"]> {
  const entries = Object.entries(context.headers);
  const offered = entries.find(([name]) => PROTOCOL.test(name))?.[1];
  const headers = Object.fromEntries(entries.filter(([name]) => !PROTOCOL.test(name)));
  return {
    name: context.name,
    url: planUrl(call, context).replace(/^http(?=s?:)/i, "ws"),
    ...(typeof offered === "string" && { subprotocols: offered.split(/\s*,\s*/) }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(call.exchange.heartbeat && { heartbeat: call.exchange.heartbeat }),
    tags: { [RECORDED_TAG]: String(call.exchange.index + 1) },
    steps: [],
  };
}

function planMessage(call: RecordedCall, replacements: Replacements): NonNullable<Step["send"]> {
  const { body } = call;
  if (body === undefined) return "";
  const planned = planBody(call, body, replacements);
  if (typeof planned === "string") return planned;
  return planned.base64 === undefined ? { json: planned.json } : { base64: planned.base64 };
}
