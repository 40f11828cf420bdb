import {
  findServerValues,
  type ServerValue,
  type ServerValueUsage,
} from "../../convert/server_values.ts";
import { mostCommonOrigin } from "../../traffic/har/http_origin.ts";
import type { Exchange, Recording } from "../../traffic/har/recording.ts";
import { dynamicBy, isOpaque } from "../../traffic/session/dynamic_value.ts";
import { keptCalls } from "../../traffic/session/kept_calls.ts";
import { keptHeaders } from "../../traffic/session/kept_headers.ts";
import { percentDecode } from "../../traffic/session/percent_decode.ts";
import { callName, type RecordedCall, splitCalls } from "../../traffic/session/recorded_call.ts";
import { sortRedirects } from "../../traffic/session/redirects.ts";
import type { RequestField } from "../../traffic/session/request_field.ts";
import { parseSetCookies } from "../../traffic/session/set_cookies.ts";
import { SHORTEST_WITHIN } from "../../traffic/session/value_index.ts";
import { decodeSent } from "./forms.ts";

/** A server-generated value at a place where a later request sends it. */
export interface VariableUsage extends ServerValueUsage {
  readonly serverValue: ServerValue;
  /** Raw value, as in the response. */
  readonly rawValue: string;
}

/** A recorded session, as the mock server and the judge need it. */
export interface RecordedSession {
  /** The calls that a plan is expected to make, in order. */
  readonly calls: readonly RecordedCall[];
  /** Main origin: the origin of most calls. */
  readonly origin: string;
  /** Raw values that the server regenerates, by the call whose response contains each first. */
  readonly serverValues: ReadonlyMap<RecordedCall, ReadonlySet<string>>;
  /** Values of session cookies in `serverValues`, with the call that sets each. */
  readonly cookies: ReadonlyMap<string, RecordedCall>;
  /** Uses of server-generated values in requests, ordered by offset within each field. */
  readonly uses: ReadonlyMap<RequestField, readonly VariableUsage[]>;
  /** All recorded exchanges, including those that a plan omits. */
  readonly exchanges: readonly Exchange[];
  /** Redirects whose target is not a recorded call. */
  readonly externalRedirects: ReadonlySet<RecordedCall>;
  /** Returns the name of a call in reports: `request 4 (POST /orders)`. */
  nameOf(call: RecordedCall): string;
  /** Returns the name of any recorded exchange. */
  nameOfExchange(exchange: Exchange): string;
}

/** Converts a recording to a session; undefined if it has no calls to send. */
export function readSession({ exchanges }: Recording): RecordedSession | undefined {
  const { exchanges: kept } = keptCalls(exchanges, undefined);
  const origin = mostCommonOrigin(kept.map(({ request }) => request.url));
  if (origin === undefined) return undefined;
  const calls = splitCalls(kept, keptHeaders);
  const { values, shown } = findServerValues(calls);
  const cookies = sessionCookies(calls, values);
  const { followed } = sortRedirects(calls, () => false);
  const nameOf = (call: RecordedCall) => callName(call, shown);
  const byExchange = new Map(calls.map((call) => [call.exchange, call]));
  return {
    calls,
    origin,
    serverValues: valuesByProducer(values, cookies),
    cookies,
    uses: Map.groupBy(inOrder(values.flatMap(listUses)), ({ field }) => field),
    exchanges,
    externalRedirects: followed,
    nameOf,
    nameOfExchange: (exchange) => {
      const call = byExchange.get(exchange);
      return call ? nameOf(call) : `${exchange.request.method} ${exchange.request.url}`;
    },
  };
}

function valuesByProducer(
  serverValues: readonly ServerValue[],
  cookies: ReadonlyMap<string, RecordedCall>,
): Map<RecordedCall, Set<string>> {
  const values = new Map<RecordedCall, Set<string>>();
  const add = (producer: RecordedCall, rawValue: string) =>
    values.set(producer, (values.get(producer) ?? new Set()).add(rawValue));
  for (const value of serverValues) add(value.producer, rawValueOf(value));
  for (const [value, producer] of cookies) add(producer, value);
  return values;
}

function listUses(serverValue: ServerValue): VariableUsage[] {
  const rawValue = rawValueOf(serverValue);
  return serverValue.usages.map((usage) => ({ ...usage, serverValue, rawValue }));
}

function inOrder(uses: readonly VariableUsage[]): VariableUsage[] {
  return uses.toSorted((a, b) => a.start - b.start);
}

function rawValueOf({ extractor, value }: ServerValue): string {
  return decodeSent(value, extractor.transform);
}

/**
 * Returns the values of server-generated cookies, as written in `Set-Cookie`, with the first call that
 * sets each. Omits values that requests also send elsewhere: these are variables, or from the client.
 */
function sessionCookies(
  calls: readonly RecordedCall[],
  serverValues: readonly ServerValue[],
): Map<string, RecordedCall> {
  const elsewhere = new Set([
    ...calls.flatMap(({ fields }) => fields.map(({ value }) => value)),
    ...serverValues.map(({ value }) => value),
  ]);
  const cookies = new Map<string, RecordedCall>();
  for (const call of calls) {
    for (const [name, value] of parseSetCookies(call.exchange.response)) {
      const isMade = value.length >= SHORTEST_WITHIN && (dynamicBy(name, value) || isOpaque(value));
      if (!isMade || elsewhere.has(value) || cookies.has(value)) continue;
      if (!elsewhere.has(percentDecode(value, false)?.value ?? value)) cookies.set(value, call);
    }
  }
  return cookies;
}
