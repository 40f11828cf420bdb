import { splitParameters } from "../../base/string_escapes.ts";
import type { Outgoing } from "../../http/sender.ts";
import { encodeForm } from "../../http/encode_body.ts";
import type {
  Exchange,
  FormPart as BodyPart,
  NameValue,
  RecordedRequest,
  RequestBody,
} from "../har/recording.ts";
import { parseBody } from "../har/request_body.ts";
import { messageBody } from "../har/socket_messages.ts";
import { FieldNames, type FieldTree, fieldTree } from "./body_fields.ts";
import { type CallUrl, encodedField, fieldsIn, percentDecodedText, splitUrl } from "./call_url.ts";
import { isSafeMethod } from "./changes_data.ts";
import { nameWords } from "./dynamic_value.ts";
import { keptHeaders } from "./headers.ts";
import { holdsValue, RequestField } from "./request_field.ts";

/** A recorded call whose request is split into replaceable fields. */
export interface RecordedCall {
  readonly exchange: Exchange;
  readonly order: number;
  /** Unix milliseconds, or `order` if the recording has no usable times (see `hasClock`). */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly url: CallUrl;
  readonly body: CallBody | undefined;
  /** All replaceable fields in the order in which they are sent, except ids of JSON-RPC. */
  readonly fields: readonly RequestField[];
  /** Words of the path segments of the session that name collections, in lower case. */
  readonly collections: ReadonlySet<string>;
}

/** A request body, split into replaceable fields. `base64` has none. */
export type CallBody =
  | FieldTree & {
    readonly kind: "json";
    readonly text: string;
    readonly contentType: string;
  }
  | {
    readonly kind: "form";
    readonly fields: readonly FormField[];
    /** The fields, and the text between. Absent if encoding the fields gives the recorded text. */
    readonly pieces?: readonly (string | RequestField)[];
    readonly contentType: string;
  }
  | {
    readonly kind: "multipart";
    readonly parts: readonly MultipartField[];
    readonly contentType: string;
  }
  | { readonly kind: "text"; readonly field: RequestField; readonly contentType: string }
  | { readonly kind: "base64"; readonly base64: string; readonly contentType: string };

/** `nameField` is undefined if the name cannot contain a generated value. */
export interface FormField {
  readonly name: string;
  readonly nameField: RequestField | undefined;
  readonly field: RequestField;
}

/** Fields are undefined for content that is not text, and names without a generated value. */
export interface MultipartField {
  readonly recorded: BodyPart;
  readonly nameField: RequestField | undefined;
  readonly filenameField: RequestField | undefined;
  readonly field: RequestField | undefined;
}

/** Splits the requests that a plan sends into replaceable fields. */
export function splitCalls(exchanges: readonly Exchange[]): RecordedCall[] {
  const timed = hasClock(exchanges);
  const collections = new Set<string>();
  return exchanges.map((exchange, order) => {
    const { request } = exchange;
    const url = splitUrl(request.url);
    const fields: RequestField[] = [];
    if (!isMessage({ exchange })) fields.push(...fieldsIn(url.path), ...fieldsIn(url.query));
    for (const name of collectionsIn(request.method, url)) {
      for (const word of nameWords(name)) collections.add(word);
    }
    for (const { name, value } of keptHeaders(request)) {
      fields.push(new RequestField("header", name, value));
    }
    const body = splitBody(request.body, fields);
    return {
      exchange,
      order,
      startedAt: timed ? exchange.startedAt : order,
      endedAt: timed ? exchange.endedAt : order,
      url,
      body,
      fields,
      collections,
    };
  });
}

/** Returns the path segments to which a request adds an object, or of which it names an object. */
function collectionsIn(method: string, { path }: CallUrl): string[] {
  const segments = fieldsIn(path).map(({ value }) => value);
  return segments.filter((_, i) =>
    i === segments.length - 1 ? !isSafeMethod(method) : /^\d+$/.test(segments[i + 1])
  );
}

/** The URL of a WebSocket message is that of the WebSocket. */
export function isMessage({ exchange: { socketPart } }: Pick<RecordedCall, "exchange">): boolean {
  return socketPart === "send" || socketPart === "receive";
}

/** Returns the headers that the plan sends, one of each name. */
export function headersIn({ fields }: Pick<RecordedCall, "fields">): RequestField[] {
  return fields.filter(({ kind }) => kind === "header");
}

/** Returns the header with the lowercase `name` that the plan sends. */
export function headerIn({ fields }: RecordedCall, name: string): RequestField | undefined {
  return fields.find((field) => field.kind === "header" && field.name.toLowerCase() === name);
}

/** In some generated or anonymized files, all start times are equal. */
export function hasClock(exchanges: readonly Exchange[]): boolean {
  return exchanges.some(({ startedAt }) => startedAt !== exchanges[0].startedAt);
}

type AddField = <F extends RequestField | undefined>(field: F) => F;

