import type { Exchange, Field, Part as BodyPart, RequestBody } from "../../traffic/har/exchange.ts";
import { losesWhenRewritten } from "./json_loss.ts";
import { slotTree } from "./json_tree.ts";
import { Slot } from "./slot.ts";
import { type DraftUrl, draftUrl, slotsAmong } from "./url_slots.ts";

/** A recorded call on its way into the plan: what may be replaced in its request stands in slots. */
export interface Draft {
  readonly exchange: Exchange;
  /** Place among the kept calls, from 0. */
  readonly order: number;
  readonly url: DraftUrl;
  readonly headers: readonly DraftHeader[];
  readonly body: DraftBody | undefined;
  /** Every slot of the request, in the order in which it is sent. */
  readonly slots: readonly Slot[];
}

/** A header that is sent again; the values of repeated names are joined. */
export interface DraftHeader {
  readonly name: string;
  readonly slot: Slot;
}

/** A request's body with its slots. */
export type DraftBody =
  | { readonly kind: "json"; readonly tree: unknown; readonly contentType: string }
  | { readonly kind: "form"; readonly fields: readonly DraftField[]; readonly contentType: string }
  | {
    readonly kind: "multipart";
    readonly parts: readonly DraftPart[];
    readonly contentType: string;
  }
  | { readonly kind: "text"; readonly slot: Slot; readonly contentType: string }
  | { readonly kind: "base64"; readonly base64: string; readonly contentType: string };

interface DraftField {
  readonly name: string;
  readonly slot: Slot;
}

/** A multipart part; `slot` is undefined where its content is not text. */
export interface DraftPart {
  readonly recorded: BodyPart;
  readonly slot: Slot | undefined;
}

/** Cuts a call's request into slots. `headers` are those that are kept. */
export function draft(exchange: Exchange, order: number, headers: readonly Field[]): Draft {
  const url = draftUrl(exchange.request.url);
  const kept = headers.map(({ name, value }) => ({ name, slot: new Slot("header", name, value) }));
  const slots = [
    ...slotsAmong(url.path),
    ...slotsAmong(url.query),
    ...kept.map(({ slot }) => slot),
  ];
  const body = draftBody(exchange.request.body, slots);
  return { exchange, order, url, headers: kept, body, slots };
}

function draftBody(body: RequestBody | undefined, slots: Slot[]): DraftBody | undefined {
  const slot = (made: Slot) => (slots.push(made), made);
  switch (body?.kind) {
    case "json":
      if (losesWhenRewritten(body.text, body.value)) {
        return { ...body, kind: "text", slot: slot(new Slot("text", "", body.text)) };
      }
      return { ...body, tree: slotTree(body.value, slots) };
    case "form":
      return {
        ...body,
        fields: body.fields.map(({ name, value }) => ({
          name,
          slot: slot(new Slot("form", name, value)),
        })),
      };
    case "multipart":
      return { ...body, parts: body.parts.map((part) => draftPart(part, slots)) };
    case "text":
      return { ...body, slot: slot(new Slot("text", "", body.text)) };
    default:
      return body;
  }
}

function draftPart(recorded: BodyPart, slots: Slot[]): DraftPart {
  if (recorded.value === undefined) return { recorded, slot: undefined };
  const slot = new Slot("multipart", recorded.name, recorded.value);
  slots.push(slot);
  return { recorded, slot };
}
