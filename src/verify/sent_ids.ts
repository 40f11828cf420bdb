import type { Use } from "../correlation/pieces.ts";
import { isCount, isNumberName } from "../correlation/words.ts";
import { callPlaces, isHeader, placeName } from "../outcome/compare_requests.ts";
import { isSafeMethod } from "../traffic/session/changes_data.ts";
import { nameHint, nameWords } from "../traffic/session/dynamic_value.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import { type FieldPart, RequestField } from "../traffic/session/request_field.ts";
import { generatedValues } from "./generated_values.ts";

/** A short id in a request: only its place shows that it is an id, as in `/articles/7`. */
export interface SentId {
  readonly value: string;
  readonly place: string;
  /** The id with the text around it that shows that it is an id: `312.json` or `orders/312`. */
  readonly written: string;
  readonly use: Use;
}

/** Reports whether the method or the URL of a call says that it deletes something. */
export function deletesRow({ exchange: { request } }: RecordedCall): boolean {
  const method = request.method.toUpperCase();
  return method === "DELETE" ||
    !isSafeMethod(method) && /delet|remov|destroy|trash|purge/i.test(request.url);
}

/** Reports whether the name of a value suggests an id, a version or a token. */
export function mayNameId(name: string): boolean {
  const { idLike, stamp, token, maybe } = nameHint(name);
  return idLike || stamp || token || maybe || isNumberName(name);
}

/** Maximum length of a short id and of a URL that is searched for ids, in UTF-16 code units. */
const LONGEST_ID = 64;
const LONGEST_ADDRESS = 2_048;
/** Matches numbers of up to three digits except zero, and ids such as `TK-77`. */
const NUMBER = /^(?:(?!0+$)\d{1,3}|[A-Z]{1,8}-?\d{1,3})$/;
/** Matches text with a digit, and is neither zero nor a version such as `v2`. */
const ID = /^(?!v\d)(?=.*\d)(?!0+$)[\w.~@+=-]+$/i;
/** Matches one word. Several words are a name that a programmer chose, such as `login_form`. */
const WORD = /^(?!(?:true|false|null|none|undefined)$)[A-Za-z]{2,}$/i;
/** Matches the id in a path segment such as `312.json`, `312-green-tea` or `Orders(312)`. */
const IN_SEGMENT =
  /^(?:([A-Za-z]\w*)\(["']?)?((?!0+(?!\d))\d{1,3}|[A-Z]{1,8}-?\d{1,3})(?:$|[.:-](?=[A-Za-z])|["']?\)$)/;
/** Matches a query without a name that starts with a number, such as `?28-1.-form`. */
const NAMELESS = /^(?!0+$)\d{1,3}(?:-[\w.-]*)?$/;
const RPC_ID = /^json \$(?:\[\d+\])?\.id$/;

/** Returns the short ids that a call sends, with the places of `callPlaces`. */
export function sentIds(call: RecordedCall): SentId[] {
  return [...callPlaces(call)].flatMap(([place, { text, isFile, field }]) => {
    const name = placeName(place);
    const isOther = isCount(name) && !mayNameId(name) ||
      isHeader(place) && !nameHint(name).idLike ||
      call.body?.kind === "json" && RPC_ID.test(place) && call.body.rpcIds.has(text);
    if (isFile || text === "" || isOther) return [];
    const own = field ?? new RequestField("json", name, text);
    if (place.startsWith("path segment ")) return idInSegment(call, place, own);
    if (/^(?:https?:\/)?\//i.test(text) && text.length <= LONGEST_ADDRESS) {
      return idsInAddress(call, place, own);
    }
    return isId(text, place, name) ? [idAt(call, place, own, text, text)] : [];
  });
}

function idInSegment(call: RecordedCall, place: string, field: RequestField): SentId[] {
  const [, collection, value] = IN_SEGMENT.exec(field.value) ?? [];
  if (value === undefined) return [];
  const named = collection ? new RequestField("query", collection, field.value) : field;
  return [idAt(call, place, named, value, field.value)];
}

/** Returns the numbers in the path of a URL, each with the segment before it. */
function idsInAddress(call: RecordedCall, place: string, field: RequestField): SentId[] {
  return field.parts().filter(({ inPath }) => inPath).flatMap((part) => {
    const value = field.value.slice(part.start, part.end);
    const before = field.value.slice(0, part.start).split("/").at(-2) ?? "";
    return NUMBER.test(value) ? [idAt(call, place, field, value, `${before}/${value}`, part)] : [];
  });
}

/** Reports whether the whole text at a place is a short id. */
function isId(text: string, place: string, name: string): boolean {
  if (text.length > LONGEST_ID) return false;
  if (place === "query ") return NAMELESS.test(text);
  const words = nameWords(name);
  const isWordId = words.length > 1 && words.at(-1) === "id" && WORD.test(text);
  return isWordId || NUMBER.test(text) ||
    mayNameId(name) && ID.test(text) && generatedValues(text).length === 0;
}

function idAt(
  call: RecordedCall,
  place: string,
  field: RequestField,
  value: string,
  written: string,
  part?: FieldPart,
): SentId {
  const start = field.value.indexOf(value, part?.start);
  const fills = part ? "part" : value === field.value ? "whole" : "piece";
  const use = { value, call, field, start, end: start + value.length, fills, part } as const;
  return { value, place, written, use };
}