function splitBody(
  body: RequestBody | undefined,
  fields: RequestField[],
): CallBody | undefined {
  const add: AddField = (field) => {
    if (field !== undefined) fields.push(field);
    return field;
  };
  switch (body?.kind) {
    case "json":
      return { ...body, ...fieldTree(body.value, fields) };
    case "form":
      return splitForm(body.text, body.contentType, new FieldNames(fields), add);
    case "multipart": {
      const names = new FieldNames(fields);
      for (const part of body.parts) names.add(part);
      return {
        ...body,
        parts: body.parts.map((recorded) => ({
          recorded,
          nameField: add(names.field(recorded.name)),
          filenameField: add(
            holdsValue(recorded.filename ?? "")
              ? new RequestField("name", "", recorded.filename!)
              : undefined,
          ),
          field: recorded.value === undefined
            ? undefined
            : add(new RequestField("multipart", recorded.name, recorded.value)),
        })),
      };
    }
    case "text":
      return { ...body, field: add(new RequestField("text", "", body.text)) };
    default:
      return body;
  }
}

/** A form that encodes to other text is sent as text, with percent-encoded fields. */
function splitForm(
  text: string,
  contentType: string,
  names: FieldNames,
  add: AddField,
): CallBody {
  const isCanonical = encodeForm([...new URLSearchParams(text)]) === text;
  const pairs = splitParameters(text).map(([separator, pair]) => {
    const [, name, equals, value] = /^([^=]*)(=?)(.*)$/s.exec(pair)!;
    const [decoded, plain] = [name, value].map((part) => percentDecodedText(part, true));
    return { before: separator + name + equals, name: decoded, plain, value };
  });
  for (const { name, plain } of pairs) names.add({ name, value: plain });
  const fields = pairs.map(({ name, plain, value }) => ({
    name,
    nameField: isCanonical ? add(names.field(name)) : undefined,
    field: add(
      isCanonical ? new RequestField("form", name, plain) : encodedField("form", name, value, true),
    ),
  }));
  if (isCanonical) return { kind: "form", fields, contentType };
  const pieces = fields.flatMap(({ field }, i) => [pairs[i].before, field]);
  return { kind: "form", fields, pieces, contentType };
}

/** Reports whether a field is part of a form that is sent as text. */
export function isFormText({ body }: RecordedCall, { kind }: RequestField): boolean {
  return kind === "form" && body?.kind === "form" && body.pieces !== undefined;
}

/** Returns the HTTP method in upper case. */
export function methodOf({ exchange: { request: { method } } }: RecordedCall): string {
  return method === "GET" ? method : method.toUpperCase();
}

/** Returns `METHOD path`. `textOf` formats the path's fields. */
export function requestName(call: RecordedCall, textOf: (field: RequestField) => string): string {
  let name = `${methodOf(call)} `;
  for (const piece of call.url.path) name += typeof piece === "string" ? piece : textOf(piece);
  return name;
}

/**
 * Adds the number of a call to its name: `request 4 (POST /orders)`, or `message 2 (SEND /live)`.
 * `numbers` has the plan's request for each HAR entry; if it is empty, all calls are numbered.
 */
export function callNumberer(
  calls: readonly RecordedCall[],
  numbers: ReadonlyMap<number, number>,
): (call: RecordedCall, name: string) => string {
  const sockets = Map.groupBy(calls.filter(isMessage), ({ exchange }) => exchange.index);
  const messages = new Map(
    [...sockets.values()].flatMap((messages) => messages.map((call, i) => [call, i + 1] as const)),
  );
  return (call, name) => {
    const message = messages.get(call);
    if (message !== undefined) return `message ${message} (${name})`;
    const number = numbers.size === 0 ? call.order + 1 : numbers.get(call.exchange.index + 1);
    return number === undefined ? name : `request ${number} (${name})`;
  };
}

/** A request that a plan sends. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly NameValue[];
  readonly body: Uint8Array | undefined;
}

/** Converts a request of the HTTP client to the form of a recorded request. */
export function sentRequest({ method, origin, target, headers, body }: Outgoing): SentRequest {
  const path = target.startsWith("/") ? target : `/${target}`;
  return {
    method,
    url: `http${origin.secure ? "s" : ""}://${origin.authority}${path}`,
    headers: headers.map(([name, value]) => ({ name, value })),
    body,
  };
}

/** Splits a sent request into fields in the same way as recorded calls. */
export function splitSent({ method, url, headers, body }: SentRequest): RecordedCall {
  const contentType = headers.find(({ name }) => name.toLowerCase() === "content-type")?.value;
  if (method === "SEND") {
    return splitRequest({ method, url, headers, body: messageBody(body ?? new Uint8Array()) });
  }
  return splitRequest({
    method,
    url,
    headers,
    body: body?.length ? parseBody(body, contentType ?? "") : undefined,
  });
}

export function splitRequest(request: RecordedRequest): RecordedCall {
  return splitCalls([{
    index: 0,
    page: undefined,
    startedAt: 0,
    endedAt: 0,
    ...(request.method === "SEND" && { socketPart: "send" as const }),
    request,
    response: { status: 0, headers: [], mimeType: "", text: undefined, size: 0 },
  }])[0];
}
