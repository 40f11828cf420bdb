import type { Recording } from "../../src/traffic/har/recording.ts";
import { keptCalls } from "../../src/traffic/session/kept_calls.ts";
import { type RecordedCall, splitCalls } from "../../src/traffic/session/recorded_call.ts";
import type { RequestField } from "../../src/traffic/session/request_field.ts";

/** A value that requests of a session send, and the corresponding value on a fresh server. */
export interface FreshLabel {
  /** The value in the recording. */
  readonly value: string;
  /**
   * The corresponding value in the same session on a fresh server. Equals `value` for a constant.
   */
  readonly fresh: string;
  /** All request fields that contain the value. */
  readonly uses: readonly FreshUse[];
}

/** A field of a request that contains a labelled value. */
export interface FreshUse {
  /** Index of the entry, from 0. */
  readonly entry: number;
  /** Kind and name of the field, and its index among fields with the same kind and name. */
  readonly where: string;
}

/** Returns the calls of a recording that a plan sends, each split into its fields. */
export function callsOf(recording: Recording): RecordedCall[] {
  return splitCalls(keptCalls(recording.exchanges, undefined).exchanges);
}

/** Returns the fields of a call, keyed by kind, name and index. */
export function fieldsByPlace({ fields }: Pick<RecordedCall, "fields">): Map<string, RequestField> {
  const counts = new Map<string, number>();
  return new Map(fields.map((field) => {
    const name = (field.kind === "header" ? field.name.toLowerCase() : field.name)
      .replace(/\d{4,}/g, "0000"); // an id, which differs on another server
    const place = `${field.kind}${name && ` ${name}`}`;
    const count = counts.get(place) ?? 0;
    counts.set(place, count + 1);
    return [`${place}#${count}`, field];
  }));
}

/**
 * Labels the values of a session by comparing it with the same session on a fresh server. A value
 * is dynamic if the session on the fresh server sends a different value. Constants are labelled
 * only if an earlier response contains them, because no other constant could be mistaken for a
 * server-generated value. Throws Error if the fresh session has a different number of calls or
 * lacks a field.
 */
export function labelsOf(
  recorded: readonly RecordedCall[],
  fresh: readonly RecordedCall[],
): FreshLabel[] {
  if (recorded.length !== fresh.length) throw new Error("the sessions differ in length");
  const labels = new Map<string, FreshLabel & { uses: FreshUse[] }>();
  let received = "";
  recorded.forEach((call, i) => {
    const others = fieldsByPlace(fresh[i]);
    for (const [where, field] of fieldsByPlace(call)) {
      const other = others.get(where);
      if (other === undefined) throw new Error(`call ${i} has no ${where} on the fresh server`);
      const [value, freshValue] = difference(field.value, other.value);
      if (value === freshValue && !mayBeMistaken(field, received)) continue;
      const key = JSON.stringify([value, freshValue]);
      const label = labels.get(key) ?? { value, fresh: freshValue, uses: [] };
      labels.set(key, label);
      label.uses.push({ entry: call.exchange.index, where });
    }
    const { headers, text = "" } = call.exchange.response;
    received += `\n${headers.map(({ value }) => value).join("\n")}\n${text}`;
  });
  return [...labels.values()];
}

/**
 * Reports whether a constant could be mistaken for a server-generated value: it was received
 * before, is at least four characters long, contains no space, and is not in a header.
 */
function mayBeMistaken({ kind, value }: RequestField, received: string): boolean {
  return kind !== "header" && value.length >= 4 && !value.includes(" ") && received.includes(value);
}

const TOKENS = /[A-Za-z0-9]+|[^A-Za-z0-9]/g;

/**
 * Returns the two strings without their common prefix and suffix, which consist of whole tokens (a
 * word or one other character). Returns the strings unchanged if the prefix and the suffix contain
 * only punctuation.
 */
export function difference(a: string, b: string): [string, string] {
  if (a === b) return [a, b];
  const [left, right] = [a.match(TOKENS) ?? [], b.match(TOKENS) ?? []];
  const most = Math.min(left.length, right.length);
  let start = 0;
  while (start < most && left[start] === right[start]) start++;
  let end = 0;
  while (end < most - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end++;
  const common = [...left.slice(0, start), ...left.slice(left.length - end)];
  if (!common.some((token) => /[A-Za-z0-9]/.test(token))) return [a, b];
  const between = (all: string[]) => all.slice(start, all.length - end).join("");
  return [between(left), between(right)];
}
