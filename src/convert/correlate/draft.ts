import type {
  Exchange,
  FormPart as BodyPart,
  NameValue,
  RecordedRequest,
  RequestBody,
} from "../../traffic/har/exchange.ts";
import { losesWhenRewritten } from "./json_loss.ts";
import { fieldTree } from "./json_tree.ts";
import { RequestField } from "./request_field.ts";
import { type DraftUrl, draftUrl, fieldsIn } from "./url_fields.ts";

/** A recorded call with its request split into fields whose values may be replaced. */
export interface Draft {
  readonly exchange: Exchange;
  /** Index among the kept calls, from 0. */
  readonly order: number;
  /**
   * Start time in milliseconds, comparable among drafts. Equals `order` if the recording has no times.
   */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly url: DraftUrl;
  readonly headers: readonly DraftHeader[];
  readonly body: DraftBody | undefined;
  /** All replaceable fields of the request, in the order in which they are sent. */
  readonly slots: readonly RequestField[];
}

/** A header that the plan sends. Headers of the same name are joined into one. */
export interface DraftHeader {
  readonly name: string;
  readonly slot: RequestField;
}

/** The body of a request, split into replaceable fields. `base64` bodies are sent as recorded. */
export type DraftBody =
  | { readonly kind: "json"; readonly tree: unknown; readonly contentType: string }
  | { readonly kind: "form"; readonly fields: readonly DraftField[]; readonly contentType: string }
  | {
    readonly kind: "multipart";
    readonly parts: readonly DraftPart[];
    readonly contentType: string;
  }
  | { readonly kind: "text"; readonly slot: RequestField; readonly contentType: string }
  | { readonly kind: "base64"; readonly base64: string; readonly contentType: string };

/** A form field; only its value can be replaced. */
export interface DraftField {
  readonly name: string;
  readonly slot: RequestField;
}

/** A part of a multipart body; `slot` is undefined if its content is not text. */
export interface DraftPart {
  readonly recorded: BodyPart;
  readonly slot: RequestField | undefined;
}

/**
 * Splits the request of each call into replaceable fields. `headersOf` returns the headers that the plan
 * keeps.
 */
export function buildDrafts(
  exchanges: readonly Exchange[],
  headersOf: (request: RecordedRequest) => readonly NameValue[],
): Draft[] {
  const timed = hasClock(exchanges);
  return exchanges.map((exchange, order) => {
    const { startedAt, endedAt } = timed ? exchange : { startedAt: order, endedAt: order };
    const slots: RequestField[] = [];
    const request = cut(exchange.request, headersOf(exchange.request), slots);
    return { exchange, order, startedAt, endedAt, ...request, slots };
  });
}

/**
 * Reports whether the calls have at least two different start times. Generated or anonymized files have
 * the same time in all calls.
 */
export function hasClock(exchanges: readonly Exchange[]): boolean {
  return exchanges.some(({ startedAt }) => startedAt !== exchanges[0].startedAt);
}

function cut(
  request: RecordedRequest,
  headers: readonly NameValue[],
  slots: RequestField[],
): Pick<Draft, "url" | "headers" | "body"> {
  const url = draftUrl(request.url);
  const kept = headers.map(({ name, value }) => ({
    name,
    slot: new RequestField("header", name, value),
  }));
  slots.push(...fieldsIn(url.path), ...fieldsIn(url.query), ...kept.map(({ slot }) => slot));
  return { url, headers: kept, body: draftBody(request.body, slots) };
}

function draftBody(body: RequestBody | undefined, slots: RequestField[]): DraftBody | undefined {
  const slot = (made: RequestField) => (slots.push(made), made);
  switch (body?.kind) {
    case "json":
      if (losesWhenRewritten(body.text, body.value)) {
        return { ...body, kind: "text", slot: slot(new RequestField("text", "", body.text)) };
      }
      return { ...body, tree: fieldTree(body.value, slots) };
    case "form":
      return {
        ...body,
        fields: body.fields.map(({ name, value }) => ({
          name,
          slot: slot(new RequestField("form", name, value)),
        })),
      };
    case "multipart":
      return { ...body, parts: body.parts.map((part) => draftPart(part, slots)) };
    case "text":
      return { ...body, slot: slot(new RequestField("text", "", body.text)) };
    default:
      return body;
  }
}

function draftPart(recorded: BodyPart, slots: RequestField[]): DraftPart {
  if (recorded.value === undefined) return { recorded, slot: undefined };
  const slot = new RequestField("multipart", recorded.name, recorded.value);
  slots.push(slot);
  return { recorded, slot };
}
